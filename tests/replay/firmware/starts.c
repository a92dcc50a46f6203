/* Starts a conversion and sleeps until its handler wakes it; interrupts are enabled in between. */
#include <kit.h>

volatile uint16_t conversions, high;

KIT_INTERRUPT(ADC12_VECTOR) void converted(void)
{
    if (ADC12MEM0 > 0x7ff)
        high++;
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    ADC12CTL0 = SHT0_2 | ADC12ON;
    ADC12CTL1 = SHP;
    ADC12IE = BIT0;
    ADC12CTL0 |= ENC;
    for (;;) {
        conversions++;
        ADC12CTL0 |= ADC12SC;
        kit_sleep(LPM0_bits | GIE);
    }
}
