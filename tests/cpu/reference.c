#include "reference.h"

enum { PC = 0, SP = 1, SR = 2, CG = 3 };
enum { C = 1, Z = 2, N = 4, V = 0x100, SR_BITS = 0x1ff /* the others are reserved: 0 */ };

/* ---- memory: little-endian, words on even addresses (the lowest address bit is ignored) ---- */

static uint32_t space(const struct ref_cpu *cpu)
{
    return cpu->x ? 0xfffff : 0xffff;
}

static uint32_t read_memory(const struct ref_cpu *cpu, uint32_t address, int bits)
{
    address &= space(cpu);
    if (bits == 8)
        return cpu->memory[address];
    address &= ~1u;
    uint32_t low = cpu->memory[address] | (uint32_t)cpu->memory[address + 1] << 8;
    if (bits == 16)
        return low;
    uint32_t next = (address + 2) & space(cpu);
    return low | (uint32_t)(cpu->memory[next] & 15) << 16;
}

static void write_byte(struct ref_cpu *cpu, uint32_t address, uint32_t value)
{
    cpu->memory[address] = (uint8_t)value;
    cpu->written[cpu->writes++] = address;
}

static void write_memory(struct ref_cpu *cpu, uint32_t address, uint32_t value, int bits)
{
    address &= space(cpu);
    if (bits == 8) {
        write_byte(cpu, address, value);
        return;
    }
    address &= ~1u;
    write_byte(cpu, address, value);
    write_byte(cpu, address + 1, value >> 8);
    if (bits == 20) {
        uint32_t next = (address + 2) & space(cpu);
        write_byte(cpu, next, value >> 16 & 15);
        write_byte(cpu, next + 1, 0);
    }
}

static uint32_t fetch(struct ref_cpu *cpu)
{
    uint32_t word = read_memory(cpu, cpu->r[PC], 16);
    cpu->r[PC] = (cpu->r[PC] + 2) & space(cpu);
    return word;
}

static uint32_t ones(int bits)
{
    return (1u << bits) - 1;
}

static uint32_t sign_bit(int bits)
{
    return 1u << (bits - 1);
}

static uint32_t signed16(uint32_t word)
{
    return word & 0x8000 ? word | 0xffff0000u : word;
}

/* A register receives a result of BITS: what lies above becomes 0. PC and SP stay even. */
static void write_register(struct ref_cpu *cpu, int reg, uint32_t value, int bits)
{
    value &= ones(bits) & space(cpu);
    if (reg == PC || reg == SP)
        value &= ~1u;
    if (reg == SR)
        value &= SR_BITS;
    if (reg != CG)
        cpu->r[reg] = value;
}

static void set_flags(struct ref_cpu *cpu, uint32_t mask, uint32_t value)
{
    cpu->r[SR] = (cpu->r[SR] & ~mask) | (value & mask);
}

static uint32_t zero_negative(uint32_t result, int bits)
{
    return ((result & ones(bits)) == 0 ? Z : 0u) | (result & sign_bit(bits) ? N : 0u);
}

/* ---- operands ---- */

struct extension {
    bool present;
    uint32_t source_high, destination_high; /* bits 19:16 of index, address or immediate */
};

struct place {
    enum { IN_REGISTER, IN_MEMORY, CONSTANT } where;
    int reg;
    uint32_t address; /* or the constant */
};

/* X(Rn). A plain instruction on the MSP430X stays in the lower 64 KB when Rn points there; an extended one has 20 bits.
 */
static uint32_t index_address(struct ref_cpu *cpu, uint32_t base, uint32_t index, bool extended, uint32_t high)
{
    if (extended)
        return (base + (high << 16 | index)) & 0xfffff;
    if (base < 0x10000)
        return (base + index) & 0xffff;
    return (base + signed16(index)) & space(cpu);
}

static struct place indexed(struct ref_cpu *cpu, int reg, bool extended, uint32_t high)
{
    struct place p = { IN_MEMORY, reg, 0 };
    uint32_t base = cpu->r[reg]; /* of PC: the address of the index word */
    uint32_t index = fetch(cpu);
    if (reg == SR) /* absolute mode */
        p.address = extended ? high << 16 | index : index;
    else
        p.address = index_address(cpu, base, index, extended, high);
    return p;
}

static struct place constant(uint32_t value)
{
    return (struct place){ CONSTANT, 0, value };
}

