/* Every instruction, the plain way. The threaded code of execute.c does the common forms faster and leaves
 * the rest to this: special registers as destinations, the MSP430X instructions, byte forms in memory. */
#include "instruction.h"

#include <assert.h>

static uint32_t mask_of(unsigned width)
{
    return (1u << width) - 1;
}

/* ---- memory ---- */

static uint32_t load(struct hc_machine *m, uint32_t address, unsigned width)
{
    if (width == 8)
        return hc_bus_read(m, address, 1);
    uint32_t low = hc_bus_read(m, address, 2);
    return width == 16 ? low : low | (uint32_t)(hc_bus_read(m, address + 2, 2) & 15) << 16;
}

static void store(struct hc_machine *m, uint32_t address, uint32_t value, unsigned width)
{
    if (width == 8) {
        hc_bus_write(m, address, (uint8_t)value, 1);
        return;
    }
    hc_bus_write(m, address, (uint16_t)value, 2);
    if (width == 20)
        hc_bus_write(m, address + 2, (value >> 16) & 15, 2);
}

static void push_word(struct hc_machine *m, uint32_t value)
{
    m->s.r[HC_SP] = (m->s.r[HC_SP] - 2) & m->address_mask;
    hc_bus_write(m, m->s.r[HC_SP], (uint16_t)value, 2);
}

static uint16_t pop_word(struct hc_machine *m)
{
    uint16_t value = hc_bus_read(m, m->s.r[HC_SP], 2);
    m->s.r[HC_SP] = (m->s.r[HC_SP] + 2) & m->address_mask;
    return value;
}

/* 20 bits: the low word at the lower address. */
static void push_address(struct hc_machine *m, uint32_t value)
{
    push_word(m, value >> 16);
    push_word(m, value);
}

/* ---- operands ---- */

static void set_register(struct hc_machine *m, unsigned reg, uint32_t value)
{
    if (reg == HC_SR)
        hc_status_write(m, value & 0x1ff);
    else if (reg == HC_PC || reg == HC_SP)
        m->s.r[reg] = value & m->address_mask & ~1u;
    else if (reg != 3)
        m->s.r[reg] = value & m->address_mask;
}

static uint32_t address_of(struct hc_machine *m, const struct hc_instruction *i, const struct hc_operand *o)
{
    uint32_t base = m->s.r[o->reg];
    switch (o->mode) {
    case HC_INDEXED:
        return i->extended ? (base + o->value) & m->address_mask : hc_msp430_indexed(base, o->value);
    case HC_ABSOLUTE:
        return o->value;
    case HC_INCREMENT: {
        unsigned step = i->width == 20 ? 4 : i->width == 16 || o->reg == HC_SP ? 2 : 1;
        set_register(m, o->reg, base + step);
        return base;
    }
    default:
        return base;
    }
}

/* The value of an operand; for memory, its address too. */
static uint32_t fetch(struct hc_machine *m, const struct hc_instruction *i, const struct hc_operand *o,
                      uint32_t *address)
{
    if (o->mode == HC_IMMEDIATE)
        return o->value & mask_of(i->width);
    if (o->mode == HC_REGISTER)
        return o->reg == 3 ? 0 : m->s.r[o->reg] & mask_of(i->width);
    *address = address_of(m, i, o);
    return load(m, *address, i->width);
}

static void put(struct hc_machine *m, const struct hc_instruction *i, const struct hc_operand *o, uint32_t address,
                uint32_t value)
{
    if (o->mode == HC_REGISTER)
        set_register(m, o->reg, value & mask_of(i->width));
    else if (o->mode != HC_IMMEDIATE)
        store(m, address, value & mask_of(i->width), i->width);
}

/* ---- arithmetic ---- */

static void set_flags(struct hc_machine *m, uint32_t result, unsigned width, bool carry, bool overflow)
{
    assert(width == 8 || width == 16 || width == 20);
    uint32_t sr = m->s.r[HC_SR] & ~(uint32_t)(HC_SR_C | HC_SR_Z | HC_SR_N | HC_SR_V);
    if (carry)
        sr |= HC_SR_C;
    if ((result & mask_of(width)) == 0)
        sr |= HC_SR_Z;
    if (result >> (width - 1) & 1)
        sr |= HC_SR_N;
    if (overflow)
        sr |= HC_SR_V;
    m->s.r[HC_SR] = sr;
}

