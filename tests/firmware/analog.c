/* DAC12 with the ADC's reference and an interrupt; Comparator_A against 0.25 VCC, captured by Timer_A.
 * Who runs it moves the wire of CA0 after `ready`, or has it finish by itself after 100 ms. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t ready;
volatile uint16_t result[4];

KIT_INTERRUPT(DACDMA_VECTOR) void dac12(void)
{
    result[0]++;
    DAC12_1CTL &= (uint16_t)~DAC12IFG;
}

KIT_INTERRUPT(COMPARATORA_VECTOR) void comparator(void)
{
    result[1]++;
}

int main(void)
{
    ADC12CTL0 = REFON | REF2_5V;
    DAC12_0CTL = DAC12IR | DAC12AMP_5;
    DAC12_0DAT = 0x800;
    DAC12_1CTL = DAC12LSEL_1 | DAC12IR | DAC12AMP_5 | DAC12IE | DAC12ENC;
    kit_enable_interrupts();
    DAC12_1DAT = 0x200;

    CACTL2 = P2CA0;
    CACTL1 = CAON | CARSEL | CAREF_1;
    CACTL1 &= (uint8_t)~CAIFG;
    CACTL1 |= CAIE;
    TACCTL1 = CM_1 | CCIS_1 | CAP;
    TACTL = TASSEL_2 | ID_3 | MC_2;
    ready = 1;
    for (uint16_t i = 0; i < 20000 && !result[1]; i++)
        ;
    result[2] = TACCTL1 & CCIFG;
    finished = 0xd09e;
    return 0;
}
