/* The hash that makes positions unique where the counter does not move. For node (entry.S has the same in assembly) and
 * host. Two sums, as Fletcher's, modulo 2^16:
 *
 *     a = b = 0; for each word w of SP - 4, top, SR, r4, r5 ... r15:  a = a + w, b = b + a      hash = b << 16 | a
 *
 * All as the interrupt found them: SP before the hardware pushed its frame, SR as it was pushed, top the word at SP.
 * a is the sum of all words, b a sum in which r15 has weight 1 and every word before it one more. Two states that
 * differ in one word differ in a. Let two words differ, by d and e: a agrees only if d + e = 0, and then b differs by
 * d * (distance of their places). So when one register counts by a constant step and another one changes in any way,
 * the hash comes round after n turns at the earliest for which n * step * distance is a multiple of 2^16; distances are
 * 14 at most. */
#ifndef HC_POSITION_H
#define HC_POSITION_H

#include <stdint.h>

/* REGISTERS: r4..r15 */
static inline uint32_t hc_position_hash(const uint16_t registers[12], uint16_t sp, uint16_t sr, uint16_t top)
{
    uint16_t a = (uint16_t)(sp - 4), b = a;
    a = (uint16_t)(a + top);
    b = (uint16_t)(b + a);
    a = (uint16_t)(a + sr);
    b = (uint16_t)(b + a);
    for (int i = 0; i < 12; i++) {
        a = (uint16_t)(a + registers[i]);
        b = (uint16_t)(b + a);
    }
    return (uint32_t)b << 16 | a;
}

#endif
