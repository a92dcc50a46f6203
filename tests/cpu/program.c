#include "program.h"

#include "generate.h"

#include <string.h>

const char *const peer_exception_reasons[PEER_EXCEPTIONS] = {
    [PEER_ODD_READ] =
        "word read at an odd address: words lie on even ones, the lowest bit is ignored; mspdebug does not",
    [PEER_BYTE_POP] = "@SP+ of a byte: SP stays on words and moves by 2; mspdebug 0.22 adds 1 (later versions: 2)",
    [PEER_PUSH_BYTE] = "PUSH.B: the byte goes to the low half, the high one is not affected; mspdebug clears it",
    [PEER_PUSH_STACK] = "PUSH of SP, @SP or X(SP): SP moves before the operand is read; in mspdebug after",
    [PEER_DADD_OVERFLOW] =
        "DADD with V set: V is undefined afterwards; mspdebug clears it, the machine leaves it alone",
    [PEER_DADD_DIGITS] = "DADD of digits above 9: undefined; mspdebug may carry 2 into the next digit",
    [PEER_STATUS_BITS] = "SR bits 15-9 are reserved and read as 0; mspdebug stores them",
    [PEER_ODD_STACK] = "SP is even, its lowest bit is 0; mspdebug stores it",
};

enum { PC, SP, SR, CG };
enum { V = 0x100, CPUOFF = 0x10, SR_SAFE = 0x1ef };
enum { MOV = 4, ADD = 5, DADD = 0xa, BIT = 0xb, CMP = 9 };

struct maker {
    struct program *p;
    struct ref_cpu cpu;
    uint64_t random;
    uint32_t pc, log;
};

/* ---- code and log ---- */

static void put_word(struct maker *m, uint32_t address, uint32_t word)
{
    m->p->image[address] = m->p->memory[address] = (uint8_t)word;
    m->p->image[address + 1] = m->p->memory[address + 1] = (uint8_t)(word >> 8);
}

static void lay(struct maker *m, const uint16_t *words, int count)
{
    for (int i = 0; i < count; i++, m->pc += 2)
        put_word(m, m->pc, words[i]);
}

/* An instruction that is not under test: laid and executed. */
static void emit(struct maker *m, const uint16_t *words, int count)
{
    lay(m, words, count);
    ref_step(&m->cpu);
}

static void load_register(struct maker *m, uint32_t reg, uint32_t value)
{
    emit(m, (uint16_t[]){ (uint16_t)(0x4030 | reg), (uint16_t)value }, 2);
}

static uint32_t next_log(struct maker *m, uint32_t tested_pc)
{
    uint32_t slot = m->log;
    m->p->log_pc[(slot - PROGRAM_LOG) / 2] = tested_pc;
    m->log += 2;
    return slot;
}

static void log_register(struct maker *m, uint32_t reg, uint32_t tested_pc)
{
    emit(m, (uint16_t[]){ (uint16_t)(0x4082 | reg << 8), (uint16_t)next_log(m, tested_pc) }, 2);
}

static void log_word(struct maker *m, uint32_t address, uint32_t tested_pc)
{
    emit(m, (uint16_t[]){ 0x4292, (uint16_t)(address & ~1u), (uint16_t)next_log(m, tested_pc) }, 3);
}

static void log_changes(struct maker *m, const uint32_t *before, uint32_t tested_pc, uint32_t destination)
{
    uint32_t after[16], written[REF_WRITES_MAX];
    int writes = m->cpu.writes;
    memcpy(after, m->cpu.r, sizeof after);
    memcpy(written, m->cpu.written, sizeof written);
    log_register(m, SR, tested_pc);
    for (uint32_t i = 1; i < 16; i++)
        if (i != SR && i != CG && (after[i] != before[i] || i == destination))
            log_register(m, i, tested_pc);
    for (int i = 0; i < writes; i++)
        if (i == 0 || (written[i] | 1) != (written[i - 1] | 1))
            log_word(m, written[i], tested_pc);
}

/* ---- operands that stay in bounds ---- */

static uint32_t data_address(struct maker *m, bool byte)
{
    uint32_t address = PROGRAM_DATA + random_below(&m->random, PROGRAM_STACK - PROGRAM_DATA - 4);
    return byte || random_below(&m->random, 50) == 0 ? address : address & ~1u;
}

