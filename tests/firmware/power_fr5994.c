/* For the FR5994: what it has beyond the FR5969. A pin of P5 shows a variable in FRAM; TA4, whose vector the FR5969
 * does not have, counts in FRAM. */
#include <kit.h>

#define P5OUT_ (*(volatile uint8_t *)0x0242)
#define P5DIR_ (*(volatile uint8_t *)0x0244)
#define TA4CTL_ (*(volatile uint16_t *)0x07c0)
#define TA4CCTL0_ (*(volatile uint16_t *)0x07c2)
#define TA4CCR0_ (*(volatile uint16_t *)0x07d2)

enum { TA4_CCR0_VECTOR = 2 * 37, SMCLK_UP = 0x0210, INTERRUPT = 0x0010 };

uint8_t lit;
volatile uint16_t ticks;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("");
}

KIT_INTERRUPT(TA4_CCR0_VECTOR) void tick(void)
{
    ticks++;
    TA4CTL_ = 0;
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    P5DIR_ = 0x40;
    TA4CCR0_ = 200;
    TA4CCTL0_ = INTERRUPT;
    checkpoint();
    lit ^= 0x40;
    P5OUT_ = lit;
    TA4CTL_ = SMCLK_UP;
    kit_sleep(LPM0_bits | GIE);
    checkpoint();
    return ticks;
}
