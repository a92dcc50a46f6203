/* The counter of the watchdog timers: nobody can read it, and its interval ends when the bit that is selected rises,
 * which clears it. */
#ifndef HC_MACHINE_DEVICE_MSP430_WATCHDOG_COUNTER_H
#define HC_MACHINE_DEVICE_MSP430_WATCHDOG_COUNTER_H

#include "machine/clock.h"

struct hc_watchdog_counter {
    uint32_t count; /* as of `tick` of the selected clock */
    uint64_t tick;
};

/* Ticks until the bit INTERVAL rises. */
static inline uint32_t hc_watchdog_to_expiry(const struct hc_watchdog_counter *c, uint32_t interval)
{
    return interval - (c->count & (interval - 1));
}

static inline void hc_watchdog_sync(struct hc_watchdog_counter *c, const struct hc_clock *clock, hc_time now,
                                    uint32_t interval, bool held)
{
    uint64_t tick = hc_clock_ticks(clock, now);

    if (tick <= c->tick)
        return;
    uint64_t passed = tick - c->tick, first = hc_watchdog_to_expiry(c, interval);
    c->tick = tick;
    if (!held)
        c->count = (uint32_t)(passed < first ? c->count + passed : (passed - first) % interval);
}

/* After a write to the control register, which may have selected CLOCK and INTERVAL anew: is the interval over, because
 * the bit is high already? */
static inline bool hc_watchdog_restart(struct hc_watchdog_counter *c, const struct hc_clock *clock, hc_time now,
                                       uint32_t interval, bool clear)
{
    c->tick = hc_clock_ticks(clock, now);
    bool over = !clear && (c->count & interval);
    if (clear || over)
        c->count = 0;
    return over;
}

#endif
