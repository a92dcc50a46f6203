#include "taint.h"

#include "machine/cpu/msp430/instruction.h"

#include <stdlib.h>
#include <string.h>

const char *const hc_use_names[HC_USES] = { "read", "branch", "address", "output" };

enum { MEMORY = 1 << 20, MOST_ACCESSES = 64, VALUE_BYTES = 4, MOST_HOOKS = 16, ALWAYS = 7, COPROCESSORS = 2 };

/* The labels of each byte of a value. */
struct value {
    uint32_t byte[VALUE_BYTES];
};

struct hc_taint {
    struct hc_machine *machine;
    struct hc_labels *labels;
    const struct hc_taint_ops *ops;
    void *owner;
    int hook[MOST_HOOKS], hooks;

    uint32_t *memory; /* of each byte */
    struct value reg[HC_REGISTERS];
    uint32_t flags;
    struct value carried;          /* by DMA, from its read to its write */
    uint32_t within[COPROCESSORS]; /* what each of `coprocessor` was given */

    struct hc_access access[MOST_ACCESSES]; /* of the running instruction */
    int accesses, next;
};

static uint32_t joined(struct hc_taint *t, uint32_t a, uint32_t b)
{
    return hc_labels_union(t->labels, a, b);
}

static uint32_t all_of(struct hc_taint *t, const struct value *v)
{
    uint32_t set = HC_NO_LABELS;

    for (int i = 0; i < VALUE_BYTES; i++)
        set = joined(t, set, v->byte[i]);
    return set;
}

static struct value of_bytes(uint32_t set, int bytes)
{
    struct value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = set;
    return v;
}

static int bytes_of(const struct hc_instruction *i)
{
    return i->width == 8 ? 1 : i->width == 16 ? 2 : 3;
}

static void use(struct hc_taint *t, enum hc_use kind, uint32_t pc, uint32_t set)
{
    if (set != HC_NO_LABELS)
        t->ops->used(t->owner, kind, pc, set);
}

/* ---- memory ---- */

/* Peripherals that compute: what is read from them comes from what was written to them, since the registers that begin
 * anew were written. Of an FR5969; BEGIN has a bit for each word. */
static const struct {
    uint32_t start, end;
    uint64_t begin;
} coprocessor[] = {
    { 0x04c0, 0x04ed, 1u << 0 | 1u << 1 | 1u << 8 | 1u << 10 }, /* MPY32: MPY, MPYS, MPY32L, MPYS32L */
    { 0x0150, 0x0157, 1u << 2 },                                /* CRC16: CRCINIRES */
};
_Static_assert(sizeof coprocessor / sizeof coprocessor[0] == COPROCESSORS, "a shadow of each");

/* Its number, or -1. */
static int coprocessor_at(uint32_t address)
{
    for (int i = 0; i < COPROCESSORS; i++)
        if (address >= coprocessor[i].start && address <= coprocessor[i].end)
            return i;
    return -1;
}

static uint32_t load_byte(struct hc_taint *t, uint32_t address, uint32_t pc)
{
    int unit = coprocessor_at(address);

    return t->ops->loaded(t->owner, address, pc, unit >= 0 ? t->within[unit] : t->memory[address & (MEMORY - 1)]);
}

static void give_coprocessor(struct hc_taint *t, int unit, uint32_t address, uint32_t set)
{
    uint32_t offset = address - coprocessor[unit].start;

    if (offset % 2 == 0 && coprocessor[unit].begin >> offset / 2 & 1)
        t->within[unit] = HC_NO_LABELS;
    t->within[unit] = joined(t, t->within[unit], set);
}

static void store_byte(struct hc_taint *t, uint32_t address, uint32_t pc, uint32_t set)
{
    int unit = coprocessor_at(address);

    if (unit >= 0) {
        give_coprocessor(t, unit, address, set);
        return;
    }
    if (hc_region_kind(t->machine, address) == HC_IO) {
        use(t, HC_USE_OUTPUT, pc, set);
        set = HC_NO_LABELS; /* what a register gives back is the device's */
    }
    t->memory[address & (MEMORY - 1)] = t->ops->stored(t->owner, address, pc, set);
}

/* The next accesses of the running instruction, as many as make up BYTES; of 20 bits the fourth byte is empty. */
static struct value take_loads(struct hc_taint *t, int bytes)
{
    struct value v = { { 0 } };
    int n = 0, wanted = bytes == 3 ? 4 : bytes;

    for (; n < wanted && t->next < t->accesses && !t->access[t->next].write; t->next++)
        for (uint32_t k = 0; k < t->access[t->next].size && n < wanted; k++)
            v.byte[n++] = load_byte(t, t->access[t->next].address + k, t->access[t->next].pc);
    return v;
}

static void give_stores(struct hc_taint *t, const struct value *v)
{
    int n = 0;

    for (; t->next < t->accesses && n < VALUE_BYTES; t->next++) {
        const struct hc_access *a = &t->access[t->next];
        for (uint32_t k = 0; a->write && k < a->size && n < VALUE_BYTES; k++)
            store_byte(t, a->address + k, a->pc, v->byte[n++]);
    }
}

