#include "inspect.h"

#include "instruction.h"

static void decode_at(struct hc_machine *m, uint32_t pc, struct hc_instruction *out)
{
    uint8_t code[8];
    for (uint32_t i = 0; i < sizeof code; i++)
        code[i] = hc_memory_get(m, hc_memory_canonical(m, (pc + i) & m->address_mask));
    hc_msp430_decode(code, pc, m->part->cpu, out);
}

static bool operand_at(const struct hc_machine *m, const struct hc_operand *operand, uint32_t address)
{
    switch (operand->mode) {
    case HC_INDEXED:
        return hc_msp430_indexed(m->s.r[operand->reg], operand->value) == address;
    case HC_ABSOLUTE:
        return operand->value == address;
    case HC_INDIRECT:
    case HC_INCREMENT:
        return m->s.r[operand->reg] == address;
    default:
        return false;
    }
}

bool hc_msp430_modifies(struct hc_machine *m, uint32_t pc, uint32_t address)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    if (i.format == HC_DOUBLE)
        return i.op != HC_OP_MOV && i.op != HC_OP_CMP && i.op != HC_OP_BIT && operand_at(m, &i.dst, address);
    return i.format == HC_SINGLE && i.op != HC_OP_PUSH && i.op != HC_OP_CALL && operand_at(m, &i.src, address);
}

static uint32_t operand_value(const struct hc_machine *m, const struct hc_operand *operand)
{
    if (operand->mode == HC_IMMEDIATE)
        return operand->value;
    return operand->mode == HC_REGISTER ? m->s.r[operand->reg] : UINT32_MAX;
}

uint32_t hc_msp430_used(struct hc_machine *m, uint32_t pc, uint32_t address)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    bool masks = i.format == HC_DOUBLE && (i.op == HC_OP_AND || i.op == HC_OP_BIT);
    if (masks && operand_at(m, &i.dst, address))
        return operand_value(m, &i.src);
    if ((masks || (i.format == HC_DOUBLE && i.op == HC_OP_BIC)) && operand_at(m, &i.src, address))
        return operand_value(m, &i.dst);
    return UINT32_MAX;
}

static enum hc_flags_use double_flags(const struct hc_instruction *i, int *reg)
{
    bool from_sr = i->src.mode == HC_REGISTER && i->src.reg == HC_SR;
    if (i->op == HC_OP_BIC || i->op == HC_OP_BIS)
        return HC_FLAGS_KEPT;
    if (i->op != HC_OP_MOV)
        return HC_FLAGS_SET;
    if (i->dst.mode == HC_REGISTER && i->dst.reg == HC_SR)
        return i->src.mode == HC_INCREMENT && i->src.reg == HC_SP ? HC_FLAGS_POPPED : HC_FLAGS_SET;
    if (!from_sr)
        return HC_FLAGS_KEPT;
    *reg = i->dst.reg;
    return i->dst.mode == HC_REGISTER ? HC_FLAGS_COPIED : HC_FLAGS_STORED;
}

enum hc_flags_use hc_msp430_flags(struct hc_machine *m, uint32_t pc, int *reg)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    switch (i.format) {
    case HC_DOUBLE:
        return double_flags(&i, reg);
    case HC_SINGLE:
        if (i.op == HC_OP_PUSH)
            return i.src.mode == HC_REGISTER && i.src.reg == HC_SR ? HC_FLAGS_STORED : HC_FLAGS_KEPT;
        return i.op == HC_OP_SWPB || i.op == HC_OP_CALL ? HC_FLAGS_KEPT : HC_FLAGS_SET;
    case HC_ADDRESS:
        return i.op == HC_OP_MOVA ? HC_FLAGS_KEPT : HC_FLAGS_SET;
    case HC_ROTATE:
        return HC_FLAGS_SET;
    case HC_RETI:
        return HC_FLAGS_RETURNED;
    default:
        return HC_FLAGS_KEPT;
    }
}

int hc_msp430_result(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    if ((i.format == HC_DOUBLE || i.format == HC_ADDRESS || i.format == HC_ROTATE) && i.dst.mode == HC_REGISTER)
        return i.dst.reg;
    return i.format == HC_SINGLE && i.src.mode == HC_REGISTER ? i.src.reg : -1;
}

