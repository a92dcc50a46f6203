/* How values flow through the instructions of the MSP430 and MSP430X.
 *
 *     MOV, PUSH, POP, SWPB   byte by byte                AND, BIS, BIC, XOR   byte by byte, of both operands
 *     ADD, SUB, DADD ...     a byte depends on those below it, and on the carry
 *     shifts                 every byte on every byte    comparisons          the flags, on all
 *     a load through a register with a mark              what is loaded has it too */
#include "target/value_flow.h"
#include "machine/cpu/msp430/instruction.h"
#include "msp430.h"

#include <string.h>

enum { NO_MARK = 0, STATUS_BYTES = 2 };
enum { JNC = 2, JC = 3, ALWAYS = 7 }; /* jumps */

static uint32_t joined(struct hc_value_flow *t, uint32_t a, uint32_t b)
{
    return a == b || !b ? a : !a ? b : t->ops->join(t->owner, a, b);
}

static uint32_t all_of(struct hc_value_flow *t, const struct hc_marked_value *v)
{
    uint32_t set = NO_MARK;

    for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++)
        set = joined(t, set, v->byte[i]);
    return set;
}

static struct hc_marked_value of_bytes(uint32_t set, int bytes)
{
    struct hc_marked_value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = set;
    return v;
}

static void set_flags(struct hc_value_flow *t, uint32_t mark)
{
    t->flags = t->carry = mark;
}

static int bytes_of(const struct hc_instruction *i)
{
    return i->width == 8 ? 1 : i->width == 16 ? 2 : 3;
}

static void branch(struct hc_value_flow *t, uint32_t pc, uint32_t mark)
{
    if (mark != NO_MARK)
        t->ops->branch(t->owner, pc, mark);
}

static void through(struct hc_value_flow *t, uint32_t pc, uint32_t mark)
{
    if (mark != NO_MARK)
        t->ops->address(t->owner, pc, mark);
}

/* ---- memory ---- */

/* The next accesses of the running instruction, as many as make up BYTES; of 20 bits the fourth byte is empty. */
static struct hc_marked_value take_loads(struct hc_value_flow *t, int bytes)
{
    struct hc_marked_value v = { { 0 } };
    int n = 0, wanted = bytes == 3 ? 4 : bytes;

    for (; n < wanted && t->next < t->accesses && !t->access[t->next].write; t->next++)
        for (uint32_t k = 0; k < t->access[t->next].size && n < wanted; k++)
            v.byte[n++] = t->ops->load(t->owner, t->access[t->next].address + k, t->access[t->next].pc);
    return v;
}

static void give_stores(struct hc_value_flow *t, const struct hc_marked_value *v)
{
    int n = 0;

    for (; t->next < t->accesses && n < HC_VALUE_FLOW_BYTES; t->next++) {
        const struct hc_access *a = &t->access[t->next];
        for (uint32_t k = 0; a->write && k < a->size && n < HC_VALUE_FLOW_BYTES; k++)
            t->ops->store(t->owner, a->address + k, a->pc, v->byte[n++]);
    }
}

/* ---- operands ---- */

static bool is_memory(const struct hc_operand *o)
{
    return o->mode != HC_REGISTER && o->mode != HC_IMMEDIATE;
}

static uint32_t address_mark(struct hc_value_flow *t, const struct hc_operand *o)
{
    return is_memory(o) && o->mode != HC_ABSOLUTE ? all_of(t, &t->reg[o->reg]) : NO_MARK;
}

static struct hc_marked_value fetch(struct hc_value_flow *t, const struct hc_operand *o, int bytes)
{
    struct hc_marked_value v = { { 0 } };

    if (o->mode == HC_REGISTER && o->reg == HC_SR)
        v = of_bytes(joined(t, t->flags, t->carry), bytes);
    else if (o->mode == HC_REGISTER && o->reg != HC_PC)
        memcpy(v.byte, t->reg[o->reg].byte, (size_t)bytes * sizeof v.byte[0]);
    else if (is_memory(o))
        v = take_loads(t, bytes);
    uint32_t through_it = address_mark(t, o);
    for (int i = 0; i < bytes; i++)
        v.byte[i] = joined(t, v.byte[i], through_it);
    return v;
}

static void set_register(struct hc_value_flow *t, int reg, const struct hc_marked_value *v, uint32_t pc)
{
    if (reg == HC_PC)
        branch(t, pc, all_of(t, v));
    else if (reg == HC_SR)
        set_flags(t, all_of(t, v));
    else
        t->reg[reg] = *v;
}

static void put(struct hc_value_flow *t, const struct hc_operand *o, const struct hc_marked_value *v, uint32_t pc)
{
    if (o->mode == HC_REGISTER)
        set_register(t, o->reg, v, pc);
    else
        give_stores(t, v);
}

