/* Around a random program: it runs again and again while two timers interrupt it at times that wander, and whose
 * handlers read registers that the world changes. */
#ifdef __HINDCAST__
#include <hindcast.h>
#else
#define hc_update() ((void)0)
#define hc_checkpoint() ((void)0)
#endif
#include <msp430.h>
#include <stdint.h>

int program(void);
extern const unsigned hurry; /* 1 to 3: about 65, 130 or 260 interrupts a second */

volatile uint32_t checksum;
volatile uint16_t rounds;
static uint16_t seen, pins, overflows;

static __attribute__((noinline)) uint16_t wander(uint16_t now)
{
    return (20011 + ((now * 25173u + 13849u) & 0x7fff)) >> hurry;
}

__attribute__((interrupt(TIMERA0_VECTOR))) void timer_a0(void)
{
    TACCR0 += wander(TAR);
    pins ^= P1IN;
    if (++seen % 4 == 0)
        hc_update();
}

__attribute__((interrupt(TIMERA1_VECTOR))) void timer_a1(void)
{
    switch (TAIV) {
    case 2:
        TACCR1 += wander(seen) + (TAR & 0x7f);
        __asm__ volatile("nop\n eint\n nop" ::: "memory"); /* may be interrupted itself */
        pins += (uint16_t)(P2IN ^ rounds);
        __asm__ volatile("dint\n nop" ::: "memory");
        break;
    case 10:
        overflows++;
        break;
    }
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87; /* as fast as it goes without a resistor */
    DCOCTL = 0xe0;
    P2DIR = 0x0f;
    P2OUT = 0x05;
    TACCR0 = 500;
    TACCR1 = 700;
    TACCTL0 = TACCTL1 = CCIE;
    TACTL = TASSEL_2 | ID_3 | MC_2 | TAIE;
    __asm__ volatile("nop\n eint\n nop" ::: "memory");
    for (uint16_t last = 0;; rounds++) {
        checksum = 0;
        program();
        if (seen - last >= 64) {
            last = seen;
            hc_checkpoint();
        }
        hc_update();
    }
}
