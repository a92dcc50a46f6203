#include "torn.h"

#include "failure.h"
#include "own_memory.h"
#include "trial.h"

#include <stdlib.h>

/* The first call has no checkpoint before it, the second one, and the third may reuse the first one's memory. */
enum { CALLS_OF_A_SITE = 3, MOST_SITES = 32, LONGEST_ROUTINE = 1000000 };

struct tear {
    const struct hc_locate_config *config;
    struct hc_machine *machine;
    struct hc_trial *trial;
    struct hc_torn *out;
    bool changed; /* non-volatile memory, since the last trial */
    struct site {
        uint32_t pc;
        unsigned calls;
    } site[MOST_SITES];
    size_t sites;
    int hook[8], hooks;
};

static enum hc_action wrote(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    (void)m;
    (void)access;
    ((struct tear *)owner)->changed = true;
    return HC_CONTINUE;
}

static void hook_memory(struct tear *t)
{
    for (const struct hc_region *r = hc_machine_part(t->machine)->regions; r->name; r++)
        if (r->kind == HC_FRAM)
            t->hook[t->hooks++] = hc_hook_access(t->machine, r->start, r->end, HC_WATCH_WRITE, wrote, t);
}

static void unhook(struct tear *t)
{
    while (t->hooks)
        hc_unhook(t->machine, t->hook[--t->hooks]);
}

/* ---- failures ---- */

static void add(struct hc_torn *torn, const struct hc_tear *tear)
{
    if (torn->count == torn->room) {
        torn->room = torn->room ? 2 * torn->room : 64;
        torn->tear = realloc(torn->tear, torn->room * sizeof *torn->tear);
        if (!torn->tear)
            abort();
    }
    torn->tear[torn->count++] = *tear;
}

/* The machine stands where the supply fails, and does so again afterwards. */
static void fail_here(struct tear *t, struct hc_evaluated *out)
{
    struct hc_snapshot *here = hc_snapshot_take(t->machine);

    if (!here)
        abort();
    unhook(t);
    hc_trial_fail(t->trial, NULL);
    hc_trial_finish(t->trial, HC_TRIAL_ANYWHERE, out);
    hc_snapshot_restore(t->machine, here);
    hc_snapshot_free(here);
    hook_memory(t);
    t->out->failures++;
}

/* The same is wrong, in the same way. */
static bool ends_alike(const struct hc_evaluated *a, const struct hc_evaluated *b)
{
    return a->effect == b->effect && a->bytes_wrong == b->bytes_wrong && a->address == b->address && a->is == b->is &&
           a->result_wrong == b->result_wrong && a->result_is == b->result_is && a->output.is == b->output.is &&
           a->output.argument_is == b->output.argument_is;
}

/* The machine stands at the routine's entry, and then where it has returned to. */
static void tear_call(struct tear *t, uint32_t call_site, unsigned call)
{
    struct hc_machine *m = t->machine;
    uint32_t back = hc_power_back(m), sp = hc_register(m, HC_SP), pc = hc_register(m, HC_PC), executed = 0;
    struct hc_tear tear = { .call_site = call_site, .call = call, .first = pc, .last = pc };
    struct hc_evaluated before, now;

    hook_memory(t);
    fail_here(t, &before);
    now = tear.evaluated = before;
    t->changed = false;
    while (!(hc_register(m, HC_PC) == back && hc_register(m, HC_SP) > sp) && executed < LONGEST_ROUTINE) {
        pc = hc_register(m, HC_PC);
        if (hc_machine_step(m, 1, hc_now(m) + HC_SECOND) != HC_STOP_STEPS)
            break;
        executed++;
        if (t->changed)
            fail_here(t, &now);
        t->changed = false;
        if (now.effect != tear.evaluated.effect) {
            add(t->out, &tear);
            tear = (struct hc_tear){ .call_site = call_site, .call = call, .from = executed, .first = pc };
            tear.evaluated = now;
        }
        tear.to = executed;
        tear.last = pc;
        tear.otherwise |= !ends_alike(&now, &before);
    }
    add(t->out, &tear);
    unhook(t);
    t->out->calls++;
}

