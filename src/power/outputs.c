#include "outputs.h"

#include <stdlib.h>

struct action {
    size_t output;
    int16_t argument;
    uint32_t call_site;
};

struct hc_outputs {
    const struct hc_output *output;
    size_t outputs;
    bool anywhere;
    uint64_t *state;       /* of each output's quantity, at the last checkpoint */
    struct action *action; /* since then */
    size_t actions, action_room;
    struct hc_output_finding *finding;
    size_t findings, finding_room;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

struct hc_outputs *hc_outputs_new(const struct hc_output *output, size_t count, bool anywhere)
{
    struct hc_outputs *o = allocated(calloc(1, sizeof *o));

    o->output = output;
    o->outputs = count;
    o->anywhere = anywhere;
    o->state = allocated(calloc(count + 1, sizeof *o->state));
    return o;
}

void hc_outputs_free(struct hc_outputs *o)
{
    if (!o)
        return;
    free(o->state);
    free(o->action);
    free(o->finding);
    free(o);
}

static uint64_t after(enum hc_output_model model, uint64_t state, int16_t argument)
{
    switch (model) {
    case HC_OUTPUT_SET:
        return (uint64_t)(int64_t)argument;
    case HC_OUTPUT_ADD:
        return state + (uint64_t)(int64_t)argument;
    default: /* what was seen, in order */
        return (state ^ (uint16_t)argument) * 0x9fb21c651e98df25u + 1;
    }
}

/* The first COUNT actions, as far as they concern OUTPUT. */
static uint64_t after_all(const struct hc_outputs *o, size_t output, uint64_t state, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (o->action[i].output == output)
            state = after(o->output[output].model, state, o->action[i].argument);
    return state;
}

static struct hc_output_finding *finding_of(struct hc_outputs *o, const struct action *a)
{
    for (size_t i = 0; i < o->findings; i++)
        if (o->finding[i].output == a->output && o->finding[i].call_site == a->call_site)
            return &o->finding[i];
    if (o->findings == o->finding_room) {
        o->finding_room = o->finding_room ? 2 * o->finding_room : 16;
        o->finding = allocated(realloc(o->finding, o->finding_room * sizeof *o->finding));
    }
    o->finding[o->findings] = (struct hc_output_finding){ .output = a->output, .call_site = a->call_site };
    return &o->finding[o->findings++];
}

void hc_outputs_checkpoint(struct hc_outputs *o)
{
    for (size_t n = 1; n <= o->actions; n++) { /* the supply fails after N of them */
        const struct action *last = &o->action[n - 1];
        uint64_t once = after_all(o, last->output, o->state[last->output], n);
        struct hc_output_finding *f = finding_of(o, last);
        f->actions++;
        f->relative |= after_all(o, last->output, once, n) != once;
    }
    for (size_t i = 0; i < o->outputs; i++)
        o->state[i] = after_all(o, i, o->state[i], o->actions);
    o->actions = 0;
}

void hc_outputs_act(struct hc_outputs *o, size_t output, int16_t argument, uint32_t call_site)
{
    if (o->actions == o->action_room) {
        o->action_room = o->action_room ? 2 * o->action_room : 64;
        o->action = allocated(realloc(o->action, o->action_room * sizeof *o->action));
    }
    o->action[o->actions++] = (struct action){ output, argument, call_site };
    if (o->anywhere)
        hc_outputs_checkpoint(o);
}

size_t hc_outputs_findings(const struct hc_outputs *o, const struct hc_output_finding **out)
{
    *out = o->finding;
    return o->findings;
}

bool hc_output_is_unexpected(const struct hc_output *output, const struct hc_output_finding *finding)
{
    if (output->expected == HC_OUTPUT_UNTAGGED)
        return false;
    return finding->relative != (output->expected == HC_OUTPUT_RELATIVE);
}