/* ---- instructions ---- */

/* A byte of a sum depends on all below it. */
static struct hc_marked_value carried_up(struct hc_value_flow *t, const struct hc_marked_value *a,
                                         const struct hc_marked_value *b, uint32_t carry, int bytes)
{
    struct hc_marked_value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = carry = joined(t, carry, joined(t, a->byte[i], b->byte[i]));
    return v;
}

static struct hc_marked_value bytewise(struct hc_value_flow *t, const struct hc_marked_value *a,
                                       const struct hc_marked_value *b, int bytes)
{
    struct hc_marked_value v = { { 0 } };

    for (int i = 0; i < bytes; i++)
        v.byte[i] = joined(t, a->byte[i], b->byte[i]);
    return v;
}

/* AND and BIT with a constant leave nothing of the bytes that it clears. */
static void clear_masked(const struct hc_instruction *i, struct hc_marked_value *v)
{
    bool masks = (i->op == HC_OP_AND || i->op == HC_OP_BIT) && i->src.mode == HC_IMMEDIATE;

    for (int k = 0; masks && k < bytes_of(i); k++)
        if (!(i->src.value >> 8 * k & 0xff))
            v->byte[k] = NO_MARK;
}

/* XOR Rn, Rn and SUB Rn, Rn are 0 whatever Rn is. */
static bool cancels(const struct hc_instruction *i)
{
    return (i->op == HC_OP_XOR || i->op == HC_OP_SUB) && i->src.mode == HC_REGISTER && i->dst.mode == HC_REGISTER &&
           i->src.reg == i->dst.reg;
}

static struct hc_marked_value double_result(struct hc_value_flow *t, const struct hc_instruction *i,
                                            const struct hc_marked_value *src, const struct hc_marked_value *dst)
{
    int bytes = bytes_of(i);
    bool with_carry = i->op == HC_OP_ADDC || i->op == HC_OP_SUBC || i->op == HC_OP_DADD;

    if (cancels(i))
        return of_bytes(NO_MARK, bytes);
    if (i->op < HC_OP_BIT)
        return carried_up(t, src, dst, with_carry ? t->carry : NO_MARK, bytes);
    struct hc_marked_value v = bytewise(t, src, dst, bytes);
    clear_masked(i, &v);
    return v;
}

/* CLRC, SETC and the like: constants are put into some flags, the others stay. */
static bool sets_constant_flags(struct hc_value_flow *t, const struct hc_instruction *i)
{
    enum { OTHERS = HC_SR_Z | HC_SR_N | HC_SR_V };

    if ((i->op != HC_OP_BIC && i->op != HC_OP_BIS) || i->src.mode != HC_IMMEDIATE || i->dst.mode != HC_REGISTER ||
        i->dst.reg != HC_SR)
        return false;
    if (i->src.value & HC_SR_C)
        t->carry = NO_MARK;
    if ((i->src.value & OTHERS) == OTHERS)
        t->flags = NO_MARK;
    return true;
}

static void follow_double(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    int bytes = bytes_of(i);

    if (sets_constant_flags(t, i))
        return;
    through(t, pc, joined(t, address_mark(t, &i->src), address_mark(t, &i->dst)));
    struct hc_marked_value src = fetch(t, &i->src, bytes);
    if (i->op == HC_OP_MOV) {
        put(t, &i->dst, &src, pc);
        return;
    }
    struct hc_marked_value dst = fetch(t, &i->dst, bytes), result = double_result(t, i, &src, &dst);
    if (i->repeat || i->repeat_reg)
        result = of_bytes(joined(t, t->carry, joined(t, all_of(t, &src), all_of(t, &dst))), bytes);
    if (i->op == HC_OP_XOR) /* V says that both were negative, whatever comes out */
        set_flags(t, joined(t, all_of(t, &src), all_of(t, &dst)));
    else if (i->op != HC_OP_BIC && i->op != HC_OP_BIS)
        set_flags(t, all_of(t, &result));
    if (i->op != HC_OP_CMP && i->op != HC_OP_BIT)
        put(t, &i->dst, &result, pc);
}

static struct hc_marked_value single_result(struct hc_value_flow *t, const struct hc_instruction *i,
                                            struct hc_marked_value v)
{
    int bytes = bytes_of(i);

    switch (i->op) {
    case HC_OP_SWPB:
        return (struct hc_marked_value){ { v.byte[1], v.byte[0], v.byte[2], 0 } };
    case HC_OP_SXT:
        set_flags(t, v.byte[0]);
        return of_bytes(v.byte[0], i->src.mode == HC_REGISTER ? 3 : bytes);
    default:
        set_flags(t, joined(t, all_of(t, &v), i->op == HC_OP_RRC && !i->zero_carry ? t->carry : NO_MARK));
        return of_bytes(t->flags, bytes);
    }
}