static struct place source(struct ref_cpu *cpu, int as, int reg, int bits, const struct extension *x)
{
    static const uint32_t cg_r3[4] = { 0, 1, 2, 0xfffff };
    if (reg == CG)
        return constant(cg_r3[as]);
    if (reg == SR && as >= 2)
        return constant(as == 2 ? 4 : 8);
    if (as == 0)
        return (struct place){ IN_REGISTER, reg, 0 };
    if (as == 1)
        return indexed(cpu, reg, x->present, x->source_high);
    struct place p = { IN_MEMORY, reg, cpu->r[reg] };
    if (as == 3 && reg == PC)
        return constant(fetch(cpu) | (x->present ? x->source_high << 16 : 0));
    if (as == 3) {
        uint32_t step = bits == 8 ? 1 : bits == 16 ? 2 : 4;
        if (reg == SP && step == 1)
            step = 2; /* SP stays on words */
        cpu->r[reg] = (cpu->r[reg] + step) & space(cpu);
    }
    return p;
}

static struct place destination(struct ref_cpu *cpu, int ad, int reg, const struct extension *x)
{
    if (ad == 0)
        return (struct place){ IN_REGISTER, reg, 0 };
    return indexed(cpu, reg, x->present, x->destination_high);
}

static uint32_t get(const struct ref_cpu *cpu, struct place p, int bits)
{
    if (p.where == CONSTANT)
        return p.address & ones(bits);
    if (p.where == IN_MEMORY)
        return read_memory(cpu, p.address, bits);
    return p.reg == CG ? 0 : cpu->r[p.reg] & ones(bits);
}

static void put(struct ref_cpu *cpu, struct place p, uint32_t value, int bits)
{
    if (p.where == IN_REGISTER)
        write_register(cpu, p.reg, value, bits);
    else if (p.where == IN_MEMORY)
        write_memory(cpu, p.address, value, bits);
}

/* ---- arithmetic ---- */

static uint32_t sum(struct ref_cpu *cpu, uint32_t a, uint32_t b, uint32_t carry, int bits)
{
    a &= ones(bits);
    b &= ones(bits);
    uint32_t result = a + b + carry;
    uint32_t flags = zero_negative(result, bits);
    if (result > ones(bits))
        flags |= C;
    if ((a & sign_bit(bits)) == (b & sign_bit(bits)) && (a & sign_bit(bits)) != (result & sign_bit(bits)))
        flags |= V;
    set_flags(cpu, C | Z | N | V, flags);
    return result & ones(bits);
}

static uint32_t decimal_sum(struct ref_cpu *cpu, uint32_t a, uint32_t b, uint32_t carry, int bits)
{
    uint32_t result = 0;
    for (int shift = 0; shift < bits; shift += 4) {
        uint32_t digit = (a >> shift & 15) + (b >> shift & 15) + carry;
        carry = digit >= 10;
        if (carry)
            digit += 6;
        result |= (digit & 15) << shift;
    }
    set_flags(cpu, C | Z | N, zero_negative(result, bits) | (carry ? C : 0u));
    cpu->undefined_flags = V;
    return result;
}

static void logic_flags(struct ref_cpu *cpu, uint32_t result, int bits, bool overflow)
{
    uint32_t flags = zero_negative(result, bits);
    set_flags(cpu, C | Z | N | V, flags | (flags & Z ? 0u : C) | (overflow ? V : 0u));
}

enum { MOV = 4, ADD, ADDC, SUBC, SUB, CMP, DADD, BIT, BIC, BIS, XOR, AND };

static uint32_t compute(struct ref_cpu *cpu, int op, uint32_t src, uint32_t dst, uint32_t carry, int bits)
{
    uint32_t result = 0;
    switch (op) {
    case MOV:
        return src;
    case ADD:
        return sum(cpu, dst, src, 0, bits);
    case ADDC:
        return sum(cpu, dst, src, carry, bits);
    case SUBC:
        return sum(cpu, dst, ~src, carry, bits);
    case SUB:
    case CMP:
        return sum(cpu, dst, ~src, 1, bits);
    case DADD:
        return decimal_sum(cpu, dst, src, carry, bits);
    case BIC:
        return dst & ~src;
    case BIS:
        return dst | src;
    case XOR:
        result = src ^ dst;
        logic_flags(cpu, result, bits, src & dst & sign_bit(bits));
        return result;
    default: /* BIT, AND */
        result = src & dst;
        logic_flags(cpu, result, bits, false);
        return result;
    }
}

static uint32_t carry_of(const struct ref_cpu *cpu, bool zero_carry)
{
    return zero_carry ? 0 : cpu->r[SR] & C;
}

