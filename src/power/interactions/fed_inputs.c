#include "fed_inputs.h"

#include "inputs.h"

#include <stdlib.h>

enum { RESULT = 12 };

struct fed_input {
    struct hc_fed_inputs *all;
    const struct hc_input_values *values;
    uint64_t *when; /* instructions retired at each measurement of this run */
    size_t count, room;
    int hook;
};

struct hc_fed_inputs {
    struct hc_machine *machine;
    struct fed_input input[HC_INPUTS_MAX];
    size_t inputs;
    int main_hook;
};

static enum hc_action answered(void *owner, struct hc_machine *m, bool entering)
{
    struct fed_input *f = owner;
    struct hc_statistics s;

    if (entering)
        return HC_CONTINUE;
    hc_machine_statistics(m, &s);
    while (f->count && f->when[f->count - 1] >= s.instructions) /* the run has been taken back */
        f->count--;
    if (f->count == f->room) {
        f->room = f->room ? 2 * f->room : 64;
        f->when = realloc(f->when, f->room * sizeof *f->when);
        if (!f->when)
            abort();
    }
    hc_set_register(m, RESULT, hc_input_values_at(f->values, f->count));
    f->when[f->count++] = s.instructions;
    return HC_CONTINUE;
}

static enum hc_action begins(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_fed_inputs *f = owner;

    (void)m;
    (void)pc;
    for (size_t i = 0; i < f->inputs; i++)
        f->input[i].count = 0;
    return HC_CONTINUE;
}

struct hc_fed_inputs *hc_fed_inputs_new(struct hc_machine *m, const struct hc_power_input *input, size_t count,
                                        uint32_t main)
{
    struct hc_fed_inputs *f = calloc(1, sizeof *f);

    if (!f)
        abort();
    f->machine = m;
    for (size_t i = 0; i < count && i < HC_INPUTS_MAX; i++)
        if (input[i].values) {
            struct fed_input *one = &f->input[f->inputs++];
            *one = (struct fed_input){ .all = f, .values = input[i].values };
            one->hook = hc_hook_call(m, input[i].address, answered, one);
        }
    if (f->inputs && main)
        f->main_hook = hc_hook_pc(m, main, begins, f);
    return f;
}

void hc_fed_inputs_free(struct hc_fed_inputs *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->inputs; i++) {
        hc_unhook(f->machine, f->input[i].hook);
        free(f->input[i].when);
    }
    if (f->main_hook)
        hc_unhook(f->machine, f->main_hook);
    free(f);
}
