#include "evaluate.h"

#include "failure.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_effect_names[HC_EFFECTS] = { "not evaluated", "harmless", "wrong value",
                                                  "wrong output",  "crash",    "endless loop" };

/* ---- in words ---- */

static void output_text(const struct hc_wrong_output *o, char *out, size_t size)
{
    size_t n = 0;

    if (o->is)
        n = (size_t)snprintf(out, size, "%s(%d)", o->is, (int)o->argument_is);
    else
        n = (size_t)snprintf(out, size, "nothing");
    if (n < size && o->should)
        snprintf(out + n, size - n, " instead of %s(%d)", o->should, (int)o->argument_should);
    else if (n < size)
        snprintf(out + n, size - n, " where nothing should be done");
}

const char *hc_effect_text(const struct hc_evaluated *e, const char *name, char *out, size_t size)
{
    size_t n = 0;

    *out = 0;
    if (e->effect == HC_EFFECT_CRASH)
        snprintf(out, size, "%s", e->fault);
    if (e->effect == HC_EFFECT_OUTPUT)
        output_text(&e->output, out, size);
    n = strlen(out);
    if (e->bytes_wrong)
        snprintf(out + n, size - n, "%s%s at 0x%04x is 0x%02x and should be 0x%02x, %u bytes in all", n ? "; " : "",
                 name, (unsigned)e->address, e->is, e->should, (unsigned)e->bytes_wrong);
    n = strlen(out);
    if (e->result_wrong)
        snprintf(out + n, size - n, "%smain returns 0x%04x instead of 0x%04x", n ? "; " : "", e->result_is,
                 e->result_should);
    return out;
}

/* ---- pairs ---- */

/* The machine stands at the checkpoint (of which there is none at power-on), and does so again afterwards. */
static void cut_power(struct hc_trial *t, struct hc_machine *m, const struct hc_pair *p, struct hc_evaluated *out)
{
    struct hc_snapshot *checkpoint = hc_snapshot_take(m);

    if (!checkpoint)
        abort();
    if (hc_power_run_until(m, hc_power_failure_of(p))) {
        hc_trial_fail(t, p->witness.resumed ? checkpoint : NULL);
        hc_trial_finish(t, p->witness.resumed, out);
        out->instructions += hc_power_failure_of(p) - p->witness.resumed;
    }
    hc_snapshot_restore(m, checkpoint);
    hc_snapshot_free(checkpoint);
}

struct pair_turn {
    uint64_t resumed;
    size_t index;
};

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct pair_turn *)a)->resumed, y = ((const struct pair_turn *)b)->resumed;

    return x < y ? -1 : x > y;
}

static void evaluate_all(struct hc_trial *t, struct hc_machine *m, const struct hc_pairs *pairs,
                         struct hc_evaluated *out)
{
    struct pair_turn *turn = malloc((pairs->count + 1) * sizeof *turn);

    if (!turn)
        abort();
    for (size_t i = 0; i < pairs->count; i++)
        turn[i] = (struct pair_turn){ pairs->pair[i].witness.resumed, i };
    qsort(turn, pairs->count, sizeof *turn, by_time);
    for (size_t i = 0; i < pairs->count; i++)
        if (!turn[i].resumed || hc_power_run_until(m, turn[i].resumed))
            cut_power(t, m, &pairs->pair[turn[i].index], &out[turn[i].index]);
    free(turn);
}

bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located,
                       struct hc_evaluated *out)
{
    struct hc_trial *t = hc_trial_new(config, located);

    memset(out, 0, located->pairs.count * sizeof *out);
    if (t)
        evaluate_all(t, config->machine, &located->pairs, out);
    hc_trial_free(t);
    return t != NULL;
}
