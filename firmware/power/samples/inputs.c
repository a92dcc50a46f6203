/* Four measurements, and a checkpoint after two of them: only the other two are as recent as their use. */
#include "sample.h"

enum { ROUNDS = 4 };

volatile uint16_t value[4], sum;

#define MEASURE(name)                             \
    __attribute__((noinline)) uint16_t name(void) \
    {                                             \
        return unknown(3);                        \
    }
MEASURE(first)
MEASURE(second)
MEASURE(third)
MEASURE(fourth)

int main(void)
{
    for (uint16_t i = 0; i < ROUNDS; i++) {
        value[0] = first();
        value[1] = second();
        checkpoint();
        value[2] = third();
        value[3] = fourth();
        if (value[0] + value[1] + value[2] + value[3] > 5)
            sum += value[0] + value[1] + value[2] + value[3];
    }
    return (int)sum;
}
