#include "inputs.h"

#include <stdlib.h>

struct hc_inputs {
    const struct hc_input *input;
    bool anywhere;
    uint64_t clock; /* checkpoints so far */
    struct record {
        bool acquired;
        uint64_t clock;
        uint32_t pc;
    } *record; /* of each input */
    struct hc_input_finding *finding;
    size_t findings, room;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

struct hc_inputs *hc_inputs_new(const struct hc_input *input, size_t count, bool anywhere)
{
    struct hc_inputs *i = allocated(calloc(1, sizeof *i));

    i->input = input;
    i->anywhere = anywhere;
    i->record = allocated(calloc(count + 1, sizeof *i->record));
    return i;
}

void hc_power_inputs_free(struct hc_inputs *i)
{
    if (!i)
        return;
    free(i->record);
    free(i->finding);
    free(i);
}

static struct hc_input_finding *finding_of(struct hc_inputs *i, size_t input, uint32_t pc)
{
    for (size_t k = 0; k < i->findings; k++)
        if (i->finding[k].input == input && i->finding[k].use == pc)
            return &i->finding[k];
    if (i->findings == i->room) {
        i->room = i->room ? 2 * i->room : 16;
        i->finding = allocated(realloc(i->finding, i->room * sizeof *i->finding));
    }
    i->finding[i->findings] = (struct hc_input_finding){ .input = input, .use = pc };
    return &i->finding[i->findings++];
}

void hc_inputs_acquired(struct hc_inputs *i, size_t input, uint32_t pc)
{
    i->record[input] = (struct record){ true, i->clock, pc };
}

void hc_inputs_used(struct hc_inputs *i, size_t input, uint32_t pc)
{
    const struct record *r = &i->record[input];
    bool long_term = i->anywhere || r->clock != i->clock;

    if (!r->acquired || long_term == i->input[input].long_term)
        return;
    struct hc_input_finding *f = finding_of(i, input, pc);
    f->acquisition = r->pc;
    f->count++;
    if (i->clock - r->clock > f->checkpoints)
        f->checkpoints = i->clock - r->clock;
}

void hc_inputs_checkpoint(struct hc_inputs *i)
{
    i->clock++;
}

size_t hc_inputs_findings(const struct hc_inputs *i, const struct hc_input_finding **out)
{
    *out = i->finding;
    return i->findings;
}
