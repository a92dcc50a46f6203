/* Figure 5 of ScEpTIC's paper: the servo is turned by 45 degrees; executed again, it is turned by 90. The fix: it is
 * turned to 45 degrees instead. */
#include "figure.h"

volatile uint16_t angle;

/* By so many degrees. */
__attribute__((noinline)) void rotate(int16_t degrees)
{
    __asm__ volatile("nop" ::"r"(degrees));
}

/* To so many degrees. */
__attribute__((noinline)) void rotate_to(int16_t degrees)
{
    __asm__ volatile("nop" ::"r"(degrees));
}

int main(void)
{
    angle = 0;
    checkpoint();
#ifdef FIX
    rotate_to(45);
#else
    rotate(45);
#endif
    checkpoint();
    return 0;
}
