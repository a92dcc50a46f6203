/* What the recorder's C asks of the part: why it was reset, the time, and speed after a reset. HC_MEMORY8 and 16 must
 * be defined. */
#ifndef HC_CLOCKS_H
#define HC_CLOCKS_H

#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* The flags that a reset left, as in the boot page (FORMAT.md). */
static inline uint16_t hc_reset_cause(void)
{
#ifdef HC_PART_F1XX
    return HC_MEMORY8(HC_CAUSE);
#else
    return HC_MEMORY16(HC_PMMIFG) | (HC_MEMORY16(HC_SFRIFG1) & 1);
#endif
}

/* After a reset: full speed that is safe at any supply voltage; and back. */
static inline void hc_go_fast(void)
{
#ifdef HC_PART_F1XX
    HC_MEMORY8(HC_CLOCK_CONTROL) = 0x87;
#endif
}

static inline void hc_go_slow(void)
{
#ifdef HC_PART_F1XX
    HC_MEMORY8(HC_CLOCK_CONTROL) = 0x84;
#endif
}

/* The supply is watched from now on. */
static inline void hc_supply_watch(void)
{
#if HC_FLUSH_BELOW
    HC_MEMORY8(HC_SVSCTL) = HC_SVS_LEVEL;
#endif
}

/* Whether it has been low since the last call. */
static inline bool hc_supply_low(void)
{
#if HC_FLUSH_BELOW
    bool low = HC_MEMORY8(HC_SVSCTL) & HC_SVSFG;
    HC_MEMORY8(HC_SVSCTL) &= (uint8_t)~HC_SVSFG; /* set again at once while it is low */
    return low;
#else
    return false;
#endif
}

/* Where ticks of 1/32768 s are counted, modulo 2^16: in a timer that counts ACLK continuously; or HC_NO_CLOCK. */
static inline uint16_t hc_clock(void)
{
    for (uint8_t n = HC_TIMERS_PRESENT; n; n--) {
        uint16_t timer = HC_TIMER_ADDRESS(n);
        if ((HC_MEMORY16(timer) & HC_TIMER_CLOCK_MASK) == HC_TIMER_CLOCK)
            return timer + HC_TIMER_R;
    }
    return HC_NO_CLOCK;
}

#endif