static void follow_single(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    through(t, pc, address_mark(t, &i->src));
    if (i->format == HC_CALLA || i->op == HC_OP_CALL) {
        struct hc_marked_value target = fetch(t, &i->src, bytes_of(i)), place = { { 0 } };
        branch(t, pc, all_of(t, &target));
        give_stores(t, &place);
        return;
    }
    struct hc_marked_value v = fetch(t, &i->src, bytes_of(i));
    if (i->op == HC_OP_PUSH) {
        give_stores(t, &v);
    } else {
        v = single_result(t, i, v);
        put(t, &i->src, &v, pc);
    }
}

static void follow_address(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    enum { BYTES = 3 };

    through(t, pc, joined(t, address_mark(t, &i->src), address_mark(t, &i->dst)));
    struct hc_marked_value src = fetch(t, &i->src, BYTES);
    if (i->op == HC_OP_MOVA) {
        put(t, &i->dst, &src, pc);
        return;
    }
    struct hc_marked_value dst = fetch(t, &i->dst, BYTES), result = carried_up(t, &src, &dst, NO_MARK, BYTES);
    set_flags(t, all_of(t, &result));
    if (i->op != HC_OP_CMPA)
        put(t, &i->dst, &result, pc);
}

static void follow_rotate(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    struct hc_marked_value v = fetch(t, &i->dst, bytes_of(i));
    uint32_t set = joined(t, all_of(t, &v), i->op == HC_OP_RRCM ? t->carry : NO_MARK);

    v = of_bytes(set, bytes_of(i));
    set_flags(t, set);
    put(t, &i->dst, &v, pc);
}

/* Each push of 20 bits stores its upper word first. */
static void follow_pushm(struct hc_value_flow *t, const struct hc_instruction *i)
{
    for (int n = 0; n < i->count; n++) {
        const struct hc_marked_value *v = &t->reg[(i->dst.reg - n) & 15];
        for (int word = i->width == 20; word >= 0 && t->next < t->accesses; word--, t->next++)
            for (uint32_t k = 0; k < t->access[t->next].size; k++)
                t->ops->store(t->owner, t->access[t->next].address + k, t->access[t->next].pc,
                              v->byte[2 * word + (int)k]);
    }
}

static void follow_popm(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    for (int n = 0; n < i->count; n++) {
        struct hc_marked_value v = take_loads(t, bytes_of(i));
        set_register(t, (i->dst.reg + n) & 15, &v, pc);
    }
}

static void follow(struct hc_value_flow *t, const struct hc_instruction *i, uint32_t pc)
{
    struct hc_marked_value sr;

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
            branch(t, pc, i->op == JNC || i->op == JC ? t->carry : t->flags);
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
        set_flags(t, all_of(t, &sr));
        break;
    default:
        break;
    }
}

static void follow_instruction(struct hc_value_flow *t, struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction instruction;
    uint8_t code[8];

    for (uint32_t k = 0; k < sizeof code; k++)
        code[k] = hc_peek(m, pc + k);
    hc_msp430_decode(code, pc, hc_machine_part(m)->cpu, &instruction);
    t->next = 0;
    follow(t, &instruction, pc);
    t->accesses = 0;
}

/* SR, and PC above it. */
static uint32_t pushed(const struct hc_value_flow *t, uint32_t offset)
{
    return offset < STATUS_BYTES ? t->ops->join(t->owner, t->flags, t->carry) : NO_MARK;
}

static const struct hc_value_flow_unit fr5xx_units[] = {
    { 0x04c0, 0x04ed, 1u << 0 | 1u << 1 | 1u << 8 | 1u << 10 }, /* MPY32: MPY, MPYS, MPY32L, MPYS32L */
    { 0x0150, 0x0157, 1u << 2 },                                /* CRC16: CRCINIRES */
    { 0, 0, 0 },
};

static const struct hc_value_flow_unit f1xx_units[] = {
    { 0x0130, 0x013f, 1u << 0 | 1u << 1 }, /* the multiplier: MPY, MPYS */
    { 0, 0, 0 },
};

static const struct hc_value_flow_unit *units(const struct hc_machine *m)
{
    return strstr(hc_machine_part(m)->name, "430fr") ? fr5xx_units : f1xx_units;
}

const struct hc_target_value_flow hc_msp430_value_flow = {
    .instruction = follow_instruction,
    .pushed = pushed,
    .units = units,
};
