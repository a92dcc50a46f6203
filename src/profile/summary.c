#include "summary.h"

#include "support/grow.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* While it is made. */
struct making {
    struct hc_summary *s;
    const struct hc_contexts *c;
    struct hc_key_table children; /* parent, function, whether it is inlined: number + 1 */
    struct hc_key_table lines;    /* function, hash of file, line: number + 1 */
    struct hc_key_table edges;    /* number of a pair + 1, hash of file, line: number + 1 */
    struct hc_key_table pairs;    /* caller, callee: number */
    uint32_t pair_count;
    uint32_t *leaf;        /* of each context: its node */
    struct hc_cost *whole; /* of each context, with all that it called */
    bool failed;
};

static void add(struct hc_cost *to, struct hc_cost cost)
{
    to->instructions += cost.instructions;
    to->cycles += cost.cycles;
}

static bool is_nothing(struct hc_cost cost)
{
    return !cost.instructions && !cost.cycles;
}

/* ---- nodes ---- */

static uint32_t child(struct making *k, uint32_t parent, uint32_t function, bool inlined)
{
    struct hc_summary *s = k->s;
    uint32_t *known = hc_key_table_at(&k->children, parent, function, inlined);

    if (!known || !hc_grow(&s->node, s->nodes, &s->nodes_room, sizeof *s->node)) {
        k->failed = true;
        return 0;
    }
    if (!*known) {
        s->node[s->nodes++] = (struct hc_summary_node){ .parent = parent, .function = function, .inlined = inlined };
        *known = (uint32_t)s->nodes;
    }
    return *known - 1;
}

static const struct hc_code_place *place_of(struct making *k, uint32_t context, uint32_t pc)
{
    static const struct hc_code_place nowhere = { .depth = 1 };
    const struct hc_code_place *place;

    if (hc_code_map_at(k->s->map, k->c, k->c->node[context].function, pc, &place))
        return place;
    k->failed = true;
    return &nowhere;
}

/* From the node of a function to that of what is inlined at PLACE; COUNT instructions were executed there. */
static uint32_t descend(struct making *k, uint32_t node, const struct hc_code_place *place, uint64_t count)
{
    for (int i = 1; i < place->depth; i++) {
        node = child(k, node, place->function[i], true);
        struct hc_summary_node *n = &k->s->node[node];
        n->call_file = place->call_file[i];
        n->call_line = place->call_line[i];
        if (place->entry[i])
            n->calls += count;
    }
    return node;
}

/* The node of context CONTEXT, whose parents have theirs. */
static uint32_t node_of(struct making *k, uint32_t context)
{
    const struct hc_context_node *n = &k->c->node[context];
    uint32_t above = k->leaf[n->parent];
    uint32_t first = n->function < k->c->functions ? k->c->function[n->function].low : 0;

    if (n->call_site != UINT32_MAX && n->parent != HC_CONTEXT_ROOT) {
        struct hc_code_place at = *place_of(k, n->parent, n->call_site);
        above = descend(k, above, &at, 0);
    }
    return child(k, above, place_of(k, context, first)->function[0], false);
}

/* ---- lines ---- */

/* A file may have several names of the same text in the line table. */
static uint32_t file_number(const char *file)
{
    return file ? (uint32_t)XXH3_64bits(file, strlen(file)) : 0;
}

static struct hc_summary_line *line_of(struct making *k, uint32_t function, const char *file, int line)
{
    struct hc_summary *s = k->s;
    uint32_t *known = hc_key_table_at(&k->lines, function, file_number(file), (uint32_t)line);

    if (!known || !hc_grow(&s->line, s->lines, &s->lines_room, sizeof *s->line)) {
        k->failed = true;
        return NULL;
    }
    if (!*known) {
        s->line[s->lines++] = (struct hc_summary_line){ .function = function, .file = file, .line = line };
        *known = (uint32_t)s->lines;
    }
    return &s->line[*known - 1];
}

static void spend(struct making *k, uint32_t node, const struct hc_code_place *place, struct hc_cost cost)
{
    uint32_t function = k->s->node[node].function;
    struct hc_summary_line *line = line_of(k, function, place->file, place->line);

    add(&k->s->node[node].self, cost);
    if (line)
        add(&line->self, cost);
}

/* ---- contexts become nodes ---- */

static void spend_at(struct making *k, uint32_t context, uint32_t pc, struct hc_cost cost)
{
    struct hc_code_place place = *place_of(k, context, pc);

    spend(k, descend(k, k->leaf[context], &place, cost.instructions), &place, cost);
}