static void double_operand(struct ref_cpu *cpu, uint32_t word, int bits, const struct extension *x, int times, bool zc)
{
    int op = (int)(word >> 12);
    struct place from = source(cpu, word >> 4 & 3, word >> 8 & 15, bits, x);
    /* The source is read before the destination's address is worked out. */
    uint32_t src = get(cpu, from, bits);
    struct place to = destination(cpu, word >> 7 & 1, word & 15, x);
    for (int i = 0; i < times; i++) {
        if (i && from.where == IN_REGISTER)
            src = get(cpu, from, bits);
        uint32_t dst = op == MOV ? 0 : get(cpu, to, bits);
        uint32_t result = compute(cpu, op, src, dst, carry_of(cpu, zc), bits);
        if (op != CMP && op != BIT)
            put(cpu, to, result, bits);
    }
}

/* ---- single operand ---- */

enum { RRC, SWPB, RRA, SXT, PUSH, CALL };

static uint32_t rotate_right(struct ref_cpu *cpu, uint32_t value, uint32_t in, int bits)
{
    uint32_t result = value >> 1 | (in ? sign_bit(bits) : 0);
    uint32_t flags = zero_negative(result, bits) | (value & 1 ? C : 0u);
    set_flags(cpu, C | Z | N | V, flags);
    return result;
}

static void sign_extend(struct ref_cpu *cpu, struct place p, int bits)
{
    uint32_t value = get(cpu, p, bits);
    uint32_t result = (value & 0x80) ? value | ~0xffu : value & 0xff;
    int width = p.where == IN_REGISTER && cpu->x ? 20 : bits;
    logic_flags(cpu, result, width, false);
    put(cpu, p, result, width);
}

static void swap_bytes(struct ref_cpu *cpu, struct place p, int bits)
{
    uint32_t value = get(cpu, p, bits);
    put(cpu, p, (value & 0xf0000) | (value & 0xff) << 8 | (value >> 8 & 0xff), bits);
}

static void push(struct ref_cpu *cpu, uint32_t value, int bits)
{
    cpu->r[SP] = (cpu->r[SP] - (bits == 20 ? 4 : 2)) & space(cpu);
    write_memory(cpu, cpu->r[SP], value, bits);
}

static uint32_t pop(struct ref_cpu *cpu, int bits)
{
    uint32_t value = read_memory(cpu, cpu->r[SP], bits);
    cpu->r[SP] = (cpu->r[SP] + (bits == 20 ? 4 : 2)) & space(cpu);
    return value;
}

/* "SP - 2 -> SP, then src -> @SP": an operand that names SP sees it already moved. @SP+ alone is read first, for it
 * could not be executed the other way round. */
static uint32_t stack_operand(struct ref_cpu *cpu, int as, int reg, int bits, const struct extension *x, uint32_t room)
{
    bool popped = as == 3 && reg == SP;
    uint32_t value = popped ? get(cpu, source(cpu, as, reg, bits, x), bits) : 0;
    cpu->r[SP] = (cpu->r[SP] - room) & space(cpu);
    return popped ? value : get(cpu, source(cpu, as, reg, bits, x), bits);
}

static void push_or_call(struct ref_cpu *cpu, uint32_t word, int bits, const struct extension *x)
{
    uint32_t value = stack_operand(cpu, word >> 4 & 3, word & 15, bits, x, bits == 20 ? 4 : 2);
    if ((word >> 7 & 7) == PUSH) {
        write_memory(cpu, cpu->r[SP], value, bits);
    } else {
        write_memory(cpu, cpu->r[SP], cpu->r[PC], 16);
        write_register(cpu, PC, value, 16);
    }
}

static void single_operand(struct ref_cpu *cpu, uint32_t word, int bits, const struct extension *x, int times, bool zc)
{
    int op = (int)(word >> 7 & 7);
    if (op == PUSH || op == CALL) {
        for (int i = 0; i < times; i++)
            push_or_call(cpu, word, bits, x);
        return;
    }
    struct place p = source(cpu, word >> 4 & 3, word & 15, bits, x);
    for (int i = 0; i < times; i++) {
        uint32_t value = get(cpu, p, bits);
        switch (op) {
        case RRC:
            put(cpu, p, rotate_right(cpu, value, carry_of(cpu, zc), bits), bits);
            break;
        case RRA:
            put(cpu, p, rotate_right(cpu, value, value & sign_bit(bits), bits), bits);
            break;
        case SWPB:
            swap_bytes(cpu, p, bits);
            break;
        case SXT:
            sign_extend(cpu, p, bits);
            break;
        }
    }
}

