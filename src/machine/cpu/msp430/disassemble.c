/* The instruction formats, from the family user's guides (SLAU049, SLAU144, SLAU208):
 *
 *     two operands     oooo ssss dbaa dddd      o operation  s source  d mode of destination  b byte  a mode of source
 *     one operand      0001 00oo obaa dddd
 *     jumps            001c ccoo oooo oooo      offset in words from the next instruction
 *
 *  MSP430X only:
 *     address          0000 ssss oooo dddd      s also bits 19-16 of an immediate or absolute source
 *     rotate multiple  0000 nnoo 010w dddd      n+1 times
 *     calla            0001 0011 mmmm dddd
 *     push/pop many    0001 01pw nnnn dddd      n+1 registers; of POPM d is the lowest, in text the highest
 *     extension word   0001 1sss sl00 dddd      bits 19-16 of source and destination; l with b: 01 .a, 10 word, 11 byte
 *       of registers   0001 100z #l00 nnnn      z carry as 0; # count in Rn, else n+1 times */
#include "disassemble.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PC = 0, SP = 1, SR = 2, CG = 3 };

enum mode { NONE, REGISTER, CONSTANT, IMMEDIATE, INDEXED, SYMBOLIC, ABSOLUTE, INDIRECT, INCREMENT, TARGET };

struct operand {
    enum mode mode;
    uint8_t reg;
    int32_t value; /* constant, immediate, index or address */
};

enum width { WORD, BYTE, ADDRESS };

struct instruction {
    const char *name;
    const char *suffix;
    struct operand operands[2];
    bool code; /* an immediate operand is where execution goes */
    bool zero_carry;
    int repeat;          /* times, 1 for once; */
    int repeat_register; /* or -1 */
};

struct reader {
    enum hc_cpu_kind cpu;
    const uint8_t *bytes;
    size_t size, used;
    uint32_t address;
    bool over;
};

static uint16_t take_word(struct reader *r)
{
    if (r->used + 2 > r->size) {
        r->over = true;
        return 0;
    }
    uint16_t word = (uint16_t)(r->bytes[r->used] | r->bytes[r->used + 1] << 8);
    r->used += 2;
    return word;
}

/* ---- operands ---- */

