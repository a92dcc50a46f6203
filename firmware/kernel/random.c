#include "kernel/random.h"

static uint32_t state = 1;

void random_seed(uint16_t seed)
{
    state = 0x9e370000ul ^ seed; /* never 0 */
    for (uint8_t i = 0; i < 8; i++)
        random16();
}

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

uint16_t random16(void)
{
    return (uint16_t)(next() >> 8);
}

uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((uint64_t)next() * limit >> 32);
}
