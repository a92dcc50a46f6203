#include "generate.h"

enum { PC, SP, SR, CG };

/* xorshift64*; the state must not be 0 */
uint32_t random_next(uint64_t *state)
{
    uint64_t s = *state;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    *state = s;
    return (uint32_t)(s * 0x2545f4914f6cdd1du >> 32);
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((uint64_t)random_next(state) * n >> 32);
}

static uint32_t random_bcd(uint64_t *state, int bits)
{
    uint32_t value = 0;
    for (int shift = 0; shift < bits; shift += 4)
        value |= random_below(state, 10) << shift;
    return value;
}

uint32_t random_value(uint64_t *state, int bits)
{
    static const uint32_t edges[] = { 0,      1,      2,      0x7f,    0x80,    0xff,    0x100,   0x7fff,
                                      0x8000, 0xfffe, 0xffff, 0x10000, 0x7ffff, 0x80000, 0xffffe, 0xfffff };
    uint32_t mask = (1u << bits) - 1;
    switch (random_below(state, 8)) {
    case 0:
    case 1:
        return edges[random_below(state, sizeof edges / sizeof *edges)] & mask;
    case 2:
        return random_bcd(state, bits);
    case 3:
        return random_next(state) & 0xffff & mask;
    default:
        return random_next(state) & mask;
    }
}

/* Registers with a meaning of their own come a little less often than their share. */
static uint32_t random_register(uint64_t *state)
{
    return random_below(state, 3) ? 4 + random_below(state, 12) : random_below(state, 16);
}

/* The words that follow an instruction of format I or II: an index or immediate for each operand that has one. */
static bool takes_word(uint32_t as, uint32_t reg)
{
    return (as == 1 && reg != CG) || (as == 3 && reg == PC);
}

static int double_operand(uint64_t *state, uint32_t byte, uint16_t *words)
{
    uint32_t op = 4 + random_below(state, 12), as = random_below(state, 4), ad = random_below(state, 2);
    uint32_t src = random_register(state), dst = random_register(state);
    int n = 1;
    if (dst == CG)
        ad = 0;
    words[0] = (uint16_t)(op << 12 | src << 8 | ad << 7 | byte << 6 | as << 4 | dst);
    if (takes_word(as, src))
        words[n++] = (uint16_t)random_value(state, 16);
    if (ad)
        words[n++] = (uint16_t)random_value(state, 16);
    return n;
}

enum { RRC, SWPB, RRA, SXT, PUSH, CALL };

static int single_operand(uint64_t *state, uint32_t op, uint32_t byte, uint16_t *words)
{
    uint32_t as = random_below(state, 4), reg = random_register(state);
    int n = 1;
    /* A constant cannot be written to: PUSH and CALL only. */
    if (op < PUSH && ((reg == CG) || (reg == SR && as >= 2) || (reg == PC && as == 3)))
        reg = 5;
    words[0] = (uint16_t)(0x1000 | op << 7 | byte << 6 | as << 4 | reg);
    if (takes_word(as, reg))
        words[n++] = (uint16_t)random_value(state, 16);
    return n;
}

static int plain_single(uint64_t *state, uint16_t *words)
{
    uint32_t op = random_below(state, 6);
    uint32_t byte = op == SWPB || op == SXT || op == CALL ? 0 : random_below(state, 2);
    if (random_below(state, 40) == 0) {
        words[0] = 0x1300; /* RETI */
        return 1;
    }
    return single_operand(state, op, byte, words);
}

static int jump(uint64_t *state, uint16_t *words)
{
    words[0] = (uint16_t)(0x2000 | random_below(state, 0x2000));
    return 1;
}

static bool only_registers(uint32_t word)
{
    return (word >> 4 & 3) == 0 && (word < 0x4000 || !(word & 0x80));
}

/* Constants of the generators with As > 0: no register, no word that could have high bits. */
static bool generated_constant(uint32_t word)
{
    uint32_t as = word >> 4 & 3, src = word < 0x4000 ? word & 15 : word >> 8 & 15;
    return (src == CG && as > 0) || (src == SR && as >= 2);
}