static const char *const register_names[16] = { "pc", "sp", "sr",  "r3",  "r4",  "r5",  "r6",  "r7",
                                                "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

/* What R2 and R3 stand for in the source modes 0..3; 0x7fff where the mode is an ordinary one. */
enum { ORDINARY = 0x7fff };
static const int16_t constants[2][4] = {
    { ORDINARY, ORDINARY, 4, 8 }, /* R2 */
    { ORDINARY, 1, 2, -1 },       /* R3, whose mode 0 is the constant 0 */
};

/* Where X(PC) points. HIGH are bits 19-16 of an extended index, or -1. */
static uint32_t symbolic_address(const struct reader *r, uint32_t pc, uint16_t index, int high)
{
    if (high >= 0)
        return (pc + ((uint32_t)high << 16 | index)) & 0xfffff;
    if (r->cpu == HC_CPU_MSP430 || pc < 0x10000)
        return (pc + index) & 0xffff;
    return (pc + (uint32_t)(int16_t)index) & 0xfffff;
}

static struct operand indexed(int reg, int32_t index)
{
    return (struct operand){ .mode = INDEXED, .reg = (uint8_t)reg, .value = index };
}

static struct operand memory_operand(struct reader *r, int reg, int high)
{
    uint32_t pc = r->address + (uint32_t)r->used;
    uint16_t index = take_word(r);
    int32_t value = high >= 0 ? high << 16 | index : index;

    if (reg == PC)
        return (struct operand){ .mode = SYMBOLIC, .value = (int32_t)symbolic_address(r, pc, index, high) };
    if (reg == SR)
        return (struct operand){ .mode = ABSOLUTE, .reg = SR, .value = value };
    return indexed(reg, high >= 0 ? value - (value & 0x80000) * 2 : (int16_t)index);
}

static struct operand source(struct reader *r, int reg, int mode, int high)
{
    struct operand o = { .reg = (uint8_t)reg };

    if ((reg == SR || reg == CG) && constants[reg - SR][mode] != ORDINARY) {
        o.mode = CONSTANT;
        o.value = constants[reg - SR][mode];
    } else if (mode == 0) {
        o.mode = reg == CG ? CONSTANT : REGISTER;
    } else if (mode == 1) {
        o = memory_operand(r, reg, high);
    } else if (mode == 3 && reg == PC) {
        o.mode = IMMEDIATE;
        o.value = take_word(r);
        if (high >= 0)
            o.value |= high << 16;
    } else {
        o.mode = mode == 2 ? INDIRECT : INCREMENT;
    }
    return o;
}

static struct operand plain_register(int reg)
{
    return (struct operand){ .mode = REGISTER, .reg = (uint8_t)reg };
}

/* ---- emulated instructions ---- */

enum { MOV = 4, ADD, ADDC, SUBC, SUB, CMP, DADD, BIT, BIC, BIS, XOR, AND };

static const char *const two_operand_names[16] = {
    [MOV] = "mov",   [ADD] = "add", [ADDC] = "addc", [SUBC] = "subc", [SUB] = "sub", [CMP] = "cmp",
    [DADD] = "dadd", [BIT] = "bit", [BIC] = "bic",   [BIS] = "bis",   [XOR] = "xor", [AND] = "and"
};

enum source_is { VALUE, POPPED, SAME, ANYTHING };
enum { ANY_REGISTER = -1 };

/* The first row that fits names the instruction. */
static const struct emulation {
    const char *name;
    int operation;
    enum source_is source;
    int value;         /* of a constant source, as the generators make it */
    int destination;   /* a register that it must be, or ANY_REGISTER */
    bool anywhere;     /* there are byte and extended forms */
    bool shows_source; /* the operand shown is the source */
} emulations[] = {
    { "ret", MOV, POPPED, 0, PC, false, false },           { "nop", MOV, VALUE, 0, CG, false, false },
    { "br", MOV, ANYTHING, 0, PC, false, true },           { "clrc", BIC, VALUE, 1, SR, false, false },
    { "clrz", BIC, VALUE, 2, SR, false, false },           { "clrn", BIC, VALUE, 4, SR, false, false },
    { "dint", BIC, VALUE, 8, SR, false, false },           { "setc", BIS, VALUE, 1, SR, false, false },
    { "setz", BIS, VALUE, 2, SR, false, false },           { "setn", BIS, VALUE, 4, SR, false, false },
    { "eint", BIS, VALUE, 8, SR, false, false },           { "pop", MOV, POPPED, 0, ANY_REGISTER, true, false },
    { "clr", MOV, VALUE, 0, ANY_REGISTER, true, false },   { "adc", ADDC, VALUE, 0, ANY_REGISTER, true, false },
    { "dadc", DADD, VALUE, 0, ANY_REGISTER, true, false }, { "sbc", SUBC, VALUE, 0, ANY_REGISTER, true, false },
    { "tst", CMP, VALUE, 0, ANY_REGISTER, true, false },   { "inc", ADD, VALUE, 1, ANY_REGISTER, true, false },
    { "incd", ADD, VALUE, 2, ANY_REGISTER, true, false },  { "dec", SUB, VALUE, 1, ANY_REGISTER, true, false },
    { "decd", SUB, VALUE, 2, ANY_REGISTER, true, false },  { "inv", XOR, VALUE, -1, ANY_REGISTER, true, false },
    { "rla", ADD, SAME, 0, ANY_REGISTER, true, false },    { "rlc", ADDC, SAME, 0, ANY_REGISTER, true, false },
};

/* Operands of address instructions are written out, so that their emulations are matched by value, too. */
static const struct address_emulation {
    const char *name, *of;
    enum mode mode;
    int32_t value;           /* of an immediate */
    int source, destination; /* registers, or ANY_REGISTER */
} address_emulations[] = {
    { "reta", "mova", INCREMENT, 0, SP, PC },
    { "decda", "suba", IMMEDIATE, 2, ANY_REGISTER, ANY_REGISTER },
    { "incda", "adda", IMMEDIATE, 2, ANY_REGISTER, ANY_REGISTER },
    { "tsta", "cmpa", IMMEDIATE, 0, ANY_REGISTER, ANY_REGISTER },
};

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->mode == b->mode && a->reg == b->reg && a->value == b->value &&
           (a->mode == REGISTER || a->mode == INDEXED || a->mode == SYMBOLIC || a->mode == ABSOLUTE);
}

