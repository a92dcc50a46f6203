/* Random instructions, as words. */
#ifndef TESTS_CPU_GENERATE_H
#define TESTS_CPU_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

enum { GENERATE_WORDS_MAX = 4 };

uint32_t random_next(uint64_t *state);
/* 0 .. n-1 */
uint32_t random_below(uint64_t *state, uint32_t n);
/* Values at which arithmetic changes its mind, and any others, of up to BITS. */
uint32_t random_value(uint64_t *state, int bits);

/* One instruction of any format (X: of the MSP430X too). Forms that the user's guides leave undefined are not made:
 * X(R3) as a destination, MOVA @PC, repetitions onto PC or with a generated constant, PUSHM and POPM of R0-R3. Returns
 * the number of words. */
int generate_instruction(uint64_t *state, bool x, uint16_t words[GENERATE_WORDS_MAX]);

#endif