uint32_t hc_msp430_dadd(uint32_t a, uint32_t b, unsigned carry, unsigned width)
{
    uint32_t result = 0;
    for (unsigned shift = 0; shift < width; shift += 4) {
        unsigned digit = (a >> shift & 15) + (b >> shift & 15) + carry;
        carry = digit > 9;
        if (carry)
            digit += 6;
        result |= (digit & 15) << shift;
    }
    return result | (uint32_t)carry << width;
}

static uint32_t add(struct hc_machine *m, uint32_t a, uint32_t b, unsigned carry, unsigned width)
{
    uint32_t sum = a + b + carry;
    set_flags(m, sum, width, sum >> width & 1, ((a ^ sum) & (b ^ sum)) >> (width - 1) & 1);
    return sum;
}

static uint32_t double_result(struct hc_machine *m, const struct hc_instruction *i, uint32_t src, uint32_t dst)
{
    unsigned width = i->width;
    uint32_t inverse = ~src & mask_of(width);
    unsigned carry = !i->zero_carry && (m->s.r[HC_SR] & HC_SR_C);
    uint32_t result;
    switch (i->op) {
    case HC_OP_MOV:
        return src;
    case HC_OP_ADD:
        return add(m, src, dst, 0, width);
    case HC_OP_ADDC:
        return add(m, src, dst, carry, width);
    case HC_OP_SUBC:
        return add(m, inverse, dst, carry, width);
    case HC_OP_SUB:
    case HC_OP_CMP:
        return add(m, inverse, dst, 1, width);
    case HC_OP_DADD: {
        bool overflow = m->s.r[HC_SR] & HC_SR_V;
        result = hc_msp430_dadd(src, dst, carry, width);
        set_flags(m, result, width, result >> width, overflow);
        return result;
    }
    case HC_OP_BIC:
        return dst & inverse;
    case HC_OP_BIS:
        return dst | src;
    case HC_OP_XOR:
        result = src ^ dst;
        set_flags(m, result, width, result != 0, (src & dst) >> (width - 1) & 1);
        return result;
    default: /* AND, BIT */
        result = src & dst;
        set_flags(m, result, width, result != 0, false);
        return result;
    }
}

/* ---- formats ---- */

static unsigned repetitions(const struct hc_machine *m, const struct hc_instruction *i)
{
    return i->repeat_reg ? m->s.r[i->repeat] & 15 : i->repeat;
}

static unsigned execute_double(struct hc_machine *m, const struct hc_instruction *i)
{
    unsigned extra = repetitions(m, i);
    for (unsigned n = 0; n <= extra; n++) {
        uint32_t address = 0;
        uint32_t src = fetch(m, i, &i->src, &address);
        if (i->op == HC_OP_MOV && i->dst.mode != HC_REGISTER) {
            store(m, address_of(m, i, &i->dst), src, i->width);
            continue;
        }
        uint32_t dst = fetch(m, i, &i->dst, &address);
        uint32_t result = double_result(m, i, src, dst);
        if (i->op != HC_OP_CMP && i->op != HC_OP_BIT)
            put(m, i, &i->dst, address, result);
    }
    return i->cycles + extra;
}

static uint32_t rotate_right(struct hc_machine *m, uint32_t value, unsigned carry_in, unsigned width)
{
    uint32_t result = (value & mask_of(width)) >> 1 | (uint32_t)carry_in << (width - 1);
    set_flags(m, result, width, value & 1, false);
    return result;
}

