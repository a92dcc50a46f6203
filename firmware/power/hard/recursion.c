/* A recursion on a stack in FRAM, with a checkpoint at its end. On the way back, calls overwrite frames of invocations
 * that a failure leads back into: their return addresses are gone. Consumer and producer are in one function, and only
 * the frames' serial numbers tell that they are different invocations of it. */
#include "../figures/figure.h"

volatile uint16_t result;

static __attribute__((noinline)) uint16_t leaf(uint16_t n)
{
    __asm__ volatile("" : "+r"(n));
    return (uint16_t)(n + 1);
}

static __attribute__((noinline)) uint16_t sum(uint16_t n)
{
    if (n == 0) {
        checkpoint();
        return 0;
    }
    uint16_t rest = sum((uint16_t)(n - 1));
    return (uint16_t)(rest << 1 ^ leaf(n));
}

int main(void)
{
    result = sum(4);
    checkpoint();
    return 0;
}
