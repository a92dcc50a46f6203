/* A handler whose first instruction sets flags that its second uses, and which comes while the recorder is in the
 * middle of a transfer to its chip. */
#include <kit.h>

volatile uint16_t rises, woken;

KIT_INTERRUPT(PORT1_VECTOR) void rose(void)
{
    P1IFG = 0;
    rises++;
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    P1OUT ^= BIT1;
    if (P1OUT & BIT1)
        P1IFG |= BIT2;
}

int main(void)
{
    P1OUT = 0;
    P1DIR = BIT1;
    P1IE = BIT1 | BIT2;
    TACCR0 = 400;
    TACCTL0 = CCIE;
    TACTL = TASSEL_1 | MC_1;
    for (;;) {
        kit_sleep(LPM3_bits | GIE);
        woken += P1IN & BIT0;
    }
}
