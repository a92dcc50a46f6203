/* From instruction words to struct hc_instruction, and the cycle tables of TI's family user's guides:
 * SLAU049 tables 3-14 to 3-16 for the MSP430 CPU; SLAU445 tables 4-8 to 4-10 and 4-17 to 4-19 for the MSP430X.
 *
 *   15  14  13  12 | 11  10   9   8 |  7   6   5   4 |  3   2   1   0
 *   opcode (4..15) |      src       | Ad  B/W   As   |      dst          format I
 *   0   0   0   1  |  0   0  opcode       B/W   Ad   |      dst          format II
 *   0   0   1  condition |          offset in words, signed              jump
 *   0   0   0   1  |  1  src 19:16    A/L   0   0    |  dst 19:16        extension word
 *                       . . ZC  #                    |  n-1 or Rn        ... before two registers
 *   0   0   0   0  |      src       |     opcode     |      dst          address instructions
 */
#include "instruction.h"

struct reader {
    const uint8_t *code;
    uint32_t pc; /* of the word at `at` */
    unsigned at;
    uint32_t mask;
};

static uint16_t next_word(struct reader *r)
{
    uint16_t word = (uint16_t)(r->code[r->at] | r->code[r->at + 1] << 8);
    r->at += 2;
    r->pc = (r->pc + 2) & r->mask;
    return word;
}

static uint32_t pc_relative(const struct reader *r, uint32_t pc, uint32_t index, bool extended)
{
    return extended ? (pc + index) & r->mask : hc_msp430_indexed(pc, index);
}

/* One operand by its two mode bits. HIGH holds bits 19:16 of an index or immediate of an extended instruction. */
static struct hc_operand operand(struct reader *r, unsigned mode, uint8_t reg, uint32_t high, bool extended)
{
    static const uint32_t r3_constants[4] = { 0, 1, 2, 0xfffff };
    struct hc_operand o = { .reg = reg };
    if (reg == 3) {
        o.mode = HC_IMMEDIATE;
        o.value = r3_constants[mode & 3];
    } else if (reg == HC_SR && mode >= 2) {
        o.mode = HC_IMMEDIATE;
        o.value = mode == 2 ? 4 : 8;
    } else if (mode == 0) {
        o.mode = HC_REGISTER;
    } else if (mode == 1) {
        uint32_t pc = r->pc;
        uint32_t index = next_word(r) | high << 16;
        o.mode = reg == HC_PC || reg == HC_SR ? HC_ABSOLUTE : HC_INDEXED;
        o.value = reg == HC_PC ? pc_relative(r, pc, index, extended) : index;
    } else if (reg == HC_PC) {
        o.mode = mode == 2 ? HC_ABSOLUTE : HC_IMMEDIATE; /* @PC is the next word, left where it is */
        o.value = mode == 2 ? r->pc : next_word(r) | high << 16;
    } else {
        o.mode = mode == 2 ? HC_INDIRECT : HC_INCREMENT;
    }
    return o;
}

/* A destination's one mode bit; R3 indexed is address 0 + index. */
static struct hc_operand destination(struct reader *r, unsigned mode, uint8_t reg, uint32_t high, bool extended)
{
    if (mode == 0)
        return (struct hc_operand){ .mode = HC_REGISTER, .reg = reg };
    uint32_t pc = r->pc;
    uint32_t index = next_word(r) | high << 16;
    if (reg == HC_PC)
        return (struct hc_operand){ .mode = HC_ABSOLUTE, .value = pc_relative(r, pc, index, extended) };
    if (reg == HC_SR || reg == 3)
        return (struct hc_operand){ .mode = HC_ABSOLUTE, .value = index };
    return (struct hc_operand){ .mode = HC_INDEXED, .reg = reg, .value = index };
}

/* ---- cycles ---- */

/* The rows of the guides' tables. A generated constant costs what a register costs. */
enum source_row { ROW_RN, ROW_INDIRECT, ROW_INCREMENT, ROW_IMMEDIATE, ROW_INDEXED, ROWS };

static enum source_row row_of(const struct hc_operand *o, bool constant)
{
    switch (o->mode) {
    case HC_REGISTER:
        return ROW_RN;
    case HC_IMMEDIATE:
        return constant ? ROW_RN : ROW_IMMEDIATE;
    case HC_INDIRECT:
        return ROW_INDIRECT;
    case HC_INCREMENT:
        return ROW_INCREMENT;
    default:
        return ROW_INDEXED;
    }
}