static int set_by(const struct hc_instruction *i)
{
    bool pops = i->src.mode == HC_INCREMENT && i->src.reg == HC_SP;

    switch (i->format) {
    case HC_DOUBLE:
        return i->dst.mode != HC_REGISTER || pops || i->op == HC_OP_CMP || i->op == HC_OP_BIT ? -1 : i->dst.reg;
    case HC_ADDRESS:
        return i->dst.mode != HC_REGISTER || pops || i->op == HC_OP_CMPA ? -1 : i->dst.reg;
    case HC_ROTATE:
        return i->dst.reg;
    case HC_SINGLE:
        return i->src.mode != HC_REGISTER || i->op == HC_OP_PUSH || i->op == HC_OP_CALL ? -1 : i->src.reg;
    default:
        return -1;
    }
}

int hc_msp430_sets(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction i;

    decode_at(m, pc, &i);
    return set_by(&i);
}

uint32_t hc_msp430_skipped(struct hc_machine *m, uint32_t pc, uint32_t to)
{
    enum { ALWAYS = 7, NEAR = 32 };
    struct hc_instruction i;
    uint32_t skipped = 0;

    decode_at(m, pc, &i);
    if (i.format != HC_JUMP || i.op == ALWAYS || to != i.dst.value || to <= pc || to - pc > NEAR)
        return 0;
    for (uint32_t at = pc + i.length; at < to; at += i.length) {
        decode_at(m, at, &i);
        if (i.format == HC_UNDEFINED)
            return 0;
        if (set_by(&i) >= 0)
            skipped |= 1u << set_by(&i);
    }
    return skipped;
}

/* RET is MOV @SP+, PC; RETA the same of 20 bits. */
enum hc_flow hc_flow_at(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    if (i.format == HC_RETI)
        return HC_FLOW_INTERRUPT_RETURN;
    if (i.format == HC_CALLA || (i.format == HC_SINGLE && i.op == HC_OP_CALL))
        return HC_FLOW_CALL;
    if (i.format == HC_JUMP && i.dst.value <= pc)
        return HC_FLOW_LATCH;
    bool branches = i.format == HC_DOUBLE && i.op == HC_OP_MOV && i.src.mode == HC_IMMEDIATE &&
                    i.dst.mode == HC_REGISTER && i.dst.reg == HC_PC;
    if (branches && i.src.value <= pc)
        return HC_FLOW_LATCH;
    bool moves = (i.format == HC_DOUBLE && i.op == HC_OP_MOV) || (i.format == HC_ADDRESS && i.op == HC_OP_MOVA);
    bool pops = i.src.mode == HC_INCREMENT && i.src.reg == HC_SP && i.dst.mode == HC_REGISTER && i.dst.reg == HC_PC;
    return moves && pops ? HC_FLOW_RETURN : HC_FLOW_OTHER;
}

bool hc_pops_at(struct hc_machine *m, uint32_t pc)
{
    enum { POP = 0x4130, POP_MASK = 0xffb0, POPM = 0x1600, POPM_MASK = 0xfe00 }; /* POP: MOV @SP+ */
    uint16_t word = hc_peek16(m, pc);

    return (word & POP_MASK) == POP || (word & POPM_MASK) == POPM;
}

/* Is there a CALLA of LENGTH bytes before BACK? */
static bool calla_before(struct hc_machine *m, uint32_t back, uint32_t length)
{
    struct hc_instruction i;

    decode_at(m, back - length, &i);
    return i.format == HC_CALLA && i.length == length;
}

/* CALLA leaves the upper four bits above the lower 16: with such a word there, and a CALLA before the address that both
 * make, it was one. */
uint32_t hc_return_address(struct hc_machine *m, uint32_t *size)
{
    uint32_t sp = hc_register(m, HC_SP), low = hc_peek16(m, sp), high = hc_peek16(m, sp + 2), back = high << 16 | low;
    bool far = high <= 0xf && (calla_before(m, back, 2) || calla_before(m, back, 4));

    if (size)
        *size = far ? 4 : 2;
    return far ? back : low;
}

unsigned hc_instruction_length(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction i;
    decode_at(m, pc, &i);
    return i.length;
}
