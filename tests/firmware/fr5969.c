/* Uses the FR5969 as ordinary firmware does: clocks, UART, timer and low-power mode, multiplier, CRC, DMA, converter,
 * heap; counts its boots in FRAM. */
#include <kit.h>

enum { CLOCKS, TICKS, PRODUCT_LOW, PRODUCT_HIGH, CRC, COPIED, VOLTAGE, HEAP, RESET_CAUSE, BOOTS, RTC, RESULTS };

volatile uint16_t result[RESULTS];
volatile uint16_t finished;

KIT_PERSISTENT uint16_t boots = 0;

static volatile uint16_t ticks;
static uint16_t source[16], destination[16];

KIT_INTERRUPT(TIMER0_A0_VECTOR) void tick(void)
{
    if (++ticks == 5)
        KIT_WAKE_ON_EXIT();
}

/* DCO at 8 MHz for MCLK and SMCLK, the watch crystal for ACLK. */
static uint16_t start_clocks(void)
{
    uint16_t tries = 0;

    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    PJSEL0 |= BIT4 | BIT5;
    CSCTL0_H = CSKEY >> 8;
    CSCTL1 = DCOFSEL_6;
    CSCTL2 = SELA__LFXTCLK | SELS__DCOCLK | SELM__DCOCLK;
    CSCTL3 = DIVA__1 | DIVS__1 | DIVM__1;
    CSCTL4 &= (uint16_t)~LFXTOFF;
    do {
        CSCTL5 &= (uint16_t)~LFXTOFFG;
        SFRIFG1 &= (uint16_t)~0x0002;
        tries++;
    } while (SFRIFG1 & 0x0002);
    CSCTL0_H = 0;
    return tries;
}

static void sleep_five_ticks(void)
{
    TA0CCR0 = 328 - 1; /* 10 ms */
    TA0CCTL0 = CCIE;
    TA0CTL = TASSEL__ACLK | MC__UP | TACLR;
    kit_sleep(LPM3_bits | GIE);
    kit_disable_interrupts();
    TA0CTL = 0;
}

static void copy_by_dma(void)
{
    for (uint8_t i = 0; i < 16; i++)
        source[i] = (uint16_t)(i * 257);
    DMA0SA = (uint16_t)(uintptr_t)source;
    DMA0DA = (uint16_t)(uintptr_t)destination;
    DMA0SZ = 16;
    DMA0CTL = DMADT_1 | DMASRCINCR_3 | DMADSTINCR_3 | DMAEN | DMAREQ;
}

static uint16_t half_supply(void)
{
    REFCTL0 = REFON | REFVSEL_2;
    while (!(REFCTL0 & REFGENRDY))
        ;
    ADC12CTL0 = ADC12SHT0_2 | ADC12ON;
    ADC12CTL1 = ADC12SHP;
    ADC12CTL2 = ADC12RES_2;
    ADC12CTL3 = ADC12BATMAP;
    ADC12MCTL0 = ADC12INCH_31 | ADC12VRSEL_1;
    ADC12CTL0 |= ADC12ENC | ADC12SC;
    while (!(ADC12IFGR0 & ADC12IFG0))
        ;
    return ADC12MEM0;
}

static uint16_t use_heap(void)
{
    uint16_t *a = malloc(100), *b = calloc(10, 2);
    if (!a || !b || malloc(1000))
        return 1;
    for (uint8_t i = 0; i < 50; i++)
        a[i] = i;
    for (uint8_t i = 0; i < 10; i++)
        if (b[i])
            return 2;
    a = realloc(a, 200);
    if (!a || a[49] != 49)
        return 3;
    free(b);
    free(a);
    return malloc(480) ? 0 : 4; /* all of it is one block again */
}

int main(void)
{
    result[RESET_CAUSE] = SYSRSTIV;
    result[BOOTS] = ++boots;
    result[CLOCKS] = start_clocks() > 1;
    kit_uart_init(8000000, 115200);
    kit_put("boot ");
    kit_put_unsigned(boots);
    kit_put_char('\n');
    kit_uart_drain();
    sleep_five_ticks();
    result[TICKS] = ticks;
    MPY32L = 0x5678;
    MPY32H = 0x1234;
    OP2L = 0x0003;
    OP2H = 0x0000;
    result[PRODUCT_LOW] = RES0;
    result[PRODUCT_HIGH] = RES1;
    CRCINIRES = 0xffff;
    for (const char *text = "123456789"; *text; text++)
        CRCDIRB_L = (uint8_t)*text;
    result[CRC] = CRCINIRES;
    copy_by_dma();
    result[COPIED] = (uint16_t)memcmp(source, destination, sizeof source);
    result[VOLTAGE] = half_supply();
    result[HEAP] = use_heap();
    RTCCTL01 = RTCHOLD;
    RTCYEAR = 2026;
    result[RTC] = RTCYEAR;
    finished = 0xd09e;
    for (;;)
        continue;
}
