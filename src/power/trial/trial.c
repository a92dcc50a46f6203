#include "trial.h"

#include "failure.h"
#include "power/interactions/actions.h"
#include "power/interactions/peripherals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4, SPARE = 100000 }; /* how much longer than the continuous run */
enum { ADDRESS_SIZE = 4, RESULT = 12, OUTPUTS_MOST = 2 * HC_OUTPUTS_MAX };

struct deed {
    size_t output;
    int32_t argument;
    uint64_t time; /* instructions retired, that one included */
};

struct deeds {
    struct deed *deed;
    size_t count, room;
};

struct hc_trial {
    const struct hc_locate_config *config;
    const struct hc_located *located;
    struct hc_machine *machine;
    struct hc_output output[OUTPUTS_MOST];
    size_t outputs;
    struct hc_actions *actions;
    struct deeds golden, now, *recorded; /* recorded: one of them */
    uint64_t golden_began;               /* instructions retired */
    size_t done;                         /* deeds of the golden run that need not be done again */
    uint8_t *memory, *scratch;           /* at the end of the continuous run */
    uint8_t *left_out;                   /* of each byte: not compared */
    uint8_t *given;                      /* of each byte of the peripherals: the continuous run wrote it */
    int given_hook, deeper_hook;
    uint32_t stack_low; /* the lowest address that the stack came to, in the continuous run and in this one */
    uint32_t memory_size;
    hc_time duration; /* of the continuous run */
    uint32_t back;    /* where main returns to */
    bool returned;    /* it did */
    uint16_t result;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- what is done to the environment ---- */

static void acted(void *owner, size_t output, int32_t argument, uint32_t pc)
{
    struct hc_trial *t = owner;
    struct deeds *d = t->recorded;
    bool before = !t->output[output].register_size; /* the entry's instruction has not yet retired */

    (void)pc;
    if (d->count == d->room) {
        d->room = d->room ? 2 * d->room : 64;
        d->deed = allocated(realloc(d->deed, d->room * sizeof *d->deed));
    }
    d->deed[d->count++] = (struct deed){ output, argument, hc_power_time(t->machine) + before };
}

/* Those that are named, and all registers that lead outside. */
static void find_outputs(struct hc_trial *t)
{
    for (; t->outputs < t->config->outputs && t->outputs < HC_OUTPUTS_MAX; t->outputs++)
        t->output[t->outputs] = t->config->output[t->outputs];
    for (const struct hc_peripheral_register *r = hc_peripheral_registers; r->name && t->outputs < OUTPUTS_MOST; r++)
        if (r->output)
            t->output[t->outputs++] =
                (struct hc_output){ .name = r->name, .entry = r->address, .register_size = r->size };
}

static void compare_outputs(const struct hc_trial *t, uint64_t resumed, struct hc_evaluated *out)
{
    size_t g = 0, n = 0;

    if (resumed == HC_TRIAL_ANYWHERE)
        g = t->now.count < t->golden.count ? t->golden.count - t->now.count : 0;
    if (resumed == HC_TRIAL_ANYWHERE && g > t->done)
        g = t->done;
    while (resumed != HC_TRIAL_ANYWHERE && g < t->golden.count && t->golden.deed[g].time <= resumed)
        g++;
    for (; g < t->golden.count && n < t->now.count; g++, n++)
        if (t->golden.deed[g].output != t->now.deed[n].output || t->golden.deed[g].argument != t->now.deed[n].argument)
            break;
    if (g == t->golden.count && n == t->now.count)
        return;
    out->effect = HC_EFFECT_OUTPUT;
    if (n < t->now.count) {
        out->output.is = t->output[t->now.deed[n].output].name;
        out->output.argument_is = t->now.deed[n].argument;
    }
    if (g < t->golden.count) {
        out->output.should = t->output[t->golden.deed[g].output].name;
        out->output.argument_should = t->golden.deed[g].argument;
    }
}

/* ---- memory ---- */

/* Peripherals' registers count where they may be lost: as the program sets them, so they should be. */
static bool is_state(const struct hc_trial *t, uint32_t address)
{
    enum hc_region_kind kind = hc_region_kind(t->machine, address);

    return kind == HC_RAM || kind == HC_FRAM || (kind == HC_IO && t->given[address]);
}

static enum hc_action given(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_trial *t = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size && t->recorded == &t->golden; i++)
        t->given[access->address + i] = 1;
    return HC_CONTINUE;
}

