#include "contexts.h"

#include "support/grow.h"

void hc_contexts_init(struct hc_contexts *c, const struct hc_image *image)
{
    const struct hc_symbol *symbol;
    size_t count = image ? hc_image_functions(image, &symbol) : 0;

    *c = (struct hc_contexts){ 0 };
    for (size_t i = 0; i < count; i++) {
        if (!hc_grow(&c->function, c->functions, &c->functions_room, sizeof *c->function)) {
            c->no_memory = true;
            return;
        }
        c->function[c->functions++] = (struct hc_profiled_function){
            .name = symbol[i].name,
            .low = symbol[i].address,
            .high = symbol[i].address + symbol[i].size,
        };
    }
    c->named = c->functions;
    if (!hc_grow(&c->node, 0, &c->nodes_room, sizeof *c->node)) {
        c->no_memory = true;
        return;
    }
    c->node[c->nodes++] = (struct hc_context_node){ .function = HC_NO_FUNCTION, .call_site = UINT32_MAX };
}

void hc_contexts_free(struct hc_contexts *c)
{
    for (size_t i = 0; i < c->nodes; i++)
        free(c->node[i].at);
    free(c->node);
    hc_key_table_free(&c->children);
    free(c->function);
    *c = (struct hc_contexts){ 0 };
}

/* ---- functions ---- */

uint32_t hc_contexts_function_at(const struct hc_contexts *c, uint32_t pc)
{
    size_t low = 0, high = c->named;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->function[middle].low <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < c->function[low - 1].high ? (uint32_t)low - 1 : HC_NO_FUNCTION;
}

uint32_t hc_contexts_add_function(struct hc_contexts *c, uint32_t pc)
{
    if (c->functions >= HC_NO_FUNCTION ||
        !hc_grow(&c->function, c->functions, &c->functions_room, sizeof *c->function)) {
        c->no_memory = true;
        return 0;
    }
    c->function[c->functions] = (struct hc_profiled_function){ .low = pc, .high = pc + 2 };
    return (uint32_t)c->functions++;
}

/* ---- contexts ---- */

/* The nearest context of FUNCTION above NODE, or the root. */
static uint32_t nearest(const struct hc_contexts *c, uint32_t node, uint32_t function)
{
    while (node != HC_CONTEXT_ROOT && c->node[node].function != function)
        node = c->node[node].parent;
    return node;
}

uint32_t hc_contexts_child(struct hc_contexts *c, uint32_t parent, uint32_t function, uint32_t call_site)
{
    uint32_t *known = hc_key_table_at(&c->children, parent, function, call_site);

    if (c->no_memory || !known || !hc_grow(&c->node, c->nodes, &c->nodes_room, sizeof *c->node)) {
        c->no_memory = true;
        return HC_CONTEXT_ROOT;
    }
    uint32_t there = *known;
    if (there != HC_CONTEXT_ROOT)
        return there;
    if (parent != HC_CONTEXT_ROOT && (c->node[parent].depth >= HC_CONTEXT_DEEPEST || c->nodes >= HC_CONTEXTS_MOST)) {
        uint32_t other = nearest(c, parent, function);
        if (!other)
            other = hc_contexts_child(c, HC_CONTEXT_ROOT, function, UINT32_MAX);
        known = hc_key_table_at(&c->children, parent, function, call_site);
        if (known)
            *known = other;
        return other;
    }
    c->node[c->nodes] = (struct hc_context_node){
        .parent = parent, .function = function, .call_site = call_site, .depth = c->node[parent].depth + 1
    };
    *known = (uint32_t)c->nodes;
    return (uint32_t)c->nodes++;
}

void hc_contexts_spend(struct hc_contexts *c, uint32_t node, uint32_t pc, uint64_t instructions, uint64_t cycles)
{
    struct hc_context_node *n = &c->node[node];

    if (c->no_memory)
        return;
    n->self.instructions += instructions;
    n->self.cycles += cycles;
    if (n->function >= c->named)
        return;
    const struct hc_profiled_function *f = &c->function[n->function];
    if (pc < f->low || pc >= f->high)
        return;
    if (!n->at && !(n->at = calloc((f->high - f->low + 1) / 2, sizeof *n->at))) {
        c->no_memory = true;
        return;
    }
    n->at[(pc - f->low) / 2].instructions += instructions;
    n->at[(pc - f->low) / 2].cycles += cycles;
}
