/* An FR5969 with work for its recorder: interrupts of all timers at periods that have nothing to do with each other,
 * also inside handlers and while it sleeps; the multiplier; polling; variables in FRAM that outlive resets, of which it
 * makes some. HISTORY: words of them; with 512 they do not fit into SRAM beside the recorder. CODE: functions are all
 * that the start-up code copies. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

#ifndef HISTORY
#define HISTORY 64
#endif

#ifdef CODE
#define COPIED __attribute__((section(".data.placed"), noinline))
#else
#define COPIED
#endif

enum { BOOTS = 3, LIFE = 90 }; /* resets; ticks before one */

KIT_PERSISTENT uint16_t boots = 0;
KIT_PERSISTENT uint16_t history[HISTORY] = { 0 };
__attribute__((section(".noinit"))) volatile uint16_t left_over[8];
volatile uint16_t ticks, sum;

COPIED static void note(uint16_t value)
{
    sum = (uint16_t)(sum << 1 | sum >> 15) ^ value;
    history[sum % HISTORY] += value;
}

KIT_INTERRUPT(TIMER0_A0_VECTOR) void tick(void)
{
    note(TA0R);
}

KIT_INTERRUPT(TIMER0_A1_VECTOR) void tock(void)
{
    switch (TA0IV) {
    case 2:
        TA0CCR1 += 30011;
        note(TA0R);
        break;
    case 4:
        TA0CCR2 += 9001;
        break;
    }
}

/* May be interrupted, but not by itself. */
KIT_INTERRUPT(TIMER1_A0_VECTOR) void slow(void)
{
    TA1CCTL0 &= (uint16_t)~CCIE;
    kit_enable_interrupts();
    for (uint16_t i = 0; i < 40; i++)
        note(i);
    kit_disable_interrupts();
    note(TA1R);
    TA1CCTL0 |= CCIE;
}

KIT_INTERRUPT(TIMER2_A0_VECTOR) void third(void)
{
    ticks++;
    note(TA2R);
    left_over[ticks % 8]++;
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(TIMER3_A0_VECTOR) void fourth(void)
{
    note(TA3R ^ TA0R);
}

KIT_INTERRUPT(TIMER0_B0_VECTOR) void fifth(void)
{
    note(TB0R);
    P1OUT ^= BIT0;
}

KIT_INTERRUPT(TIMER0_B1_VECTOR) void sixth(void)
{
    note(TB0IV);
    TB0CCR5 += 61011;
}

/* DCO at 8 MHz for MCLK and SMCLK; nothing for ACLK but the slow oscillator inside. */
static void start_clocks(void)
{
    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    P1DIR |= BIT0;
    CSCTL0_H = CSKEY >> 8;
    CSCTL1 = DCOFSEL_6;
    CSCTL2 = SELA__VLOCLK | SELS__DCOCLK | SELM__DCOCLK;
    CSCTL3 = DIVA__1 | DIVS__1 | DIVM__1;
    CSCTL0_H = 0;
}

static void start_timers(void)
{
    TA0CCR0 = 51001;
    TA0CCR1 = 5003;
    TA0CCTL0 = TA0CCTL1 = CCIE;
    TA0CTL = TASSEL__SMCLK | ID__8 | MC__CONTINUOUS | TACLR;
    TA1CCR0 = 60013;
    TA1CCTL0 = CCIE;
    TA1CTL = TASSEL__SMCLK | ID__8 | MC__UP | TACLR;
    TA2CCR0 = 127;
    TA2CCTL0 = CCIE;
    TA2CTL = TASSEL__ACLK | MC__UP | TACLR;
    TA3CCR0 = 211;
    TA3CCTL0 = CCIE;
    TA3CTL = TASSEL__ACLK | MC__UP | TACLR;
    TB0CCR0 = 40009;
    TB0CCR5 = 333;
    TB0CCTL0 = TB0CCTL5 = CCIE;
    TB0CTL = TBSSEL__SMCLK | ID__8 | MC__CONTINUOUS | TBCLR;
}

COPIED static uint16_t multiply(uint16_t a, uint16_t b)
{
    kit_disable_interrupts();
    MPY32L = a;
    MPY32H = b;
    OP2L = b;
    OP2H = a;
    uint16_t product = RES1 ^ RES2;
    kit_enable_interrupts();
    return product;
}

int main(void)
{
    start_clocks();
    boots++;
    note(boots + left_over[3]);
    start_timers();
    kit_enable_interrupts();
    for (;;) {
        for (uint16_t i = 0; i < 50; i++)
            note(multiply(sum, i));
        while (!(TA3CTL & TAIFG))
            ;
        TA3CTL &= (uint16_t)~TAIFG;
        note(TA0R);
        hc_update();
        if (ticks % 3 == 0)
            kit_sleep(LPM0_bits | GIE);
        if (ticks > LIFE && boots < BOOTS)
            PMMCTL0 = PMMPW | PMMSWBOR;
    }
}