static uint32_t any_register(struct maker *m)
{
    return random_below(&m->random, 8) ? 4 + random_below(&m->random, 12) : random_below(&m->random, 3);
}

/* A register that points into the data, made so if need be. */
static uint32_t pointer_register(struct maker *m, bool byte)
{
    uint32_t reg = 4 + random_below(&m->random, 12);
    uint32_t value = m->cpu.r[reg];
    if (random_below(&m->random, 10) == 0)
        return SP;
    if (value < PROGRAM_DATA || value >= PROGRAM_STACK - 4 || (!byte && value & 1))
        load_register(m, reg, data_address(m, byte));
    return reg;
}

struct operand {
    uint32_t mode, reg;
    bool has_word;
    uint16_t word;
};

/* WORD_AT is where the index word will stand. Absolute and symbolic modes are indexes of SR and PC. */
static struct operand indexed(struct maker *m, bool byte, uint32_t word_at)
{
    uint32_t reg = any_register(m), target = data_address(m, byte);
    uint32_t base = reg == SR ? 0 : reg == PC ? word_at : m->cpu.r[reg];
    return (struct operand){ 1, reg, true, (uint16_t)(target - base) };
}

static struct operand source(struct maker *m, bool byte)
{
    switch (random_below(&m->random, 8)) {
    case 0:
    case 1:
        return (struct operand){ 0, any_register(m), false, 0 };
    case 2:
        return (struct operand){ 2 + random_below(&m->random, 2), SR, false, 0 }; /* 4, 8 */
    case 3:
        return (struct operand){ random_below(&m->random, 4), CG, false, 0 }; /* 0, 1, 2, -1 */
    case 4:
        return (struct operand){ 3, PC, true, (uint16_t)random_value(&m->random, 16) };
    case 5:
        return (struct operand){ 2 + random_below(&m->random, 2), pointer_register(m, byte), false, 0 };
    default:
        return (struct operand){ 1, SR, true, 0 }; /* indexed; the caller knows where its word stands */
    }
}

/* ---- candidates, and whether the peer can be asked about them ---- */

struct candidate {
    uint16_t words[3];
    int count;
    bool byte;
    uint32_t destination; /* register, or 16 */
};

static struct candidate double_operand(struct maker *m)
{
    struct candidate c = { .byte = random_below(&m->random, 2) };
    uint32_t op = MOV + random_below(&m->random, 12);
    struct operand src = source(m, c.byte);
    c.count = 1;
    if (src.mode == 1 && src.has_word)
        src = indexed(m, c.byte, m->pc + 2);
    if (src.has_word)
        c.words[c.count++] = src.word;
    bool in_memory = random_below(&m->random, 3) == 0;
    c.destination = in_memory ? 16 : random_below(&m->random, 12) ? 4 + random_below(&m->random, 12) : SR;
    uint32_t reg = c.destination;
    if (in_memory) {
        struct operand dst = indexed(m, c.byte, m->pc + 2 * (uint32_t)c.count);
        c.words[c.count++] = dst.word;
        reg = dst.reg;
    } else if (random_below(&m->random, 24) == 0) {
        c.destination = reg = random_below(&m->random, 2) ? SP : CG;
    }
    c.words[0] =
        (uint16_t)(op << 12 | src.reg << 8 | (uint32_t)in_memory << 7 | (uint32_t)c.byte << 6 | src.mode << 4 | reg);
    return c;
}

static struct candidate single_operand(struct maker *m)
{
    static const uint8_t ops[] = { 0, 1, 2, 3, 4 }; /* RRC, SWPB, RRA, SXT, PUSH */
    uint32_t op = ops[random_below(&m->random, sizeof ops)], mode = random_below(&m->random, 4);
    struct candidate c = { .byte = (op == 0 || op == 2 || op == 4) && random_below(&m->random, 2), .count = 1 };
    struct operand o = { mode, 4 + random_below(&m->random, 12), false, 0 };
    if (op == 4)
        o = source(m, c.byte);
    else if (mode >= 2)
        o.reg = pointer_register(m, c.byte);
    if (o.mode == 1 && (op != 4 || o.has_word))
        o = indexed(m, c.byte, m->pc + 2);
    if (o.has_word)
        c.words[c.count++] = o.word;
    c.destination = op != 4 && o.mode == 0 ? o.reg : 16;
    c.words[0] = (uint16_t)(0x1000 | op << 7 | (uint32_t)c.byte << 6 | o.mode << 4 | o.reg);
    return c;
}

