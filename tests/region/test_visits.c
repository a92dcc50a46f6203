/* A region that a node records is replayed as it was: a network runs with hooks on every node that write down, for each
 * call into the region, the way that its instructions went and what its objects held at the end. The replay of each
 * node's log is written down in the same way.
 *
 *     test_visits IMAGE NODES SECONDS LEAST     at least LEAST visits of all nodes must be replayed
 *
 * The node's side shares the machine with the replay, and nothing else: neither the recorder's hooks nor its log. A
 * visit begins and ends in __hcr_enter and __hcr_leave, where interrupts are off: before and after, others may come
 * first. */
#include "field/world.h"
#include "image/image.h"
#include "network.h"
#include "replay/region/region_map.h"
#include "replay/region/region_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDRESSES = 0x10000, LEVELS = 40, OBJECTS = 100 };

struct visit {
    uint32_t path;  /* hash of the addresses, */
    uint32_t count; /* how many, */
    uint32_t state; /* and of the objects at the end; 0: not ended */
    uint32_t entry;
};

struct program {
    struct hc_image *image;
    struct hc_region_map map;
    bool inside[ADDRESSES];
    struct hc_symbol enter, leave;
    int objects;
    struct hc_symbol object[OBJECTS];
};

struct account {
    const struct program *program;
    struct hc_machine *machine;
    struct visit *visit;
    size_t visits, room;
    size_t level[LEVELS]; /* visits that have not ended */
    int depth;
    bool calls; /* the machine tells of them */
    struct pending {
        uint32_t entry, sp;
        bool done;
    } pending[LEVELS]; /* calls of the two functions */
    int waiting;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "test_visits: %s: %s\n", what, why);
    exit(1);
}

/* ---- writing down ---- */

static void note(struct account *a, bool entering, uint32_t entry);

/* In __hcr_enter or __hcr_leave: the first instruction with interrupts off is where it happens. */
static void at_border(struct account *a, bool entering)
{
    struct pending *top = &a->pending[a->waiting - 1];

    if (!a->waiting)
        return;
    if (!top->done && !(hc_register(a->machine, HC_SR) & HC_SR_GIE)) {
        top->done = true;
        note(a, entering, top->entry);
    }
    if (hc_register(a->machine, HC_SP) == top->sp + 2)
        a->waiting--;
}

static enum hc_action began(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct account *a = owner;

    (void)pc;
    if (a->waiting == LEVELS)
        fail("levels", "too many");
    a->pending[a->waiting++] = (struct pending){ hc_register(m, 14), hc_register(m, HC_SP), false };
    return HC_CONTINUE;
}

static bool is_in(const struct hc_symbol *f, uint32_t pc)
{
    return pc - f->address < f->size;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct account *a = owner;

    (void)m;
    if (a->calls && (is_in(&a->program->enter, pc) || is_in(&a->program->leave, pc)))
        at_border(a, is_in(&a->program->enter, pc));
    if (!a->depth || pc >= ADDRESSES || !a->program->inside[pc])
        return;
    struct visit *v = &a->visit[a->level[a->depth - 1]];
    v->path = (v->path ^ pc) * 16777619u;
    v->count++;
}

static uint32_t state_of(const struct account *a)
{
    uint32_t hash = 2166136261u;

    for (int i = 0; i < a->program->objects; i++)
        for (uint32_t k = 0; k < a->program->object[i].size; k++)
            hash = (hash ^ hc_peek(a->machine, a->program->object[i].address + k)) * 16777619u;
    return hash | 1;
}

static void note(struct account *a, bool entering, uint32_t entry)
{
    if (entering) {
        if (a->visits == a->room) {
            a->room = a->room ? 2 * a->room : 1024;
            a->visit = realloc(a->visit, a->room * sizeof *a->visit);
        }
        if (!a->visit || a->depth == LEVELS)
            fail("memory", "out of it");
        a->visit[a->visits] = (struct visit){ .path = 2166136261u, .entry = entry };
        a->level[a->depth++] = a->visits++;
    } else if (a->depth) {
        struct visit *v = &a->visit[a->level[--a->depth]];
        v->state = a->depth ? 1 : state_of(a);
    }
}

static void visited(void *owner, struct hc_region_replay *r, int entry)
{
    (void)r;
    note(owner, entry >= 0, (uint32_t)entry);
}