static bool emulates(const struct emulation *e, const struct instruction *i)
{
    const struct operand *from = &i->operands[0], *to = &i->operands[1];

    if (e->destination != ANY_REGISTER && (to->mode != REGISTER || to->reg != e->destination))
        return false;
    switch (e->source) {
    case VALUE:
        return from->mode == CONSTANT && from->value == e->value;
    case POPPED:
        return from->mode == INCREMENT && from->reg == SP;
    case SAME:
        return same_operand(from, to);
    default:
        return true;
    }
}

static void drop_operand(struct instruction *i, int n)
{
    if (n == 0)
        i->operands[0] = i->operands[1];
    i->operands[1].mode = NONE;
}

/* Names a two-operand instruction; PLAIN means neither byte nor extended. */
static void name_two_operand(struct instruction *i, int operation, bool plain)
{
    i->name = two_operand_names[operation];
    i->code = operation == MOV && i->operands[1].mode == REGISTER && i->operands[1].reg == PC;
    for (size_t n = 0; n < sizeof emulations / sizeof *emulations; n++) {
        const struct emulation *e = &emulations[n];
        if (e->operation != operation || !(plain || e->anywhere) || !emulates(e, i))
            continue;
        i->name = e->name;
        if (e->shows_source)
            drop_operand(i, 1);
        else if (e->anywhere)
            drop_operand(i, 0);
        else
            i->operands[0].mode = i->operands[1].mode = NONE;
        return;
    }
}

static void name_address_instruction(struct instruction *i)
{
    const struct operand *from = &i->operands[0], *to = &i->operands[1];
    bool to_pc = to->mode == REGISTER && to->reg == PC;

    for (size_t n = 0; n < sizeof address_emulations / sizeof *address_emulations; n++) {
        const struct address_emulation *e = &address_emulations[n];
        if (strcmp(e->of, i->name) != 0 || from->mode != e->mode || from->value != e->value ||
            (e->source != ANY_REGISTER && from->reg != e->source) || (e->destination == PC && !to_pc))
            continue;
        i->name = e->name;
        drop_operand(i, 0);
        if (e->destination == PC)
            i->operands[0].mode = NONE;
        return;
    }
    if (to_pc && !strcmp(i->name, "mova")) {
        i->name = "bra";
        i->code = true;
        drop_operand(i, 1);
    }
}

/* ---- formats ---- */

static const char *const suffixes[] = { [WORD] = "", [BYTE] = ".b", [ADDRESS] = ".a" };
static const char *const extended_suffixes[] = { [WORD] = "x.w", [BYTE] = "x.b", [ADDRESS] = "x.a" };

/* An extension word taken apart; `extended` is false for plain instructions. */
struct extension {
    bool extended;
    uint16_t word;
};

static int high_source(struct extension e)
{
    return e.extended ? e.word >> 7 & 15 : -1;
}

static int high_destination(struct extension e)
{
    return e.extended ? e.word & 15 : -1;
}

/* False when the two bits have no meaning. */
static bool width_of(struct extension e, bool byte, enum width *width)
{
    bool long_clear = e.extended && !(e.word & 0x40);
    *width = long_clear ? ADDRESS : byte ? BYTE : WORD;
    return !long_clear || byte;
}

