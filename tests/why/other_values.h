/* Other values of a source, to see whether what it explains changes with it. */
#ifndef TESTS_WHY_OTHER_VALUES_H
#define TESTS_WHY_OTHER_VALUES_H

#include <stdint.h>

/* Byte I of SIZE bytes, changed in the Nth way. */
static inline uint8_t other_byte(unsigned n, unsigned size, unsigned i, uint8_t was)
{
    if (n < 8 * size) /* a bit */
        return n / 8 == i ? (uint8_t)(was ^ 1u << n % 8) : was;
    n -= 8 * size;
    if (n < 2) /* all of them, or all to 0 */
        return n ? 0 : (uint8_t)~was;
    n -= 2;
    return n / 256 == i ? (uint8_t)n : was; /* any value of one byte */
}

#endif