/* CALLS: the machine tells of calls, else the replay. */
static void listen(struct account *a, const struct program *p, struct hc_machine *m, bool calls)
{
    *a = (struct account){ .program = p, .machine = m, .calls = calls };
    if (calls) {
        hc_hook_pc(m, p->enter.address, began, a);
        hc_hook_pc(m, p->leave.address, began, a);
    }
    hc_hook_retire(m, retired, a);
}

/* ---- the program ---- */

static void read_program(struct program *p, const char *path)
{
    struct hc_image_message message;
    const struct hc_symbol *functions;
    char text[400];

    if (hc_image_load_file(&p->image, path, &message))
        fail(path, message.text);
    if (!hc_region_map_read(&p->map, p->image, text, sizeof text))
        fail(path, text);
    if (!hc_image_symbol(p->image, "__hcr_enter", &p->enter) || !hc_image_symbol(p->image, "__hcr_leave", &p->leave))
        fail(path, "has no recorder of a region");
    size_t all = hc_image_functions(p->image, &functions);
    for (size_t i = 0; i < all; i++) {
        bool in = strstr(functions[i].name, ".region"); /* stubs (.outside) skip the call in a replay */
        for (uint32_t at = 0; in && at < functions[i].size && functions[i].address + at < ADDRESSES; at++)
            p->inside[functions[i].address + at] = true;
    }
    for (size_t i = 0; i < p->map.owns && p->objects < OBJECTS; i++)
        if (hc_image_data_at(p->image, p->map.own[i].address, &p->object[p->objects]))
            p->objects++;
}

/* ---- nodes ---- */

struct listening {
    const struct program *program;
    struct account *accounts;
};

static void listen_to(void *owner, int node, struct hc_machine *m)
{
    struct listening *l = owner;

    listen(&l->accounts[node], l->program, m, true);
}

/* ---- comparing ---- */

static size_t compare(const struct program *p, const struct account *was, const char *log, int node)
{
    struct hc_region_replay *replay;
    struct account is;
    struct hc_region_state state;
    char text[480];
    size_t same = 0;

    if (!hc_region_replay_open(&replay, p->image, log, 0, text, sizeof text))
        fail("a node's log", text);
    listen(&is, p, hc_region_replay_machine(replay), false);
    hc_region_replay_listen(replay, visited, &is);
    enum hc_region_end_kind end = hc_region_replay_run(replay);
    for (size_t i = 0; i < is.visits; i++) {
        const struct visit *a = &was->visit[i], *b = &is.visit[i];
        if (i < was->visits && !b->state) /* the log ended before, or it never ends */
            continue;
        if (i >= was->visits || a->entry != b->entry || a->path != b->path || a->count != b->count ||
            a->state != b->state) {
            fprintf(stderr,
                    "test_visits: node %d: visit %zu of %s differs: %u instructions, state %08x; replayed %u, %08x\n",
                    node, i, p->map.entry[b->entry].name, a->count, a->state, b->count, b->state);
            exit(1);
        }
        same++;
    }
    hc_region_replay_state(replay, &state);
    if (end != HC_REGION_ENDED)
        fail("a node's replay", state.text);
    printf("node %d: %zu of %zu visits replayed, none differs; %llu checks; %zu bytes\n", node, same, was->visits,
           (unsigned long long)state.checks, state.used);
    hc_region_replay_free(replay);
    free(is.visit);
    return same;
}

int main(int argc, char **argv)
{
    static struct program p;
    char log[] = "/tmp/test_visits.XXXXXX";

    if (argc < 5)
        fail("usage", "test_visits IMAGE NODES SECONDS LEAST");
    int nodes = atoi(argv[2]), file = mkstemp(log);
    struct account *accounts = calloc((size_t)nodes, sizeof *accounts);
    read_program(&p, argv[1]);
    struct listening listening = { &p, accounts };
    struct hc_world *world = network_new(p.image, nodes, listen_to, &listening);
    if (file < 0 || !accounts || !world || hc_world_run(world, (hc_time)atoi(argv[3]) * HC_SECOND) != HC_WORLD_TIME)
        fail("the network", "stopped");
    size_t all = 0;
    for (int i = 0; i < nodes; i++) {
        if (!network_write_flash(hc_world_board(world, i), log))
            fail(log, "cannot be written");
        all += compare(&p, &accounts[i], log, i);
        free(accounts[i].visit);
    }
    hc_world_free(world);
    hc_region_map_free(&p.map);
    hc_image_free(p.image);
    free(accounts);
    close(file);
    unlink(log);
    printf("%zu visits, 0 differ; %d objects compared\n", all, p.objects);
    return all < strtoul(argv[4], NULL, 10);
}
