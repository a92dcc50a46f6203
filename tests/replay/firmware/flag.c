/* Waits for a conversion that nobody has begun, ten seconds after its start, until its watchdog resets it. */
#include <kit.h>

enum { SERVE = WDTPW | WDTCNTCL | WDTSSEL }; /* one second of ACLK */

static volatile uint16_t looks;

void kit_reset_hook(void)
{
    WDTCTL = SERVE;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void look(void)
{
    looks++;
    KIT_WAKE_ON_EXIT();
}

static void wait(void)
{
    while (!(ADC12IFG & BIT0))
        ;
}

int main(void)
{
    TBCCR0 = 1023;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_1 | TBCLR;
    for (;;) {
        WDTCTL = SERVE;
        kit_sleep(LPM3_bits | GIE);
        if (looks == 320)
            wait();
    }
}
