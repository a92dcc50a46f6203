#include "evaluate.h"

#include "failure.h"
#include "machine/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_effect_names[HC_EFFECTS] = { "not evaluated", "harmless", "wrong value", "crash", "endless loop" };

enum { PATIENCE = 4, SPARE = 100000 }; /* how much longer than the continuous run */

struct evaluate {
    const struct hc_locate_config *config;
    const struct hc_located *located;
    struct hc_machine *machine;
    uint32_t back;   /* where main returns to */
    uint8_t *memory; /* at the end of the continuous run */
    uint8_t *scratch;
    uint32_t memory_size;
    uint64_t main_started; /* instructions retired */
};

static uint64_t time_of(const struct evaluate *e)
{
    struct hc_statistics s;

    hc_machine_statistics(e->machine, &s);
    return s.instructions;
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static bool run_to(struct evaluate *e, uint32_t pc, hc_time until)
{
    int hook = hc_hook_pc(e->machine, pc, stop_here, NULL);
    enum hc_stop stop = hc_machine_run(e->machine, until);

    hc_unhook(e->machine, hook);
    return stop == HC_STOP_HOOK;
}

/* Until TIME instructions have retired. */
static bool run_until_retired(struct evaluate *e, uint64_t time)
{
    uint64_t now = time_of(e);

    return time == now || (time > now && hc_machine_step(e->machine, time - now, HC_NEVER) == HC_STOP_STEPS);
}

/* ---- memory ---- */

static bool is_memory(const struct evaluate *e, uint32_t address)
{
    enum hc_region_kind kind = hc_region_kind(e->machine, address);

    return kind == HC_RAM || kind == HC_FRAM;
}

/* What lies below the stack pointer at the end is nobody's. */
static bool is_compared(const struct evaluate *e, uint32_t address)
{
    return is_memory(e, address) && (address < e->located->stack_low || address >= e->located->stack_high);
}

static void copy_memory(struct evaluate *e, uint8_t *to)
{
    for (uint32_t a = 0; a < e->memory_size; a++)
        to[a] = is_memory(e, a) ? hc_peek(e->machine, a) : 0;
}

static void compare(struct evaluate *e, struct hc_evaluated *out)
{
    *out = (struct hc_evaluated){ .effect = HC_EFFECT_NONE };
    for (uint32_t a = 0; a < e->memory_size; a++) {
        uint8_t is = is_compared(e, a) ? hc_peek(e->machine, a) : e->memory[a];
        if (!is_compared(e, a) || is == e->memory[a])
            continue;
        if (!out->bytes_wrong++) {
            out->effect = HC_EFFECT_VALUE;
            out->address = a;
            out->is = is;
            out->should = e->memory[a];
        }
    }
}

/* ---- runs ---- */

/* The end of main, or what comes instead. */
static void run_to_end(struct evaluate *e, struct hc_evaluated *out)
{
    uint64_t most = time_of(e) + PATIENCE * e->located->instructions + SPARE;
    uint32_t start = e->config->program.start;
    int at_end = hc_hook_pc(e->machine, e->back, stop_here, NULL), at_reset = 0;
    enum hc_stop stop;

    if (start && hc_register(e->machine, HC_PC) != start)
        at_reset = hc_hook_pc(e->machine, start, stop_here, NULL);
    stop = hc_machine_step(e->machine, most - time_of(e), hc_now(e->machine) + 3600 * HC_SECOND);
    hc_unhook(e->machine, at_end);
    if (at_reset)
        hc_unhook(e->machine, at_reset);
    if (stop == HC_STOP_FAULT) {
        *out = (struct hc_evaluated){ .effect = HC_EFFECT_CRASH };
        snprintf(out->fault, sizeof out->fault, "%s", hc_fault_text(e->machine));
    } else if (stop != HC_STOP_HOOK) {
        *out = (struct hc_evaluated){ .effect = HC_EFFECT_ENDLESS };
    } else if (hc_register(e->machine, HC_PC) != e->back) {
        *out = (struct hc_evaluated){ .effect = HC_EFFECT_CRASH, .fault = "it came to the reset vector's code" };
    } else {
        compare(e, out);
    }
}

/* The machine stands at the checkpoint (of which there is none at power-on), and does so again afterwards. */
static void cut_power(struct evaluate *e, const struct hc_pair *p, struct hc_evaluated *out)
{
    struct hc_snapshot *checkpoint = hc_snapshot_take(e->machine);

    if (!checkpoint)
        abort();
    if (run_until_retired(e, hc_power_failure_of(p))) {
        hc_power_fail(e->config, e->located, p->witness.resumed ? checkpoint : NULL, e->scratch);
        run_to_end(e, out);
    }
    hc_snapshot_restore(e->machine, checkpoint);
    hc_snapshot_free(checkpoint);
}

struct turn {
    uint64_t resumed;
    size_t pair;
};

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct turn *)a)->resumed, y = ((const struct turn *)b)->resumed;

    return x < y ? -1 : x > y;
}

/* The continuous run once more, from MAIN: what memory holds at its end. */
static bool run_golden(struct evaluate *e)
{
    struct hc_snapshot *start = hc_snapshot_take(e->machine);
    bool done = start && run_to(e, e->back, HC_NEVER) && time_of(e) - e->main_started == e->located->instructions;

    copy_memory(e, e->memory);
    if (start)
        hc_snapshot_restore(e->machine, start);
    hc_snapshot_free(start);
    return done;
}

static void evaluate_all(struct evaluate *e, struct hc_evaluated *out)
{
    const struct hc_pairs *pairs = &e->located->pairs;
    struct turn *turn = malloc((pairs->count + 1) * sizeof *turn);

    if (!turn)
        abort();
    for (size_t i = 0; i < pairs->count; i++)
        turn[i] = (struct turn){ pairs->pair[i].witness.resumed, i };
    qsort(turn, pairs->count, sizeof *turn, by_time);
    for (size_t i = 0; i < pairs->count; i++)
        if (!turn[i].resumed || run_until_retired(e, turn[i].resumed))
            cut_power(e, &pairs->pair[turn[i].pair], &out[turn[i].pair]);
    free(turn);
}

bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located,
                       struct hc_evaluated *out)
{
    struct evaluate e = { .config = config, .located = located, .machine = config->machine };

    memset(out, 0, located->pairs.count * sizeof *out);
    e.memory_size = hc_power_memory_size(e.machine);
    e.memory = malloc(e.memory_size + 1);
    e.scratch = malloc(e.memory_size + 1);
    if (!e.memory || !e.scratch)
        abort();
    bool good = run_to(&e, config->program.main, hc_now(e.machine) + 10 * HC_SECOND);
    e.main_started = time_of(&e);
    e.back = hc_peek16(e.machine, hc_register(e.machine, HC_SP));
    good = good && run_golden(&e);
    if (good)
        evaluate_all(&e, out);
    free(e.memory);
    free(e.scratch);
    return good;
}
