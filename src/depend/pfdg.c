#include "pfdg.h"

#include "support/grow.h"

/* Calls among the slice's functions, both ways, as lists in one array. */
struct lists {
    uint32_t *first, *item;
};

struct hc_pfdg_work {
    uint32_t count;                                    /* functions; the node above all is `count` */
    struct lists up, down;                             /* callers, callees */
    uint8_t *related;                                  /* bit f * count + g: an edge f -> g is there */
    uint32_t *order, *number, *dominator, *stack, *at; /* for dominators */
    uint8_t *seen;
    uint32_t *before, *queue; /* for chains */
};

/* ---- edges ---- */

static bool test_and_set(uint8_t *bits, size_t bit)
{
    bool was = bits[bit / 8] >> bit % 8 & 1;

    bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    return was;
}

static void add_dependence(struct hc_pfdg *g, uint32_t from, uint32_t to)
{
    if (from == to || test_and_set(g->work->related, (size_t)from * g->work->count + to))
        return;
    if (!hc_grow(&g->dependence, g->dependences, &g->dependence_room, sizeof *g->dependence))
        g->failed = true;
    else
        g->dependence[g->dependences++] = (struct hc_function_pair){ from, to };
}

static int compare_pairs(const void *a, const void *b)
{
    const struct hc_function_pair *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void find_calls(struct hc_pfdg *g)
{
    const struct hc_points_to *a = g->slice->a;

    for (size_t i = 0; i < a->instances; i++)
        for (uint32_t c = a->instance[i].caller; c != HC_NONE; c = a->caller[c].next) {
            uint32_t from = a->instance[i].function, to = a->instance[a->node[a->caller[c].node].owner].function;
            if (from == to || !g->slice->function[from] || !g->slice->function[to])
                continue;
            if (!hc_grow(&g->call, g->calls, &g->call_room, sizeof *g->call)) {
                g->failed = true;
                return;
            }
            g->call[g->calls++] = (struct hc_function_pair){ from, to };
        }
    if (!g->calls)
        return;
    qsort(g->call, g->calls, sizeof *g->call, compare_pairs);
    size_t kept = 1;
    for (size_t i = 1; i < g->calls; i++)
        if (compare_pairs(&g->call[i], &g->call[kept - 1]) != 0)
            g->call[kept++] = g->call[i];
    g->calls = kept;
}

static void fill_lists(struct hc_pfdg *g, struct lists *l, bool up)
{
    uint32_t n = g->work->count, *next = calloc(n + 1, sizeof *next);

    l->first = calloc(n + 2, sizeof *l->first);
    l->item = calloc(g->calls + 1, sizeof *l->item);
    g->failed |= !l->first || !l->item || !next;
    for (size_t i = 0; !g->failed && i < g->calls; i++)
        l->first[(up ? g->call[i].from : g->call[i].to) + 1]++;
    for (uint32_t i = 0; !g->failed && i < n; i++)
        l->first[i + 1] += l->first[i];
    for (size_t i = 0; !g->failed && i < g->calls; i++) {
        uint32_t key = up ? g->call[i].from : g->call[i].to;
        l->item[l->first[key] + next[key]++] = up ? g->call[i].to : g->call[i].from;
    }
    free(next);
}

/* ---- relations ---- */

static bool calls(const struct hc_pfdg *g, uint32_t caller, uint32_t callee)
{
    const struct lists *l = &g->work->up;

    for (uint32_t i = l->first[callee]; i < l->first[callee + 1]; i++)
        if (l->item[i] == caller)
            return true;
    return false;
}

static bool have_common_caller(const struct hc_pfdg *g, uint32_t a, uint32_t b)
{
    const struct lists *l = &g->work->up;

    for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++)
        if (calls(g, l->item[i], b))
            return true;
    return false;
}

