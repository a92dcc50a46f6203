/* Blocks by DMAREQ with an interrupt, single transfers by a timer while the CPU sleeps, and a UART that is fed. */
#include <kit.h>

enum { WORDS = 64, SAMPLES = 8 };

volatile uint16_t finished;
volatile uint16_t result[4];
volatile uint16_t times[SAMPLES];
static uint16_t from[WORDS];
static volatile uint16_t to[WORDS];
static const char text[] = "moved by DMA";

KIT_INTERRUPT(DACDMA_VECTOR) void moved(void)
{
    if (DMA0CTL & DMAIFG) {
        DMA0CTL &= ~DMAIFG;
        result[1]++;
    }
    if (DMA1CTL & DMAIFG) {
        DMA1CTL &= ~DMAIFG;
        result[3]++;
        KIT_WAKE_ON_EXIT();
    }
}

static void block(void)
{
    for (uint16_t i = 0; i < WORDS; i++)
        from[i] = (uint16_t)(i * 0x0101);
    TACTL = TASSEL_2 | MC_2 | TACLR;
    DMACTL0 = DMA0TSEL_0;
    DMA0SA = (uint16_t)from;
    DMA0DA = (uint16_t)to;
    DMA0SZ = WORDS;
    DMA0CTL = DMADT_1 | DMASRCINCR_3 | DMADSTINCR_3 | DMAIE | DMAEN;
    uint16_t before = TAR;
    DMA0CTL |= DMAREQ;
    uint16_t after = TAR;
    kit_enable_interrupts();
    result[2] = after - before;
    for (uint16_t i = 0; i < WORDS; i++)
        if (to[i] != from[i])
            result[0]++;
}

/* TACCR2's flag is not reset by software anywhere: the transfer does it. */
static void by_timer(void)
{
    TACTL = TASSEL_1 | TACLR;
    TACCR0 = 99;
    TACCR2 = 50;
    TACCTL2 = 0;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    DMACTL0 = DMA1TSEL_1;
    DMA1SA = (uint16_t)TBR_;
    DMA1DA = (uint16_t)times;
    DMA1SZ = SAMPLES;
    DMA1CTL = DMADT_0 | DMADSTINCR_3 | DMAIE | DMAEN;
    TACTL |= MC_1;
    kit_sleep(LPM3_bits | GIE);
    TACTL = 0;
}

static void by_uart(void)
{
    U1CTL = SWRST | CHAR;
    U1TCTL = SSEL0;
    U1BR0 = 3;
    U1BR1 = 0;
    U1MCTL = 0x4a;
    P3SEL |= 0xc0;
    ME2 |= UTXE1;
    U1CTL &= ~SWRST;
    DMACTL0 = DMA2TSEL_10;
    DMA2SA = (uint16_t)text;
    DMA2DA = (uint16_t)U1TXBUF_;
    DMA2SZ = sizeof text - 1;
    DMA2CTL = DMADT_0 | DMASBDB | DMASRCINCR_3 | DMALEVEL | DMAEN;
    while (!(DMA2CTL & DMAIFG) || !(U1TCTL & TXEPT))
        ;
}

int main(void)
{
    block();
    by_timer();
    by_uart();
    finished = 0xd09e;
    return 0;
}