static unsigned double_cycles(const struct hc_instruction *i, enum source_row row, enum hc_cpu_kind cpu)
{
    static const uint8_t msp430[3][ROWS] = { { 1, 2, 2, 2, 3 }, { 2, 2, 3, 3, 3 }, { 4, 5, 5, 5, 6 } };
    static const uint8_t msp430x[3][ROWS] = { { 1, 2, 2, 2, 3 }, { 3, 4, 4, 3, 5 }, { 4, 5, 5, 5, 6 } };
    static const uint8_t extended[3][ROWS] = { { 2, 3, 3, 3, 4 }, { 4, 5, 5, 4, 6 }, { 5, 6, 6, 6, 7 } };
    static const uint8_t extended_a[3][ROWS] = { { 2, 4, 4, 3, 5 }, { 4, 6, 6, 4, 7 }, { 7, 9, 9, 8, 10 } };
    int column = i->dst.mode != HC_REGISTER ? 2 : i->dst.reg == HC_PC ? 1 : 0;
    bool reads_or_writes_once = i->op == HC_OP_MOV || i->op == HC_OP_BIT || i->op == HC_OP_CMP;
    bool quick_to_pc = row >= ROW_IMMEDIATE && (i->op == HC_OP_MOV || i->op == HC_OP_ADD || i->op == HC_OP_SUB);
    if (cpu == HC_CPU_MSP430)
        return msp430[column][row];
    if (!i->extended)
        return msp430x[column][row] - (column == 2 && reads_or_writes_once);
    unsigned saved = column == 2 ? (reads_or_writes_once ? (i->width == 20 ? 2 : 1) : 0) : column == 1 && quick_to_pc;
    return (i->width == 20 ? extended_a : extended)[column][row] - saved;
}

static bool counts_from_stack(const struct hc_operand *o)
{
    return o->mode == HC_INDEXED && o->reg == HC_SP;
}

static unsigned single_cycles(const struct hc_instruction *i, enum source_row row, enum hc_cpu_kind cpu)
{
    /* rotate and swap, PUSH, CALL */
    static const uint8_t msp430[3][ROWS] = { { 1, 3, 3, 3, 4 }, { 3, 4, 5, 4, 5 }, { 4, 4, 5, 5, 5 } };
    static const uint8_t msp430x[3][ROWS] = { { 1, 3, 3, 3, 4 }, { 3, 3, 3, 3, 4 }, { 4, 4, 4, 4, 5 } };
    static const uint8_t extended[3][ROWS] = { { 2, 4, 4, 4, 5 }, { 4, 4, 4, 4, 5 } }; /* there is no CALLX */
    static const uint8_t extended_a[3][ROWS] = { { 2, 6, 6, 6, 7 }, { 5, 6, 6, 5, 7 } };
    int column = i->op == HC_OP_CALL ? 2 : i->op == HC_OP_PUSH ? 1 : 0;
    if (cpu == HC_CPU_MSP430)
        return msp430[column][row];
    if (i->extended)
        return (i->width == 20 ? extended_a : extended)[column][row] + (column == 1 && counts_from_stack(&i->src));
    bool call_absolute = column == 2 && i->src.mode == HC_ABSOLUTE && i->src.reg == HC_SR;
    return msp430x[column][row] + call_absolute;
}

/* ---- formats ---- */

static bool is_constant(const struct hc_operand *o)
{
    return o->mode == HC_IMMEDIATE && o->reg != HC_PC;
}

/* A source of PC itself is the address of what follows the opcode word. */
static void resolve_pc_source(struct hc_operand *o, uint32_t pc)
{
    if (o->mode == HC_REGISTER && o->reg == HC_PC) {
        o->mode = HC_IMMEDIATE;
        o->value = pc;
    }
}

static uint32_t width_mask(unsigned width)
{
    return (1u << width) - 1;
}

static void decode_double(struct reader *r, uint16_t word, uint16_t extension, enum hc_cpu_kind cpu,
                          struct hc_instruction *i)
{
    bool registers_only = ((word >> 4) & 3) == 0 && !(word & 0x80);
    uint32_t high_src = extension && !registers_only ? (extension >> 7) & 15 : 0;
    uint32_t high_dst = extension && !registers_only ? extension & 15 : 0;
    uint32_t after_opcode = r->pc;
    i->format = HC_DOUBLE;
    i->op = word >> 12;
    i->src = operand(r, (word >> 4) & 3, (word >> 8) & 15, high_src, i->extended);
    i->dst = destination(r, (word >> 7) & 1, word & 15, high_dst, i->extended);
    i->cycles = (uint8_t)double_cycles(i, row_of(&i->src, is_constant(&i->src)), cpu);
    resolve_pc_source(&i->src, after_opcode);
    if (i->src.mode == HC_IMMEDIATE)
        i->src.value &= width_mask(i->width);
}