/* ---- closest common ancestors ----
 *
 * G is one of A and B if two chains of calls lead from it to A and B and share nothing but G. Turned round, with a node
 * above A and B: no node but that one is on every way to G, which is to say that it dominates G immediately. */

static uint32_t callers_of(const struct hc_pfdg *g, uint32_t node, const uint32_t pair[2], const uint32_t **list)
{
    const struct lists *l = &g->work->up;

    if (node == g->work->count) {
        *list = pair;
        return 2;
    }
    *list = &l->item[l->first[node]];
    return l->first[node + 1] - l->first[node];
}

static uint32_t number_ancestors(struct hc_pfdg *g, const uint32_t pair[2])
{
    struct hc_pfdg_work *w = g->work;
    uint32_t depth = 0, placed = 0;
    const uint32_t *list;

    memset(w->seen, 0, w->count + 1);
    w->seen[w->count] = 1;
    w->stack[depth] = w->count;
    w->at[depth++] = 0;
    while (depth) {
        uint32_t node = w->stack[depth - 1], count = callers_of(g, node, pair, &list);
        if (w->at[depth - 1] == count) {
            w->number[node] = placed;
            w->order[placed++] = node;
            depth--;
            continue;
        }
        uint32_t next = list[w->at[depth - 1]++];
        if (w->seen[next])
            continue;
        w->seen[next] = 1;
        w->stack[depth] = next;
        w->at[depth++] = 0;
    }
    return placed;
}

static uint32_t common(const struct hc_pfdg_work *w, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (w->number[a] < w->number[b])
            a = w->dominator[a];
        while (w->number[b] < w->number[a])
            b = w->dominator[b];
    }
    return a;
}

static uint32_t predecessor_of(struct hc_pfdg *g, uint32_t node, const uint32_t pair[2])
{
    struct hc_pfdg_work *w = g->work;
    uint32_t found = node == pair[0] || node == pair[1] ? w->count : HC_NONE;

    for (uint32_t i = w->down.first[node]; i < w->down.first[node + 1]; i++) {
        uint32_t from = w->down.item[i];
        if (w->seen[from] && w->dominator[from] != HC_NONE)
            found = found == HC_NONE ? from : common(w, found, from);
    }
    return found;
}

static void find_dominators(struct hc_pfdg *g, const uint32_t pair[2], uint32_t placed)
{
    struct hc_pfdg_work *w = g->work;

    for (uint32_t i = 0; i < placed; i++)
        w->dominator[w->order[i]] = HC_NONE;
    w->dominator[w->count] = w->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = placed - 1; i-- > 0;) {
            uint32_t node = w->order[i], found = predecessor_of(g, node, pair);
            if (found != HC_NONE && found != w->dominator[node]) {
                w->dominator[node] = found;
                changed = true;
            }
        }
    }
}

/* ---- chains ---- */

/* The shortest chain of calls from G down to TO that avoids AVOIDED: before[] of each node on it. */
static bool find_chain(struct hc_pfdg *g, uint32_t from, uint32_t to, const uint8_t *avoided)
{
    struct hc_pfdg_work *w = g->work;
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < w->count; i++)
        w->before[i] = HC_NONE;
    w->before[from] = from;
    w->queue[tail++] = from;
    while (head < tail && w->before[to] == HC_NONE) {
        uint32_t node = w->queue[head++];
        for (uint32_t i = w->down.first[node]; i < w->down.first[node + 1]; i++) {
            uint32_t next = w->down.item[i];
            if (w->before[next] != HC_NONE || (avoided && avoided[next]))
                continue;
            w->before[next] = node;
            w->queue[tail++] = next;
        }
    }
    return w->before[to] != HC_NONE;
}

/* Dependence edges along the chain that was found, up from TO or down to it; returns the node next to FROM. */
static uint32_t draw_chain(struct hc_pfdg *g, uint32_t from, uint32_t to, bool up, uint8_t *used)
{
    uint32_t node = to;

    while (node != from && g->work->before[node] != from) {
        uint32_t above = g->work->before[node];
        add_dependence(g, up ? node : above, up ? above : node);
        if (used)
            used[node] = 1;
        node = above;
    }
    if (used)
        used[node] = 1;
    return node;
}

