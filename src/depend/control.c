#include "program.h"

#include "support/grow.h"

/* One function's graph of blocks, turned round, with an exit that all ways reach: block COUNT. */
struct graph {
    struct hc_depend_program *p;
    const struct hc_depend_function *f;
    uint32_t count;
    uint32_t *order, *number;        /* blocks in post-order of the reversed graph, and the place of each */
    uint32_t *dominator;             /* the next block on every way to the exit */
    uint8_t *reaches;                /* whether there is a way to the exit */
    uint8_t *ends;                   /* whether the block has an edge to the exit */
    uint32_t *first_before, *before; /* predecessors */
};

static const struct hc_depend_block *block_of(const struct graph *g, uint32_t b)
{
    return &g->p->block[g->f->first_block + b];
}

static const uint32_t *after(const struct graph *g, uint32_t b, uint32_t *count)
{
    *count = block_of(g, b)->after_count;
    return &g->p->edge[block_of(g, b)->first_after];
}

static bool make_room(struct graph *g)
{
    uint32_t edges = 0, n = g->count + 1;

    for (uint32_t b = 0; b < g->count; b++)
        edges += block_of(g, b)->after_count;
    g->order = calloc(n, sizeof *g->order);
    g->number = calloc(n, sizeof *g->number);
    g->dominator = calloc(n, sizeof *g->dominator);
    g->reaches = calloc(n, 1);
    g->ends = calloc(n, 1);
    g->first_before = calloc(n + 1, sizeof *g->first_before);
    g->before = calloc(edges + 1, sizeof *g->before);
    return g->order && g->number && g->dominator && g->reaches && g->ends && g->first_before && g->before;
}

static void find_predecessors(struct graph *g)
{
    uint32_t count;

    for (uint32_t b = 0; b < g->count; b++) {
        const uint32_t *to = after(g, b, &count);
        for (uint32_t i = 0; i < count; i++)
            g->first_before[to[i] + 1]++;
        g->ends[b] = !count;
    }
    for (uint32_t b = 0; b < g->count; b++)
        g->first_before[b + 1] += g->first_before[b];
    uint32_t *next = calloc(g->count + 1, sizeof *next);
    for (uint32_t b = 0; next && b < g->count; b++) {
        const uint32_t *to = after(g, b, &count);
        for (uint32_t i = 0; i < count; i++)
            g->before[g->first_before[to[i]] + next[to[i]]++] = b;
    }
    g->p->failed |= !next;
    free(next);
}

/* Marks what leads to block B. */
static void mark_reaching(struct graph *g, uint32_t b, uint32_t *stack)
{
    uint32_t depth = 0;

    if (g->reaches[b])
        return;
    g->reaches[b] = 1;
    stack[depth++] = b;
    while (depth) {
        b = stack[--depth];
        for (uint32_t i = g->first_before[b]; i < g->first_before[b + 1]; i++)
            if (!g->reaches[g->before[i]]) {
                g->reaches[g->before[i]] = 1;
                stack[depth++] = g->before[i];
            }
    }
}

/* Marks blocks that lead back to one on the way to them, where no way leads out. SEEN: 1 on the way, 2 done. */
static void mark_rounds(struct graph *g, uint32_t *stack, uint32_t *at, uint8_t *seen)
{
    uint32_t depth = 0, count;

    seen[0] = 1;
    stack[depth] = 0;
    at[depth++] = 0;
    while (depth) {
        uint32_t b = stack[depth - 1];
        const uint32_t *to = after(g, b, &count);
        if (at[depth - 1] == count) {
            seen[b] = 2;
            depth--;
            continue;
        }
        uint32_t next = to[at[depth - 1]++];
        if (seen[next] == 1 && !g->reaches[b])
            g->ends[b] = 1;
        if (seen[next])
            continue;
        seen[next] = 1;
        stack[depth] = next;
        at[depth++] = 0;
    }
}

/* Where no way leads out, each loop may be the one that goes on for ever: it gets an edge to the exit. */
static void give_all_an_end(struct graph *g, uint32_t *stack, uint32_t *at)
{
    uint8_t *seen = calloc(g->count + 1, 1);

    if (!seen) {
        g->p->failed = true;
        return;
    }
    for (uint32_t b = 0; b < g->count; b++)
        if (g->ends[b])
            mark_reaching(g, b, stack);
    mark_rounds(g, stack, at, seen);
    for (uint32_t b = g->count; b-- > 0;) {
        g->ends[b] |= !g->reaches[b] && !seen[b]; /* never executed */
        if (g->ends[b])
            mark_reaching(g, b, stack);
    }
    free(seen);
}

