/* Two actions in each window: a mark that is always the same, and the sum so far. */
#include "sample.h"

enum { VALUES = 5 };

volatile uint16_t value, sum;

__attribute__((noinline)) void mark(uint16_t what)
{
    __asm__ volatile("nop" ::"r"(what));
}

__attribute__((noinline)) void show(uint16_t what)
{
    __asm__ volatile("nop" ::"r"(what));
}

int main(void)
{
    for (uint16_t i = 0; i < VALUES; i++) {
        value = unknown(7);
        checkpoint();
        sum += value;
        mark(1);
        show(sum);
    }
    return 0;
}