static void watch_peripherals(struct hc_trial *t)
{
    for (const struct hc_region *r = hc_machine_part(t->machine)->regions; r->name; r++)
        if (r->kind == HC_IO && t->config->unsaved & HC_UNSAVED_PERIPHERALS)
            t->given_hook = hc_hook_access(t->machine, r->start, r->end, HC_WATCH_WRITE, given, t);
}

static enum hc_action went_deeper(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_trial *t = owner;
    uint32_t sp = hc_register(m, HC_SP);

    /* What an instruction pushes may be written before SP moves. */
    if (access->address + ADDRESS_SIZE >= sp && access->address < t->stack_low)
        t->stack_low = access->address < sp ? access->address : sp;
    return HC_CONTINUE;
}

/* After a failure it may need more than in the continuous run. */
static void watch_stack(struct hc_trial *t)
{
    const struct hc_region *r = hc_machine_part(t->machine)->regions;

    while (r->name && (t->located->stack_low < r->start || t->located->stack_low > r->end))
        r++;
    t->stack_low = t->located->stack_low;
    if (r->name && r->start < t->stack_low)
        t->deeper_hook = hc_hook_access(t->machine, r->start, t->stack_low - 1, HC_WATCH_WRITE, went_deeper, t);
}

/* What lies below the stack pointer at the end is nobody's. Where the run is only looked at so far, what functions
 * under way have on the stack may be left from before them. */
static bool is_compared(const struct hc_trial *t, uint32_t address)
{
    if (!is_state(t, address) || t->left_out[address])
        return false;
    return address < t->stack_low || address >= t->located->stack_high ||
           (!t->returned && !t->config->program.until && address >= hc_register(t->machine, HC_SP));
}

static void compare_byte(const struct hc_trial *t, uint32_t address, uint8_t is, struct hc_evaluated *out)
{
    if (is == t->memory[address] || !is_compared(t, address) || out->bytes_wrong++)
        return;
    out->effect = HC_EFFECT_VALUE;
    out->address = address;
    out->is = is;
    out->should = t->memory[address];
}

static bool is_compared_region(const struct hc_trial *t, const struct hc_region *r)
{
    return r->kind == HC_RAM || r->kind == HC_FRAM || (r->kind == HC_IO && t->config->unsaved & HC_UNSAVED_PERIPHERALS);
}

static void compare_memory(const struct hc_trial *t, struct hc_evaluated *out)
{
    enum { CHUNK = 256 };
    uint8_t is[CHUNK];

    for (const struct hc_region *r = hc_machine_part(t->machine)->regions; r->name; r++)
        for (uint32_t a = r->start; is_compared_region(t, r) && a <= r->end; a += CHUNK) {
            uint32_t n = r->end - a + 1 < CHUNK ? r->end - a + 1 : CHUNK;
            hc_peek_bytes(t->machine, a, is, n);
            bool same = !memcmp(is, t->memory + a, n);
            for (uint32_t i = 0; !same && i < n; i++)
                compare_byte(t, a + i, is[i], out);
        }
}

static void compare_result(const struct hc_trial *t, struct hc_evaluated *out)
{
    uint16_t result = (uint16_t)hc_register(t->machine, RESULT);

    if (!t->returned || result == t->result)
        return;
    out->effect = HC_EFFECT_VALUE;
    out->result_wrong = true;
    out->result_is = result;
    out->result_should = t->result;
}

/* ---- runs ---- */

