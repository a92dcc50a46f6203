/* What the samples share. They do what the samples of ScEpTIC do: a counter, a measurement that is used behind a
 * checkpoint, actions, several measurements. */
#include "../figures/figure.h"

/* Something that a compiler does not know. */
static inline uint16_t unknown(uint16_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}
