#include "summary_json.h"

#include <stdlib.h>

static void set_cost(json_t *to, struct hc_cost cost, double nanojoules)
{
    json_object_set_new(to, "instructions", json_integer((json_int_t)cost.instructions));
    json_object_set_new(to, "cycles", json_integer((json_int_t)cost.cycles));
    if (nanojoules > 0)
        json_object_set_new(to, "microjoules", json_real(1e-3 * nanojoules * (double)cost.cycles));
}

json_t *hc_cost_json(struct hc_cost cost, double nanojoules)
{
    json_t *json = json_object();

    set_cost(json, cost, nanojoules);
    return json;
}

json_t *hc_summary_functions_json(const struct hc_summary *s, double nanojoules, uint64_t limit)
{
    json_t *list = json_array();
    size_t count;
    uint32_t *order = hc_summary_order(s, &count);

    for (size_t i = 0; order && i < count && (!limit || i < limit); i++) {
        const struct hc_summary_function *n = &s->function[order[i]];
        const struct hc_code_function *f = hc_code_map_function(s->map, n->function);
        json_t *row = json_pack("{s:s, s:s?, s:b, s:I}", "name", f->name, "file", f->file, "inlined", !f->alone,
                                "calls", (json_int_t)n->calls);
        set_cost(row, n->self, nanojoules);
        json_object_set_new(row, "with_callees", hc_cost_json(n->total, nanojoules));
        if (n->stack_own || n->stack_with_callees)
            json_object_set_new(row, "stack",
                                json_pack("{s:i, s:i, s:i}", "own", n->stack_own, "with_callees", n->stack_with_callees,
                                          "depth", n->stack_depth));
        json_array_append_new(list, row);
    }
    free(order);
    return list;
}

json_t *hc_summary_interrupts_json(const struct hc_summary *s, double nanojoules)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->interrupts; i++) {
        const struct hc_summary_interrupt *n = &s->interrupt[i];
        json_t *row = json_pack("{s:i, s:s, s:I}", "vector", n->vector, "name",
                                hc_code_map_function(s->map, n->function)->name, "count", (json_int_t)n->count);
        set_cost(row, n->total, nanojoules);
        json_array_append_new(list, row);
    }
    return list;
}

json_t *hc_summary_lines_json(const struct hc_summary *s, double nanojoules)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->lines; i++) {
        const struct hc_summary_line *n = &s->line[i];
        json_t *row = json_pack("{s:s?, s:i, s:s}", "file", n->file, "line", n->line, "function",
                                hc_code_map_function(s->map, n->function)->name);
        set_cost(row, n->self, nanojoules);
        json_array_append_new(list, row);
    }
    return list;
}

/* ---- the tree ---- */

struct ranked {
    uint32_t node;
    uint64_t instructions;
};

static int dearest_first(const void *a, const void *b)
{
    const struct ranked *l = a, *r = b;

    if (l->instructions != r->instructions)
        return l->instructions < r->instructions ? 1 : -1;
    return l->node < r->node ? -1 : 1;
}

/* Parents come before their children, and are at least as dear: what is kept is a tree. */
static void keep_dearest(const struct hc_summary *s, size_t limit, int32_t *place)
{
    struct ranked *ranked = calloc(s->nodes + 1, sizeof *ranked);
    int32_t next = 0;

    for (uint32_t i = 0; ranked && i < s->nodes; i++)
        ranked[i] = (struct ranked){ i, i ? s->node[i].total.instructions : UINT64_MAX };
    if (ranked)
        qsort(ranked, s->nodes, sizeof *ranked, dearest_first);
    for (size_t i = 0; i < s->nodes; i++)
        place[i] = -1;
    for (size_t i = 0; ranked && i < s->nodes && i < limit; i++)
        place[ranked[i].node] = 0;
    for (size_t i = 0; i < s->nodes; i++)
        if (!place[i])
            place[i] = next++;
    free(ranked);
}

json_t *hc_summary_tree_json(const struct hc_summary *s, size_t limit)
{
    json_t *list = json_array();
    int32_t *place = calloc(s->nodes + 1, sizeof *place);

    if (place)
        keep_dearest(s, limit, place);
    for (uint32_t i = 0; place && i < s->nodes; i++)
        if (place[i] >= 0)
            json_array_append_new(list, json_pack("[i, s, I, I]", i ? place[s->node[i].parent] : -1,
                                                  i ? hc_code_map_function(s->map, s->node[i].function)->name : "",
                                                  (json_int_t)s->node[i].total.instructions,
                                                  (json_int_t)s->node[i].self.instructions));
    free(place);
    return list;
}
