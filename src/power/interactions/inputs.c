#include "inputs.h"

#include "power/locate/run.h"

#include <stdlib.h>
#include <string.h>

enum { RESULT = 12, RESULT_HIGH = 13, ARGUMENT = 12, BRANCHES_MAX = 64 };

/* A branch in this window that an input of this window decided. */
struct branch {
    uint32_t pc;
    uint64_t time;
    struct hc_label label;
};

struct hc_power_inputs {
    struct hc_machine *machine;
    struct hc_labels *labels;
    struct hc_taint *taint;
    const struct hc_power_input *input;
    size_t count;
    uint64_t depth;
    bool in_cycles; /* the depth is */
    uint64_t clock; /* checkpoints so far */
    uint64_t resumed;
    bool paused;
    struct function {
        struct hc_power_inputs *inputs;
        size_t input;
        int hook;
        uint32_t call_site;
    } function[HC_INPUTS_MAX];
    struct branch branch[BRANCHES_MAX];
    size_t branches;
    struct hc_input_finding *finding;
    size_t findings, finding_room;
    struct hc_steering *steering;
    size_t steerings, steering_room;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

static struct hc_statistics statistics(const struct hc_power_inputs *i)
{
    struct hc_statistics s = { 0 };

    if (i->machine)
        hc_machine_statistics(i->machine, &s);
    return s;
}

static uint64_t now(const struct hc_power_inputs *i)
{
    return statistics(i).instructions;
}

/* With checkpoints anywhere: what is acquired then may be acquired again after a failure now. */
static bool is_within(const struct hc_power_inputs *i, const struct hc_label *label)
{
    struct hc_statistics s = statistics(i);

    return (i->in_cycles ? s.cycles - label->cycles : s.instructions - label->time) <= i->depth;
}

/* ---- acquisition ---- */

/* A value that was measured before it was stored here is as old as that. */
static struct hc_label age_of(const struct hc_power_inputs *i, uint32_t pc, uint32_t set)
{
    struct hc_statistics s = statistics(i);
    struct hc_label age = { .acquisition = pc, .clock = i->clock, .time = s.instructions, .cycles = s.cycles };
    const struct hc_label *label;
    size_t n = hc_labels_get(i->labels, set, &label);