static bool apply_register_extension(struct instruction *i, struct extension e)
{
    if (!e.extended)
        return true;
    i->zero_carry = e.word & 0x100;
    if (e.word & 0x80)
        i->repeat_register = e.word & 15;
    else
        i->repeat = (e.word & 15) + 1;
    return !(e.word & 0x600);
}

static bool is_register_like(const struct operand *o)
{
    return o->mode == REGISTER || o->mode == CONSTANT;
}

static bool two_operands(struct reader *r, uint16_t word, struct extension e, struct instruction *i)
{
    enum width width;
    int to = word & 15;
    bool defined = width_of(e, word & 0x40, &width);

    i->operands[0] = source(r, word >> 8 & 15, word >> 4 & 3, high_source(e));
    i->operands[1] = word & 0x80 ? memory_operand(r, to, high_destination(e)) : plain_register(to);
    i->suffix = e.extended ? extended_suffixes[width] : suffixes[width];
    if (is_register_like(&i->operands[0]) && !(word & 0x80))
        defined = apply_register_extension(i, e) && defined;
    name_two_operand(i, word >> 12, !e.extended && width == WORD);
    return defined;
}

enum { RRC, SWPB, RRA, SXT, PUSH, CALL, RETI };
static const char *const one_operand_names[8] = { "rrc", "swpb", "rra", "sxt", "push", "call" };

static bool one_operand(struct reader *r, uint16_t word, struct extension e, struct instruction *i)
{
    int operation = word >> 7 & 7;
    bool byte = word & 0x40, word_only = operation == SWPB || operation == SXT || operation == CALL;
    enum width width;

    if (operation >= RETI || (word_only && byte) || (operation == CALL && e.extended))
        return false;
    bool defined = width_of(e, byte, &width) || word_only; /* SWPBX.A and SXTX.A have both bits clear */
    /* The one operand is called source or destination; its extension bits are the destination's. */
    i->operands[0] = source(r, word & 15, word >> 4 & 3, high_destination(e));
    if (operation <= SXT && i->operands[0].mode == CONSTANT && !(word & 0x30))
        i->operands[0] = plain_register(CG); /* written, not read */
    i->name = one_operand_names[operation];
    i->suffix = e.extended ? extended_suffixes[width] : suffixes[width];
    i->code = operation == CALL;
    if (is_register_like(&i->operands[0]))
        defined = apply_register_extension(i, e) && defined;
    if (i->zero_carry && operation == RRC) {
        i->name = "rru";
        i->zero_carry = false;
    }
    return defined;
}

static const char *const jump_names[8] = { "jnz", "jz", "jnc", "jc", "jn", "jge", "jl", "jmp" };

static bool jump(struct reader *r, uint16_t word, struct instruction *i)
{
    int32_t offset = (word & 0x3ff) - (word & 0x200 ? 0x400 : 0);
    uint32_t mask = r->cpu == HC_CPU_MSP430 ? 0xffff : 0xfffff;

    i->name = jump_names[word >> 10 & 7];
    i->operands[0] =
        (struct operand){ .mode = TARGET, .value = (int32_t)((r->address + 2 + (uint32_t)(offset * 2)) & mask) };
    return true;
}

/* z16(Rn) of address instructions is signed and does not wrap at 64 KB. They have an absolute mode of their own, so
 * that SR is an index like the others. */
static struct operand address_indexed(struct reader *r, int reg)
{
    uint32_t pc = r->address + (uint32_t)r->used;
    int16_t index = (int16_t)take_word(r);

    if (reg == PC)
        return (struct operand){ .mode = SYMBOLIC, .value = (int32_t)((pc + (uint32_t)index) & 0xfffff) };
    return indexed(reg, index);
}

