/* What random nodes (nodes.py) stand on: names of timers and ports that both parts have, lives and their ends, and a
 * record of what the program computed, by which a recorded run can be compared with a plain one. */
#ifndef WORLD_H
#define WORLD_H

#include <hindcast.h>
#include <kit.h>
#include <setjmp.h>

/* Timer A ticks; Timer B has the second and third interrupt. */
#ifdef KIT_FR5969
#define A_CTL TA0CTL
#define A_R TA0R
#define A_CCR0 TA0CCR0
#define A_CCR1 TA0CCR1
#define A_CCR2 TA0CCR2
#define A_CCTL0 TA0CCTL0
#define A_CCTL1 TA0CCTL1
#define A_IV TA0IV
#define A0_VECTOR TIMER0_A0_VECTOR
#define A1_VECTOR TIMER0_A1_VECTOR
#define B_CTL TB0CTL
#define B_R TB0R
#define B_CCR0 TB0CCR0
#define B_CCR1 TB0CCR1
#define B_CCTL0 TB0CCTL0
#define B_CCTL1 TB0CCTL1
#define B_IV TB0IV
#define B0_VECTOR TIMER0_B0_VECTOR
#define B1_VECTOR TIMER0_B1_VECTOR
#define UART_RX UCA0RXBUF
#else
#define A_CTL TACTL
#define A_R TAR
#define A_CCR0 TACCR0
#define A_CCR1 TACCR1
#define A_CCR2 TACCR2
#define A_CCTL0 TACCTL0
#define A_CCTL1 TACCTL1
#define A_IV TAIV
#define A0_VECTOR TIMERA0_VECTOR
#define A1_VECTOR TIMERA1_VECTOR
#define B_CTL TBCTL
#define B_R TBR
#define B_CCR0 TBCCR0
#define B_CCR1 TBCCR1
#define B_CCTL0 TBCCTL0
#define B_CCTL1 TBCCTL1
#define B_IV TBIV
#define B0_VECTOR TIMERB0_VECTOR
#define B1_VECTOR TIMERB1_VECTOR
#define UART_RX RXBUF1
#endif
enum { CLOCK_SMCLK = TASSEL_2, CLOCK_ACLK = TASSEL_1 };

/* How a life may end. HANGs need a watchdog. */
enum end {
    END_WATCHDOG_KEY,
    END_FLASH_KEY, /* FRAM's, on the FR5969 */
    END_JUMP,      /* to the reset vector; interrupts and peripherals as they are */
    END_JUMP_QUIETLY,
    END_HANG,
    END_HANG_QUIETLY,
    END_HANG_ASLEEP,
    END_SOFTWARE_POR, /* FR5969 only */
    END_SOFTWARE_BOR,
};

enum { MARKED = 4, MARKS = 16 };
extern volatile uint16_t rounds[MARKED], trail[MARKED][MARKS];
extern volatile uint16_t seen, ticks, overload;

/* Survives resets: how many there were, how many were meant, how many were not. */
extern volatile struct life {
    uint16_t magic, starts, ends, announced, unexpected;
} life;

/* The first of main. */
void begin_life(void);
void end_life(enum end end);

/* Chain THREAD has come to STATE: the first time, the second ... All are known, as nothing of the world goes into them.
 */
void mark(uint8_t thread, uint16_t state);

void start_clocks(uint8_t fast);
void start_uart(uint16_t baud_divisor);

/* Hardware multiplier, with interrupts off. */
uint16_t multiply(uint16_t a, uint16_t b);

#endif
