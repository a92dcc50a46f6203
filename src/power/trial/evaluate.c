#include "evaluate.h"

#include "failure.h"
#include "support/plural.h"
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
        snprintf(out + n, size - n, "%s%s at 0x%04x is 0x%02x and should be 0x%02x, %u byte%s in all", n ? "; " : "",
                 name, (unsigned)e->address, e->is, e->should, (unsigned)e->bytes_wrong, hc_plural(e->bytes_wrong));
    n = strlen(out);
    if (e->result_wrong)
        snprintf(out + n, size - n, "%smain returns 0x%04x instead of 0x%04x", n ? "; " : "", e->result_is,
                 e->result_should);
    return out;
}

uint64_t hc_verdict_tried(const struct hc_verdict *v)
{
    uint64_t n = 0;

    for (int i = HC_EFFECT_NONE; i < HC_EFFECTS; i++)
        n += v->effects[i];
    return n;
}

uint64_t hc_verdict_farther_tried(const struct hc_verdict *v)
{
    uint64_t n = 0;

    for (int i = HC_EFFECT_NONE; i < HC_EFFECTS; i++)
        n += v->farther_effects[i];
    return n;
}

bool hc_verdict_is_complete(const struct hc_verdict *v)
{
    return hc_verdict_tried(v) == v->occurrences && hc_verdict_farther_tried(v) == v->farther_occurrences;
}

static size_t append_effects(const uint64_t *effects, char *out, size_t size, size_t used)
{
    const char *comma = ": ";

    for (int i = HC_EFFECTS - 1; i >= HC_EFFECT_NONE && used < size; i--)
        if (effects[i]) {
            used += (size_t)snprintf(out + used, size - used, "%s%llu %s", comma, (unsigned long long)effects[i],
                                     hc_effect_names[i]);
            comma = ", ";
        }
    return used < size ? used : size - 1;
}

const char *hc_verdict_text(const struct hc_verdict *v, char *out, size_t size)
{
    unsigned long long tried = hc_verdict_tried(v), farther = hc_verdict_farther_tried(v);
    size_t n = (size_t)snprintf(out, size, "%llu of %llu", tried, (unsigned long long)v->occurrences);

    n = append_effects(v->effects, out, size, n);
    if (!v->farther_occurrences)
        return out;
    n += (size_t)snprintf(out + n, size - n, "; with checkpoints farther away %llu of %llu", farther,
                          (unsigned long long)v->farther_occurrences);
    append_effects(v->farther_effects, out, size, n < size ? n : size - 1);
    return out;
}

/* ---- which occurrences are tried ---- */

/* What a trial costs besides the instructions that it executes, in instructions. */
enum { TRIAL = 20000 };

struct cut {
    struct hc_occurrence occurrence;
    uint64_t failure;
    size_t pair;
    bool farther;
};

struct plan {
    const struct hc_located *located;
    struct hc_verdict *verdict;
    uint64_t *every, *met; /* of each pair: every so many farther occurrences are tried; how many there were so far */
    bool farther;          /* this plan is of farther ones */
    struct cut *cut;
    size_t cuts, room;
};

static bool is_silent(const struct hc_pair *p)
{
    return p->distance == HC_NO_DISTANCE;
}

static uint64_t occurrences_of(const struct plan *p, size_t pair)
{
    const struct hc_pair *of = &p->located->pairs.pair[pair];

    if (p->farther)
        return p->verdict[pair].farther_occurrences;
    return is_silent(of) ? of->silent_count : of->count;
}

static bool is_witness(const struct hc_pair *p, const struct hc_occurrence *o)
{
    return o->consumed == p->witness.consumed && o->produced == p->witness.produced;
}

static void add_cut(struct plan *p, size_t pair, const struct hc_occurrence *o, bool farther)
{
    if (p->cuts == p->room) {
        p->room = p->room ? 2 * p->room : 256;
        p->cut = realloc(p->cut, p->room * sizeof *p->cut);
        if (!p->cut)
            abort();
    }
    p->cut[p->cuts++] = (struct cut){ *o, hc_power_failure_of(&p->located->pairs.pair[pair], o), pair, farther };
}

static void occurred(void *owner, size_t pair, const struct hc_occurrence *o, bool silent, bool farther, uint64_t n)
{
    struct plan *p = owner;
    const struct hc_pair *of = &p->located->pairs.pair[pair];

    if ((farther && !p->farther) || silent != is_silent(of) || !p->every[pair])
        return;
    if (farther)
        n = p->met[pair]++;
    if (n % p->every[pair] == 0 || (!farther && is_witness(of, o)))
        add_cut(p, pair, o, farther);
}

