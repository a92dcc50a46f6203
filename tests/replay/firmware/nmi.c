/* Non-maskable interrupts (oscillator faults, or a pin on an FR5969, which the test brings about) in a program and its
 * handlers. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

volatile uint16_t faults, ticks, sum;

#ifdef KIT_FR5969
#define FAULT_VECTOR UNMI_VECTOR
#define TICK_VECTOR TIMER0_A0_VECTOR
#define COUNT TA0R

static void enable(void)
{
    SFRIE1 |= 0x0010; /* NMIIE, whose flag SYSUNIV clears */
}

static void start_timer(void)
{
    CSCTL0 = 0xa500;
    CSCTL1 = 0x000c; /* 8 MHz, as programs run at that have much to do */
    CSCTL3 = 0;
    TA0CCR0 = 60000;
    TA0CCTL0 = CCIE;
    TA0CTL = TASSEL__SMCLK | MC__UP;
}
#else
#define FAULT_VECTOR NMI_VECTOR
#define TICK_VECTOR TIMERA0_VECTOR
#define COUNT TAR
#define SYSUNIV 0

static void enable(void)
{
    IFG1 &= (uint8_t)~OFIFG;
    IE1 |= OFIE; /* last: it may come again at once */
}

static void start_timer(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7); /* some 4 MHz */
    DCOCTL = 0x60;
    TACCR0 = 60000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
}
#endif

KIT_INTERRUPT(FAULT_VECTOR) void fault(void)
{
    faults++;
    sum ^= COUNT + SYSUNIV;
    enable();
}

KIT_INTERRUPT(TICK_VECTOR) void tick(void)
{
    ticks++;
    sum += COUNT;
}

int main(void)
{
    start_timer();
    enable();
    kit_enable_interrupts();
    for (;;) {
        for (uint16_t i = 0; i < 1000; i++)
            sum = (uint16_t)(sum << 1 | sum >> 15) ^ i;
        sum += COUNT;
        hc_update();
    }
}
