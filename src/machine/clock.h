/* A clock: a count of rising edges as a function of time, computed on demand. Nothing happens when it ticks.
 *
 * ticks(t) = count + (t - origin) / period, whole edges only; a period of 0 is a clock that stands still. */
#ifndef HC_MACHINE_CLOCK_H
#define HC_MACHINE_CLOCK_H

#include "time.h"

#include <stdbool.h>

struct hc_clock_state {
    hc_time period;
    hc_time origin;
    uint64_t count;
};

/* Told before a clock changes (latch what the old rate has counted) and after (re-arm events at the new rate). */
struct hc_clock_listener {
    void (*changing)(void *owner, hc_time now);
    void (*changed)(void *owner, hc_time now);
    void *owner;
};

enum { HC_CLOCK_LISTENERS_MAX = 16 };

struct hc_clock {
    struct hc_clock_state s;
    const char *name;
    int listeners;
    struct hc_clock_listener listener[HC_CLOCK_LISTENERS_MAX];
};

static inline uint64_t hc_clock_ticks(const struct hc_clock *c, hc_time t)
{
    return c->s.period && t > c->s.origin ? c->s.count + (t - c->s.origin) / c->s.period : c->s.count;
}

/* When the count reaches N, a time not before the origin; HC_NEVER if the clock stands still. */
static inline hc_time hc_clock_time_of(const struct hc_clock *c, uint64_t n)
{
    if (n <= c->s.count)
        return c->s.origin;
    return c->s.period ? c->s.origin + (n - c->s.count) * c->s.period : HC_NEVER;
}

/* The first edge at or after T; HC_NEVER if the clock stands still. */
static inline hc_time hc_clock_edge(const struct hc_clock *c, hc_time t)
{
    if (!c->s.period)
        return HC_NEVER;
    if (t <= c->s.origin)
        return c->s.origin;
    return c->s.origin + (t - c->s.origin + c->s.period - 1) / c->s.period * c->s.period;
}

void hc_clock_init(struct hc_clock *c, const char *name);
void hc_clock_listen(struct hc_clock *c, struct hc_clock_listener listener);

/* Changes the rate from NOW on (0 stops it) and tells the listeners. The count is kept; the first new edge comes one
 * new period after the last old one, or after NOW if the clock stood still. Nothing happens when the period is the
 * same. */
void hc_clock_set(struct hc_clock *c, hc_time period, hc_time now);

#endif