/* A depends on B, and TOP is above both. Where the shortest chains to both meet, the second goes round the first if it
 * can. */
static void draw_across(struct hc_pfdg *g, uint32_t top, uint32_t a, uint32_t b)
{
    uint8_t *used = calloc(g->work->count + 1, 1);

    if (!used) {
        g->failed = true;
        return;
    }
    used[b] = 1;
    if (find_chain(g, top, a, used) || find_chain(g, top, a, NULL)) {
        used[b] = 0;
        uint32_t left = draw_chain(g, top, a, true, used);
        if (find_chain(g, top, b, used) || find_chain(g, top, b, NULL))
            add_dependence(g, left, draw_chain(g, top, b, false, NULL));
    }
    free(used);
}

/* TOP is A or B itself and calls the other by way of others. */
static void draw_along(struct hc_pfdg *g, uint32_t top, uint32_t other, bool up)
{
    if (!find_chain(g, top, other, NULL))
        return;
    uint32_t next = draw_chain(g, top, other, up, NULL);
    add_dependence(g, up ? next : top, up ? top : next);
}

/* Nothing is above both: one of them is below a handler. The other's side is reached from there at once. */
static void draw_to_handlers(struct hc_pfdg *g, uint32_t a, uint32_t b)
{
    const struct hc_depend_function *function = g->slice->a->p->function;
    bool drawn = false;

    for (uint32_t h = 0; h < g->work->count; h++) {
        if (!function[h].handler || !g->slice->function[h])
            continue;
        if (find_chain(g, h, b, NULL)) {
            draw_along(g, h, b, false);
            add_dependence(g, a, h);
            drawn = true;
        } else if (find_chain(g, h, a, NULL)) {
            draw_along(g, h, a, true);
            add_dependence(g, h, b);
            drawn = true;
        }
    }
    if (!drawn)
        add_dependence(g, a, b);
}

/* Definition 4.1: A depends on B. */
static void draw(struct hc_pfdg *g, uint32_t a, uint32_t b)
{
    struct hc_pfdg_work *w = g->work;
    const uint32_t pair[2] = { a, b };
    bool found = false;

    if (calls(g, a, b) || calls(g, b, a) || have_common_caller(g, a, b)) {
        add_dependence(g, a, b);
        return;
    }
    uint32_t placed = number_ancestors(g, pair);
    find_dominators(g, pair, placed);
    for (uint32_t i = 0; i < placed; i++) {
        uint32_t top = w->order[i];
        if (top == w->count || w->dominator[top] != w->count)
            continue;
        if (top == a || top == b) {
            if (!find_chain(g, top, top == a ? b : a, NULL))
                continue;
            draw_along(g, top, top == a ? b : a, top == b);
        } else {
            draw_across(g, top, a, b);
        }
        found = true;
    }
    if (!found)
        draw_to_handlers(g, a, b);
}

/* ---- levels ---- */