    for (size_t k = 0; k < n; k++)
        if (label[k].clock < age.clock || (label[k].clock == age.clock && label[k].time < age.time))
            age = label[k];
    return age;
}

uint32_t hc_power_inputs_acquired(struct hc_power_inputs *i, size_t input, uint32_t pc, uint32_t set)
{
    struct hc_label label = age_of(i, pc, set);

    label.input = (uint32_t)input;
    label.seen = i->input[input].kind == HC_INPUT_VARIABLE ? i->clock : HC_UNSEEN;
    return hc_labels_union(i->labels, set, hc_labels_single(i->labels, &label));
}

/* ---- uses ---- */

static struct hc_input_finding *finding_of(struct hc_power_inputs *i, size_t input, enum hc_use kind, uint32_t pc)
{
    for (size_t k = 0; k < i->findings; k++)
        if (i->finding[k].input == input && i->finding[k].use == pc && i->finding[k].kind == kind)
            return &i->finding[k];
    if (i->findings == i->finding_room) {
        i->finding_room = i->finding_room ? 2 * i->finding_room : 16;
        i->finding = allocated(realloc(i->finding, i->finding_room * sizeof *i->finding));
    }
    i->finding[i->findings] = (struct hc_input_finding){ .input = input, .kind = kind, .use = pc };
    return &i->finding[i->findings++];
}

static void judge(struct hc_power_inputs *i, const struct hc_label *label, enum hc_use kind, uint32_t pc)
{
    const struct hc_power_input *input = &i->input[label->input];
    bool long_term = i->depth || label->clock != i->clock;

    if (input->untagged || long_term == input->long_term)
        return;
    struct hc_input_finding *f = finding_of(i, label->input, kind, pc);
    f->acquisition = label->acquisition;
    f->count += !f->count || !i->machine || f->last != now(i);
    f->last = now(i);
    if (i->clock - label->clock > f->checkpoints)
        f->checkpoints = i->clock - label->clock;
}

uint32_t hc_power_inputs_read(struct hc_power_inputs *i, size_t input, uint32_t pc, uint32_t set)
{
    const struct hc_label *label;
    size_t n = hc_labels_get(i->labels, set, &label);

    for (size_t k = 0; k < n; k++)
        if (label[k].input == input) {
            struct hc_label seen = label[k];
            judge(i, &seen, HC_USE_READ, pc);
            seen.seen = i->clock;
            return hc_labels_single(i->labels, &seen);
        }
    return set;
}

static void note_branch(struct hc_power_inputs *i, const struct hc_label *label, uint32_t pc)
{
    uint64_t time = now(i);

    if (i->depth ? !is_within(i, label) : label->clock != i->clock)
        return;
    if (i->branches == BRANCHES_MAX)
        memmove(&i->branch[0], &i->branch[1], --i->branches * sizeof i->branch[0]);
    i->branch[i->branches++] = (struct branch){ pc, time, *label };
}

void hc_power_inputs_used(struct hc_power_inputs *i, enum hc_use use, uint32_t pc, uint32_t set)
{
    const struct hc_label *label;
    size_t n = hc_labels_get(i->labels, set, &label);

    for (size_t k = 0; k < n && !i->paused; k++) {
        struct hc_label one = label[k];
        if (one.seen != i->clock) /* else it has been judged when its variable was read */
            judge(i, &one, use, pc);
        if (use == HC_USE_BRANCH)
            note_branch(i, &one, pc);
    }
}

bool hc_power_inputs_given(struct hc_power_inputs *i, uint32_t pc)
{
    const struct hc_label *label;
    uint32_t set = i->taint ? hc_taint_register(i->taint, ARGUMENT) : HC_NO_LABELS;
    size_t n = hc_labels_get(i->labels, set, &label);
    bool stale = false;

    for (size_t k = 0; k < n; k++)
        stale |= label[k].clock != i->clock;
    hc_power_inputs_used(i, HC_USE_OUTPUT, pc, set);
    return stale;
}

static bool is_known(const struct hc_power_inputs *i, const struct branch *b)
{
    for (size_t k = 0; k < i->steerings; k++)
        if (i->steering[k].branch == b->pc && i->steering[k].input == b->label.input)
            return true;
    return false;
}

void hc_power_inputs_nvm_written(struct hc_power_inputs *i, uint32_t pc)
{
    uint64_t time = i->branches ? now(i) : 0;

    for (size_t k = 0; k < i->branches && !i->paused; k++) {
        const struct branch *b = &i->branch[k];
        if (is_known(i, b) || (i->depth && !is_within(i, &b->label)))
            continue;
        if (i->steerings == i->steering_room) {
            i->steering_room = i->steering_room ? 2 * i->steering_room : 16;
            i->steering = allocated(realloc(i->steering, i->steering_room * sizeof *i->steering));
        }
        i->steering[i->steerings++] = (struct hc_steering){ b->label.input,
                                                            b->label.acquisition,
                                                            b->pc,
                                                            pc,
                                                            i->depth ? b->label.time - 1 : i->resumed,
                                                            b->label.time,
                                                            b->time,
                                                            time };
    }
    i->branches = 0;
}

void hc_power_inputs_checkpoint(struct hc_power_inputs *i, uint64_t time)
{
    i->clock++;
    i->resumed = time;
    i->branches = 0;
}

void hc_power_inputs_pause(struct hc_power_inputs *i, bool pause)
{
    i->paused = pause;
}

/* ---- the machine ---- */

/* What pops or returns: a register has its value again. */
static bool gives_back(const struct hc_power_inputs *i, uint32_t pc)
{
    return pc != UINT32_MAX && hc_pops_at(i->machine, pc);
}

/* Memory holds what functions or registers gave: reading it is an access. */
static uint32_t read_again(struct hc_power_inputs *i, uint32_t pc, uint32_t set)
{
    const struct hc_label *label;
    size_t n = hc_labels_get(i->labels, set, &label);
    uint32_t out = HC_NO_LABELS;

    for (size_t k = 0; k < n; k++) {
        hc_labels_get(i->labels, set, &label); /* a set may have been made */
        struct hc_label one = label[k];
        if (i->input[one.input].kind != HC_INPUT_VARIABLE) {
            judge(i, &one, HC_USE_READ, pc);
            one.seen = i->clock;
        }
        out = hc_labels_union(i->labels, out, hc_labels_single(i->labels, &one));
    }
    return out;
}

static uint32_t loaded(void *owner, uint32_t address, uint32_t pc, uint32_t set)
{
    struct hc_power_inputs *i = owner;

    if (set != HC_NO_LABELS && !i->paused && !gives_back(i, pc))
        set = read_again(i, pc, set);

    for (size_t k = 0; k < i->count && !i->paused; k++) {
        const struct hc_power_input *input = &i->input[k];
        if (input->kind == HC_INPUT_FUNCTION || address - input->address >= input->size)
            continue;
        set = input->kind == HC_INPUT_REGISTER ? hc_power_inputs_acquired(i, k, pc, set)
                                               : hc_power_inputs_read(i, k, pc, set);
    }
    return set;
}

static uint32_t stored(void *owner, uint32_t address, uint32_t pc, uint32_t set)
{
    struct hc_power_inputs *i = owner;

    for (size_t k = 0; k < i->count && !i->paused; k++)
        if (i->input[k].kind == HC_INPUT_VARIABLE && address - i->input[k].address < i->input[k].size)
            set = hc_power_inputs_acquired(i, k, pc, set);
    return set;
}

static void used(void *owner, enum hc_use use, uint32_t pc, uint32_t set)
{
    hc_power_inputs_used(owner, use, pc, set);
}

/* What the function returns is new; who asked for it is remembered. */
static enum hc_action called(void *owner, struct hc_machine *m, bool entering)
{
    struct function *f = owner;
    struct hc_power_inputs *i = f->inputs;

