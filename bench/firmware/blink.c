/* A mostly sleeping node: Timer_B wakes it from LPM3 ten times a second to turn an LED on or off. */
#include <kit.h>

uint16_t blinks;

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    P5OUT ^= 0x10;
    blinks++;
}

int main(void)
{
    P5DIR |= 0x70;
    TBCCR0 = 3277 - 1;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_1;
    for (;;)
        kit_sleep(LPM3_bits | GIE);
}