void hc_trial_fail(struct hc_trial *t, const struct hc_snapshot *checkpoint)
{
    hc_power_fail(t->config, t->located, checkpoint, t->scratch);
    t->stack_low = t->located->stack_low;
    t->now.count = 0;
}

void hc_trial_lose_power(struct hc_trial *t, uint64_t executed)
{
    hc_machine_power_off(t->machine, HC_POISON_SEED);
    hc_machine_reset(t->machine, HC_POR);
    t->stack_low = t->located->stack_low;
    t->now.count = 0;
    for (t->done = 0; t->done < t->golden.count; t->done++)
        if (t->golden.deed[t->done].time - t->golden_began > executed)
            break;
}

/* What was done to the environment so far is what the golden run did between the two. */
static bool acted_alike(const struct hc_trial *t, uint64_t resumed, uint64_t failure)
{
    size_t g = 0, n = 0;

    while (g < t->golden.count && t->golden.deed[g].time <= resumed)
        g++;
    for (; g < t->golden.count && t->golden.deed[g].time <= failure; g++, n++)
        if (n >= t->now.count || t->golden.deed[g].output != t->now.deed[n].output ||
            t->golden.deed[g].argument != t->now.deed[n].argument)
            return false;
    return n == t->now.count;
}

static bool stands_as(struct hc_trial *t, const struct hc_snapshot *there)
{
    struct hc_snapshot *here = allocated(hc_snapshot_take(t->machine));
    bool same = hc_snapshot_equal(here, there);

    hc_snapshot_free(here);
    return same;
}

/* INSTRUCTIONS at most, and not for much longer than the continuous run took. */
static enum hc_power_end run_on(struct hc_trial *t, uint64_t instructions)
{
    enum { SPARE_S = 10 };

    return hc_power_run_to_end(t->machine, t->back, t->config->program.start, instructions,
                               PATIENCE * t->duration + SPARE_S * HC_SECOND);
}

/* Compares what is left when the run has come to END. */
static void compare(struct hc_trial *t, enum hc_power_end end, uint64_t resumed, struct hc_evaluated *out)
{
    switch (end) {
    case HC_END_FAULT:
        out->effect = HC_EFFECT_CRASH;
        snprintf(out->fault, sizeof out->fault, "%s", hc_fault_text(t->machine));
        break;
    case HC_END_RESET:
        out->effect = HC_EFFECT_CRASH;
        snprintf(out->fault, sizeof out->fault, "it came to the reset vector's code");
        break;
    case HC_END_LIMIT:
        out->effect = HC_EFFECT_ENDLESS;
        break;
    default:
        if (t->returned && hc_register(t->machine, HC_PC) != t->back) { /* asleep for ever, or in a jump to itself */
            out->effect = HC_EFFECT_ENDLESS;
            break;
        }
        compare_memory(t, out);
        compare_result(t, out);
        compare_outputs(t, resumed, out);
        break;
    }
}

void hc_trial_finish_or_join(struct hc_trial *t, uint64_t resumed, uint64_t failure, const struct hc_snapshot *there,
                             struct hc_evaluated *out)
{
    uint64_t started = hc_power_time(t->machine), most = PATIENCE * t->located->instructions + SPARE;
    enum hc_power_end end = HC_END_LIMIT;
    bool joins = false;

    *out = (struct hc_evaluated){ .effect = HC_EFFECT_NONE };
    if (there) {
        end = failure > resumed ? run_on(t, failure - resumed) : HC_END_LIMIT;
        joins = end == HC_END_LIMIT && acted_alike(t, resumed, failure) && stands_as(t, there);
    }
    if (end == HC_END_LIMIT && !joins)
        end = run_on(t, most);
    if (!joins)
        compare(t, end, resumed, out);
    out->instructions = hc_power_time(t->machine) - started;
    t->now.count = 0;
    t->done = SIZE_MAX;
}