/* ---- operands ---- */

static bool is_memory(const struct hc_operand *o)
{
    return o->mode != HC_REGISTER && o->mode != HC_IMMEDIATE;
}

static uint32_t address_labels(struct hc_taint *t, const struct hc_operand *o)
{
    return is_memory(o) && o->mode != HC_ABSOLUTE ? all_of(t, &t->reg[o->reg]) : HC_NO_LABELS;
}

static struct value fetch(struct hc_taint *t, const struct hc_operand *o, int bytes)
{
    struct value v = { { 0 } };

    if (o->mode == HC_REGISTER && o->reg == HC_SR)
        v = of_bytes(t->flags, bytes);
    else if (o->mode == HC_REGISTER && o->reg != HC_PC)
        memcpy(v.byte, t->reg[o->reg].byte, (size_t)bytes * sizeof v.byte[0]);
    else if (is_memory(o))
        v = take_loads(t, bytes);
    uint32_t through = address_labels(t, o);
    for (int i = 0; i < bytes; i++)
        v.byte[i] = joined(t, v.byte[i], through);
    return v;
}

static void set_register(struct hc_taint *t, int reg, const struct value *v, uint32_t pc)
{
    if (reg == HC_PC)
        use(t, HC_USE_BRANCH, pc, all_of(t, v));
    else if (reg == HC_SR)
        t->flags = all_of(t, v);
    else
        t->reg[reg] = *v;
}

static void put(struct hc_taint *t, const struct hc_operand *o, const struct value *v, uint32_t pc)
{
    if (o->mode == HC_REGISTER)
        set_register(t, o->reg, v, pc);
    else
        give_stores(t, v);
}

/* ---- instructions ---- */

/* A byte of a sum depends on all below it. */
static struct value carried_up(struct hc_taint *t, const struct value *a, const struct value *b, uint32_t carry,
                               int bytes)
{
    struct value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = carry = joined(t, carry, joined(t, a->byte[i], b->byte[i]));
    return v;
}

static struct value bytewise(struct hc_taint *t, const struct value *a, const struct value *b, int bytes)
{
    struct value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = joined(t, a->byte[i], b->byte[i]);
    return v;
}

/* AND and BIT with a constant leave nothing of the bytes that it clears. */
static void clear_masked(const struct hc_instruction *i, struct value *v)
{
    bool masks = (i->op == HC_OP_AND || i->op == HC_OP_BIT) && i->src.mode == HC_IMMEDIATE;

    for (int k = 0; masks && k < bytes_of(i); k++)
        if (!(i->src.value >> 8 * k & 0xff))
            v->byte[k] = HC_NO_LABELS;
}

/* XOR Rn, Rn and SUB Rn, Rn are 0 whatever Rn is. */
static bool cancels(const struct hc_instruction *i)
{
    return (i->op == HC_OP_XOR || i->op == HC_OP_SUB) && i->src.mode == HC_REGISTER && i->dst.mode == HC_REGISTER &&
           i->src.reg == i->dst.reg;
}

static struct value double_result(struct hc_taint *t, const struct hc_instruction *i, const struct value *src,
                                  const struct value *dst)
{
    int bytes = bytes_of(i);
    bool with_carry = i->op == HC_OP_ADDC || i->op == HC_OP_SUBC || i->op == HC_OP_DADD;

    if (cancels(i))
        return of_bytes(HC_NO_LABELS, bytes);
    if (i->op < HC_OP_BIT)
        return carried_up(t, src, dst, with_carry ? t->flags : HC_NO_LABELS, bytes);
    struct value v = bytewise(t, src, dst, bytes);
    clear_masked(i, &v);
    return v;
}

static void follow_double(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    int bytes = bytes_of(i);

    use(t, HC_USE_ADDRESS, pc, joined(t, address_labels(t, &i->src), address_labels(t, &i->dst)));
    struct value src = fetch(t, &i->src, bytes);
    if (i->op == HC_OP_MOV) {
        put(t, &i->dst, &src, pc);
        return;
    }
    struct value dst = fetch(t, &i->dst, bytes), result = double_result(t, i, &src, &dst);
    if (i->repeat || i->repeat_reg)
        result = of_bytes(joined(t, t->flags, joined(t, all_of(t, &src), all_of(t, &dst))), bytes);
    if (i->op == HC_OP_XOR) /* V says that both were negative, whatever comes out */
        t->flags = joined(t, all_of(t, &src), all_of(t, &dst));
    else if (i->op != HC_OP_BIC && i->op != HC_OP_BIS)
        t->flags = all_of(t, &result);
    if (i->op != HC_OP_CMP && i->op != HC_OP_BIT)
        put(t, &i->dst, &result, pc);
}

static struct value single_result(struct hc_taint *t, const struct hc_instruction *i, struct value v)
{
    int bytes = bytes_of(i);

