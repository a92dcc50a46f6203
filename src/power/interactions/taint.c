#include "taint.h"

#include "target/target.h"
#include "target/value_flow.h"

#include <stdlib.h>

const char *const hc_use_names[HC_USES] = { "read", "branch", "address", "output" };

enum { MEMORY = 1 << 20, MOST_HOOKS = 16, MOST_UNITS = 8 };

struct hc_taint {
    struct hc_machine *machine;
    struct hc_labels *labels;
    const struct hc_taint_ops *ops;
    void *owner;
    int hook[MOST_HOOKS], hooks;

    const struct hc_target_value_flow *target;
    const struct hc_value_flow_unit *units;
    uint32_t frame; /* bytes that an interrupt pushes */
    struct hc_value_flow flow;
    uint32_t *memory;               /* of each byte */
    struct hc_marked_value carried; /* by DMA, from its read to its write */
    uint32_t within[MOST_UNITS];    /* what each unit of the target was given */
};

static void use(struct hc_taint *t, enum hc_use kind, uint32_t pc, uint32_t set)
{
    if (set != HC_NO_LABELS)
        t->ops->used(t->owner, kind, pc, set);
}

/* ---- memory ---- */

/* The number of the unit that computes there, or -1. */
static int unit_at(const struct hc_taint *t, uint32_t address)
{
    for (int i = 0; i < MOST_UNITS && t->units[i].end; i++)
        if (address >= t->units[i].start && address <= t->units[i].end)
            return i;
    return -1;
}

static uint32_t load_byte(struct hc_taint *t, uint32_t address, uint32_t pc)
{
    int unit = unit_at(t, address);

    return t->ops->loaded(t->owner, address, pc, unit >= 0 ? t->within[unit] : t->memory[address & (MEMORY - 1)]);
}

static void give_unit(struct hc_taint *t, int unit, uint32_t address, uint32_t set)
{
    uint32_t offset = address - t->units[unit].start;

    if (offset % 2 == 0 && t->units[unit].begin >> offset / 2 & 1)
        t->within[unit] = HC_NO_LABELS;
    t->within[unit] = hc_labels_union(t->labels, t->within[unit], set);
}

static void store_byte(struct hc_taint *t, uint32_t address, uint32_t pc, uint32_t set)
{
    int unit = unit_at(t, address);

    if (unit >= 0) {
        give_unit(t, unit, address, set);
        return;
    }
    if (hc_region_kind(t->machine, address) == HC_IO) {
        use(t, HC_USE_OUTPUT, pc, set);
        set = HC_NO_LABELS; /* what a register gives back is the device's */
    }
    t->memory[address & (MEMORY - 1)] = t->ops->stored(t->owner, address, pc, set);
}

/* ---- what the target asks for ---- */

static uint32_t join(void *owner, uint32_t a, uint32_t b)
{
    return hc_labels_union(((struct hc_taint *)owner)->labels, a, b);
}

static uint32_t load(void *owner, uint32_t address, uint32_t pc)
{
    return load_byte(owner, address, pc);
}

static void store(void *owner, uint32_t address, uint32_t pc, uint32_t set)
{
    store_byte(owner, address, pc, set);
}

static void branch(void *owner, uint32_t pc, uint32_t set)
{
    use(owner, HC_USE_BRANCH, pc, set);
}

static void through(void *owner, uint32_t pc, uint32_t set)
{
    use(owner, HC_USE_ADDRESS, pc, set);
}

static const struct hc_value_flow_ops flow_ops = {
    .join = join,
    .load = load,
    .store = store,
    .branch = branch,
    .address = through,
};

/* ---- hooks ---- */

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_taint *t = owner;

    (void)m;
    if (access->pc != UINT32_MAX) {
        if (t->flow.accesses < HC_VALUE_FLOW_ACCESSES)
            t->flow.access[t->flow.accesses++] = *access;
        return HC_CONTINUE;
    }
    for (uint32_t k = 0; k < access->size; k++)
        if (access->write)
            store_byte(t, access->address + k, access->pc, t->carried.byte[k]);
        else
            t->carried.byte[k] = load_byte(t, access->address + k, access->pc);
    return HC_CONTINUE;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_taint *t = owner;

    t->target->instruction(&t->flow, m, pc);
}

/* The frame has been pushed; the handler's flags are its own. */
static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct hc_taint *t = owner;
    uint32_t sp = hc_register(m, HC_SP);

    (void)vector;
    (void)pc;
    for (uint32_t k = 0; k < t->frame; k++)
        t->memory[(sp + k) & (MEMORY - 1)] = t->target->pushed(&t->flow, k);
    t->flow.flags = t->flow.carry = HC_NO_LABELS;
}

static void keep_hook(struct hc_taint *t, int hook)
{
    if (t->hooks < MOST_HOOKS)
        t->hook[t->hooks++] = hook;
}

struct hc_taint *hc_taint_new(struct hc_machine *m, struct hc_labels *labels, const struct hc_taint_ops *ops,
                              void *owner)
{
    struct hc_taint *t = calloc(1, sizeof *t);

    if (!t || !(t->memory = calloc(MEMORY, sizeof *t->memory)))
        abort();
    t->machine = m;
    t->labels = labels;
    t->ops = ops;
    t->owner = owner;
    t->target = hc_target_of_machine(m)->value_flow;
    t->units = t->target->units(m);
    t->frame = hc_target_of_machine(m)->cpu->frame.size;
    t->flow = (struct hc_value_flow){ .ops = &flow_ops, .owner = t };
    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name; r++)
        if (r->kind == HC_RAM || r->kind == HC_FRAM || r->kind == HC_IO)
            keep_hook(t, hc_hook_access(m, r->start, r->end, HC_WATCH_READ | HC_WATCH_WRITE, accessed, t));
    keep_hook(t, hc_hook_retire(m, retired, t));
    keep_hook(t, hc_hook_interrupt(m, interrupted, t));
    return t;
}

void hc_taint_free(struct hc_taint *t)
{
    if (!t)
        return;
    while (t->hooks)
        hc_unhook(t->machine, t->hook[--t->hooks]);
    free(t->memory);
    free(t);
}

uint32_t hc_taint_register(const struct hc_taint *t, int reg)
{
    uint32_t set = HC_NO_LABELS;

    for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++)
        set = hc_labels_union(t->labels, set, t->flow.reg[reg].byte[i]);
    return set;
}

void hc_taint_set_register(struct hc_taint *t, int reg, uint32_t set)
{
    t->flow.reg[reg] = (struct hc_marked_value){ { set, set } }; /* a word */
}

uint32_t hc_taint_flags(const struct hc_taint *t)
{
    return hc_labels_union(t->labels, t->flow.flags, t->flow.carry);
}

uint32_t hc_taint_byte(const struct hc_taint *t, uint32_t address)
{
    return t->memory[address & (MEMORY - 1)];
}