void hc_trial_finish(struct hc_trial *t, uint64_t resumed, struct hc_evaluated *out)
{
    hc_trial_finish_or_join(t, resumed, 0, NULL, out);
}

static void keep_end(struct hc_trial *t)
{
    for (uint32_t a = 0; a < t->memory_size; a++)
        t->memory[a] = is_state(t, a) ? hc_peek(t->machine, a) : 0;
    t->returned = !t->config->program.until && hc_register(t->machine, HC_PC) == t->back;
    t->result = (uint16_t)hc_register(t->machine, RESULT);
}

void hc_trial_run_golden(struct hc_trial *t)
{
    t->golden.count = 0;
    t->recorded = &t->golden;
    run_on(t, PATIENCE * t->located->instructions + SPARE);
    keep_end(t);
    t->recorded = &t->now;
    t->now.count = 0;
}

void hc_trial_compare_end(struct hc_trial *t, struct hc_evaluated *out)
{
    *out = (struct hc_evaluated){ .effect = HC_EFFECT_NONE };
    t->stack_low = t->located->stack_low;
    compare_memory(t, out);
    compare_result(t, out);
}

void hc_trial_leave_out(struct hc_trial *t, uint32_t from, uint32_t to)
{
    for (uint32_t a = from; a < to && a < t->memory_size; a++)
        t->left_out[a] = 1;
}

/* The continuous run once more, from memory that is as after a failure. */
static bool repeats(struct hc_trial *t)
{
    hc_machine_power_off(t->machine, HC_POISON_SEED);
    hc_machine_reset(t->machine, HC_POR);
    if (!hc_power_run_to_main(t->machine, &t->config->program))
        return false;
    uint64_t started = t->golden_began = hc_power_time(t->machine);
    t->done = SIZE_MAX;
    t->back = hc_power_end_of(t->machine, &t->config->program);
    watch_peripherals(t);
    watch_stack(t);
    struct hc_snapshot *start = allocated(hc_snapshot_take(t->machine));
    hc_time began = hc_now(t->machine);
    enum hc_power_end end = hc_power_run_to_end(t->machine, t->back, 0, t->located->instructions + 1, HC_NEVER);
    t->duration = hc_now(t->machine) - began;
    bool same = end == HC_END_DONE && hc_power_time(t->machine) - started == t->located->instructions;
    keep_end(t);
    hc_snapshot_restore(t->machine, start);
    hc_snapshot_free(start);
    t->recorded = &t->now;
    return same;
}

struct hc_trial *hc_trial_new(const struct hc_locate_config *config, const struct hc_located *located)
{
    struct hc_trial *t = allocated(calloc(1, sizeof *t));

    t->config = config;
    t->located = located;
    t->machine = config->machine;
    t->memory_size = hc_power_memory_size(t->machine);
    t->memory = allocated(malloc(t->memory_size + 1));
    t->scratch = allocated(malloc(t->memory_size + 1));
    t->left_out = allocated(calloc(t->memory_size + 1, 1));
    t->given = allocated(calloc(t->memory_size + 1, 1));
    t->recorded = &t->golden;
    for (size_t i = 0; i < config->excluded.count; i++)
        hc_trial_leave_out(t, config->excluded.range[i].start,
                           config->excluded.range[i].start + config->excluded.range[i].size);
    find_outputs(t);
    t->actions = hc_actions_new(t->machine, t->output, t->outputs, acted, t);
    if (repeats(t))
        return t;
    hc_trial_free(t);
    return NULL;
}

void hc_trial_free(struct hc_trial *t)
{
    if (!t)
        return;
    hc_actions_free(t->actions);
    if (t->given_hook)
        hc_unhook(t->machine, t->given_hook);
    if (t->deeper_hook)
        hc_unhook(t->machine, t->deeper_hook);
    free(t->given);
    free(t->golden.deed);
    free(t->now.deed);
    free(t->memory);
    free(t->scratch);
    free(t->left_out);
    free(t);
}
