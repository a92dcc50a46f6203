/* Events of every kind, none of which depends on the time: reads of all classes, runs of data bytes, through pointers,
 * a counter that comes round, blocks of DMA; interrupts of timers with and without a base, of a port, non-maskable ones
 * that the test brings about anywhere. What is read goes into `sum`, and decides where the program goes. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
static void hc_update_later(void)
{
}
#endif

enum { ROUNDS = 2, RUN = 40, TICKS = 32772 };

volatile uint16_t sum, started, finished, compares, captures, presses, faults, blocks;
static volatile uint16_t word = 0x1234;

#ifdef KIT_FR5969
#define COMPARE_VECTOR TIMER0_A0_VECTOR
#define CAPTURE_VECTOR TIMER0_B0_VECTOR
#define FAULT_VECTOR UNMI_VECTOR
#define COMPARE_CONTROL TA0CCTL0
#define CAPTURE_CONTROL TB0CCTL0
#define COUNT TA0R
#define CAPTURED TB0R
#define DATA (*(volatile uint8_t *)&UCA1RXBUF)

static void enable_faults(void)
{
    SFRIE1 |= 0x0010; /* NMIIE, whose flag SYSUNIV clears */
}
#else
#define COMPARE_VECTOR TIMERB0_VECTOR
#define CAPTURE_VECTOR TIMERA0_VECTOR
#define FAULT_VECTOR NMI_VECTOR
#define COMPARE_CONTROL TBCCTL0
#define CAPTURE_CONTROL TACCTL0
#define COUNT TBR
#define CAPTURED TAR
#define DATA U1RXBUF
#define SYSUNIV 0

static void enable_faults(void)
{
    IFG1 &= (uint8_t)~OFIFG;
    IE1 |= OFIE; /* last: it may come again at once */
}
#endif

static void fold(uint16_t value)
{
    sum = (uint16_t)(sum << 1 | sum >> 15) ^ value;
}

KIT_INTERRUPT(COMPARE_VECTOR) void compare(void)
{
    compares++;
    fold(COUNT);
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(CAPTURE_VECTOR) void capture(void)
{
    captures++;
    fold(CAPTURED);
    fold(P2IN);
    if (captures & 1)
        hc_update(); /* of no effect if it interrupts itself */
    KIT_WAKE_ON_EXIT();
}

/* May be interrupted itself. */
KIT_INTERRUPT(PORT1_VECTOR) void press(void)
{
    presses++;
    P1IFG = 0;
    kit_enable_interrupts();
    fold(P1IN);
    fold(DATA);
    kit_disable_interrupts();
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(FAULT_VECTOR) void fault(void)
{
    faults++;
    fold(COUNT + SYSUNIV);
    enable_faults();
}

#ifdef WITH_DMA
enum { BLOCK = 39 };
static uint8_t from[BLOCK];
static volatile uint8_t to[BLOCK];
static volatile uint16_t one;

KIT_INTERRUPT(DACDMA_VECTOR) void moved(void)
{
    if (DMA0CTL & DMAIFG) {
        DMA0CTL &= ~DMAIFG;
        blocks++;
    }
}

static void move(uint16_t round)
{
    for (uint16_t i = 0; i < BLOCK; i++) {
        from[i] = (uint8_t)(sum + i);
        to[i] = 0;
    }
    DMACTL0 = 0; /* by request */
    DMA0SA = (uint16_t)from;
    DMA0DA = (uint16_t)to;
    DMA0SZ = (uint16_t)(BLOCK - 2 * round);
    DMA0CTL = DMADT_1 | DMASRCINCR_3 | DMADSTINCR_3 | DMASBDB | DMAIE | DMAEN;
    DMA0CTL |= DMAREQ;
    DMA1SA = (uint16_t)&word;
    DMA1DA = (uint16_t)&one;
    DMA1SZ = 1;
    DMA1CTL = DMADT_1 | DMAEN;
    DMA1CTL |= DMAREQ;
    if (DMA1CTL & DMAIFG)
        fold(one);
    for (uint16_t i = 0; i < BLOCK; i++)
        fold(to[i]);
}
#else
static void move(uint16_t round)
{
    (void)round;
}
#endif

static void start(void)
{
    WDTCTL = WDTPW | WDTHOLD;
#ifdef KIT_FR5969
    PM5CTL0 = 0;
    TA0CCR0 = 0x1357;
#else
    TBCCR0 = 0x1357;
#endif
    COMPARE_CONTROL = CCIE;
    CAPTURE_CONTROL = CCIE | CAP;
    P1IE = 0xff;
    P1IFG = 0;
    for (uint32_t i = 0; i < TICKS; i++) /* the position counter comes round */
        sum++;
    started = 1;
    enable_faults();
    kit_enable_interrupts();
}

/* A loop that the source does not show. */
static uint16_t copy(uint16_t seed)
{
    uint8_t a[24], b[24];
    memset(a, (uint8_t)seed, sizeof a);
    memcpy(b, a, sizeof b);
    return b[seed & 15];
}

static void through_pointers(uint16_t round)
{
    const uint16_t words[] = { (uint16_t)&COUNT, (uint16_t)&word, (uint16_t)&ADC12MEM1 };
    const uint16_t bytes[] = { (uint16_t)&P2IN, (uint16_t)&DATA, (uint16_t)&P1IN };
    for (uint16_t i = 0; i < 3; i++) {
        uint16_t n = (uint16_t)(i + round < 3 ? i + round : i + round - 3);
        fold(*(volatile uint16_t *)words[n]);
        fold(*(volatile uint8_t *)bytes[n]);
    }
}

static void work(uint16_t round)
{
    fold(P2IN);
    fold(COUNT);
    fold(ADC12MEM0);
    for (uint16_t i = 0; i < (round ? 5 + round : RUN); i++)
        fold(DATA);
    hc_update_later();
    through_pointers(round);
    hc_update();
    fold(copy(sum));
    hc_update();
    move(round);
    if (sum & 1)
        fold(CAPTURED);
    hc_update();
}

int main(void)
{
    start();
    for (uint16_t round = 0; round < ROUNDS; round++) {
        work(round);
        kit_sleep(LPM0_bits | GIE);
        hc_update();
    }
    finished = 0xd09e;
    for (;;) {
        fold(COUNT);
        hc_update();
    }
}
