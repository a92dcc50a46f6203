/* Folded stacks: a line for each context, for programs that draw flame graphs. */
#include "summary.h"

#include <inttypes.h>
#include <string.h>

const char *const hc_profile_unit_names[] = {
    [HC_UNIT_INSTRUCTIONS] = "instructions", [HC_UNIT_CYCLES] = "cycles", NULL
};

/* Names have no spaces and semicolons in this format. */
static void write_name(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(*name == ';' || *name == '\n' ? ':' : *name == ' ' ? '_' : *name, out);
}

static void write_way(const struct hc_summary *s, uint32_t node, FILE *out)
{
    const struct hc_summary_node *n = &s->node[node];

    if (n->parent) {
        write_way(s, n->parent, out);
        fputc(';', out);
    }
    write_name(out, hc_code_map_function(s->map, n->function)->name);
}

void hc_summary_write_folded(const struct hc_summary *s, FILE *out, enum hc_profile_unit unit)
{
    for (uint32_t i = 1; i < s->nodes; i++) {
        uint64_t spent = unit == HC_UNIT_CYCLES ? s->node[i].self.cycles : s->node[i].self.instructions;
        if (!spent)
            continue;
        write_way(s, i, out);
        fprintf(out, " %" PRIu64 "\n", spent);
    }
}
