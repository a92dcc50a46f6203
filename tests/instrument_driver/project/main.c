/* Counts the ticks of a timer on the port of the LEDs. */
#include <hindcast.h>
#include <msp430f1611.h>

static volatile unsigned ticks;

__attribute__((interrupt(TIMERA0_VECTOR / 2))) void tick(void)
{
    ticks++;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P5DIR = 0x70;
    TACCR0 = 1000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    __asm__ volatile("eint");
    for (;;) {
        P5OUT = (unsigned char)(~ticks & 0x70);
        hc_update();
    }
}
