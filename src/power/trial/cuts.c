#include "cuts.h"

#include "failure.h"
#include "own_memory.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MOST = 4 };

/* Who wrote a byte of non-volatile memory last, in the run that is cut. */
struct writer {
    uint64_t trial; /* and after which trial */
    uint32_t pc;
};

struct cutting {
    const struct hc_locate_config *config;
    const struct hc_located *located;
    const struct hc_cuts_choice *choice;
    struct hc_machine *machine;
    struct hc_trial *trial;
    struct hc_cuts *out;
    struct writer *writer; /* of each byte */
    uint8_t *rewritten;    /* of each byte, while a cut is explained: by the run after it */
    uint32_t memory_size;
    bool changed;            /* memory or environment, since the last trial */
    uint64_t began, entered; /* instructions retired at power-on, and at the entry of main */
    bool in_main;
    uint64_t random;
    struct hc_cut_reason reason;
    struct hc_evaluated last;
    bool open; /* the last of OUT's cuts may go on */
    int hook[2 * REGIONS_MOST], hooks;
};

/* ---- what happens in the run that is cut ---- */

static enum hc_action wrote(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct cutting *c = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size; i++)
        c->writer[access->address + i] = (struct writer){ c->out->tried, access->pc };
    c->changed = true;
    return HC_CONTINUE;
}

/* Something that the environment may have seen: a later failure need not do it again. */
static enum hc_action gave(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    (void)m;
    (void)access;
    ((struct cutting *)owner)->changed = true;
    return HC_CONTINUE;
}

static void hook_all(struct cutting *c)
{
    struct hc_machine *m = c->machine;

    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name && c->hooks < 2 * REGIONS_MOST; r++) {
        if (r->kind == HC_FRAM)
            c->hook[c->hooks++] = hc_hook_access(m, r->start, r->end, HC_WATCH_WRITE, wrote, c);
        if (r->kind == HC_IO)
            c->hook[c->hooks++] = hc_hook_access(m, r->start, r->end, HC_WATCH_WRITE, gave, c);
    }
}

static void unhook(struct cutting *c)
{
    while (c->hooks)
        hc_unhook(c->machine, c->hook[--c->hooks]);
}

/* ---- why ---- */

static size_t pair_of(const struct cutting *c, uint32_t consumer, uint32_t producer)
{
    for (int kind = 0; kind < HC_ANOMALIES; kind++) {
        const struct hc_pair *p = hc_pairs_find(&c->located->pairs, (enum hc_anomaly)kind, consumer, producer);
        if (p)
            return (size_t)(p - c->located->pairs.pair);
    }
    return HC_NO_PAIR;
}

static enum hc_action used(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct cutting *c = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size && !c->reason.known; i++) {
        uint32_t a = access->address + i, producer = c->writer[a].pc;
        if (access->write)
            c->rewritten[a] = 1;
        else if (!c->rewritten[a] && producer && c->writer[a].trial == c->out->tried)
            c->reason = (struct hc_cut_reason){ true, a, access->pc, producer, pair_of(c, access->pc, producer) };
    }
    return HC_CONTINUE;
}

/* The run after the cut once more, watched; the machine has just lost its supply. */
static void explain(struct cutting *c)
{
    struct hc_evaluated ignored;
    int hook[REGIONS_MOST], hooks = 0;

    memset(c->rewritten, 0, c->memory_size);
    c->reason = (struct hc_cut_reason){ .pair = HC_NO_PAIR };
    for (const struct hc_region *r = hc_machine_part(c->machine)->regions; r->name && hooks < REGIONS_MOST; r++)
        if (r->kind == HC_FRAM)
            hook[hooks++] = hc_hook_access(c->machine, r->start, r->end, HC_WATCH_READ | HC_WATCH_WRITE, used, c);
    hc_trial_finish(c->trial, HC_TRIAL_ANYWHERE, &ignored);
    while (hooks)
        hc_unhook(c->machine, hook[--hooks]);
}

/* ---- one cut ---- */

static uint64_t executed(const struct cutting *c)
{
    return hc_power_time(c->machine) - c->began;
}

/* The machine stands where the supply fails, and does so again afterwards. */
static void try_here(struct cutting *c)
{
    struct hc_snapshot *here = hc_snapshot_take(c->machine);
    enum hc_effect before = c->last.effect;
    uint64_t since_main = c->in_main ? hc_power_time(c->machine) - c->entered : 0;

    if (!here)
        abort();
    unhook(c);
    hc_trial_lose_power(c->trial, since_main);
    hc_trial_finish(c->trial, HC_TRIAL_ANYWHERE, &c->last);
    if (c->last.effect != HC_EFFECT_NONE && c->last.effect != before) {
        hc_snapshot_restore(c->machine, here);
        hc_trial_lose_power(c->trial, since_main);
        explain(c);
    }
    hc_snapshot_restore(c->machine, here);
    hc_snapshot_free(here);
    hook_all(c);
    c->changed = false;
    c->out->tried++;
}

