/* DMA brings what the program has no other way to know: samples of the ADC with an interrupt; the time by polling, in
 * bytes and downwards; and a word to one place. Buffers are filled before, and what came decides where the program
 * goes. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

enum { SAMPLES = 24, ROUNDS = 400 };

volatile uint16_t rounds, branches, finished;
static volatile uint16_t samples[SAMPLES];
static volatile uint8_t low[SAMPLES / 2];
static volatile uint16_t done;

KIT_INTERRUPT(DACDMA_VECTOR) void moved(void)
{
    if (DMA0CTL & DMAIFG) {
        DMA0CTL &= ~DMAIFG;
        done = 1;
        KIT_WAKE_ON_EXIT();
    }
}

static void convert(void)
{
    ADC12CTL0 = 0;
    ADC12CTL1 = SHP | CONSEQ_2 | ADC12SSEL_0;
    ADC12MCTL0 = INCH_10 | SREF_1; /* temperature */
    ADC12CTL0 = SHT0_2 | REFON | ADC12ON | MSC;
    ADC12CTL0 |= ENC | ADC12SC;
}

static void stop(void)
{
    ADC12CTL1 &= ~CONSEQ_3;
    ADC12CTL0 &= ~ENC;
    ADC12CTL0 = 0;
}

/* Work that takes as long as its data say. */
static void look(uint16_t value)
{
    for (uint16_t i = value & 7; i; i--)
        branches++;
    if (value & 1)
        branches += 3;
}

static void by_interrupt(void)
{
    for (uint16_t i = 0; i < SAMPLES; i++)
        samples[i] = 0xffff;
    DMACTL0 = DMA0TSEL_6;
    DMA0SA = (uint16_t)ADC12MEM0_;
    DMA0DA = (uint16_t)samples;
    DMA0SZ = SAMPLES;
    DMA0CTL = DMADT_0 | DMADSTINCR_3 | DMAIE | DMAEN;
    done = 0;
    convert();
    __asm__ volatile("dint\n nop");
    while (!done)
        kit_sleep(LPM0_bits | GIE);
    kit_enable_interrupts();
    stop();
    for (uint16_t i = 0; i < SAMPLES; i++)
        look(samples[i]);
}

static void by_polling(void)
{
    for (uint16_t i = 0; i < SAMPLES / 2; i++)
        low[i] = 0xee;
    DMACTL0 = DMA1TSEL_1; /* TACCR2 */
    DMA1SA = (uint16_t)TBR_;
    DMA1DA = (uint16_t)(low + SAMPLES / 2 - 1);
    DMA1SZ = SAMPLES / 2;
    DMA1CTL = DMADT_0 | DMADSTINCR_2 | DMASBDB | DMAEN;
    TACTL = TASSEL_2 | TACLR;
    TACCTL2 = 0; /* the flag must rise */
    TACTL |= MC_1;
    if (rounds & 1)
        while (DMA1CTL & DMAEN)
            hc_update();
    else
        while (!(DMA1CTL & DMAIFG))
            ;
    for (uint16_t i = 0; i < SAMPLES / 2; i++)
        look(low[i]);
}

static void by_request(void)
{
    uint16_t one = 0;
    DMACTL0 = DMA2TSEL_0;
    DMA2SA = (uint16_t)TBR_;
    DMA2DA = (uint16_t)&one;
    DMA2SZ = 1;
    DMA2CTL = DMADT_1 | DMAEN;
    DMA2CTL |= DMAREQ;
    while (!(DMA2CTL & DMAIFG))
        ;
    look(*(volatile uint16_t *)&one);
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TBCTL = TBSSEL_2 | MC_2 | TBCLR;
    TACCR0 = 99;
    TACCR2 = 50;
    kit_enable_interrupts();
    for (; rounds < ROUNDS; rounds++) {
        by_interrupt();
        hc_update();
        by_polling();
        hc_update();
        by_request();
    }
    finished = 0xd09e;
    for (;;)
        kit_sleep(LPM3_bits | GIE);
}