static void reti(struct ref_cpu *cpu)
{
    uint32_t sr = pop(cpu, 16);
    uint32_t pc = pop(cpu, 16);
    if (cpu->x)
        pc |= (sr & 0xf000) << 4;
    write_register(cpu, SR, sr, 16);
    write_register(cpu, PC, pc, 20);
}

static void jump(struct ref_cpu *cpu, uint32_t word)
{
    uint32_t sr = cpu->r[SR];
    bool n = sr & N, v = sr & V;
    const bool taken[8] = { !(sr & Z), sr & Z, !(sr & C), sr & C, n, n == v, n != v, true };
    uint32_t offset = word & 0x3ff;
    if (offset & 0x200)
        offset |= ~0x3ffu;
    if (taken[word >> 10 & 7])
        cpu->r[PC] = (cpu->r[PC] + 2 * offset) & space(cpu);
}

/* ---- MSP430X ---- */

static void shift_many(struct ref_cpu *cpu, uint32_t word)
{
    int reg = (int)(word & 15), count = (int)(word >> 10 & 3) + 1, kind = (int)(word >> 8 & 3);
    int bits = word & 0x10 ? 16 : 20;
    for (int i = 0; i < count; i++) {
        uint32_t value = cpu->r[reg] & ones(bits);
        switch (kind) {
        case 0: /* RRCM */
            write_register(cpu, reg, rotate_right(cpu, value, cpu->r[SR] & C, bits), bits);
            break;
        case 1: /* RRAM */
            write_register(cpu, reg, rotate_right(cpu, value, value & sign_bit(bits), bits), bits);
            break;
        case 2: /* RLAM */
            write_register(cpu, reg, sum(cpu, value, value, 0, bits), bits);
            cpu->undefined_flags = V;
            break;
        default: /* RRUM */
            write_register(cpu, reg, rotate_right(cpu, value, 0, bits), bits);
            break;
        }
    }
}

static void mova_from_memory(struct ref_cpu *cpu, int kind, int src, int dst)
{
    uint32_t address = cpu->r[src];
    if (kind == 1)
        cpu->r[src] = (cpu->r[src] + 4) & 0xfffff;
    else if (kind == 2)
        address = (uint32_t)src << 16 | fetch(cpu);
    else if (kind == 3)
        address = (address + signed16(fetch(cpu))) & 0xfffff;
    write_register(cpu, dst, read_memory(cpu, address, 20), 20);
}

static void address_operation(struct ref_cpu *cpu, int kind, uint32_t value, int dst)
{
    if (kind == 0)
        write_register(cpu, dst, value, 20);
    else if (kind == 1)
        sum(cpu, cpu->r[dst], ~value, 1, 20);
    else if (kind == 2)
        write_register(cpu, dst, sum(cpu, cpu->r[dst], value, 0, 20), 20);
    else
        write_register(cpu, dst, sum(cpu, cpu->r[dst], ~value, 1, 20), 20);
}

static void address_instruction(struct ref_cpu *cpu, uint32_t word)
{
    int kind = (int)(word >> 4 & 15), src = (int)(word >> 8 & 15), dst = (int)(word & 15);
    if (kind <= 3) {
        mova_from_memory(cpu, kind, src, dst);
    } else if (kind <= 5) {
        shift_many(cpu, word);
    } else if (kind == 6) {
        uint32_t value = cpu->r[src]; /* of PC: as in format I, before the next word is fetched */
        uint32_t address = (uint32_t)dst << 16 | fetch(cpu);
        write_memory(cpu, address, value, 20);
    } else if (kind == 7) {
        uint32_t value = cpu->r[src], base = cpu->r[dst];
        uint32_t address = (base + signed16(fetch(cpu))) & 0xfffff;
        write_memory(cpu, address, value, 20);
    } else if (kind <= 11) {
        uint32_t value = (uint32_t)src << 16 | fetch(cpu);
        address_operation(cpu, kind - 8, value, dst);
    } else {
        bool two = src == 3 && kind >= 14; /* as TI's compiler has it for INCDA and DECDA */
        address_operation(cpu, kind - 12, two ? 2 : cpu->r[src], dst);
    }
}

static void push_many(struct ref_cpu *cpu, uint32_t word)
{
    int count = (int)(word >> 4 & 15) + 1, reg = (int)(word & 15), bits = word & 0x100 ? 16 : 20;
    for (int i = 0; i < count; i++, reg--)
        push(cpu, cpu->r[reg & 15], bits);
}