/* Post-order of the reversed graph from the exit, without recursion: the stack holds blocks and how far each is. */
static uint32_t number_blocks(struct graph *g, uint32_t *stack, uint32_t *at)
{
    uint32_t placed = 0, depth = 0;
    uint8_t *seen = g->reaches;

    memset(seen, 0, g->count + 1);
    for (uint32_t root = 0; root < g->count; root++) {
        if (!g->ends[root] || seen[root])
            continue;
        seen[root] = 1;
        stack[depth] = root;
        at[depth++] = g->first_before[root];
        while (depth) {
            uint32_t b = stack[depth - 1];
            if (at[depth - 1] == g->first_before[b + 1]) {
                g->number[b] = placed;
                g->order[placed++] = b;
                depth--;
                continue;
            }
            uint32_t before = g->before[at[depth - 1]++];
            if (seen[before])
                continue;
            seen[before] = 1;
            stack[depth] = before;
            at[depth++] = g->first_before[before];
        }
    }
    g->number[g->count] = placed;
    g->order[placed] = g->count;
    return placed;
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->number[a] < g->number[b])
            a = g->dominator[a];
        while (g->number[b] < g->number[a])
            b = g->dominator[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm. */
static void find_dominators(struct graph *g, uint32_t placed)
{
    uint32_t none = UINT32_MAX, count;

    for (uint32_t b = 0; b < g->count; b++)
        g->dominator[b] = none;
    g->dominator[g->count] = g->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = placed; i-- > 0;) {
            uint32_t b = g->order[i], found = g->ends[b] ? g->count : none;
            const uint32_t *to = after(g, b, &count);
            for (uint32_t j = 0; j < count; j++)
                if (g->dominator[to[j]] != none)
                    found = found == none ? to[j] : common(g, found, to[j]);
            if (found != none && found != g->dominator[b]) {
                g->dominator[b] = found;
                changed = true;
            }
        }
    }
}

/* Calls DO for every pair of a block and a branching block that rules it. */
typedef void pair_fn(struct graph *g, uint32_t ruled, uint32_t branching, uint32_t *cursor);

static void each_pair(struct graph *g, pair_fn *use, uint32_t *cursor)
{
    uint32_t count;

    for (uint32_t b = 0; b < g->count; b++) {
        const uint32_t *to = after(g, b, &count);
        for (uint32_t i = 0; count > 1 && i < count; i++)
            for (uint32_t at = to[i]; at != g->dominator[b] && at < g->count; at = g->dominator[at])
                use(g, at, b, cursor);
    }
}

static void count_ruler(struct graph *g, uint32_t ruled, uint32_t branching, uint32_t *cursor)
{
    (void)branching, (void)cursor;
    g->p->block[g->f->first_block + ruled].rulers++;
}

static void put_ruler(struct graph *g, uint32_t ruled, uint32_t branching, uint32_t *cursor)
{
    const struct hc_depend_block *from = block_of(g, branching);

    g->p->ruler[block_of(g, ruled)->first_ruler + cursor[ruled]++] = from->first + from->count - 1;
}

static void find_rulers(struct graph *g, uint32_t *cursor)
{
    struct hc_depend_program *p = g->p;
    size_t total = p->rulers;

    each_pair(g, count_ruler, NULL);
    for (uint32_t b = 0; b < g->count; b++) {
        p->block[g->f->first_block + b].first_ruler = (uint32_t)total;
        total += block_of(g, b)->rulers;
    }
    uint32_t *grown = realloc(p->ruler, (total + 1) * sizeof *grown);
    if (!grown) {
        p->failed = true;
        return;
    }
    p->ruler = grown;
    p->rulers = total;
    memset(cursor, 0, (g->count + 1) * sizeof *cursor);
    each_pair(g, put_ruler, cursor);
}

static void free_graph(struct graph *g)
{
    free(g->order);
    free(g->number);
    free(g->dominator);
    free(g->reaches);
    free(g->ends);
    free(g->first_before);
    free(g->before);
}

static void control_of(struct hc_depend_program *p, const struct hc_depend_function *f)
{
    struct graph g = { .p = p, .f = f, .count = f->blocks };
    uint32_t *stack = calloc(f->blocks + 1, sizeof *stack), *at = calloc(f->blocks + 1, sizeof *at);

    if (!stack || !at || !make_room(&g)) {
        p->failed = true;
    } else {
        find_predecessors(&g);
        give_all_an_end(&g, stack, at);
        find_dominators(&g, number_blocks(&g, stack, at));
        find_rulers(&g, stack);
    }
    free(stack);
    free(at);
    free_graph(&g);
}

void hc_depend_control(struct hc_depend_program *p)
{
    for (size_t i = 0; i < p->functions && !p->failed; i++)
        if (p->function[i].blocks)
            control_of(p, &p->function[i]);
}
