/* A node with little to do. The timer comes round every two seconds, which its handler counts; every LAPS turns it
 * wakes main, once. */
#include <kit.h>

volatile uint16_t turns, woken; /* the test reads these */
static volatile uint16_t seen;

KIT_INTERRUPT(TIMERB1_VECTOR) void turn(void)
{
    if (TBIV != TBIV_TBIFG)
        return;
    if (++turns % LAPS == 0)
        KIT_WAKE_ON_EXIT();
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR | TBIE;
    for (;;) {
        kit_sleep(LPM3_bits | GIE);
        seen += P1IN;
        woken++;
    }
}