static void take_context(struct making *k, uint32_t context)
{
    static const struct hc_code_place unknown = { .depth = 1 };
    const struct hc_context_node *n = &k->c->node[context];
    struct hc_cost left = n->self;

    k->leaf[context] = node_of(k, context);
    k->s->node[k->leaf[context]].calls += n->calls;
    if (n->at) {
        const struct hc_profiled_function *f = &k->c->function[n->function];
        for (uint32_t i = 0; i < (f->high - f->low + 1) / 2 && !k->failed; i++) {
            if (is_nothing(n->at[i]))
                continue;
            spend_at(k, context, f->low + 2 * i, n->at[i]);
            left.instructions -= n->at[i].instructions;
            left.cycles -= n->at[i].cycles;
        }
    }
    if (!is_nothing(left))
        spend(k, k->leaf[context], &unknown, left);
}

/* ---- sums ---- */

static struct hc_summary_edge *edge_of(struct making *k, uint32_t caller, uint32_t callee, const char *file, int line)
{
    struct hc_summary *s = k->s;
    uint32_t *pair = hc_key_table_at(&k->pairs, caller, callee, 0);
    if (pair && !*pair)
        *pair = ++k->pair_count;
    uint32_t *known = pair ? hc_key_table_at(&k->edges, *pair, file_number(file), (uint32_t)line) : NULL;

    if (!known || !hc_grow(&s->edge, s->edges, &s->edges_room, sizeof *s->edge)) {
        k->failed = true;
        return NULL;
    }
    if (!*known) {
        s->edge[s->edges++] =
            (struct hc_summary_edge){ .caller = caller, .callee = callee, .file = file, .line = line };
        *known = (uint32_t)s->edges;
    }
    return &s->edge[*known - 1];
}

/* Each instruction counts once for each function, and each pair of caller and callee, on the way to it. */
static void sum_functions(struct making *k)
{
    struct hc_summary *s = k->s;

    for (size_t i = s->nodes; i-- > 1;) {
        struct hc_summary_node *n = &s->node[i];
        add(&n->total, n->self);
        add(&s->node[n->parent].total, n->total);
    }
    for (size_t i = 1; i < s->nodes; i++) {
        const struct hc_summary_node *n = &s->node[i];
        struct hc_summary_function *f = &s->function[n->function];
        uint32_t above = n->parent;
        f->calls += n->calls;
        add(&f->self, n->self);
        while (above && s->node[above].function != n->function)
            above = s->node[above].parent;
        if (!above)
            add(&f->total, n->total);
    }
}

/* The edge is on the way from the root to NODE's parent already. */
static bool repeats(const struct hc_summary *s, uint32_t node)
{
    uint32_t callee = s->node[node].function, caller = s->node[s->node[node].parent].function;

    for (uint32_t n = s->node[node].parent; n; n = s->node[n].parent)
        if (s->node[n].function == callee && s->node[s->node[n].parent].function == caller)
            return true;
    return false;
}

static void add_edge(struct making *k, uint32_t node, uint64_t calls, struct hc_cost total, const char *file, int line)
{
    const struct hc_summary_node *n = &k->s->node[node];
    struct hc_summary_edge *e = n->parent ? edge_of(k, k->s->node[n->parent].function, n->function, file, line) : NULL;

    if (!e)
        return;
    e->calls += calls;
    if (!repeats(k->s, node))
        add(&e->total, total);
}

/* Calls by the line that calls; functions that are inlined by the first line into which they are. */
static void sum_edges(struct making *k)
{
    static const struct hc_code_place unknown = { .depth = 1 };

    for (uint32_t i = 0; i < k->c->nodes; i++)
        k->whole[i] = k->c->node[i].self;
    for (uint32_t i = (uint32_t)k->c->nodes; i-- > 1;)
        add(&k->whole[k->c->node[i].parent], k->whole[i]);
    for (uint32_t i = 1; i < k->c->nodes && !k->failed; i++) {
        const struct hc_context_node *n = &k->c->node[i];
        bool called = n->call_site != UINT32_MAX && n->parent != HC_CONTEXT_ROOT;
        struct hc_code_place at = called ? *place_of(k, n->parent, n->call_site) : unknown;
        add_edge(k, k->leaf[i], n->calls, k->whole[i], at.file, at.line);
    }
    for (uint32_t i = 1; i < k->s->nodes && !k->failed; i++) {
        const struct hc_summary_node n = k->s->node[i];
        if (n.inlined)
            add_edge(k, i, n.calls, n.total, n.call_file, n.call_line);
    }
}

static void sum_interrupts(struct making *k)
{
    struct hc_summary *s = k->s;

    for (uint32_t i = 1; i < k->c->nodes; i++) {
        const struct hc_context_node *n = &k->c->node[i];
        if (n->function < HC_VECTOR_0 || n->parent != HC_CONTEXT_ROOT)
            continue;
        if (!hc_grow(&s->interrupt, s->interrupts, &s->interrupts_room, sizeof *s->interrupt)) {
            k->failed = true;
            return;
        }
        const struct hc_summary_node *node = &s->node[k->leaf[i]];
        s->interrupt[s->interrupts++] =
            (struct hc_summary_interrupt){ (int)(n->function - HC_VECTOR_0), node->function, n->calls, node->total };
    }
}