/* High bits of indexes, addresses and immediates; or, between registers, ZC and a repetition. */
static uint32_t extension_bits(uint64_t *state, uint32_t word)
{
    uint32_t high = random_below(state, 16);
    if (only_registers(word)) {
        bool plain = (word & 15) == PC || random_below(state, 2);
        return plain ? 0 : random_below(state, 2) << 8 | random_below(state, 2) << 7 | high;
    }
    if (word < 0x4000)
        return generated_constant(word) ? 0 : high;
    return (generated_constant(word) ? 0 : random_below(state, 16) << 7) | (word & 0x80 ? high : 0);
}

static int extended(uint64_t *state, uint16_t *words)
{
    uint32_t width = random_below(state, 3); /* byte, word, address word */
    uint32_t ext = 0x1800 | (width == 2 ? 0 : 0x40), byte = width != 1;
    int n = 0;
    if (random_below(state, 3)) {
        n = double_operand(state, byte, words + 1);
    } else {
        static const uint8_t ops[] = { RRC, RRC, RRA, PUSH, SWPB, SXT };
        uint32_t op = ops[random_below(state, sizeof ops)];
        if (op == SWPB || op == SXT) { /* these two tell words from address words by A/L alone */
            ext = 0x1800 | random_below(state, 2) << 6;
            byte = 0;
        }
        n = single_operand(state, op, byte, words + 1);
    }
    ext |= extension_bits(state, words[1]);
    words[0] = (uint16_t)ext;
    return n + 1;
}

static int address_instruction(uint64_t *state, uint16_t *words)
{
    uint32_t kind = random_below(state, 16), src = random_register(state), dst = random_register(state);
    bool high_in_source = kind == 2 || (kind >= 8 && kind <= 11);
    if (kind == 4 || kind == 5) {
        dst = 4 + random_below(state, 12);
        src = random_below(state, 16);
    } else {
        bool constant = src == CG && kind >= 14;
        if (!high_in_source && !constant && (src == CG || src == SR || (src == PC && kind < 2)))
            src = 6;
        if (kind != 6 && (dst == CG || dst == SR))
            dst = 7;
    }
    words[0] = (uint16_t)(src << 8 | kind << 4 | dst);
    words[1] = (uint16_t)random_value(state, 16);
    return kind == 2 || kind == 3 || (kind >= 6 && kind <= 11) ? 2 : 1;
}

static int push_pop_many(uint64_t *state, uint16_t *words)
{
    uint32_t count = 1 + random_below(state, 12), pop = random_below(state, 2), word = random_below(state, 2);
    uint32_t low = 4 + random_below(state, 13 - count);
    uint32_t reg = pop ? low : low + count - 1;
    words[0] = (uint16_t)(0x1400 | pop << 9 | word << 8 | (count - 1) << 4 | reg);
    return 1;
}

static int calla(uint64_t *state, uint16_t *words)
{
    static const uint8_t kinds[] = { 4, 5, 6, 7, 8, 9, 11 };
    uint32_t kind = kinds[random_below(state, sizeof kinds)];
    uint32_t reg = kind < 8 ? 4 + random_below(state, 12) : random_below(state, 16);
    words[0] = (uint16_t)(0x1300 | kind << 4 | reg);
    words[1] = (uint16_t)random_value(state, 16);
    return kind == 5 || kind >= 8 ? 2 : 1;
}

int generate_instruction(uint64_t *state, bool x, uint16_t words[GENERATE_WORDS_MAX])
{
    uint32_t die = x ? random_below(state, 100) : 50 + random_below(state, 50);
    if (die < 28)
        return extended(state, words);
    if (die < 44)
        return address_instruction(state, words);
    if (die < 49)
        return push_pop_many(state, words);
    if (die < 50)
        return calla(state, words);
    if (die < 53)
        return jump(state, words);
    if (die < 63)
        return plain_single(state, words);
    return double_operand(state, random_below(state, 2), words);
}
