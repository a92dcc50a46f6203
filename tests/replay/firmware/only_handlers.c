/* All that it does it does in a handler, which reads nothing. */
#include <kit.h>

volatile uint16_t ticks;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    TACCR0 += STEP;
}

int main(void)
{
    TACCR0 = STEP;
    TACCTL0 = CCIE;
    TACTL = SOURCE | MC_2;
    kit_sleep(LPM0_bits | GIE);
}
