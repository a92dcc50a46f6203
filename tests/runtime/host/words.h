/* Words of memory, by their addresses, for the host: in its array, or the recorder's own. */
#ifndef HC_WORDS_H
#define HC_WORDS_H

#include "critical.h"

static inline void *hc_host_pointer(uint16_t address)
{
    extern struct hc_ram __hc_ram;
    uint16_t own = (uint16_t)(address - HOST_RECORDER);
    return own < HOST_RECORDER_SIZE ? (uint8_t *)&__hc_ram + own : host_memory + address;
}
#define HC_POINTER(address) hc_host_pointer(address)

static inline uint16_t hc_words_copy(uint16_t to, uint16_t from, uint16_t words)
{
    uint16_t sum = 0;
    for (; words; words--, to += 2, from += 2) {
        uint16_t *word = HC_POINTER(to);
        *word = *(uint16_t *)HC_POINTER(from);
        sum += *word;
    }
    return sum;
}

static inline uint16_t hc_words_sum(uint16_t from, uint16_t words)
{
    uint16_t sum = 0;
    for (; words; words--, from += 2)
        sum += *(uint16_t *)HC_POINTER(from);
    return sum;
}

static inline uint16_t hc_words_zero(uint16_t from, uint16_t end)
{
    while (from != end && !*(uint16_t *)HC_POINTER(from))
        from += 2;
    return from;
}

static inline void hc_words_clear(uint16_t from, uint16_t end)
{
    for (; from < end; from += 2)
        *(uint16_t *)HC_POINTER(from) = 0;
}

#endif