static bool decimal(uint32_t value)
{
    for (; value; value >>= 4)
        if ((value & 15) > 9)
            return false;
    return true;
}

/* Where the instruction would read memory, from its fields and the registers as they are: -1 where it does not. */
static int32_t read_address(const struct maker *m, uint32_t mode, uint32_t reg, uint32_t word, uint32_t word_at)
{
    if (mode == 0 || reg == CG || (reg == SR && mode >= 2) || (reg == PC && mode == 3))
        return -1;
    uint32_t base = reg == SR ? 0 : reg == PC ? word_at : m->cpu.r[reg];
    return (int32_t)((mode == 1 ? base + word : base) & 0xffff);
}

static uint32_t operand_value(const struct maker *m, const struct candidate *c, bool source)
{
    static const uint32_t generated[4] = { 0, 1, 2, 0xffff };
    uint32_t mode = source ? c->words[0] >> 4 & 3 : c->words[0] >> 7 & 1;
    uint32_t reg = source ? c->words[0] >> 8 & 15 : c->words[0] & 15;
    bool source_word = (c->words[0] >> 4 & 3) == 1 ? (c->words[0] >> 8 & 15) != CG : (c->words[0] >> 4 & 0xf3) == 3;
    int at = source || !source_word ? 1 : 2;
    if (reg == CG)
        return generated[mode];
    if (reg == SR && mode >= 2)
        return mode == 2 ? 4 : 8;
    if (reg == PC && mode == 3)
        return c->words[1];
    if (mode == 0)
        return reg == PC ? m->pc + 2 : m->cpu.r[reg];
    uint32_t address = (uint32_t)read_address(m, mode, reg, c->words[at], m->pc + 2 * (uint32_t)at);
    return m->p->memory[address] | (c->byte ? 0u : (uint32_t)m->p->memory[address | 1] << 8);
}

static int double_exception(const struct maker *m, const struct candidate *c)
{
    uint32_t word = c->words[0], op = word >> 12, mode = word >> 4 & 3, reg = word >> 8 & 15, dst = word & 15;
    int32_t from = read_address(m, mode, reg, c->words[1], m->pc + 2);
    int at = (mode == 1 && reg != CG) || (mode == 3 && reg == PC) ? 2 : 1;
    int32_t to = word & 0x80 ? read_address(m, 1, dst, c->words[at], m->pc + 2 * (uint32_t)at) : -1;
    if (!c->byte && ((from >= 0 && from & 1) || (op != MOV && to >= 0 && to & 1)))
        return PEER_ODD_READ;
    if (c->byte && mode == 3 && reg == SP)
        return PEER_BYTE_POP;
    if (op == DADD && m->cpu.r[SR] & V)
        return PEER_DADD_OVERFLOW;
    if (op == DADD) {
        uint32_t mask = c->byte ? 0xff : 0xffff;
        if (!decimal(operand_value(m, c, true) & mask) || !decimal(operand_value(m, c, false) & mask))
            return PEER_DADD_DIGITS;
    }
    return -1;
}

static int single_exception(const struct maker *m, const struct candidate *c)
{
    uint32_t word = c->words[0], op = word >> 7 & 7, mode = word >> 4 & 3, reg = word & 15;
    int32_t from = read_address(m, mode, reg, c->words[1], m->pc + 2);
    if (!c->byte && from >= 0 && from & 1)
        return PEER_ODD_READ;
    if (c->byte && mode == 3 && reg == SP)
        return PEER_BYTE_POP;
    if (op == 4 && c->byte)
        return PEER_PUSH_BYTE;
    if (op == 4 && reg == SP && mode != 3)
        return PEER_PUSH_STACK;
    return -1;
}

/* After the model has executed it: is everything where the program must keep it? */
static bool in_bounds(const struct maker *m, uint32_t next_pc)
{
    const uint32_t *r = m->cpu.r;
    if (r[PC] != next_pc || r[SR] & CPUOFF || r[SP] < PROGRAM_STACK + 16 || r[SP] > PROGRAM_LOG - 16)
        return false;
    for (int i = 0; i < m->cpu.writes; i++)
        if (m->cpu.written[i] < PROGRAM_DATA || m->cpu.written[i] >= PROGRAM_LOG)
            return false;
    return true;
}