    if (entering) {
        f->call_site = hc_power_call_site(m);
        return HC_CONTINUE;
    }
    uint32_t set = hc_power_inputs_acquired(i, f->input, f->call_site, HC_NO_LABELS);
    hc_taint_set_register(i->taint, RESULT, set);
    hc_taint_set_register(i->taint, RESULT_HIGH, set);
    return HC_CONTINUE;
}

static const struct hc_taint_ops ops = { loaded, stored, used };

struct hc_power_inputs *hc_power_inputs_new(const struct hc_power_input *input, size_t count, uint64_t depth,
                                            bool in_cycles)
{
    struct hc_power_inputs *i = allocated(calloc(1, sizeof *i));

    i->input = input;
    i->count = count < HC_INPUTS_MAX ? count : HC_INPUTS_MAX;
    i->depth = depth;
    i->in_cycles = in_cycles;
    i->labels = hc_labels_new();
    return i;
}

void hc_power_inputs_attach(struct hc_power_inputs *i, struct hc_machine *machine)
{
    if (!i->count)
        return;
    i->machine = machine;
    i->taint = hc_taint_new(machine, i->labels, &ops, i);
    for (size_t k = 0; k < i->count; k++)
        if (i->input[k].kind == HC_INPUT_FUNCTION) {
            i->function[k] = (struct function){ .inputs = i, .input = k };
            i->function[k].hook = hc_hook_call(machine, i->input[k].address, called, &i->function[k]);
        }
}

void hc_power_inputs_detach(struct hc_power_inputs *i)
{
    for (size_t k = 0; i->machine && k < i->count; k++)
        if (i->input[k].kind == HC_INPUT_FUNCTION)
            hc_unhook(i->machine, i->function[k].hook);
    hc_taint_free(i->taint);
    i->taint = NULL;
    i->machine = NULL;
}

void hc_power_inputs_free(struct hc_power_inputs *i)
{
    if (!i)
        return;
    hc_power_inputs_detach(i);
    hc_labels_free(i->labels);
    free(i->finding);
    free(i->steering);
    free(i);
}

size_t hc_power_inputs_findings(const struct hc_power_inputs *i, const struct hc_input_finding **out)
{
    *out = i->finding;
    return i->findings;
}

size_t hc_power_inputs_steerings(const struct hc_power_inputs *i, const struct hc_steering **out)
{
    *out = i->steering;
    return i->steerings;
}
