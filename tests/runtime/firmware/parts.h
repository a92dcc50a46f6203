/* What differs between the F1611 and the FR5969, under the F1611's names. */
#ifndef PARTS_H
#define PARTS_H

#include <kit.h>

#ifdef KIT_FR5969
#define TIMER_A_VECTOR TIMER0_A0_VECTOR
#define TIMER_B_VECTOR TIMER0_B0_VECTOR
#define TACTL TA0CTL
#define TAR TA0R
#define TACCR0 TA0CCR0
#define TACCR1 TA0CCR1
#define TACCTL0 TA0CCTL0
#define TBCTL TB0CTL
#define TBR TB0R
#define TBCCR0 TB0CCR0
#define TBCCTL0 TB0CCTL0
#define RECEIVED (*(volatile uint8_t *)&UCA1RXBUF)

static inline void run_at_4_mhz(void)
{
    CSCTL0_H = CSKEY >> 8;
    CSCTL1 = DCOFSEL_3;
    CSCTL3 = DIVA__1 | DIVS__1 | DIVM__1;
    CSCTL0_H = 0;
}
#else
#define TIMER_A_VECTOR TIMERA0_VECTOR
#define TIMER_B_VECTOR TIMERB0_VECTOR
#define RECEIVED U1RXBUF

static inline void run_at_4_mhz(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7);
    DCOCTL = 0x60;
}
#endif

#endif