/* How many occurrences of a pair are tried at most, so that all together are no more than AFFORDABLE. */
static uint64_t share_of(const struct plan *p, uint64_t affordable)
{
    uint64_t low = 1, high = affordable > 1 ? affordable : 1;

    while (low < high) {
        uint64_t share = low + (high - low + 1) / 2, sum = 0;
        for (size_t i = 0; i < p->located->pairs.count; i++) {
            uint64_t n = p->every[i] ? occurrences_of(p, i) : 0;
            sum += n < share ? n : share;
        }
        if (sum <= affordable)
            low = share;
        else
            high = share - 1;
    }
    return low;
}

/* Those pairs whose EVERY is not 0. */
static void spread(struct plan *p, uint64_t effort)
{
    uint64_t share = share_of(p, effort / (p->located->instructions / 2 + TRIAL));

    for (size_t i = 0; i < p->located->pairs.count; i++)
        if (p->every[i])
            p->every[i] = (occurrences_of(p, i) + share - 1) / share;
}

/* The continuous run once more: it tells of each occurrence. */
static void run_again(const struct hc_locate_config *config, struct hc_snapshot *start, hc_occurred_fn *tell,
                      struct plan *p)
{
    struct hc_locate_config again = *config;
    struct hc_located ignored;

    again.occurred = tell;
    again.owner = p;
    again.farther = p->farther ? p->every : NULL;
    hc_snapshot_restore(config->machine, start);
    hc_power_locate(&again, &ignored);
    hc_located_free(&ignored);
    hc_snapshot_restore(config->machine, start);
}

static void count_farther(void *owner, size_t pair, const struct hc_occurrence *o, bool silent, bool farther,
                          uint64_t n)
{
    struct plan *p = owner;

    (void)o;
    (void)silent;
    (void)n;
    if (farther && p->every[pair])
        p->verdict[pair].farther_occurrences++;
}

/* ---- trials ---- */

struct evaluation {
    const struct hc_locate_config *config;
    struct hc_trial *trial;
    struct hc_machine *machine;
    const struct hc_located *located;
    struct hc_verdict *out;
};

static bool is_nearer(const struct hc_occurrence *a, const struct hc_occurrence *b)
{
    return a->produced - a->consumed < b->produced - b->consumed;
}

static void judge(struct hc_verdict *v, const struct cut *c, const struct hc_evaluated *e)
{
    uint64_t *effects = c->farther ? v->farther_effects : v->effects;

    effects[e->effect]++;
    v->instructions += e->instructions;
    if (e->effect < v->worst.effect || (e->effect == v->worst.effect && !is_nearer(&c->occurrence, &v->witness)))
        return;
    v->worst = *e;
    v->witness = c->occurrence;
    v->farther = c->farther;
}

/* The machine stands where the supply fails. CHECKPOINT is what it goes on from. */
static void cut_power(struct evaluation *e, const struct cut *c, const struct hc_snapshot *checkpoint,
                      const struct hc_snapshot *here, struct hc_evaluated *out)
{
    uint64_t resumed = c->occurrence.resumed;

    hc_trial_fail(e->trial, resumed ? checkpoint : NULL);
    hc_trial_finish_or_join(e->trial, resumed, c->failure, resumed ? here : NULL, out);
    out->instructions += c->failure - resumed;
}

/* The machine stands between the checkpoint and the failure, and then at the failure. */
static void try_failure(struct evaluation *e, const struct cut *c, const struct hc_snapshot *checkpoint,
                        struct hc_evaluated *out)
{
    *out = (struct hc_evaluated){ .effect = HC_EFFECT_UNKNOWN };
    if (!hc_power_run_until(e->machine, c->failure))
        return; /* in the start-up code, before main */
    struct hc_snapshot *here = hc_snapshot_take(e->machine);
    if (!here)
        abort();
    cut_power(e, c, checkpoint, here, out);
    hc_snapshot_restore(e->machine, here);
    hc_snapshot_free(here);
}

/* All cuts that go on from one checkpoint, where the machine stands; so it does afterwards. */
static void try_checkpoint(struct evaluation *e, const struct cut *cut, size_t count)
{
    struct hc_snapshot *checkpoint = hc_snapshot_take(e->machine);
    struct hc_evaluated result = { .effect = HC_EFFECT_UNKNOWN };

    if (!checkpoint)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (!i || cut[i].failure != cut[i - 1].failure)
            try_failure(e, &cut[i], checkpoint, &result);
        if (result.effect != HC_EFFECT_UNKNOWN)
            judge(&e->out[cut[i].pair], &cut[i], &result);
    }
    hc_snapshot_restore(e->machine, checkpoint);
    hc_snapshot_free(checkpoint);
}