/* By bits 7-4 of an address instruction. The source is the nibble S, the destination D. */
static bool address_instruction(struct reader *r, uint16_t word, struct instruction *i)
{
    static const char *const names[16] = { "mova", "mova", "mova", "mova", NULL,   NULL,   "mova", "mova",
                                           "mova", "cmpa", "adda", "suba", "mova", "cmpa", "adda", "suba" };
    int s = word >> 8 & 15, d = word & 15, form = word >> 4 & 15;
    struct operand *from = &i->operands[0], *to = &i->operands[1];

    *from = plain_register(s);
    *to = plain_register(d);
    i->name = names[form];
    if (form == 0 || form == 1)
        from->mode = form == 0 ? INDIRECT : INCREMENT;
    else if (form == 2)
        *from = (struct operand){ .mode = ABSOLUTE, .reg = SR, .value = s << 16 | take_word(r) };
    else if (form == 3)
        *from = address_indexed(r, s);
    else if (form == 6)
        *to = (struct operand){ .mode = ABSOLUTE, .reg = SR, .value = d << 16 | take_word(r) };
    else if (form == 7)
        *to = address_indexed(r, d);
    else if (form >= 8 && form <= 11)
        *from = (struct operand){ .mode = IMMEDIATE, .value = s << 16 | take_word(r) };
    else if (form >= 14 && s == 3)
        *from = (struct operand){ .mode = IMMEDIATE, .value = 2 };
    name_address_instruction(i);
    return true;
}

static bool rotate_multiple(uint16_t word, struct instruction *i)
{
    static const char *const names[4] = { "rrcm", "rram", "rlam", "rrum" };

    i->name = names[word >> 8 & 3];
    i->suffix = word & 0x10 ? ".w" : ".a";
    i->operands[0] = (struct operand){ .mode = CONSTANT, .value = (word >> 10 & 3) + 1 };
    i->operands[1] = plain_register(word & 15);
    return true;
}

static bool push_pop_many(uint16_t word, struct instruction *i)
{
    int count = (word >> 4 & 15) + 1, reg = word & 15;
    bool pop = word & 0x200;

    i->name = pop ? "popm" : "pushm";
    i->suffix = word & 0x100 ? ".w" : ".a";
    i->operands[0] = (struct operand){ .mode = CONSTANT, .value = count };
    i->operands[1] = plain_register(pop ? (reg + count - 1) & 15 : reg);
    return true;
}

static bool call_address(struct reader *r, uint16_t word, struct instruction *i)
{
    int form = word >> 4 & 15, d = word & 15;
    struct operand *o = &i->operands[0];

    i->name = "calla";
    i->code = true;
    *o = plain_register(d);
    if (form == 5)
        *o = address_indexed(r, d);
    else if (form == 6 || form == 7)
        o->mode = form == 6 ? INDIRECT : INCREMENT;
    else if (form == 9)
        *o = memory_operand(r, PC, d);
    else if (form == 8 || form == 11)
        *o = (struct operand){ .mode = form == 8 ? ABSOLUTE : IMMEDIATE, .reg = SR, .value = d << 16 | take_word(r) };
    return form >= 4 && form <= 11 && form != 10;
}

static bool extended(struct reader *r, uint16_t prefix, struct instruction *i)
{
    struct extension e = { .extended = true, .word = prefix };
    uint16_t word = take_word(r);

    if (prefix & 0x30)
        return false;
    if (word >= 0x4000)
        return two_operands(r, word, e, i);
    return word >> 10 == 4 && one_operand(r, word, e, i);
}

static bool decode(struct reader *r, struct instruction *i)
{
    uint16_t word = take_word(r);
    bool x = r->cpu == HC_CPU_MSP430X;

    if (word >= 0x4000)
        return two_operands(r, word, (struct extension){ 0 }, i);
    if (word >= 0x2000)
        return jump(r, word, i);
    if (x && word < 0x1000)
        return (word & 0xe0) == 0x40 ? rotate_multiple(word, i) : address_instruction(r, word, i);
    if (word == 0x1300) {
        i->name = "reti";
        return true;
    }
    if (word >= 0x1000 && word < 0x1300)
        return one_operand(r, word, (struct extension){ 0 }, i);
    if (x && word >= 0x1300 && word < 0x1400)
        return call_address(r, word, i);
    if (x && word >= 0x1400 && word < 0x1800)
        return push_pop_many(word, i);
    return x && word >= 0x1800 && extended(r, word, i);
}

