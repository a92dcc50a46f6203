#include "evaluate.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

enum { RESULT = 12 };

/* An input that has another value. */
struct other_value {
    struct hc_machine *machine;
    const struct hc_power_input *input;
    uint16_t value;
    int hook;
};

static enum hc_action answered(void *owner, struct hc_machine *m, bool entering)
{
    if (!entering)
        hc_set_register(m, RESULT, ((struct other_value *)owner)->value);
    return HC_CONTINUE;
}

static enum hc_action stored(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    const struct other_value *o = owner;

    (void)access;
    for (uint32_t k = 0; k < o->input->size && k < 2; k++)
        hc_poke(m, o->input->address + k, (uint8_t)(o->value >> 8 * k));
    return HC_CONTINUE;
}

static void pretend(struct other_value *o)
{
    const struct hc_power_input *i = o->input;

    if (i->kind == HC_INPUT_FUNCTION)
        o->hook = hc_hook_call(o->machine, i->address, answered, o);
    else
        o->hook = hc_hook_access(o->machine, i->address, i->address + i->size - 1, HC_WATCH_WRITE, stored, o);
}

/* Measured again, it has the other value; memory has what was written after the first measurement. */
static void measure_again(struct hc_trial *t, struct hc_machine *m, const struct hc_snapshot *checkpoint,
                          const struct hc_steering *s, struct other_value *o, struct hc_evaluated *out)
{
    pretend(o);
    hc_trial_run_golden(t);
    hc_unhook(m, o->hook);
    hc_snapshot_restore(m, checkpoint);
    if (hc_power_run_until(m, s->produced)) {
        hc_trial_fail(t, s->resumed ? checkpoint : NULL);
        pretend(o);
        hc_trial_finish(t, 0, out);
        hc_unhook(m, o->hook);
    }
    hc_snapshot_restore(m, checkpoint);
}

/* Those that the user gave; or such that decide most comparisons in another way. */
static size_t values_to_try(const struct hc_power_input *input, uint16_t *out, size_t most)
{
    static const uint16_t usual[] = { 0, 1, 10, 0x7f, 100, 0x3ff, 1000, 0xfff, 0x7fff, 0x8000, 0xffff };
    size_t n = sizeof usual / sizeof usual[0];

    if (input->values) {
        n = input->values->kind == HC_VALUES_TABLE && input->values->count < most ? input->values->count : most;
        for (size_t i = 0; i < n; i++)
            out[i] = hc_input_values_at(input->values, i);
    } else {
        memcpy(out, usual, sizeof usual);
    }
    return n;
}

static void try_values(struct hc_trial *t, const struct hc_locate_config *config, const struct hc_steering *s,
                       struct hc_steered *out)
{
    enum { VALUES = 64 };
    uint16_t values[VALUES];
    size_t count = values_to_try(&config->input[s->input], values, VALUES);
    struct hc_machine *m = config->machine;
    struct hc_snapshot *checkpoint = hc_snapshot_take(m);
    bool different = false;

    if (!checkpoint)
        abort();
    for (size_t i = 0; i < count && !different; i++) {
        struct other_value o = { .machine = m, .input = &config->input[s->input], .value = values[i] };
        out->value = values[i];
        measure_again(t, m, checkpoint, s, &o, &out->evaluated);
        different = out->evaluated.effect > HC_EFFECT_NONE;
    }
    hc_snapshot_free(checkpoint);
}

bool hc_power_evaluate_steerings(const struct hc_locate_config *config, const struct hc_located *located,
                                 struct hc_steered *out)
{
    const struct hc_steering *s;
    size_t n = hc_power_inputs_steerings(located->inputs, &s);
    struct hc_trial *t = n ? hc_trial_new(config, located) : NULL;
    struct hc_snapshot *start = t ? hc_snapshot_take(config->machine) : NULL;

    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; start && i < n; i++) {
        hc_snapshot_restore(config->machine, start);
        if (config->input[s[i].input].kind != HC_INPUT_REGISTER &&
            (!s[i].resumed || hc_power_run_until(config->machine, s[i].resumed)))
            try_values(t, config, &s[i], &out[i]);
    }
    hc_snapshot_free(start);
    hc_trial_free(t);
    return !n || t;
}
