/* The sum of a self-check: two sums as in Fletcher's over words, modulo 2^16, combined into one (FORMAT.md). */
#ifndef HC_CODEC_SUM_H
#define HC_CODEC_SUM_H

#include <stdint.h>

struct hc_sum {
    uint16_t a, b; /* 0 at first */
};

static inline void hc_sum_add(struct hc_sum *sum, uint16_t word)
{
    sum->a = (uint16_t)(sum->a + word);
    sum->b = (uint16_t)(sum->b + sum->a);
}

/* A bit that changes, n words before the end, changes a by 2^k and b by n 2^k. Rotated by 7 these never cancel, for n
 * below 512; by 8 they would for n = 256. */
static inline uint16_t hc_sum_value(const struct hc_sum *sum)
{
    return (uint16_t)(sum->a ^ (sum->b << 7 | sum->b >> 9));
}

#endif
