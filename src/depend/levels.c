#include "levels.h"

#include <stdlib.h>
#include <string.h>

static bool is_checking(const struct hc_depend_program *p, uint32_t function)
{
    return !strncmp(p->function[function].name, "hc_check_", 9);
}

/* Calls USE for every edge of the graph, FROM nearer to the invariant. */
typedef void edge_fn(void *owner, uint32_t from, uint32_t to);

static void each_edge(const struct hc_pfdg *g, edge_fn *use, void *owner)
{
    for (size_t i = 0; i < g->calls; i++)
        use(owner, g->call[i].from, g->call[i].to);
    for (size_t i = 0; i < g->dependences; i++)
        use(owner, g->dependence[i].from, g->dependence[i].to);
}

struct choosing {
    const struct hc_pfdg *g;
    int level;
    const bool *paths;
    bool *chosen;
};

static void choose_next_to_path(void *owner, uint32_t from, uint32_t to)
{
    struct choosing *x = owner;

    x->chosen[to] |= x->paths[from] && x->g->level[to] == x->level;
}

size_t hc_levels_choose(const struct hc_pfdg *g, int level, const bool *paths, bool *chosen)
{
    const struct hc_depend_program *p = g->slice->a->p;
    struct choosing x = { g, level, paths, chosen };
    size_t count = 0;

    for (uint32_t f = 0; f < p->functions; f++) {
        bool near = paths ? paths[f] : g->level[f] >= 0 && g->level[f] <= level;
        chosen[f] = g->slice->function[f] && (near || is_checking(p, f));
    }
    if (paths)
        each_edge(g, choose_next_to_path, &x);
    for (uint32_t f = 0; f < p->functions; f++)
        count += chosen[f];
    return count;
}

/* ---- what stays outside ---- */

static bool reads_register(const struct hc_depend_program *p, const struct hc_operation *o)
{
    int32_t from = o->kind == HC_OPERATION_LOAD && o->count ? p->operand[o->first] : HC_VALUE_NONE;

    return from < HC_VALUE_NONE && p->object[hc_depend_address_of(p, from)->object].hardware;
}

/* Whether block FROM is among those that follow it. */
static bool comes_again(const struct hc_depend_program *p, const struct hc_depend_function *f, uint32_t from)
{
    bool *seen = calloc(f->blocks + 1, sizeof *seen);
    uint32_t *stack = calloc(f->blocks + 1, sizeof *stack), depth = 0;

    if (seen && stack)
        stack[depth++] = from;
    while (depth && !seen[from]) {
        const struct hc_depend_block *b = &p->block[f->first_block + stack[--depth]];
        for (uint32_t i = 0; i < b->after_count; i++) {
            uint32_t next = p->edge[b->first_after + i];
            if (!seen[next])
                stack[depth++] = next;
            seen[next] = true;
        }
    }
    bool again = !seen || !stack || seen[from];
    free(seen);
    free(stack);
    return again;
}

enum { ASSEMBLY_DEPTH = 3 };

static bool has_assembly(const struct hc_depend_program *p, uint32_t function)
{
    const struct hc_depend_function *f = &p->function[function];

    for (uint32_t n = 0; n < f->operations; n++)
        if (p->operation[f->first_operation + n].assembly)
            return true;
    return false;
}

static bool is_in_header(const struct hc_depend_program *p, uint32_t function)
{
    const char *end = strrchr(p->file[p->function[function].file], '.');

    return end && !strcmp(end, ".h") && strncmp(p->function[function].name, "hc_", 3) != 0;
}

/* Itself, or by way of functions of headers that it calls, at most DEPTH deep: that is how interrupts are switched
 * off. */
static bool uses_assembly(const struct hc_depend_program *p, uint32_t function, int depth)
{
    const struct hc_depend_function *f = &p->function[function];

    for (uint32_t n = 0; depth && n < f->operations; n++) {
        const struct hc_operation *o = &p->operation[f->first_operation + n];
        int32_t callee = o->kind == HC_OPERATION_CALL ? p->operand[o->first] : HC_VALUE_NONE;
        uint32_t called =
            callee < HC_VALUE_NONE ? p->object[hc_depend_address_of(p, callee)->object].function : HC_FUNCTION_NONE;
        if (called != HC_FUNCTION_NONE && is_in_header(p, called) && uses_assembly(p, called, depth - 1))
            return true;
    }
    return has_assembly(p, function);
}

bool hc_levels_waits(const struct hc_depend_program *p, uint32_t function)
{
    const struct hc_depend_function *f = &p->function[function];

    for (uint32_t n = 0; n < f->operations; n++) {
        const struct hc_operation *o = &p->operation[f->first_operation + n];
        if (reads_register(p, o) && comes_again(p, f, o->block))
            return true;
    }
    return false;
}

bool hc_levels_stays_outside(const struct hc_depend_program *p, uint32_t function)
{
    const struct hc_depend_function *f = &p->function[function];

    return f->handler || f->root || f->takes_more || !f->defined || uses_assembly(p, function, ASSEMBLY_DEPTH) ||
           hc_levels_waits(p, function);
}

bool hc_levels_interrupted(const struct hc_points_to *a, const bool *chosen)
{
    for (size_t i = 0; i < a->instances; i++) {
        uint32_t top = (uint32_t)i;
        while (a->instance[top].parent != top)
            top = a->instance[top].parent;
        if (chosen[a->instance[i].function] && a->p->function[a->instance[top].function].handler)
            return true;
    }
    return false;
}

/* ---- the next level ---- */

struct search {
    const struct hc_pfdg *g;
    int level;
    const bool *recorded, *executed;
    bool *near, *leads; /* reached from the invariant; leads to what has not been recorded */
    bool *paths;
    int next;
    bool changed;
};

static void reach(void *owner, uint32_t from, uint32_t to)
{
    struct search *s = owner;

    if (!s->near[from] || s->near[to] || !s->executed[to])
        return;
    s->near[to] = true;
    s->changed = true;
}

static void find_hidden(void *owner, uint32_t from, uint32_t to)
{
    struct search *s = owner;
    int level = s->g->level[to];

    if (!s->near[from])
        return;
    const struct hc_depend_program *p = s->g->slice->a->p;
    bool hidden = !s->recorded[to] && level > s->level && !hc_levels_stays_outside(p, to);
    if (hidden && (s->next == HC_LEVEL_NONE || level < s->next))
        s->next = level;
    if (s->leads[from] || (!hidden && !s->leads[to]))
        return;
    s->leads[from] = s->paths[from] = true;
    s->changed = true;
}

int hc_levels_next(const struct hc_pfdg *g, const struct hc_criterion *c, int level, const bool *recorded,
                   const bool *executed, bool *paths, bool *failed)
{
    size_t functions = g->slice->a->p->functions;
    struct search s = {
        .g = g, .level = level, .recorded = recorded, .executed = executed, .paths = paths, .next = HC_LEVEL_NONE
    };

    s.near = calloc(2 * functions + 1, sizeof *s.near);
    s.leads = s.near + (s.near ? functions : 0);
    *failed = !s.near;
    if (s.near && c->function != HC_FUNCTION_NONE)
        s.near[c->function] = true;
    do {
        s.changed = false;
        if (s.near)
            each_edge(g, reach, &s);
    } while (s.changed);
    do {
        s.changed = false;
        if (s.near)
            each_edge(g, find_hidden, &s);
    } while (s.changed);
    free(s.near);
    return s.next;
}
