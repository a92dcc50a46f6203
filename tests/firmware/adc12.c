/* ADC12 as applications use it: polled, by interrupt, and paced by a timer with DMA taking the results away. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[8];
volatile uint16_t samples[8];
static volatile uint16_t interrupts;

KIT_INTERRUPT(ADC12_VECTOR) void adc12(void)
{
    interrupts++;
    result[2] = ADC12IV;
    result[1] = ADC12MEM3;
    KIT_WAKE_ON_EXIT();
}

static void wait_ms(uint16_t ms)
{
    while (ms--)
        for (volatile uint16_t i = 0; i < 500; i++)
            ;
}

static void read_temperature(void)
{
    ADC12CTL0 = SHT0_6 | REFON | ADC12ON;
    ADC12CTL1 = SHP;
    ADC12MCTL0 = INCH_10 | SREF_1;
    wait_ms(20);
    ADC12CTL0 |= ENC | ADC12SC;
    while (ADC12CTL1 & ADC12BUSY)
        ;
    result[0] = ADC12MEM0;
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = 0;
}

static void read_supply(void)
{
    ADC12CTL0 = SHT0_2 | REFON | REF2_5V | ADC12ON;
    ADC12CTL1 = SHP | CSTARTADD_3;
    ADC12MCTL3 = INCH_11 | SREF_1;
    ADC12IE = 1 << 3;
    wait_ms(20);
    ADC12CTL0 |= ENC | ADC12SC;
    kit_sleep(LPM0_bits | GIE);
    kit_disable_interrupts();
    result[3] = interrupts;
    ADC12IE = 0;
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = 0;
}

static void sample_by_timer(void)
{
    DMACTL0 = DMA0TSEL_6;
    DMA0SA = (uint16_t)(uintptr_t)&ADC12MEM0;
    DMA0DA = (uint16_t)(uintptr_t)samples;
    DMA0SZ = 8;
    DMA0CTL = DMADT_0 | DMADSTINCR_3 | DMAEN;
    ADC12MCTL0 = INCH_11;
    ADC12CTL1 = SHP | SHS_1 | CONSEQ_2;
    ADC12CTL0 = ADC12ON;
    ADC12CTL0 |= ENC;
    TBCTL = TBSSEL_2 | MC_2;
    TACCR0 = 99;
    TACCR1 = 50;
    TACCTL1 = OUTMOD_3;
    TACTL = TASSEL_2 | MC_1 | TACLR;
    uint16_t start = TBR;
    while (!(DMA0CTL & DMAIFG))
        ;
    result[4] = (uint16_t)(TBR - start);
    TACTL = 0;
    ADC12CTL0 &= (uint16_t)~ENC;
}

int main(void)
{
    read_temperature();
    read_supply();
    sample_by_timer();
    finished = 0xd09e;
    return 0;
}