    switch (i->op) {
    case HC_OP_SWPB:
        return (struct value){ { v.byte[1], v.byte[0], v.byte[2], 0 } };
    case HC_OP_SXT:
        t->flags = v.byte[0];
        return of_bytes(v.byte[0], i->src.mode == HC_REGISTER ? 3 : bytes);
    default:
        t->flags = joined(t, all_of(t, &v), i->op == HC_OP_RRC && !i->zero_carry ? t->flags : HC_NO_LABELS);
        return of_bytes(t->flags, bytes);
    }
}

static void follow_single(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    use(t, HC_USE_ADDRESS, pc, address_labels(t, &i->src));
    if (i->format == HC_CALLA || i->op == HC_OP_CALL) {
        struct value target = fetch(t, &i->src, bytes_of(i)), place = { { 0 } };
        use(t, HC_USE_BRANCH, pc, all_of(t, &target));
        give_stores(t, &place);
        return;
    }
    struct value v = fetch(t, &i->src, bytes_of(i));
    if (i->op == HC_OP_PUSH) {
        give_stores(t, &v);
    } else {
        v = single_result(t, i, v);
        put(t, &i->src, &v, pc);
    }
}

static void follow_address(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    enum { BYTES = 3 };

    use(t, HC_USE_ADDRESS, pc, joined(t, address_labels(t, &i->src), address_labels(t, &i->dst)));
    struct value src = fetch(t, &i->src, BYTES);
    if (i->op == HC_OP_MOVA) {
        put(t, &i->dst, &src, pc);
        return;
    }
    struct value dst = fetch(t, &i->dst, BYTES), result = carried_up(t, &src, &dst, HC_NO_LABELS, BYTES);
    t->flags = all_of(t, &result);
    if (i->op != HC_OP_CMPA)
        put(t, &i->dst, &result, pc);
}

static void follow_rotate(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    struct value v = fetch(t, &i->dst, bytes_of(i));
    uint32_t set = joined(t, all_of(t, &v), i->op == HC_OP_RRCM ? t->flags : HC_NO_LABELS);

    v = of_bytes(set, bytes_of(i));
    t->flags = set;
    put(t, &i->dst, &v, pc);
}

/* Each push of 20 bits stores its upper word first. */
static void follow_pushm(struct hc_taint *t, const struct hc_instruction *i)
{
    for (int n = 0; n < i->count; n++) {
        const struct value *v = &t->reg[(i->dst.reg - n) & 15];
        for (int word = i->width == 20; word >= 0 && t->next < t->accesses; word--, t->next++)
            for (uint32_t k = 0; k < t->access[t->next].size; k++)
                store_byte(t, t->access[t->next].address + k, t->access[t->next].pc, v->byte[2 * word + (int)k]);
    }
}

static void follow_popm(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    for (int n = 0; n < i->count; n++) {
        struct value v = take_loads(t, bytes_of(i));
        set_register(t, (i->dst.reg + n) & 15, &v, pc);
    }
}

static void follow(struct hc_taint *t, const struct hc_instruction *i, uint32_t pc)
{
    struct value sr;

    switch (i->format) {
    case HC_DOUBLE:
        follow_double(t, i, pc);
        break;
    case HC_SINGLE:
    case HC_CALLA:
        follow_single(t, i, pc);
        break;
    case HC_JUMP:
        if (i->op != ALWAYS)
            use(t, HC_USE_BRANCH, pc, t->flags);
        break;
    case HC_ADDRESS:
        follow_address(t, i, pc);
        break;
    case HC_ROTATE:
        follow_rotate(t, i, pc);
        break;
    case HC_PUSHM:
        follow_pushm(t, i);
        break;
    case HC_POPM:
        follow_popm(t, i, pc);
        break;
    case HC_RETI:
        sr = take_loads(t, 2);
        t->flags = all_of(t, &sr);
        break;
    default:
        break;
    }
}

/* ---- hooks ---- */

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_taint *t = owner;

    (void)m;
    if (access->pc != UINT32_MAX) {
        if (t->accesses < MOST_ACCESSES)
            t->access[t->accesses++] = *access;
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
    struct hc_instruction instruction;
    uint8_t code[8];

    for (uint32_t k = 0; k < sizeof code; k++)
        code[k] = hc_peek(m, pc + k);
    hc_msp430_decode(code, pc, hc_machine_part(m)->cpu, &instruction);
    t->next = 0;
    follow(t, &instruction, pc);
    t->accesses = 0;
}

/* PC, and below it SR, have been pushed; the handler's flags are its own. */
static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct hc_taint *t = owner;
    uint32_t sp = hc_register(m, HC_SP);

    (void)vector;
    (void)pc;
    for (uint32_t k = 0; k < 4; k++)
        t->memory[(sp + k) & (MEMORY - 1)] = k < 2 ? t->flags : HC_NO_LABELS;
    t->flags = HC_NO_LABELS;
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
    return all_of((struct hc_taint *)t, &t->reg[reg]);
}

void hc_taint_set_register(struct hc_taint *t, int reg, uint32_t set)
{
    t->reg[reg] = of_bytes(set, 2);
}

uint32_t hc_taint_flags(const struct hc_taint *t)
{
    return t->flags;
}

uint32_t hc_taint_byte(const struct hc_taint *t, uint32_t address)
{
    return t->memory[address & (MEMORY - 1)];
}
