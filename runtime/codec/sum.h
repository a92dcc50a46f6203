/* The sum of a self-check: two sums as in Fletcher's over words, modulo 2^16, made one (docs/trace.md). */
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

static inline uint16_t hc_sum_value(const struct hc_sum *sum)
{
    return (uint16_t)(sum->a ^ (sum->b << 8 | sum->b >> 8));
}

#endif
