#include "findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIPHERALS_END = 0x1000 };

/* ---- which pairs ---- */

static uint64_t largest_depth(const struct hc_power_report *r)
{
    return r->checkpoint || !r->depth_count ? UINT64_MAX - 1 : r->depths[r->depth_count - 1];
}

static bool is_anomaly(const struct hc_pair *p, uint64_t depth)
{
    return p->distance != HC_NO_DISTANCE && p->distance <= depth;
}

static bool is_silent(const struct hc_power_report *r, const struct hc_pair *p)
{
    return !is_anomaly(p, largest_depth(r)) && p->silent_distance <= largest_depth(r);
}

static bool is_seen(const struct hc_cuts *cuts, size_t pair)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->cut[i].reason.pair == pair)
            return true;
    return false;
}

/* Does it count at all? */
static bool counts(const struct hc_power_report *r, size_t pair)
{
    return !r->cuts_decide || is_seen(r->cuts, pair);
}

size_t hc_findings_within(const struct hc_power_report *r, uint64_t depth)
{
    size_t n = 0;

    for (size_t i = 0; i < r->located->pairs.count; i++)
        n += is_anomaly(&r->located->pairs.pair[i], depth) && counts(r, i);
    return n;
}

size_t hc_findings_harmless(const struct hc_power_report *r)
{
    size_t n = 0;

    for (size_t i = 0; r->verdict && i < r->located->pairs.count; i++)
        n += is_anomaly(&r->located->pairs.pair[i], largest_depth(r)) && counts(r, i) &&
             r->verdict[i].worst.effect == HC_EFFECT_NONE && hc_verdict_is_complete(&r->verdict[i]);
    return n;
}

size_t hc_findings_silent(const struct hc_power_report *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->located->pairs.count; i++)
        n += is_silent(r, &r->located->pairs.pair[i]) && counts(r, i);
    return n;
}

size_t hc_power_anomalies(const struct hc_power_report *r)
{
    return hc_findings_within(r, largest_depth(r)) - hc_findings_harmless(r);
}

bool hc_power_never_ends(const struct hc_power_report *r)
{
    return r->checkpoint && r->nanofarads && r->needed_nanofarads > r->nanofarads;
}

/* Branches that go both ways; those that were tried and came to nothing do not count. */
static size_t steerings_left(const struct hc_power_report *r)
{
    const struct hc_steering *steering;
    size_t n = hc_power_inputs_steerings(r->located->inputs, &steering), left = 0;

    for (size_t i = 0; i < n; i++)
        left += !r->steered || r->steered[i].evaluated.effect != HC_EFFECT_NONE;
    return left;
}

size_t hc_power_unexpected_interactions(const struct hc_power_report *r)
{
    const struct hc_output_finding *finding;
    const struct hc_input_finding *uses;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);
    size_t unexpected = hc_power_inputs_findings(r->located->inputs, &uses);

    for (size_t i = 0; i < n; i++)
        unexpected += hc_output_is_unexpected(&r->output[finding[i].output], &finding[i]);
    return unexpected + steerings_left(r);
}

bool hc_power_found(const struct hc_power_report *r)
{
    return hc_power_anomalies(r) || (r->torn && hc_torn_broken(r->torn)) || (r->cuts && hc_cuts_wrong(r->cuts)) ||
           hc_power_never_ends(r) || hc_power_unexpected_interactions(r);
}

/* ---- the list ---- */

/* The stack, by the functions whose frames they are. */
static void name_stack(const struct hc_power_report *r, const struct hc_pair *p, struct hc_variable *v)
{
    struct hc_symbol function;

    v->address = r->located->stack_low;
    v->size = r->located->stack_high - r->located->stack_low;
    if (hc_image_function_at(r->image, p->consumer, &function))
        snprintf(v->name, sizeof v->name, "the stack in %s", function.name);
    else
        snprintf(v->name, sizeof v->name, "the stack");
}

static void name_register(const struct hc_power_report *r, uint32_t address, struct hc_variable *v)
{
    const struct hc_reg *reg = r->registers ? hc_regs_at(r->registers, address) : NULL;

    if (reg) {
        v->address = reg->address;
        v->size = reg->size;
        snprintf(v->name, sizeof v->name, "%s", reg->name);
    } else {
        v->size = 1;
        snprintf(v->name, sizeof v->name, "a peripheral's register");
    }
}

static struct hc_variable variable_of(const struct hc_power_report *r, const struct hc_pair *p)
{
    uint32_t address = p->witness.address, start, size;
    struct hc_symbol symbol;
    struct hc_variable v = { .address = address };

    if (address >= r->located->stack_low && address < r->located->stack_high) {
        name_stack(r, p, &v);
    } else if (address < PERIPHERALS_END) {
        name_register(r, address, &v);
    } else if (hc_heap_block_at(r->located->heap, address, &start, &size)) {
        v.address = start;
        v.size = size;
        snprintf(v.name, sizeof v.name, "the heap's block of %u bytes", (unsigned)size);
    } else if (hc_image_data_at(r->image, address, &symbol) && symbol.size) {
        v.address = symbol.address;
        v.size = symbol.size;
        snprintf(v.name, sizeof v.name, "%s", symbol.name);
    } else {
        snprintf(v.name, sizeof v.name, "memory without a name");
    }
    return v;
}

