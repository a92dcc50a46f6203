/* Instructions of the MSP430 and MSP430X as steps. */
#include "target/step.h"
#include "machine/cpu/msp430/instruction.h"
#include "msp430.h"

enum { ALWAYS = 7, ARGUMENT = 12, FRAME_POINTER = 4 };

static const uint8_t doubles[] = {
    [HC_OP_MOV] = HC_STEP_MOVE,       [HC_OP_ADD] = HC_STEP_ADD,      [HC_OP_ADDC] = HC_STEP_ADD_CARRY,
    [HC_OP_SUBC] = HC_STEP_ADD_CARRY, [HC_OP_SUB] = HC_STEP_SUBTRACT, [HC_OP_CMP] = HC_STEP_COMPARE,
    [HC_OP_DADD] = HC_STEP_OTHER,     [HC_OP_BIT] = HC_STEP_TEST,     [HC_OP_BIC] = HC_STEP_CLEAR,
    [HC_OP_BIS] = HC_STEP_SET,        [HC_OP_XOR] = HC_STEP_XOR,      [HC_OP_AND] = HC_STEP_AND,
};
static const uint8_t singles[] = {
    [HC_OP_RRC] = HC_STEP_ROTATE, [HC_OP_SWPB] = HC_STEP_SWAP, [HC_OP_RRA] = HC_STEP_SHIFT_RIGHT,
    [HC_OP_SXT] = HC_STEP_EXTEND, [HC_OP_PUSH] = HC_STEP_PUSH, [HC_OP_CALL] = HC_STEP_CALL,
};
static const uint8_t addresses[] = {
    [HC_OP_MOVA] = HC_STEP_MOVE,
    [HC_OP_CMPA] = HC_STEP_COMPARE,
    [HC_OP_ADDA] = HC_STEP_ADD,
    [HC_OP_SUBA] = HC_STEP_SUBTRACT,
};
static const uint8_t modes[] = {
    [HC_REGISTER] = HC_STEP_REGISTER, [HC_IMMEDIATE] = HC_STEP_CONSTANT, [HC_INDEXED] = HC_STEP_INDEXED,
    [HC_ABSOLUTE] = HC_STEP_ABSOLUTE, [HC_INDIRECT] = HC_STEP_INDIRECT,  [HC_INCREMENT] = HC_STEP_INCREMENT,
};

static void fetch(struct hc_machine *m, uint32_t pc, struct hc_instruction *i)
{
    uint8_t code[8];

    hc_peek_bytes(m, pc, code, sizeof code);
    hc_msp430_decode(code, pc, hc_machine_part(m)->cpu, i);
}

static struct hc_step_operand operand(const struct hc_instruction *i, const struct hc_operand *o, int size)
{
    struct hc_step_operand out = { .mode = modes[o->mode], .reg = o->reg, .value = o->value };

    if (o->mode == HC_REGISTER && (o->reg == HC_SR || o->reg == HC_PC)) /* no value that anyone follows */
        out = (struct hc_step_operand){ .mode = HC_STEP_CONSTANT };
    if (o->mode == HC_INCREMENT)
        out.value = o->reg == HC_SP && size == 1 ? 2 : (uint32_t)size;
    (void)i;
    return out;
}

/* Where the values of both stand in the code, of instructions without extension word. */
static void place_words(const struct hc_instruction *i, struct hc_step *out)
{
    uint32_t at = out->pc + 2;
    unsigned words = i->length / 2u - 1, of_destination = i->format == HC_DOUBLE && i->dst.mode != HC_REGISTER;

    if (i->extended || i->format == HC_ADDRESS)
        return;
    if (words > of_destination) {
        out->source.word = at;
        at += 2;
    }
    if (of_destination && words)
        out->destination.word = at;
}

static bool jumps_on_outcome(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction next;

    fetch(m, pc, &next);
    return next.format == HC_JUMP && next.op != ALWAYS;
}

static void decode_double(struct hc_machine *m, const struct hc_instruction *i, struct hc_step *out)
{
    bool to_pc = i->dst.mode == HC_REGISTER && i->dst.reg == HC_PC;

    out->kind = i->format == HC_ADDRESS ? addresses[i->op] : doubles[i->op];
    out->source = operand(i, &i->src, out->size);
    out->destination = operand(i, &i->dst, out->size);
    if (i->dst.mode == HC_REGISTER && (i->dst.reg == HC_SR || i->dst.reg == 3))
        out->kind = HC_STEP_NONE;
    if (to_pc && i->src.mode == HC_INCREMENT && i->src.reg == HC_SP)
        out->kind = HC_STEP_RETURN;
    else if (to_pc && out->kind == HC_STEP_MOVE && i->src.mode != HC_IMMEDIATE)
        out->kind = HC_STEP_JUMP_TO;
    else if (to_pc)
        out->kind = HC_STEP_NONE;
    bool sets_flags = out->kind != HC_STEP_MOVE && out->kind != HC_STEP_CLEAR && out->kind != HC_STEP_SET;
    out->decides = sets_flags && jumps_on_outcome(m, out->next);
}

static void decode_single(struct hc_machine *m, const struct hc_instruction *i, struct hc_step *out)
{
    out->kind = singles[i->op];
    out->source = operand(i, &i->src, out->size);
    if (i->op != HC_OP_PUSH && i->op != HC_OP_CALL)
        out->destination = out->source;
    if (i->op == HC_OP_CALL)
        out->size = 2;
    out->decides = i->op != HC_OP_PUSH && i->op != HC_OP_CALL && jumps_on_outcome(m, out->next);
}

static void decode_many(const struct hc_instruction *i, struct hc_step *out)
{
    out->kind = i->format == HC_PUSHM ? HC_STEP_PUSH_MANY : HC_STEP_POP_MANY;
    out->count = i->count;
    out->source = (struct hc_step_operand){ .mode = HC_STEP_REGISTER, .reg = i->dst.reg };
}

static void decode(struct hc_machine *m, uint32_t pc, struct hc_step *out)
{
    struct hc_instruction i;

    fetch(m, pc, &i);
    *out = (struct hc_step){ .kind = HC_STEP_NONE, .pc = pc, .next = pc + i.length };
    out->size = i.width == 8 ? 1 : i.width == 16 ? 2 : 4;
    switch (i.format) {
    case HC_DOUBLE:
    case HC_ADDRESS:
        decode_double(m, &i, out);
        break;
    case HC_SINGLE:
        decode_single(m, &i, out);
        break;
    case HC_ROTATE:
        out->kind = HC_STEP_OTHER;
        out->source = out->destination = (struct hc_step_operand){ .mode = HC_STEP_REGISTER, .reg = i.dst.reg };
        break;
    case HC_PUSHM:
    case HC_POPM:
        decode_many(&i, out);
        break;
    case HC_CALLA:
        out->kind = HC_STEP_CALL;
        out->source = operand(&i, &i.src, 4);
        out->size = 4;
        break;
    case HC_RETI:
        out->kind = HC_STEP_RETURN_FROM_INTERRUPT;
        break;
    default:
        break;
    }
    if ((i.repeat || i.repeat_reg) && out->kind != HC_STEP_NONE)
        out->kind = HC_STEP_OTHER;
    place_words(&i, out);
}

const struct hc_target_steps hc_msp430_steps = {
    .decode = decode,
    .address = hc_msp430_indexed,
    .near = 0x10000,
    .frame_pointer = FRAME_POINTER,
    .argument = ARGUMENT,
    .result = ARGUMENT,
};