/* A result for SR or SP is looked at before the model trims it: the same instruction into a register that keeps all
 * bits. */
static int register_exception(const struct maker *m, const struct candidate *c, const uint32_t *before)
{
    struct ref_cpu plain = m->cpu;
    uint32_t at = before[PC], reg = (c->words[0] >> 8 & 15) == 15 ? 14 : 15;
    uint8_t kept = plain.memory[at];
    if (c->destination != SR && c->destination != SP)
        return -1;
    memcpy(plain.r, before, sizeof plain.r);
    plain.r[reg] = before[c->destination];
    plain.memory[at] = (uint8_t)((c->words[0] & 0xf0) | reg);
    ref_step(&plain);
    plain.memory[at] = kept;
    if (c->destination == SR && plain.r[reg] & ~0x1ffu)
        return PEER_STATUS_BITS;
    return c->destination == SP && plain.r[reg] & 1 ? PEER_ODD_STACK : -1;
}

/* Lays and executes it if the peer can be asked; else leaves everything as it was. */
static bool try(struct maker *m, const struct candidate *c, int exception)
{
    uint32_t before[16], pc = m->pc;
    if (exception >= 0) {
        m->p->excepted[exception]++;
        return false;
    }
    memcpy(before, m->cpu.r, sizeof before);
    uint8_t memory_before[PROGRAM_LOG];
    memcpy(memory_before, m->p->memory, sizeof memory_before);
    lay(m, c->words, c->count);
    ref_step(&m->cpu);
    bool good = in_bounds(m, m->pc);
    exception = good ? register_exception(m, c, before) : -1;
    if (good && exception < 0) {
        log_changes(m, before, pc, c->destination);
        m->p->tested++;
        return true;
    }
    if (exception >= 0)
        m->p->excepted[exception]++;
    memcpy(m->p->memory, memory_before, sizeof memory_before);
    memcpy(m->cpu.r, before, sizeof before);
    m->pc = pc;
    return false;
}

/* ---- control flow: what is skipped would write to the log ---- */

static void log_mark(struct maker *m, uint32_t tested_pc, bool skipped)
{
    uint16_t words[3] = { 0x40b2, (uint16_t)random_next(&m->random), (uint16_t)next_log(m, tested_pc) };
    if (skipped)
        lay(m, words, 3);
    else
        emit(m, words, 3);
}

static void conditional_jump(struct maker *m)
{
    uint32_t pc = m->pc;
    emit(m, (uint16_t[]){ (uint16_t)(0x2003 | random_below(&m->random, 8) << 10) }, 1);
    log_mark(m, pc, m->cpu.r[PC] != m->pc);
    m->p->tested++;
}

/* jmp L2; L1: jmp L3; L2: jmp L1; L3: */
static void backward_jump(struct maker *m)
{
    uint32_t pc = m->pc;
    lay(m, (uint16_t[]){ 0x3c01, 0x3c01, 0x3ffe }, 3);
    for (int i = 0; i < 3; i++)
        ref_step(&m->cpu);
    log_register(m, SR, pc);
    m->p->tested += 3;
}

/* CALL or BR to just behind a mark, through each addressing mode. */
static void transfer(struct maker *m)
{
    bool call = random_below(&m->random, 2);
    uint32_t mode = random_below(&m->random, 5), reg = 4 + random_below(&m->random, 12);
    uint32_t cell = data_address(m, true) & ~1u;
    /* the set-up is one word longer for the modes that go through memory */
    uint32_t instruction = m->pc + (mode == 4 ? 0 : mode == 0 ? 4 : mode == 1 ? 6 : 10);
    uint32_t length = mode == 1 || mode == 4 ? 4 : 2, target = instruction + length + 6;
    if (mode == 0)
        load_register(m, reg, target);
    else if (mode != 4)
        emit(m, (uint16_t[]){ 0x40b2, (uint16_t)target, (uint16_t)cell }, 3);
    if (mode == 2 || mode == 3)
        load_register(m, reg, cell);
    uint32_t field = mode == 1 ? SR : mode == 4 ? PC : reg, as = mode == 4 ? 3 : mode;
    uint16_t words[2] = { (uint16_t)(call ? 0x1280 | as << 4 | field : 0x4000 | field << 8 | as << 4),
                          (uint16_t)(mode == 1 ? cell : target) };
    uint32_t pc = m->pc;
    emit(m, words, length == 4 ? 2 : 1);
    log_mark(m, pc, true);
    if (call)
        emit(m, (uint16_t[]){ 0x41b2, (uint16_t)next_log(m, pc) }, 2); /* the return address */
    log_register(m, SP, pc);
    if (mode == 3)
        log_register(m, reg, pc);
    m->p->tested++;
}