static void pop_many(struct ref_cpu *cpu, uint32_t word)
{
    int count = (int)(word >> 4 & 15) + 1, reg = (int)(word & 15), bits = word & 0x100 ? 16 : 20;
    for (int i = 0; i < count; i++, reg++)
        write_register(cpu, reg & 15, pop(cpu, bits), bits);
}

static bool calla(struct ref_cpu *cpu, uint32_t word)
{
    int kind = (int)(word >> 4 & 15), reg = (int)(word & 15);
    if (kind < 4 || kind == 10 || kind > 11)
        return false;
    cpu->r[SP] = (cpu->r[SP] - 4) & 0xfffff;
    uint32_t target = 0, base = cpu->r[reg];
    switch (kind) {
    case 4:
        target = base;
        break;
    case 5:
        target = read_memory(cpu, base + signed16(fetch(cpu)), 20);
        break;
    case 6:
        target = read_memory(cpu, base, 20);
        break;
    case 7:
        target = read_memory(cpu, base, 20);
        cpu->r[reg] = (base + 4) & 0xfffff;
        break;
    case 8:
        target = read_memory(cpu, (uint32_t)reg << 16 | fetch(cpu), 20);
        break;
    case 9:
        base = cpu->r[PC];
        target = read_memory(cpu, base + ((uint32_t)reg << 16 | fetch(cpu)), 20);
        break;
    case 11:
        target = (uint32_t)reg << 16 | fetch(cpu);
        break;
    }
    write_memory(cpu, cpu->r[SP], cpu->r[PC], 20);
    write_register(cpu, PC, target, 20);
    return true;
}

/* Bits of the operation: the extension word's A/L and the instruction's B/W. 0 when reserved. */
static int width_of(uint32_t word, bool extended, bool al, bool swap_or_extend)
{
    bool bw = word & 0x40;
    if (!extended || al)
        return bw ? 8 : 16;
    if (swap_or_extend)
        return bw ? 0 : 20;
    return bw ? 20 : 0;
}

static bool operands_in_registers(uint32_t word)
{
    return (word >> 4 & 3) == 0 && (word < 0x4000 || !(word & 0x80));
}

/* Executes format I and II, extended or not. */
static bool operate(struct ref_cpu *cpu, uint32_t word, bool extended, uint32_t ext)
{
    int op = (int)(word >> 7 & 7);
    bool two = word >= 0x4000;
    bool al = ext & 0x40, zc = false;
    struct extension x = { extended, 0, 0 };
    int times = 1;
    if (!two && ((word & 0xfc00) != 0x1000 || op > CALL || (extended && op == CALL)))
        return false;
    int bits = width_of(word, extended, al, !two && (op == SWPB || op == SXT));
    if (bits == 0 || (!two && bits == 8 && (op == SWPB || op == SXT || op == CALL)))
        return false;
    if (extended && operands_in_registers(word)) {
        zc = ext & 0x100;
        times = (int)((ext & 0x80 ? cpu->r[ext & 15] & 15 : ext & 15) + 1);
    } else if (extended) {
        x.source_high = ext >> 7 & 15;
        x.destination_high = ext & 15;
    }
    if (!two) /* a single operand's high bits are the extension word's destination bits */
        x.source_high = x.destination_high;
    if (two)
        double_operand(cpu, word, bits, &x, times, zc);
    else
        single_operand(cpu, word, bits, &x, times, zc);
    return true;
}

static bool execute(struct ref_cpu *cpu)
{
    uint32_t word = fetch(cpu);
    if (word >= 0x4000)
        return operate(cpu, word, false, 0);
    if (word >= 0x2000) {
        jump(cpu, word);
        return true;
    }
    if (word == 0x1300) {
        reti(cpu);
        return true;
    }
    if (cpu->x && word >= 0x1800)
        return operate(cpu, fetch(cpu), true, word);
    if (cpu->x && word < 0x1000) {
        address_instruction(cpu, word);
        return true;
    }
    if (cpu->x && word >= 0x1400 && word < 0x1800) {
        (word & 0x200 ? pop_many : push_many)(cpu, word);
        return true;
    }
    if (cpu->x && word >= 0x1340 && word < 0x1400)
        return calla(cpu, word);
    return operate(cpu, word, false, 0);
}

bool ref_step(struct ref_cpu *cpu)
{
    uint32_t before[16];
    for (int i = 0; i < 16; i++)
        before[i] = cpu->r[i];
    cpu->writes = 0;
    cpu->undefined_flags = 0;
    if (execute(cpu))
        return true;
    for (int i = 0; i < 16; i++)
        cpu->r[i] = before[i];
    return false;
}