static void take_stacks(struct making *k)
{
    for (uint32_t i = 0; i < k->c->nodes; i++) {
        uint32_t number = k->c->node[i].function;
        if (number >= k->c->functions)
            continue;
        const struct hc_profiled_function *f = &k->c->function[number];
        struct hc_summary_function *to = &k->s->function[k->s->node[k->leaf[i]].function];
        to->stack_own = f->stack_own > to->stack_own ? f->stack_own : to->stack_own;
        to->stack_depth = f->stack_depth > to->stack_depth ? f->stack_depth : to->stack_depth;
        if (f->stack_with_callees > to->stack_with_callees)
            to->stack_with_callees = f->stack_with_callees;
    }
}

/* ---- all of it ---- */

static int by_cost(const void *a, const void *b)
{
    const struct hc_summary_line *l = a, *r = b;

    if (l->self.instructions != r->self.instructions)
        return l->self.instructions < r->self.instructions ? 1 : -1;
    if (l->function != r->function)
        return l->function < r->function ? -1 : 1;
    return (l->line > r->line) - (l->line < r->line);
}

static int by_vector(const void *a, const void *b)
{
    return ((const struct hc_summary_interrupt *)a)->vector - ((const struct hc_summary_interrupt *)b)->vector;
}

static void make_nodes(struct making *k)
{
    if (!hc_grow(&k->s->node, 0, &k->s->nodes_room, sizeof *k->s->node)) {
        k->failed = true;
        return;
    }
    k->s->node[k->s->nodes++] = (struct hc_summary_node){ .function = HC_NO_FUNCTION };
    k->leaf[0] = 0;
    for (uint32_t i = 1; i < k->c->nodes && !k->failed; i++)
        take_context(k, i);
}

static void make_sums(struct making *k)
{
    struct hc_summary *s = k->s;

    s->functions = hc_code_map_functions(s->map);
    s->function = calloc(s->functions + 1, sizeof *s->function);
    if (!s->function) {
        k->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->functions; i++)
        s->function[i].function = i;
    sum_functions(k);
    sum_edges(k);
    sum_interrupts(k);
    take_stacks(k);
    if (s->lines)
        qsort(s->line, s->lines, sizeof *s->line, by_cost);
    if (s->interrupts)
        qsort(s->interrupt, s->interrupts, sizeof *s->interrupt, by_vector);
}

bool hc_summary_make(struct hc_summary *s, const struct hc_profile *p, struct hc_code_map *map)
{
    struct making k = { .s = s, .c = hc_profile_contexts(p) };

    *s = (struct hc_summary){ .map = map, .total = hc_profile_total(p) };
    k.leaf = calloc(k.c->nodes + 1, sizeof *k.leaf);
    k.whole = calloc(k.c->nodes + 1, sizeof *k.whole);
    k.failed = !k.leaf || !k.whole || k.c->no_memory;
    if (!k.failed)
        make_nodes(&k);
    if (!k.failed)
        make_sums(&k);
    free(k.leaf);
    free(k.whole);
    hc_key_table_free(&k.children);
    hc_key_table_free(&k.lines);
    hc_key_table_free(&k.edges);
    hc_key_table_free(&k.pairs);
    return !k.failed;
}

void hc_summary_free(struct hc_summary *s)
{
    free(s->function);
    free(s->line);
    free(s->interrupt);
    free(s->edge);
    free(s->node);
    *s = (struct hc_summary){ 0 };
}

struct ordered {
    uint32_t function;
    struct hc_cost self, total;
};

static int dearest_first(const void *a, const void *b)
{
    const struct ordered *l = a, *r = b;

    if (l->self.instructions != r->self.instructions)
        return l->self.instructions < r->self.instructions ? 1 : -1;
    if (l->total.instructions != r->total.instructions)
        return l->total.instructions < r->total.instructions ? 1 : -1;
    return l->function < r->function ? -1 : 1;
}

uint32_t *hc_summary_order(const struct hc_summary *s, size_t *count)
{
    struct ordered *ordered = calloc(s->functions + 1, sizeof *ordered);
    uint32_t *out = ordered ? calloc(s->functions + 1, sizeof *out) : NULL;

    *count = 0;
    for (uint32_t i = 0; out && i < s->functions; i++)
        if (s->function[i].calls || !is_nothing(s->function[i].total))
            ordered[(*count)++] = (struct ordered){ i, s->function[i].self, s->function[i].total };
    if (*count)
        qsort(ordered, *count, sizeof *ordered, dearest_first);
    for (size_t i = 0; out && i < *count; i++)
        out[i] = ordered[i].function;
    free(ordered);
    return out;
}