static void return_from_interrupt(struct maker *m)
{
    uint32_t target = m->pc + 4 + 4 + 2 + 6;
    emit(m, (uint16_t[]){ 0x1230, (uint16_t)target }, 2);
    emit(m, (uint16_t[]){ 0x1230, (uint16_t)(random_next(&m->random) & SR_SAFE) }, 2);
    uint32_t pc = m->pc;
    emit(m, (uint16_t[]){ 0x1300 }, 1);
    log_mark(m, pc, true);
    log_register(m, SR, pc);
    log_register(m, SP, pc);
    m->p->tested++;
}

/* ADD #6, PC and SUB #-6, PC skip a mark */
static void add_to_pc(struct maker *m)
{
    uint32_t pc = m->pc;
    emit(m, random_below(&m->random, 2) ? (uint16_t[]){ 0x5030, 6 } : (uint16_t[]){ 0x8030, (uint16_t)-6 }, 2);
    log_mark(m, pc, true);
    log_register(m, SR, pc);
    m->p->tested++;
}

/* ---- the whole ---- */

static void one_more(struct maker *m)
{
    uint32_t die = random_below(&m->random, 100);
    if (m->cpu.r[SP] < PROGRAM_STACK + 64 || m->cpu.r[SP] > PROGRAM_LOG - 64)
        load_register(m, SP, (PROGRAM_STACK + PROGRAM_LOG) / 2);
    if (die < 6) {
        conditional_jump(m);
    } else if (die < 7) {
        backward_jump(m);
    } else if (die < 10) {
        transfer(m);
    } else if (die < 11) {
        return_from_interrupt(m);
    } else if (die < 12) {
        add_to_pc(m);
    } else if (die < 28) {
        struct candidate c = single_operand(m);
        try(m, &c, single_exception(m, &c));
    } else {
        struct candidate c = double_operand(m);
        try(m, &c, double_exception(m, &c));
    }
}

static void begin(struct maker *m)
{
    struct program *p = m->p;
    memset(p->image, 0, sizeof p->image);
    memset(p->log_pc, 0, sizeof p->log_pc);
    for (uint32_t a = PROGRAM_DATA; a < PROGRAM_LOG; a++)
        p->image[a] = (uint8_t)random_value(&m->random, 8);
    memcpy(p->memory, p->image, sizeof p->memory);
    for (uint32_t a = PROGRAM_LOG; a < PROGRAM_CODE; a += 2)
        put_word(m, a, 0x5aa5);
    put_word(m, PROGRAM_END, 0x3fff);
    put_word(m, 0xfffe, PROGRAM_CODE);
    m->cpu.r[PC] = PROGRAM_CODE;
    load_register(m, SR, random_next(&m->random) & SR_SAFE);
    load_register(m, SP, (PROGRAM_STACK + PROGRAM_LOG) / 2);
    for (uint32_t i = 4; i < 16; i++)
        load_register(m, i, random_value(&m->random, 16));
}

void program_make(struct program *p, uint64_t seed)
{
    struct maker m = { .p = p, .random = seed * 0x9e3779b97f4a7c15u | 1, .pc = PROGRAM_CODE, .log = PROGRAM_LOG };
    m.cpu.memory = p->memory;
    p->tested = 0;
    begin(&m);
    while (m.pc < PROGRAM_END - 200 && m.log < PROGRAM_CODE - 80)
        one_more(&m);
    for (uint32_t i = 1; i < 16; i++)
        log_register(&m, i == CG ? SR : i, m.pc);
    lay(&m, (uint16_t[]){ 0x4030, PROGRAM_END }, 2);
}