static void add(struct hc_cuts *cuts, const struct hc_cut *cut)
{
    if (!cuts->cut || cuts->count == cuts->room) {
        cuts->room = cuts->room ? 2 * cuts->room : 64;
        cuts->cut = realloc(cuts->cut, cuts->room * sizeof *cuts->cut);
        if (!cuts->cut)
            abort();
    }
    cuts->cut[cuts->count++] = *cut;
}

/* PC: executed last. */
static void cut_here(struct cutting *c, uint32_t pc)
{
    struct hc_cuts *out = c->out;

    if (c->changed || !out->cuts)
        try_here(c);
    out->cuts++;
    out->effect[c->last.effect]++;
    struct hc_cut *before = c->open ? &out->cut[out->count - 1] : NULL;
    c->open = c->last.effect != HC_EFFECT_NONE;
    if (before && before->evaluated.effect == c->last.effect) {
        before->last = executed(c);
        before->last_pc = pc;
    } else if (c->open) {
        add(out, &(struct hc_cut){ executed(c), executed(c), pc, pc, c->last, c->reason });
    }
}

/* xorshift64* */
static uint64_t draw(struct cutting *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return c->random * 0x2545f4914f6cdd1dull;
}

/* RANDOM of all instructions, each with the same chance. */
static bool is_chosen(struct cutting *c, uint64_t total)
{
    uint64_t done = executed(c);

    if (!c->choice->random)
        return done % c->choice->every == 0;
    uint64_t left = total - (done - 1), wanted = c->choice->random - c->out->cuts;
    return wanted && draw(c) % left < wanted;
}

/* ---- the run ---- */

/* The instruction at PC is next. */
static void notice(struct cutting *c, uint32_t pc)
{
    const struct hc_locate_config *config = c->config;

    for (size_t i = 0; i < config->outputs; i++)
        c->changed |= !config->output[i].register_size && pc == config->output[i].entry;
}

static bool is_over(const struct cutting *c, uint32_t end)
{
    return c->in_main && hc_register(c->machine, HC_PC) == end;
}

static void run_and_cut(struct cutting *c, uint64_t total)
{
    enum { EACH = 16 }; /* instructions: one may take a whole run */
    struct hc_machine *m = c->machine;
    uint32_t end = 0;

    while (executed(c) < total && !is_over(c, end)) {
        uint32_t pc = hc_register(m, HC_PC);
        if (!c->in_main && pc == c->config->program.main) {
            c->in_main = true;
            c->entered = hc_power_time(m);
            end = hc_power_end_of(m, &c->config->program);
        }
        notice(c, pc);
        uint64_t before = executed(c);
        if (hc_machine_step(m, 1, hc_now(m) + HC_SECOND) == HC_STOP_FAULT)
            break;
        if (executed(c) > before && is_chosen(c, total))
            cut_here(c, pc);
        if (c->config->progress && executed(c) % EACH == 0)
            c->config->progress(c->config->progress_owner, (double)executed(c) / (double)total, "instructions cut at");
    }
}

bool hc_power_cut(const struct hc_locate_config *config, const struct hc_located *located, uint32_t restore,
                  const struct hc_cuts_choice *choice, struct hc_cuts *out)
{
    struct hc_machine *m = config->machine;
    struct cutting c = { .config = config, .located = located, .choice = choice, .machine = m, .out = out };
    struct hc_snapshot *loaded = hc_snapshot_take(m);

    *out = (struct hc_cuts){ 0 };
    c.memory_size = hc_power_memory_size(m);
    c.writer = calloc(c.memory_size + 1, sizeof *c.writer);
    c.rewritten = calloc(c.memory_size + 1, 1);
    if (!loaded || !c.writer || !c.rewritten)
        abort();
    c.random = choice->seed * 0x9e3779b97f4a7c15ull + 1;
    uint64_t on = hc_power_time(m);
    bool good = hc_power_run_to_main(m, &config->program);
    uint64_t startup = hc_power_time(m) - on;
    hc_snapshot_restore(m, loaded);
    c.trial = good ? hc_trial_new(config, located) : NULL;
    if (c.trial) {
        hc_trial_learn_own_memory(c.trial, m, config->checkpoint, restore);
        hc_snapshot_restore(m, loaded);
        c.began = hc_power_time(m);
        out->instructions = startup + located->instructions;
        hook_all(&c);
        run_and_cut(&c, out->instructions);
        unhook(&c);
        hc_trial_free(c.trial);
    }
    hc_snapshot_free(loaded);
    free(c.writer);
    free(c.rewritten);
    return c.trial != NULL;
}

void hc_cuts_free(struct hc_cuts *cuts)
{
    free(cuts->cut);
    *cuts = (struct hc_cuts){ 0 };
}

uint64_t hc_cuts_wrong(const struct hc_cuts *cuts)
{
    return cuts->cuts - cuts->effect[HC_EFFECT_NONE];
}
