/* Figure 2 of ScEpTIC's paper: the temperature is measured, a checkpoint follows, and then it is used: after a failure
 * it may be old. The fix: it is measured after the checkpoint. */
#include "figure.h"

volatile uint16_t temperature;
volatile uint16_t alarm;

static __attribute__((noinline)) uint16_t measure(void)
{
    uint16_t value = 30;
    __asm__ volatile("" : "+r"(value));
    return value;
}

int main(void)
{
#ifdef FIX
    checkpoint();
#endif
    temperature = measure();
#ifndef FIX
    checkpoint();
#endif
    if (temperature > 25)
        alarm = 1;
    checkpoint();
    return 0;
}