static int by_time(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;

    if (x->occurrence.resumed != y->occurrence.resumed)
        return x->occurrence.resumed < y->occurrence.resumed ? -1 : 1;
    if (x->failure != y->failure)
        return x->failure < y->failure ? -1 : 1;
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    return (int)x->farther - (int)y->farther;
}

static bool is_same_cut(const struct cut *a, const struct cut *b)
{
    return a->occurrence.resumed == b->occurrence.resumed && a->failure == b->failure && a->pair == b->pair &&
           a->occurrence.consumed == b->occurrence.consumed;
}

/* Sorts them; of farther ones, leaves those that are none for another byte of the same access, each once. */
static void put_in_order(struct plan *p)
{
    size_t n = 0;

    if (p->cuts)
        qsort(p->cut, p->cuts, sizeof *p->cut, by_time);
    if (!p->farther)
        return;
    for (size_t i = 0; i < p->cuts; i++)
        if (p->cut[i].farther && (!i || !is_same_cut(&p->cut[i], &p->cut[i - 1])))
            p->cut[n++] = p->cut[i];
    p->cuts = n;
    for (size_t i = 0; i < p->located->pairs.count; i++)
        if (p->every[i] == 1)
            p->verdict[i].farther_occurrences = 0;
    for (size_t i = 0; i < n; i++)
        if (p->every[p->cut[i].pair] == 1)
            p->verdict[p->cut[i].pair].farther_occurrences++;
}

static void try_all(struct evaluation *e, struct plan *p)
{
    put_in_order(p);
    for (size_t i = 0, n; i < p->cuts; i += n) {
        uint64_t resumed = p->cut[i].occurrence.resumed;
        for (n = 1; i + n < p->cuts && p->cut[i + n].occurrence.resumed == resumed;)
            n++;
        if (e->config->progress)
            e->config->progress(e->config->progress_owner, (double)i / (double)p->cuts, "power failures tried");
        if (!resumed || hc_power_run_until(e->machine, resumed))
            try_checkpoint(e, p->cut + i, n);
    }
}

/* ---- both ---- */

static bool carry_out(const struct hc_locate_config *config, struct plan *p)
{
    struct evaluation e = { .config = config, .machine = config->machine, .located = p->located, .out = p->verdict };

    e.trial = hc_trial_new(config, p->located);
    if (e.trial)
        try_all(&e, p);
    hc_trial_free(e.trial);
    return e.trial != NULL;
}

static uint64_t spent(const struct plan *p)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < p->located->pairs.count; i++)
        instructions += p->verdict[i].instructions + TRIAL * hc_verdict_tried(&p->verdict[i]);
    return instructions;
}

/* Nothing did harm so far: is it so with checkpoints farther away, too? */
static void evaluate_farther(const struct hc_locate_config *config, struct hc_snapshot *start, struct plan *p,
                             uint64_t effort)
{
    uint64_t used = spent(p), left = effort > used ? effort - used : 0;
    bool any = false;

    p->farther = true;
    p->cuts = 0;
    for (size_t i = 0; i < p->located->pairs.count; i++) {
        p->every[i] = p->verdict[i].worst.effect == HC_EFFECT_NONE && !is_silent(&p->located->pairs.pair[i]);
        any |= p->every[i];
    }
    if (!any)
        return;
    run_again(config, start, count_farther, p);
    spread(p, left);
    run_again(config, start, occurred, p);
    carry_out(config, p);
}

bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located, uint64_t effort,
                       struct hc_verdict *out)
{
    size_t count = located->pairs.count;
    struct plan p = { .located = located, .verdict = out };
    struct hc_snapshot *start = hc_snapshot_take(config->machine);

    memset(out, 0, count * sizeof *out);
    p.every = calloc(count + 1, sizeof *p.every);
    p.met = calloc(count + 1, sizeof *p.met);
    if (!start || !p.every || !p.met)
        abort();
    for (size_t i = 0; i < count; i++)
        out[i] = (struct hc_verdict){ .witness = located->pairs.pair[i].witness, .occurrences = occurrences_of(&p, i) };
    for (size_t i = 0; i < count; i++)
        p.every[i] = 1;
    spread(&p, effort);
    run_again(config, start, occurred, &p);
    bool good = carry_out(config, &p);
    if (good && config->depth)
        evaluate_farther(config, start, &p, effort);
    hc_snapshot_free(start);
    free(p.every);
    free(p.met);
    free(p.cut);
    return good;
}