static uint32_t single_result(struct hc_machine *m, const struct hc_instruction *i, uint32_t value)
{
    unsigned width = i->width;
    unsigned carry = !i->zero_carry && (m->s.r[HC_SR] & HC_SR_C);
    unsigned sign = value >> (width - 1) & 1;
    switch (i->op) {
    case HC_OP_RRC:
        return rotate_right(m, value, carry, width);
    case HC_OP_RRA:
        return rotate_right(m, value, sign, width);
    case HC_OP_SWPB:
        return (value & 0xf0000) | (value >> 8 & 0xff) | (value & 0xff) << 8;
    default: { /* SXT */
        uint32_t result = (uint32_t)(int32_t)(int8_t)value & 0xfffff;
        set_flags(m, result, 20, result != 0, false);
        return result;
    }
    }
}

/* PUSH and CALL move the stack pointer before they look at their operand: PUSH 4(SP) counts from the new one, PUSH SP
 * stores it. Old compilers rely on it. Only @SP+ is fetched first. */
static uint32_t fetch_for_stack(struct hc_machine *m, const struct hc_instruction *i, unsigned bytes)
{
    uint32_t address = 0;
    bool first = i->src.mode == HC_INCREMENT && i->src.reg == HC_SP;
    uint32_t value = first ? fetch(m, i, &i->src, &address) : 0;
    m->s.r[HC_SP] = (m->s.r[HC_SP] - bytes) & m->address_mask;
    return first ? value : fetch(m, i, &i->src, &address);
}

static void execute_push(struct hc_machine *m, const struct hc_instruction *i)
{
    uint32_t value = fetch_for_stack(m, i, i->width == 20 ? 4 : 2);
    store(m, m->s.r[HC_SP], value, i->width);
}

static void execute_call(struct hc_machine *m, const struct hc_instruction *i)
{
    unsigned bytes = i->format == HC_CALLA ? 4 : 2;
    uint32_t target = fetch_for_stack(m, i, bytes);
    store(m, m->s.r[HC_SP], m->s.r[HC_PC], bytes == 4 ? 20 : 16);
    set_register(m, HC_PC, target);
}

static unsigned execute_single(struct hc_machine *m, const struct hc_instruction *i)
{
    unsigned extra = repetitions(m, i);
    for (unsigned n = 0; n <= extra; n++) {
        uint32_t address = 0;
        if (i->op == HC_OP_CALL) {
            execute_call(m, i);
        } else if (i->op == HC_OP_PUSH) {
            execute_push(m, i);
        } else {
            uint32_t result = single_result(m, i, fetch(m, i, &i->src, &address));
            if (i->op == HC_OP_SXT && i->src.mode == HC_REGISTER) /* all bits of the register, whatever the width */
                set_register(m, i->src.reg, result);
            else
                put(m, i, &i->src, address, result);
        }
    }
    return i->cycles + extra;
}

static void execute_jump(struct hc_machine *m, const struct hc_instruction *i)
{
    uint32_t sr = m->s.r[HC_SR];
    bool less = !(sr & HC_SR_N) != !(sr & HC_SR_V);
    bool taken[8] = { !(sr & HC_SR_Z), sr & HC_SR_Z, !(sr & HC_SR_C), sr & HC_SR_C, sr & HC_SR_N, !less, less, true };
    if (taken[i->op])
        m->s.r[HC_PC] = i->dst.value;
}

static void execute_address(struct hc_machine *m, const struct hc_instruction *i)
{
    uint32_t address = 0;
    uint32_t src = fetch(m, i, &i->src, &address);
    if (i->op == HC_OP_MOVA) {
        if (i->dst.mode == HC_REGISTER)
            set_register(m, i->dst.reg, src);
        else
            store(m, address_of(m, i, &i->dst), src, 20);
        return;
    }
    uint32_t dst = fetch(m, i, &i->dst, &address);
    uint32_t result = i->op == HC_OP_ADDA ? add(m, src, dst, 0, 20) : add(m, ~src & 0xfffff, dst, 1, 20);
    if (i->op != HC_OP_CMPA)
        set_register(m, i->dst.reg, result & 0xfffff);
}