static void decode_single(struct reader *r, uint16_t word, uint16_t extension, enum hc_cpu_kind cpu,
                          struct hc_instruction *i)
{
    unsigned mode = (word >> 4) & 3;
    uint32_t high = extension && mode ? extension & 15 : 0;
    uint32_t after_opcode = r->pc;
    i->format = HC_SINGLE;
    i->op = (word >> 7) & 7;
    i->src = operand(r, mode, word & 15, high, i->extended);
    i->cycles = (uint8_t)single_cycles(i, row_of(&i->src, is_constant(&i->src)), cpu);
    bool reads_only = i->op == HC_OP_PUSH || i->op == HC_OP_CALL;
    if (reads_only)
        resolve_pc_source(&i->src, after_opcode);
    if (i->src.mode == HC_IMMEDIATE)
        i->src.value &= width_mask(i->width);
    bool byte = word & 0x40;
    bool byte_is_undefined = i->op == HC_OP_SWPB || i->op == HC_OP_SXT || i->op == HC_OP_CALL;
    if (i->op > HC_OP_CALL || (byte && byte_is_undefined) || (extension && i->op == HC_OP_CALL))
        i->format = HC_UNDEFINED;
}

static void decode_jump(uint16_t word, uint32_t next, uint32_t mask, struct hc_instruction *i)
{
    int32_t offset = (int32_t)((word & 0x3ff) ^ 0x200) - 0x200;
    i->format = HC_JUMP;
    i->op = (word >> 10) & 7;
    i->dst.value = (next + (uint32_t)(2 * offset)) & mask;
    i->cycles = 2;
}

/* 0x0000-0x0fff */
static void decode_address(struct reader *r, uint16_t word, struct hc_instruction *i)
{
    static const uint8_t cycles[16][2] = { /* to a register, to PC */
                                           { 3, 5 }, { 3, 5 }, { 4, 6 }, { 4, 6 }, { 0, 0 }, { 0, 0 },
                                           { 4, 4 }, { 4, 4 }, { 2, 3 }, { 3, 3 }, { 3, 3 }, { 3, 3 },
                                           { 1, 3 }, { 1, 3 }, { 1, 3 }, { 1, 3 }
    };
    unsigned kind = (word >> 4) & 15;
    uint8_t left = (word >> 8) & 15;
    uint8_t right = word & 15;
    i->width = 20;
    if (kind == 4 || kind == 5) {
        i->format = HC_ROTATE;
        i->op = left & 3;
        i->count = (uint8_t)((left >> 2) + 1);
        i->cycles = i->count;
        i->width = kind == 4 ? 20 : 16;
        i->dst = (struct hc_operand){ .mode = HC_REGISTER, .reg = right };
        return;
    }
    i->format = HC_ADDRESS;
    i->op = kind < 8 ? HC_OP_MOVA : kind & 3;
    uint32_t after_opcode = r->pc;
    i->src = (struct hc_operand){ .mode = HC_REGISTER, .reg = left };
    i->dst = (struct hc_operand){ .mode = HC_REGISTER, .reg = right };
    switch (kind) {
    case 0:
    case 1:
        i->src = operand(r, kind + 2, left, 0, true);
        break;
    case 2:
        i->src = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = next_word(r) | (uint32_t)left << 16 };
        break;
    case 3:
    case 7: {
        struct hc_operand *o = kind == 3 ? &i->src : &i->dst;
        uint32_t pc = r->pc;
        uint32_t index = (uint32_t)(int32_t)(int16_t)next_word(r);
        *o = (struct hc_operand){ .mode = HC_INDEXED, .reg = o->reg, .value = index & 0xfffff };
        if (o->reg == HC_PC)
            *o = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = (pc + index) & 0xfffff };
        break;
    }
    case 6:
        i->dst = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = next_word(r) | (uint32_t)right << 16 };
        break;
    case 8:
    case 9:
    case 10:
    case 11:
        i->src = (struct hc_operand){ .mode = HC_IMMEDIATE, .value = next_word(r) | (uint32_t)left << 16 };
        break;
    case 14:
    case 15: /* INCDA and DECDA in one word: no guide says so, but TI's compiler relies on it */
        if (left == 3)
            i->src = (struct hc_operand){ .mode = HC_IMMEDIATE, .reg = 3, .value = 2 };
        break;
    default:
        break;
    }
    resolve_pc_source(&i->src, after_opcode);
    i->extended = true; /* 20-bit indexes */
    i->cycles = cycles[kind][i->dst.mode == HC_REGISTER && i->dst.reg == HC_PC];
}

