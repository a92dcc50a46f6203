/* Words of memory, by their addresses. */
#ifndef HC_WORDS_H
#define HC_WORDS_H

#include <stdint.h>

/* Copies WORDS of them, at least one; returns their sum. */
uint16_t hc_words_copy(uint16_t to, uint16_t from, uint16_t words);
uint16_t hc_words_sum(uint16_t from, uint16_t words);
/* The first that is not zero, or END. */
uint16_t hc_words_zero(uint16_t from, uint16_t end);
/* Nothing where END is before FROM. */
void hc_words_clear(uint16_t from, uint16_t end);

#define HC_POINTER(address) ((void *)(uintptr_t)(address))

#endif
