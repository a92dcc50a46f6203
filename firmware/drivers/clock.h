/* The DCO, which drives MCLK and SMCLK, brought to 128 x ACLK = 4,194,304 Hz. */
#ifndef DRIVERS_CLOCK_H
#define DRIVERS_CLOCK_H

#include <stdint.h>

#define CLOCK_HZ 4194304ul

/* About 5 ms. Uses Timer_A, and leaves it stopped. Interrupts should be disabled, for they would stretch it. */
void clock_calibrate(void);

/* Busy for at least US microseconds (up to 5 % more), for protocols that have no other clock. */
void clock_spin(uint16_t us);

#endif
