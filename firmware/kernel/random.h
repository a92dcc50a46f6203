/* Pseudo-random numbers, for backoffs and jitter: xorshift, seeded with the node's id so that nodes differ. */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stdint.h>

void random_seed(uint16_t seed);
uint16_t random16(void);

/* Uniform in 0 ... LIMIT - 1; LIMIT must not be 0. */
uint32_t random_below(uint32_t limit);

#endif
