/* A handler and the program it interrupts, both with variables that power failures may break: awake, and asleep. */
#include <kit.h>

uint16_t ticks, steps;

volatile uint16_t result;
volatile uint16_t finished;

KIT_INTERRUPT(TIMER0_A0_VECTOR) void tick(void)
{
    uint16_t now = *(volatile uint16_t *)&ticks;
    *(volatile uint16_t *)&ticks = (uint16_t)(now + 1);
    if (now >= 3)
        KIT_WAKE_ON_EXIT();
}

int main(void)
{
    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    TA0CCR0 = 60 - 1;
    TA0CCTL0 = CCIE;
    TA0CTL = TASSEL__SMCLK | MC__UP | TACLR;
    kit_enable_interrupts();
    while (*(volatile uint16_t *)&ticks < 3)
        *(volatile uint16_t *)&steps += 1;
    kit_sleep(LPM0_bits | GIE);
    kit_disable_interrupts();
    TA0CTL = 0;
    result = *(volatile uint16_t *)&ticks;
    finished = 0xd09e;
    return 0;
}