static void execute_rotate(struct hc_machine *m, const struct hc_instruction *i)
{
    unsigned width = i->width;
    uint32_t value = fetch(m, i, &i->dst, &(uint32_t){ 0 });
    for (unsigned n = 0; n < i->count; n++) {
        unsigned carry = m->s.r[HC_SR] & HC_SR_C;
        unsigned sign = value >> (width - 1) & 1;
        switch (i->op) {
        case HC_OP_RRCM:
            value = rotate_right(m, value, carry, width);
            break;
        case HC_OP_RRAM:
            value = rotate_right(m, value, sign, width);
            break;
        case HC_OP_RRUM:
            value = rotate_right(m, value, 0, width);
            break;
        default: /* RLAM: V is undefined; as an addition gives it */
            value = add(m, value, value, 0, width) & mask_of(width);
            break;
        }
    }
    set_register(m, i->dst.reg, value);
}

static void execute_pushm(struct hc_machine *m, const struct hc_instruction *i)
{
    for (unsigned n = 0; n < i->count; n++) {
        unsigned reg = (i->dst.reg - n) & 15;
        if (i->width == 20)
            push_address(m, m->s.r[reg]);
        else
            push_word(m, m->s.r[reg]);
    }
}

static void execute_popm(struct hc_machine *m, const struct hc_instruction *i)
{
    for (unsigned n = 0; n < i->count; n++) {
        uint32_t value = pop_word(m);
        if (i->width == 20)
            value |= (uint32_t)(pop_word(m) & 15) << 16;
        set_register(m, (i->dst.reg + n) & 15, value);
    }
}

static void execute_reti(struct hc_machine *m)
{
    uint16_t sr = pop_word(m);
    uint32_t pc = pop_word(m);
    if (m->part->cpu == HC_CPU_MSP430X)
        pc |= (uint32_t)(sr & 0xf000) << 4;
    set_register(m, HC_PC, pc);
    hc_status_write(m, sr & 0x1ff);
    m->s.gie_set_at = UINT64_MAX; /* a pending interrupt follows a RETI at once */
}

unsigned hc_msp430_interpret(struct hc_machine *m, const struct hc_instruction *i, uint32_t pc)
{
    m->s.r[HC_PC] = (pc + i->length) & m->address_mask;
    switch (i->format) {
    case HC_DOUBLE:
        return execute_double(m, i);
    case HC_SINGLE:
        return execute_single(m, i);
    case HC_JUMP:
        execute_jump(m, i);
        break;
    case HC_ADDRESS:
        execute_address(m, i);
        break;
    case HC_ROTATE:
        execute_rotate(m, i);
        break;
    case HC_PUSHM:
        execute_pushm(m, i);
        break;
    case HC_POPM:
        execute_popm(m, i);
        break;
    case HC_CALLA:
        execute_call(m, i);
        break;
    case HC_RETI:
        execute_reti(m);
        break;
    default:
        m->s.r[HC_PC] = pc;
        hc_fault(m, "undefined instruction 0x%04x", hc_peek16(m, pc));
        break;
    }
    return i->cycles;
}

/* ---- what the core asks of a CPU ---- */

enum { ERASED_VECTOR = 0xffff };

unsigned hc_cpu_enter_interrupt(struct hc_machine *m, int vector)
{
    uint32_t entry = m->part->vectors_end - 2 * (uint32_t)(m->part->vectors - vector);
    if (!m->lenient && hc_peek16(m, entry) == ERASED_VECTOR)
        hc_fault(m, "interrupt %d, which the program has enabled, has no handler: its vector at 0x%04x is erased",
                 vector, (unsigned)entry);
    uint32_t pc = m->s.r[HC_PC];
    uint32_t sr = m->s.r[HC_SR];
    uint32_t high = m->part->cpu == HC_CPU_MSP430X ? (pc >> 4) & 0xf000 : 0;
    push_word(m, pc);
    push_word(m, sr | high);
    hc_status_write(m, m->part->cpu == HC_CPU_MSP430X ? sr & HC_SR_SCG0 : 0); /* awake, no nesting */
    set_register(m, HC_PC, hc_bus_read(m, entry, 2));
    return 6;
}

void hc_cpu_reset(struct hc_machine *m)
{
    set_register(m, HC_PC, hc_peek16(m, m->part->vectors_end - 2));
}

void hc_cpu_return(struct hc_machine *m)
{
    set_register(m, HC_PC, pop_word(m));
}
