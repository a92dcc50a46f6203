/* Nothing here is in FRAM, and power failures deceive it all the same: SRAM that a checkpoint does not save, ports that
 * are not set again, a measurement that is old, an output that is repeated. */
#include <kit.h>

static volatile uint16_t sum, kept;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) uint16_t measure(void)
{
    uint16_t value;

    __asm__ volatile("mov #7, %0" : "=r"(value));
    return value;
}

__attribute__((noinline)) void report(uint16_t value)
{
    __asm__ volatile("" ::"r"(value) : "memory");
}

int main(void)
{
    P1DIR = BIT0;
    P1OUT = BIT0;
    kept = measure();
    sum = 1;
    checkpoint();
    sum += kept;
    report(sum);
    return (int)sum;
}