/* Breadth first over (function, still among call edges). */
static void find_levels(struct hc_pfdg *g, const struct hc_criterion *c)
{
    uint32_t n = g->work->count, head = 0, tail = 0;
    int *distance = calloc(2 * (size_t)n, sizeof *distance);
    uint32_t *queue = malloc(2 * (size_t)n * sizeof *queue);

    g->failed |= !distance || !queue;
    for (uint32_t i = 0; !g->failed && i < 2 * n; i++)
        distance[i] = HC_LEVEL_NONE;
    if (!g->failed && c->function != HC_FUNCTION_NONE) {
        distance[c->function] = 0;
        queue[tail++] = c->function;
    }
    while (!g->failed && head < tail) {
        uint32_t at = queue[head++];
        for (size_t i = 0; at < n && i < g->calls; i++)
            if (g->call[i].from == at && distance[g->call[i].to] < 0) {
                distance[g->call[i].to] = distance[at] + 1;
                queue[tail++] = g->call[i].to;
            }
        for (size_t i = 0; i < g->dependences; i++)
            if (g->dependence[i].from == at % n && distance[n + g->dependence[i].to] < 0) {
                distance[n + g->dependence[i].to] = distance[at] + 1;
                queue[tail++] = n + g->dependence[i].to;
            }
    }
    for (uint32_t i = 0; !g->failed && i < n; i++) {
        int a = distance[i], b = distance[n + i];
        g->level[i] = a < 0 ? b : b < 0 || a < b ? a : b;
        g->levels = g->level[i] > g->levels ? g->level[i] : g->levels;
    }
    free(distance);
    free(queue);
}

/* Functions at the end of N call edges from the invariant's. */
static void find_bounds(struct hc_pfdg *g, const struct hc_criterion *c)
{
    size_t width = (size_t)g->levels + 1;

    g->bound = calloc(g->work->count * width / 8 + 1, 1);
    if (!g->bound) {
        g->failed = true;
        return;
    }
    if (c->function != HC_FUNCTION_NONE)
        test_and_set(g->bound, c->function * width);
    for (size_t level = 1; level < width; level++)
        for (size_t i = 0; i < g->calls; i++)
            if (hc_pfdg_bounds(g, g->call[i].from, (int)level - 1))
                test_and_set(g->bound, g->call[i].to * width + level);
}

bool hc_pfdg_bounds(const struct hc_pfdg *g, uint32_t function, int level)
{
    size_t bit = function * ((size_t)g->levels + 1) + (size_t)level;

    return level >= 0 && level <= g->levels && (g->bound[bit / 8] >> bit % 8 & 1);
}

/* ---- the whole ---- */

static bool make_room(struct hc_pfdg *g)
{
    uint32_t n = (uint32_t)g->slice->a->p->functions;
    struct hc_pfdg_work *w = calloc(1, sizeof *w);

    g->work = w;
    g->level = calloc(n + 1, sizeof *g->level);
    if (!w || !g->level)
        return false;
    w->count = n;
    w->related = calloc((size_t)n * n / 8 + 1, 1);
    uint32_t **arrays[] = { &w->order, &w->number, &w->dominator, &w->stack, &w->at, &w->before, &w->queue };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = calloc(n + 2, sizeof **arrays[i])))
            return false;
    w->seen = calloc(n + 2, 1);
    return w->related && w->seen;
}

static void free_work(struct hc_pfdg_work *w)
{
    if (!w)
        return;
    void *all[] = { w->up.first,  w->up.item, w->down.first, w->down.item, w->related, w->order, w->number,
                    w->dominator, w->stack,   w->at,         w->seen,      w->before,  w->queue };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(w);
}

bool hc_pfdg_make(struct hc_pfdg *g, const struct hc_slice *s, const struct hc_criterion *criterion)
{
    *g = (struct hc_pfdg){ .slice = s };
    g->failed = !make_room(g);
    if (!g->failed)
        find_calls(g);
    if (!g->failed)
        fill_lists(g, &g->work->up, true);
    if (!g->failed)
        fill_lists(g, &g->work->down, false);
    for (size_t i = 0; i < s->pairs && !g->failed; i++)
        draw(g, s->pair[i].from, s->pair[i].to);
    if (!g->failed)
        find_levels(g, criterion);
    if (!g->failed)
        find_bounds(g, criterion);
    if (g->dependences)
        qsort(g->dependence, g->dependences, sizeof *g->dependence, compare_pairs);
    free_work(g->work);
    g->work = NULL;
    return !g->failed;
}

void hc_pfdg_free(struct hc_pfdg *g)
{
    free(g->call);
    free(g->dependence);
    free(g->level);
    free(g->bound);
}