static struct site *site_of(struct tear *t, uint32_t pc)
{
    for (size_t i = 0; i < t->sites; i++)
        if (t->site[i].pc == pc)
            return &t->site[i];
    if (t->sites == MOST_SITES)
        return NULL;
    t->site[t->sites] = (struct site){ pc, 0 };
    return &t->site[t->sites++];
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* To the next call of the routine; false at the program's end. */
static bool run_to_call(struct tear *t, uint32_t end)
{
    int at_call = hc_hook_pc(t->machine, t->config->checkpoint, stop_here, NULL);
    int at_end = hc_hook_pc(t->machine, end, stop_here, NULL);
    enum hc_stop stop = hc_machine_step(t->machine, t->config->limit, hc_now(t->machine) + 3600 * HC_SECOND);

    hc_unhook(t->machine, at_call);
    hc_unhook(t->machine, at_end);
    return stop == HC_STOP_HOOK && hc_register(t->machine, HC_PC) == t->config->checkpoint;
}

/* Where the user says what is versioned, the rest of non-volatile memory is no concern of the routine. */
static void leave_out_unversioned(struct tear *t)
{
    for (const struct hc_region *r = hc_machine_part(t->machine)->regions; r->name; r++)
        for (uint32_t a = r->start; t->config->versioned.count && r->kind == HC_FRAM && a <= r->end; a++)
            if (!hc_ranges_hold(&t->config->versioned, a))
                hc_trial_leave_out(t->trial, a, a + 1);
}

bool hc_power_tear(const struct hc_locate_config *config, const struct hc_located *located, uint32_t restore,
                   struct hc_torn *out)
{
    struct hc_machine *m = config->machine;
    struct tear t = { .config = config, .machine = m, .out = out };

    *out = (struct hc_torn){ 0 };
    t.trial = hc_trial_new(config, located);
    if (!t.trial)
        return false;
    uint32_t end = hc_power_end_of(m, &config->program);
    hc_trial_learn_own_memory(t.trial, m, config->checkpoint, restore);
    leave_out_unversioned(&t);
    while (run_to_call(&t, end)) {
        uint32_t call_site = hc_power_call_site(m);
        struct site *site = site_of(&t, call_site);
        if (site && site->calls++ < CALLS_OF_A_SITE)
            tear_call(&t, call_site, site->calls);
    }
    hc_trial_free(t.trial);
    return true;
}

/* Until the instruction at PC is next, with the stack pointer at SP. */
static bool run_to_frame(struct hc_machine *m, uint32_t pc, uint32_t sp)
{
    int hook = hc_hook_pc(m, pc, stop_here, NULL);
    enum hc_stop stop;

    do
        stop = hc_machine_step(m, LONGEST_ROUTINE, hc_now(m) + HC_SECOND);
    while (stop == HC_STOP_HOOK && hc_register(m, HC_SP) != sp);
    hc_unhook(m, hook);
    return stop == HC_STOP_HOOK;
}

uint64_t hc_power_resume_cycles(const struct hc_locate_config *config)
{
    struct hc_machine *m = config->machine;
    struct tear t = { .config = config, .machine = m };
    struct hc_statistics off, on;

    if (!hc_power_run_to_main(m, &config->program) || !run_to_call(&t, hc_power_end_of(m, &config->program)))
        return 0;
    uint32_t on_stack, back = hc_return_address(m, &on_stack), sp = hc_register(m, HC_SP) + on_stack;
    if (!run_to_frame(m, back, sp))
        return 0;
    hc_machine_power_off(m, HC_POISON_SEED);
    hc_machine_reset(m, HC_POR);
    hc_machine_statistics(m, &off);
    bool resumed = run_to_frame(m, back, sp);
    hc_machine_statistics(m, &on);
    return resumed ? on.cycles - off.cycles : 0;
}

void hc_torn_free(struct hc_torn *torn)
{
    free(torn->tear);
    *torn = (struct hc_torn){ 0 };
}

bool hc_tear_breaks(const struct hc_tear *tear)
{
    return tear->evaluated.effect > HC_EFFECT_NONE && tear->otherwise;
}

size_t hc_torn_broken(const struct hc_torn *torn)
{
    size_t n = 0;

    for (size_t i = 0; i < torn->count; i++)
        n += hc_tear_breaks(&torn->tear[i]);
    return n;
}
