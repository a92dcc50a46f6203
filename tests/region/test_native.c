/* A region on the host does what it does in the machine: nodes of a network record it, each log is replayed in both,
 * and after each visit memory is the same, object by object.
 *
 *     test_native IMAGE NODES SECONDS LEAST     at least LEAST visits of all nodes must be replayed
 *     test_native IMAGE LOG                     one log
 *
 * The two share the log and what it says, and neither the code that runs nor the memory. Compared are all variables of
 * the program but the recorder's, whose code runs in the machine only. */
#include "image/image.h"
#include "native/native.h"
#include "network.h"
#include "replay/region/region_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 2000 };

struct program {
    struct hc_image *image;
    char directory[40], object[60];
    int objects;
    struct hc_symbol variable[OBJECTS];
};

struct account {
    const struct program *program;
    uint32_t *state; /* by visit: a hash of memory at its end */
    size_t visits, room;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "test_native: %s: %s\n", what, why);
    exit(1);
}

/* ---- writing down ---- */

typedef uint8_t byte_fn(void *memory, uint32_t at);

static void note(struct account *a, int entry, byte_fn *byte, void *memory)
{
    uint32_t hash = 2166136261u;

    if (entry >= 0)
        return;
    if (a->visits == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->state = realloc(a->state, a->room * sizeof *a->state);
    }
    for (int i = 0; i < a->program->objects; i++)
        for (uint32_t k = 0; k < a->program->variable[i].size; k++)
            hash = (hash ^ byte(memory, a->program->variable[i].address + k)) * 16777619u;
    if (!a->state)
        fail("memory", "out of it");
    a->state[a->visits++] = hash;
}

static uint8_t machine_byte(void *memory, uint32_t at)
{
    return hc_peek(memory, at);
}

static uint8_t arena_byte(void *memory, uint32_t at)
{
    return ((uint8_t *)memory)[at & 0xffff];
}

static void visited(void *owner, struct hc_region_replay *r, int entry)
{
    note(owner, entry, machine_byte, hc_region_replay_machine(r));
}

static void visited_natively(void *owner, struct hc_native *n, int entry)
{
    note(owner, entry, arena_byte, hc_native_arena(n));
}

/* ---- the program ---- */

/* Variables of the recorder's units. */
static bool is_recorder(const char *name)
{
    return !strncmp(name, "__hc", 4) || !strcmp(name, "place");
}

static void add_variable(struct program *p, uint32_t at)
{
    struct hc_symbol *s = &p->variable[p->objects];

    if (p->objects < OBJECTS && hc_image_data_at(p->image, at, s) && s->address == at && !is_recorder(s->name))
        p->objects++;
}

static void read_program(struct program *p, const char *path)
{
    struct hc_image_message message;
    uint32_t first, end;
    char text[600];

    if (hc_image_load_file(&p->image, path, &message))
        fail(path, message.text);
    for (size_t i = 0; hc_image_reserved(p->image, i, &first, &end); i++)
        for (uint32_t at = first; at < end; at++)
            add_variable(p, at);
    for (uint32_t at = 0; at < 0x10000; at++)
        if (hc_image_initial_value(p->image, at, &first))
            add_variable(p, at);
    snprintf(p->directory, sizeof p->directory, "/tmp/test_native.XXXXXX");
    if (!mkdtemp(p->directory))
        fail(p->directory, "cannot be made");
    snprintf(p->object, sizeof p->object, "%s/region.so", p->directory);
    struct hc_native_request request = { .image = p->image, .directory = p->directory, .checks = true };
    if (!hc_native_build(&request, text, sizeof text))
        fail(path, text);
}

static void remove_all(const struct program *p)
{
    char source[60];

    snprintf(source, sizeof source, "%s/region.ll", p->directory);
    remove(source);
    remove(p->object);
    remove(p->directory);
}

/* ---- comparing ---- */

static void replay_natively(const struct program *p, const char *log, struct account *a, struct hc_region_state *state)
{
    struct hc_native *native;
    const struct hc_native_finding *finding;
    char text[600];

    if (!hc_native_open(&native, p->image, p->object, log, 0, text, sizeof text))
        fail(log, text);
    hc_native_listen(native, visited_natively, a);
    hc_native_run(native);
    hc_native_state(native, state);
    if (state->end != HC_REGION_ENDED)
        fail("the native replay", state->text);
    if ((finding = hc_native_finding(native, 0))) {
        fprintf(stderr, "test_native: %s:%u: %s: %s\n", finding->file, finding->line, finding->function, finding->what);
        fail("checks", "they find something in a sound program");
    }
    hc_native_free(native);
}

static size_t compare(const struct program *p, const char *log, int node)
{
    struct account machine = { .program = p }, native = { .program = p };
    struct hc_region_state was, is;
    struct hc_region_replay *replay;
    char text[600];

    if (!hc_region_replay_open(&replay, p->image, log, 0, text, sizeof text))
        fail(log, text);
    hc_region_replay_listen(replay, visited, &machine);
    hc_region_replay_run(replay);
    hc_region_replay_state(replay, &was);
    replay_natively(p, log, &native, &is);
    if (was.visits != is.visits || was.checks != is.checks || was.used != is.used || machine.visits != native.visits)
        fail("visits, checks and bytes", "they are not those of the machine");
    for (size_t i = 0; i < native.visits; i++)
        if (machine.state[i] != native.state[i]) {
            fprintf(stderr, "test_native: node %d: memory differs after visit %zu of %zu\n", node, i + 1,
                    native.visits);
            exit(1);
        }
    printf("node %d: %zu visits, memory is the machine's after each; %llu checks; %zu bytes\n", node, native.visits,
           (unsigned long long)is.checks, is.used);
    hc_region_replay_free(replay);
    free(machine.state);
    free(native.state);
    return native.visits;
}

static size_t run_network(const struct program *p, int nodes, int seconds)
{
    char log[] = "/tmp/test_native_log.XXXXXX";
    int file = mkstemp(log);
    struct hc_world *world = network_new(p->image, nodes, NULL, NULL);
    size_t all = 0;

    if (file < 0 || !world || hc_world_run(world, (hc_time)seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("the network", "stopped");
    for (int i = 0; i < nodes; i++) {
        if (!network_write_flash(hc_world_board(world, i), log))
            fail(log, "cannot be written");
        all += compare(p, log, i);
    }
    hc_world_free(world);
    unlink(log);
    close(file);
    return all;
}

int main(int argc, char **argv)
{
    static struct program p;

    if (argc != 3 && argc != 5)
        fail("usage", "test_native IMAGE NODES SECONDS LEAST, or test_native IMAGE LOG");
    read_program(&p, argv[1]);
    size_t all = argc == 3 ? compare(&p, argv[2], 0) : run_network(&p, atoi(argv[2]), atoi(argv[3]));
    size_t least = argc == 5 ? (size_t)atoi(argv[4]) : 1;
    remove_all(&p);
    hc_image_free(p.image);
    printf("%zu visits, %d variables\n", all, p.objects);
    if (all < least)
        fail("visits", "too few to prove anything");
    return 0;
}
