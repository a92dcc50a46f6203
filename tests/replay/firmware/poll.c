/* Waits for a timer's flag, shortly after it has changed other flags in place, and is interrupted meanwhile. */
#include <kit.h>

volatile uint16_t ticks, seen, rounds;

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    TBCCR0 += 5003 + (TBR & 63);
    ticks++;
    seen ^= TAR;
}

int main(void)
{
    TACCR0 = 7001;
    TACTL = TASSEL_2 | MC_1;
    TBCCR0 = 500;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_2;
    kit_enable_interrupts();
    for (;; rounds++) {
        P1IFG |= BIT0;
        TACTL &= (uint16_t)~TAIFG;
        while (!(TACTL & TAIFG))
            ;
        seen += P1IN;
    }
}
