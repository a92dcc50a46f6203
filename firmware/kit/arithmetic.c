/* The compiler's helpers of the MSP430 EABI that are not worth assembly: division, and products without a multiplier.
 * Shift and subtract, shift and add: small rather than fast. */
#include "kit.h"

struct division16 {
    uint16_t quotient, remainder;
};

struct division32 {
    uint32_t quotient, remainder;
};

struct division64 {
    uint64_t quotient, remainder;
};

__attribute__((noinline)) static struct division16 divide16(uint16_t n, uint16_t d)
{
    struct division16 r = { n, 0 };
    for (int i = 0; i < 16; i++) {
        uint16_t carry = r.remainder >> 15;
        r.remainder = (uint16_t)(r.remainder << 1 | r.quotient >> 15);
        r.quotient <<= 1;
        if (carry || r.remainder >= d) {
            r.remainder -= d;
            r.quotient |= 1;
        }
    }
    return r;
}

__attribute__((noinline)) static struct division32 divide32(uint32_t n, uint32_t d)
{
    struct division32 r = { n, 0 };
    for (int i = 0; i < 32; i++) {
        uint16_t carry = (uint16_t)(r.remainder >> 31);
        r.remainder = r.remainder << 1 | r.quotient >> 31;
        r.quotient <<= 1;
        if (carry || r.remainder >= d) {
            r.remainder -= d;
            r.quotient |= 1;
        }
    }
    return r;
}

__attribute__((noinline)) static struct division64 divide64(uint64_t n, uint64_t d)
{
    struct division64 r = { n, 0 };
    for (int i = 0; i < 64; i++) {
        uint16_t carry = (uint16_t)(r.remainder >> 63);
        r.remainder = r.remainder << 1 | r.quotient >> 63;
        r.quotient <<= 1;
        if (carry || r.remainder >= d) {
            r.remainder -= d;
            r.quotient |= 1;
        }
    }
    return r;
}

#define MAGNITUDE(x) ((x) < 0 ? 0 - (unsigned_type)(x) : (unsigned_type)(x))

uint16_t __mspabi_divu(uint16_t n, uint16_t d)
{
    return divide16(n, d).quotient;
}

uint16_t __mspabi_remu(uint16_t n, uint16_t d)
{
    return divide16(n, d).remainder;
}

int16_t __mspabi_divi(int16_t n, int16_t d)
{
    typedef uint16_t unsigned_type;
    uint16_t q = divide16(MAGNITUDE(n), MAGNITUDE(d)).quotient;
    return (int16_t)((n < 0) != (d < 0) ? 0 - q : q);
}

int16_t __mspabi_remi(int16_t n, int16_t d)
{
    typedef uint16_t unsigned_type;
    uint16_t r = divide16(MAGNITUDE(n), MAGNITUDE(d)).remainder;
    return (int16_t)(n < 0 ? 0 - r : r);
}

uint32_t __mspabi_divul(uint32_t n, uint32_t d)
{
    return divide32(n, d).quotient;
}

uint32_t __mspabi_remul(uint32_t n, uint32_t d)
{
    return divide32(n, d).remainder;
}

int32_t __mspabi_divli(int32_t n, int32_t d)
{
    typedef uint32_t unsigned_type;
    uint32_t q = divide32(MAGNITUDE(n), MAGNITUDE(d)).quotient;
    return (int32_t)((n < 0) != (d < 0) ? 0 - q : q);
}

int32_t __mspabi_remli(int32_t n, int32_t d)
{
    typedef uint32_t unsigned_type;
    uint32_t r = divide32(MAGNITUDE(n), MAGNITUDE(d)).remainder;
    return (int32_t)(n < 0 ? 0 - r : r);
}

/* The 64-bit helpers get their first operand in R8-R11: arithmetic.S brings it to where C expects it. */

uint64_t kit_divull(uint64_t n, uint64_t d)
{
    return divide64(n, d).quotient;
}

uint64_t kit_remull(uint64_t n, uint64_t d)
{
    return divide64(n, d).remainder;
}

int64_t kit_divlli(int64_t n, int64_t d)
{
    typedef uint64_t unsigned_type;
    uint64_t q = divide64(MAGNITUDE(n), MAGNITUDE(d)).quotient;
    return (int64_t)((n < 0) != (d < 0) ? 0 - q : q);
}

int64_t kit_remlli(int64_t n, int64_t d)
{
    typedef uint64_t unsigned_type;
    uint64_t r = divide64(MAGNITUDE(n), MAGNITUDE(d)).remainder;
    return (int64_t)(n < 0 ? 0 - r : r);
}

uint16_t __mspabi_mpyi(uint16_t a, uint16_t b)
{
    uint16_t product = 0;
    for (; b; b >>= 1, a <<= 1)
        if (b & 1)
            product += a;
    return product;
}

uint32_t __mspabi_mpyl(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; b; b >>= 1, a <<= 1)
        if (b & 1)
            product += a;
    return product;
}

/* clang calls this one, as any C function; GCC by the EABI's rules for 64 bits, see gcc.S. */
#ifndef __clang__
#define __mspabi_mpyll kit_mpyll
#endif
uint64_t __mspabi_mpyll(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    for (; b; b >>= 1, a <<= 1)
        if (b & 1)
            product += a;
    return product;
}

/* A row of the school's long multiplication, 16 bits at a time, on the part's multiplier. */
uint64_t __mspabi_mpyll_hw(uint64_t a, uint64_t b)
{
    uint32_t __mspabi_mpyl_hw(uint32_t, uint32_t);
    uint32_t kit_mpyul_hw(uint16_t, uint16_t);
    uint16_t a0 = (uint16_t)a, a1 = (uint16_t)(a >> 16), b0 = (uint16_t)b, b1 = (uint16_t)(b >> 16);
    uint64_t low = kit_mpyul_hw(a0, b0);
    uint64_t middle1 = kit_mpyul_hw(a0, b1), middle2 = kit_mpyul_hw(a1, b0);
    uint32_t high = kit_mpyul_hw(a1, b1);
    high += __mspabi_mpyl_hw((uint32_t)(a >> 32), (uint32_t)b) + __mspabi_mpyl_hw((uint32_t)a, (uint32_t)(b >> 32));
    return low + (middle1 << 16) + (middle2 << 16) + ((uint64_t)high << 32);
}
