#include "visits.h"

#include "replay/region/region_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void visits_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* ---- writing down ---- */

static void note(struct visits *v, bool entering, uint32_t entry);

/* In __hcr_enter or __hcr_leave, where interrupts are off: before and after, others may come first. The first
 * instruction with interrupts off is where it happens. */
static void at_border(struct visits *v, bool entering)
{
    struct visits_call *top = &v->pending[v->waiting - 1];

    if (!v->waiting)
        return;
    if (!top->done && !(hc_register(v->machine, HC_SR) & HC_SR_GIE)) {
        top->done = true;
        note(v, entering, top->entry);
    }
    if (hc_register(v->machine, HC_SP) == top->sp + 2)
        v->waiting--;
}

static enum hc_action began(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct visits *v = owner;

    (void)pc;
    if (v->waiting == VISITS_LEVELS)
        visits_fail("levels", "too many");
    v->pending[v->waiting++] = (struct visits_call){ hc_register(m, 14), hc_register(m, HC_SP), false };
    return HC_CONTINUE;
}

static bool is_in(const struct hc_symbol *f, uint32_t pc)
{
    return pc - f->address < f->size;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct visits *v = owner;

    (void)m;
    if (v->calls && (is_in(&v->program->enter, pc) || is_in(&v->program->leave, pc)))
        at_border(v, is_in(&v->program->enter, pc));
    if (!v->depth || pc >= VISITS_ADDRESSES || !v->program->inside[pc])
        return;
    struct visit *visit = &v->visit[v->level[v->depth - 1]];
    visit->path = (visit->path ^ pc) * 16777619u;
    visit->count++;
}

static uint32_t state_of(const struct visits *v)
{
    uint32_t hash = 2166136261u;

    for (int i = 0; i < v->program->objects; i++)
        for (uint32_t k = 0; k < v->program->object[i].size; k++)
            hash = (hash ^ hc_peek(v->machine, v->program->object[i].address + k)) * 16777619u;
    return hash | 1;
}

static void note(struct visits *v, bool entering, uint32_t entry)
{
    if (entering) {
        if (v->count == v->room) {
            v->room = v->room ? 2 * v->room : 1024;
            v->visit = realloc(v->visit, v->room * sizeof *v->visit);
        }
        if (!v->visit || v->depth == VISITS_LEVELS)
            visits_fail("memory", "out of it");
        v->visit[v->count] = (struct visit){ .path = 2166136261u, .entry = entry };
        v->level[v->depth++] = v->count++;
        if ((size_t)v->depth > v->deepest)
            v->deepest = (size_t)v->depth;
    } else if (v->depth) {
        struct visit *visit = &v->visit[v->level[--v->depth]];
        visit->state = v->depth ? 1 : state_of(v);
    }
}

static void visited(void *owner, struct hc_region_replay *r, int entry)
{
    (void)r;
    note(owner, entry >= 0, (uint32_t)entry);
}

/* CALLS: the machine tells of calls, else the replay. */
static void listen(struct visits *v, const struct visits_program *p, struct hc_machine *m, bool calls)
{
    *v = (struct visits){ .program = p, .machine = m, .calls = calls };
    if (calls) {
        hc_hook_pc(m, p->enter.address, began, v);
        hc_hook_pc(m, p->leave.address, began, v);
    }
    hc_hook_retire(m, retired, v);
}

void visits_listen(struct visits *v, const struct visits_program *p, struct hc_machine *m)
{
    listen(v, p, m, true);
}

void visits_copy(struct visits *to, const struct visits *from)
{
    size_t room = from->count > to->room ? from->count : to->room;
    struct visit *visit = room > to->room || !to->visit ? realloc(to->visit, (room + 1) * sizeof *visit) : to->visit;

    if (!visit)
        visits_fail("memory", "out of it");
    if (from->count)
        memcpy(visit, from->visit, from->count * sizeof *visit);
    *to = *from;
    to->visit = visit;
    to->room = room;
}

void visits_free(struct visits *v)
{
    free(v->visit);
}

/* ---- the program ---- */

static void find_inside(struct visits_program *p)
{
    const struct hc_symbol *functions;
    size_t all = hc_image_functions(p->image, &functions);

    for (size_t i = 0; i < all; i++) {
        bool in = strstr(functions[i].name, ".region"); /* stubs (.outside) skip the call in a replay */
        for (uint32_t at = 0; in && at < functions[i].size && functions[i].address + at < VISITS_ADDRESSES; at++)
            p->inside[functions[i].address + at] = true;
    }
}

void visits_read_program(struct visits_program *p, const char *path)
{
    struct hc_image_message message;
    char text[400];

    if (hc_image_load_file(&p->image, path, &message))
        visits_fail(path, message.text);
    if (!hc_region_map_read(&p->map, p->image, text, sizeof text))
        visits_fail(path, text);
    if (!hc_image_symbol(p->image, "__hcr_enter", &p->enter) || !hc_image_symbol(p->image, "__hcr_leave", &p->leave))
        visits_fail(path, "has no recorder of a region");
    find_inside(p);
    for (size_t i = 0; i < p->map.owns && p->objects < VISITS_OBJECTS; i++)
        if (hc_image_data_at(p->image, p->map.own[i].address, &p->object[p->objects]))
            p->objects++;
}

void visits_free_program(struct visits_program *p)
{
    hc_region_map_free(&p->map);
    hc_image_free(p->image);
}

void visits_add_object(struct visits_program *p, const char *name)
{
    if (p->objects == VISITS_OBJECTS || !hc_image_symbol(p->image, name, &p->object[p->objects++]))
        visits_fail(name, "is not there");
}

/* ---- comparing ---- */

static bool is_same(const struct visit *a, const struct visit *b)
{
    return a->entry == b->entry && a->path == b->path && a->count == b->count && a->state == b->state;
}

static size_t count_same(const struct visits *was, const struct visits *is, const char *what)
{
    size_t same = 0;

    for (size_t i = 0; i < is->count; i++) {
        const struct visit *a = &was->visit[i], *b = &is->visit[i];
        if (i < was->count && !b->state) /* the log ended before, or it never ends */
            continue;
        if (i >= was->count || !is_same(a, b)) {
            fprintf(stderr, "%s: visit %zu of %s differs: %u instructions, state %08x; replayed %u, %08x\n", what, i,
                    was->program->map.entry[b->entry].name, i < was->count ? a->count : 0,
                    i < was->count ? a->state : 0, b->count, b->state);
            exit(1);
        }
        same++;
    }
    return same;
}

struct visits_result visits_compare(const struct visits *v, const char *log, const char *what)
{
    struct hc_region_replay *replay;
    struct visits is;
    struct hc_region_state state;
    char text[480];

    if (!hc_region_replay_open(&replay, v->program->image, log, 0, text, sizeof text))
        visits_fail(what, text);
    listen(&is, v->program, hc_region_replay_machine(replay), false);
    hc_region_replay_listen(replay, visited, &is);
    enum hc_region_end_kind end = hc_region_replay_run(replay);
    struct visits_result result = { .same = count_same(v, &is, what) };
    hc_region_replay_state(replay, &state);
    if (end != HC_REGION_ENDED)
        visits_fail(what, state.text);
    result.checks = state.checks;
    result.bytes = state.used;
    snprintf(result.end, sizeof result.end, "%s", state.text);
    hc_region_replay_free(replay);
    visits_free(&is);
    return result;
}
