/* Uses some bits of a counter only. */
#include <kit.h>

volatile uint16_t ticks, odd;
volatile uint8_t mixed;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    TACCR0 = 327;
    TACCTL0 = CCIE;
    TACTL = TASSEL_1 | MC_1;
    TBCTL = TBSSEL_1 | MC_2;
    for (;;) {
        kit_sleep(LPM0_bits | GIE);
        mixed = (uint8_t)(mixed * 3 + (uint8_t)TBR);
        if (TBR & 1)
            odd++;
    }
}