/* ---- text ---- */

struct text {
    char *out;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *t, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int written = vsnprintf(t->out + t->length, HC_DISASM_TEXT - t->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        t->length += (size_t)written;
    if (t->length >= HC_DISASM_TEXT)
        t->length = HC_DISASM_TEXT - 1;
}

static void append_operand(struct text *t, const struct operand *o)
{
    const char *name = register_names[o->reg];

    switch (o->mode) {
    case REGISTER:
        append(t, "%s", name);
        break;
    case CONSTANT:
        append(t, "#%d", (int)o->value);
        break;
    case IMMEDIATE:
        append(t, "#0x%04x", (unsigned)o->value);
        break;
    case INDEXED:
        if (o->value > -0x100 && o->value < 0x100)
            append(t, "%d(%s)", (int)o->value, name);
        else
            append(t, "%s0x%x(%s)", o->value < 0 ? "-" : "", (unsigned)abs(o->value), name);
        break;
    case SYMBOLIC:
    case TARGET:
        append(t, "0x%04x", (unsigned)o->value);
        break;
    case ABSOLUTE:
        append(t, "&0x%04x", (unsigned)o->value);
        break;
    case INDIRECT:
        append(t, "@%s", name);
        break;
    case INCREMENT:
        append(t, "@%s+", name);
        break;
    default:
        break;
    }
}

static void append_symbols(struct text *t, const struct instruction *i, hc_disasm_symbol_fn *symbol, void *owner)
{
    char name[HC_DISASM_TEXT];
    const char *separator = " ; ";

    for (int n = 0; n < 2; n++) {
        const struct operand *o = &i->operands[n];
        /* What is read through memory is data, even on the way to the PC. */
        bool code = o->mode == TARGET || (o->mode == IMMEDIATE && i->code);
        if ((!code && o->mode != SYMBOLIC && o->mode != ABSOLUTE) ||
            !symbol(owner, (uint32_t)o->value, code, name, sizeof name))
            continue;
        append(t, "%s%s", separator, name);
        separator = ", ";
    }
}

static void append_instruction(struct text *t, const struct instruction *i)
{
    char mnemonic[16];

    if (i->zero_carry)
        append(t, "zc { ");
    if (i->repeat_register >= 0)
        append(t, "rpt %s { ", register_names[i->repeat_register]);
    else if (i->repeat > 1)
        append(t, "rpt #%d { ", i->repeat);
    snprintf(mnemonic, sizeof mnemonic, "%s%s", i->name, i->suffix);
    if (i->operands[0].mode == NONE) {
        append(t, "%s", mnemonic);
        return;
    }
    append(t, "%-7s ", mnemonic);
    append_operand(t, &i->operands[0]);
    if (i->operands[1].mode != NONE) {
        append(t, ", ");
        append_operand(t, &i->operands[1]);
    }
}

int hc_msp430_disassemble(enum hc_cpu_kind cpu, const uint8_t *bytes, size_t size, uint32_t address,
                          hc_disasm_symbol_fn *symbol, void *owner, char out[HC_DISASM_TEXT])
{
    struct reader r = { .cpu = cpu, .bytes = bytes, .size = size, .address = address };
    struct instruction i = { .name = "", .suffix = "", .repeat = 1, .repeat_register = -1 };
    struct text t = { .out = out };

    out[0] = '\0';
    if (size < 2)
        return 0;
    if (!decode(&r, &i) || r.over) {
        append(&t, "%-7s 0x%04x", ".word", (unsigned)(bytes[0] | bytes[1] << 8));
        return 2;
    }
    append_instruction(&t, &i);
    if (symbol)
        append_symbols(&t, &i, symbol, owner);
    return (int)r.used;
}
