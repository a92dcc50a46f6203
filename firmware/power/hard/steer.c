/* What is measured decides which of two variables is set. After a failure it is measured again, and may be another
 * value: then both are set, which no continuous run does. With FIX each way writes both. */
#include "../figures/figure.h"

volatile uint16_t alarm, fine;

__attribute__((noinline)) uint16_t measure(void)
{
    uint16_t value = 30;
    __asm__ volatile("" : "+r"(value));
    return value;
}

int main(void)
{
    checkpoint();
    if (measure() > 25) {
        __asm__ volatile("nop"); /* so that it stays a branch */
        alarm = 1;
#ifdef FIX
        fine = 0;
#endif
    } else {
#ifdef FIX
        alarm = 0;
#endif
        fine = 1;
    }
    checkpoint();
    return 0;
}