/* 0x1300-0x13ff */
static void decode_calla(struct reader *r, uint16_t word, struct hc_instruction *i)
{
    unsigned kind = (word >> 4) & 15;
    uint8_t reg = word & 15;
    i->format = HC_CALLA;
    i->width = 20;
    i->extended = true;
    switch (kind) {
    case 4:
    case 6:
    case 7: {
        uint32_t after_opcode = r->pc;
        i->src = operand(r, kind & 3, reg, 0, true);
        resolve_pc_source(&i->src, after_opcode);
        i->cycles = kind == 4 ? 5 : 6;
        break;
    }
    case 5: {
        uint32_t pc = r->pc;
        uint32_t index = (uint32_t)(int32_t)(int16_t)next_word(r) & 0xfffff;
        i->src = (struct hc_operand){ .mode = HC_INDEXED, .reg = reg, .value = index };
        if (reg == HC_PC)
            i->src = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = (pc + index) & 0xfffff };
        i->cycles = reg == HC_PC ? 7 : 5 + counts_from_stack(&i->src); /* fewer than @Rn: so the table */
        break;
    }
    case 8:
        i->src = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = next_word(r) | (uint32_t)reg << 16 };
        i->cycles = 7;
        break;
    case 9: {
        uint32_t pc = r->pc;
        uint32_t index = next_word(r) | (uint32_t)reg << 16;
        i->src = (struct hc_operand){ .mode = HC_ABSOLUTE, .value = (pc + index) & 0xfffff };
        i->cycles = 7;
        break;
    }
    case 11:
        i->src = (struct hc_operand){ .mode = HC_IMMEDIATE, .value = next_word(r) | (uint32_t)reg << 16 };
        i->cycles = 5;
        break;
    default:
        i->format = HC_UNDEFINED;
        break;
    }
}

static void decode_pushm(uint16_t word, struct hc_instruction *i)
{
    i->format = word & 0x200 ? HC_POPM : HC_PUSHM;
    i->width = word & 0x100 ? 16 : 20;
    i->count = (uint8_t)(((word >> 4) & 15) + 1);
    i->dst.reg = word & 15;
    i->cycles = (uint8_t)(2 + (i->width == 20 ? 2 * i->count : i->count));
}

static void apply_extension(uint16_t extension, uint16_t word, struct hc_instruction *i)
{
    bool address_word = !(extension & 0x40);
    bool swap_or_extend =
        (word & 0xf000) == 0x1000 && (((word >> 7) & 7) == HC_OP_SWPB || ((word >> 7) & 7) == HC_OP_SXT);
    bool registers_only = ((word >> 4) & 3) == 0 && ((word & 0xf000) == 0x1000 || !(word & 0x80));
    bool byte = word & 0x40;
    i->extended = true;
    if (swap_or_extend)
        i->width = address_word ? 20 : 16;
    else
        i->width = byte ? (address_word ? 20 : 8) : 16;
    if (registers_only) {
        i->zero_carry = extension & 0x100;
        i->repeat_reg = extension & 0x80;
        i->repeat = extension & 15;
    }
}

static void decode_extended(struct reader *r, uint16_t extension, struct hc_instruction *i)
{
    uint16_t word = next_word(r);
    bool reserved_width = !(extension & 0x40) && !(word & 0x40);
    apply_extension(extension, word, i);
    if (word >= 0x4000) {
        decode_double(r, word, extension, HC_CPU_MSP430X, i);
        if (reserved_width)
            i->format = HC_UNDEFINED;
    } else if (word >= 0x1000 && word < 0x1280) {
        decode_single(r, (uint16_t)(i->width == 8 ? word : word & ~0x40), extension, HC_CPU_MSP430X, i);
        bool swap_or_extend = i->op == HC_OP_SWPB || i->op == HC_OP_SXT;
        if (swap_or_extend ? (word & 0x40) != 0 : reserved_width)
            i->format = HC_UNDEFINED;
    } else {
        i->format = HC_UNDEFINED;
    }
}

void hc_msp430_decode(const uint8_t *code, uint32_t pc, enum hc_cpu_kind cpu, struct hc_instruction *out)
{
    struct reader r = { .code = code, .pc = pc, .mask = cpu == HC_CPU_MSP430X ? 0xfffff : 0xffff };
    *out = (struct hc_instruction){ .format = HC_UNDEFINED, .width = 16 };
    uint16_t word = next_word(&r);
    bool x = cpu == HC_CPU_MSP430X;
    if (word >= 0x4000) {
        out->width = word & 0x40 ? 8 : 16;
        decode_double(&r, word, 0, cpu, out);
    } else if (word >= 0x2000) {
        decode_jump(word, r.pc, r.mask, out);
    } else if (word >= 0x1800) {
        if (x)
            decode_extended(&r, word, out);
    } else if (word >= 0x1400) {
        if (x)
            decode_pushm(word, out);
    } else if (word == 0x1300) {
        out->format = HC_RETI;
        out->cycles = 5;
    } else if (word >= 0x1300) {
        if (x)
            decode_calla(&r, word, out);
    } else if (word >= 0x1000) {
        out->width = word & 0x40 ? 8 : 16;
        decode_single(&r, word, 0, cpu, out);
    } else if (x) {
        decode_address(&r, word, out);
    }
    if (out->format == HC_UNDEFINED)
        r.at = 2;
    out->length = (uint8_t)r.at;
}