static int in_order(const void *a, const void *b)
{
    const struct hc_finding *x = a, *y = b;

    if (x->silent != y->silent)
        return x->silent ? 1 : -1;
    if (x->variable.address != y->variable.address)
        return x->variable.address < y->variable.address ? -1 : 1;
    int name = strcmp(x->variable.name, y->variable.name);
    if (name)
        return name;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

struct hc_finding *hc_findings(const struct hc_power_report *r, size_t *count)
{
    const struct hc_pairs *pairs = &r->located->pairs;
    struct hc_finding *f = calloc(pairs->count + 1, sizeof *f);
    size_t n = 0;

    if (!f)
        abort();
    *count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        bool silent = is_silent(r, &pairs->pair[i]);
        if ((!silent && !is_anomaly(&pairs->pair[i], largest_depth(r))) || !counts(r, i))
            continue;
        *count += r->show_silent || r->cuts_decide || !silent;
        f[n++] = (struct hc_finding){ .pair = i, .silent = silent, .variable = variable_of(r, &pairs->pair[i]) };
    }
    qsort(f, n, sizeof *f, in_order);
    for (size_t i = 0; i < n; i++)
        f[i].number = (unsigned)i + 1;
    return f;
}

const struct hc_finding *hc_finding_of_pair(const struct hc_finding *findings, size_t pair)
{
    while (findings->number && findings->pair != pair)
        findings++;
    return findings->number ? findings : NULL;
}

const struct hc_pair *hc_finding_pair(const struct hc_power_report *r, const struct hc_finding *f)
{
    return &r->located->pairs.pair[f->pair];
}

const char *hc_finding_part(const struct hc_power_report *r, const struct hc_finding *f)
{
    const char *name = r->names ? r->names[f->pair] : NULL;
    uint32_t start, size;

    if (!name || !strcmp(name, f->variable.name) ||
        hc_heap_block_at(r->located->heap, hc_finding_pair(r, f)->witness.address, &start, &size))
        return NULL;
    return name;
}

const struct hc_verdict *hc_finding_verdict(const struct hc_power_report *r, const struct hc_finding *f)
{
    return r->verdict ? &r->verdict[f->pair] : NULL;
}

const struct hc_occurrence *hc_finding_witness(const struct hc_power_report *r, const struct hc_finding *f)
{
    return r->verdict ? &r->verdict[f->pair].witness : &hc_finding_pair(r, f)->witness;
}

bool hc_finding_witness_is_worst(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_verdict *v = hc_finding_verdict(r, f);

    return v && v->worst.effect > HC_EFFECT_NONE && (hc_verdict_is_complete(v) || v->worst.effect == HC_EFFECTS - 1);
}

uint64_t hc_finding_distance(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(r, f);

    return p->kind == HC_LOST_STATE ? 0 : p->witness.produced - p->witness.consumed;
}

uint64_t hc_finding_cycles(const struct hc_power_report *r, const struct hc_finding *f)
{
    return hc_finding_pair(r, f)->witness.cycles;
}

uint64_t hc_finding_occurrences(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(r, f);

    return f->silent ? p->silent_count : p->count;
}

bool hc_finding_is_single(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(r, f);

    return p->kind == HC_MEMORY_MAP && p->consumer == p->producer;
}

const char *hc_finding_detail(const struct hc_power_report *r, const struct hc_finding *f)
{
    if (!hc_finding_is_single(r, f))
        return NULL;
    return hc_finding_pair(r, f)->witness.leak ? "a block leaks" : "a block is given back twice";
}

const char *hc_finding_deed(const struct hc_power_report *r, const struct hc_finding *f, bool consumer)
{
    if (hc_finding_is_single(r, f))
        return "called";
    if (hc_finding_pair(r, f)->kind == HC_LOST_STATE && f->variable.address < PERIPHERALS_END && consumer)
        return "not saved";
    if (hc_finding_pair(r, f)->kind == HC_MEMORY_MAP)
        return consumer ? "used" : "remapped";
    return consumer ? "read" : "written";
}

/* ---- places ---- */

const char *hc_place_text(const struct hc_power_report *r, uint32_t pc, char *out)
{
    if (pc == HC_BY_DMA || pc == HC_BY_INTERRUPT) {
        snprintf(out, HC_PLACE_TEXT, "%s", pc == HC_BY_DMA ? "DMA" : "the hardware, entering an interrupt");
        return out;
    }
    return hc_image_locate(r->image, pc, out, HC_PLACE_TEXT);
}

size_t hc_place_callers(const struct hc_power_report *r, uint32_t pc, uint32_t context, uint32_t *pcs)
{
    size_t n = hc_power_frames_context(r->located->frames, context, pcs, HC_STACK_KEPT);

    n = n < HC_STACK_KEPT ? n : HC_STACK_KEPT;
    if (n && pcs[0] == pc)
        memmove(pcs, pcs + 1, --n * sizeof *pcs);
    return n;
}
