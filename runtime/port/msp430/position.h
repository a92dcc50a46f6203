/* The hash that makes positions unique where the counter does not move. For node (entry.S has the same in assembly) and
 * host.
 *
 *     a = b = SP - 4; for each word w of top, SR, r4, r5 ... r15, modulo 2^16:
 *
 *         a = (a rotated left by 1) + w        rla a;  addc w, a
 *         b = b + a                            add a, b
 *         and but for the last one:
 *         b = b with its bytes swapped         swpb b
 *         a = a xor b                          xor b, a
 *
 *     hash = b << 16 | a
 *
 * All as the interrupt found them: SP before the hardware pushed its frame, SR as it was pushed, top the word at SP.
 * For any w a step is a bijection of (a, b), and other words lead to another a: states that differ in one word never
 * have the same hash. Where more words differ it is chance. In loops in which some registers count by small steps and
 * others change in any way, 1 pair of turns in 10^8 has the same hash; two plain sums, as Fletcher's, have 1 in 10^4,
 * since small differences cancel each other: three registers that count down by 1, a carry, and a byte that is larger
 * by 5 are the same to them two turns later. */
#ifndef HC_POSITION_H
#define HC_POSITION_H

#include <stdint.h>

struct hc_position_sums {
    uint16_t a, b;
};

static inline void hc_position_add(struct hc_position_sums *s, uint16_t word)
{
    s->a = (uint16_t)((s->a << 1 | s->a >> 15) + word);
    s->b = (uint16_t)(s->b + s->a);
}

static inline void hc_position_mix(struct hc_position_sums *s, uint16_t word)
{
    hc_position_add(s, word);
    s->b = (uint16_t)(s->b << 8 | s->b >> 8);
    s->a ^= s->b;
}

/* REGISTERS: r4..r15 */
static inline uint32_t hc_position_hash(const uint16_t registers[12], uint16_t sp, uint16_t sr, uint16_t top)
{
    struct hc_position_sums s = { (uint16_t)(sp - 4), (uint16_t)(sp - 4) };
    hc_position_mix(&s, top);
    hc_position_mix(&s, sr);
    for (int i = 0; i < 11; i++)
        hc_position_mix(&s, registers[i]);
    hc_position_add(&s, registers[11]);
    return (uint32_t)s.b << 16 | s.a;
}

#endif
