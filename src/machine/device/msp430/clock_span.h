/* A stretch of time given in periods of a clock, whose end moves when the clock changes its rate. Plain data. */
#ifndef HC_MACHINE_DEVICE_MSP430_CLOCK_SPAN_H
#define HC_MACHINE_DEVICE_MSP430_CLOCK_SPAN_H

#include "machine/clock.h"

struct hc_clock_span {
    hc_time end;      /* HC_NEVER while the clock stands still */
    hc_time period;   /* of the clock, when end was computed */
    uint64_t periods; /* left, when end was computed */
};

/* PERIODS from the clock's next edge on. Returns the end. */
static inline hc_time hc_clock_span_begin(struct hc_clock_span *span, const struct hc_clock *c, uint64_t periods,
                                          hc_time now)
{
    hc_time edge = hc_clock_edge(c, now);

    *span = (struct hc_clock_span){ HC_NEVER, c->s.period, periods };
    if (edge != HC_NEVER)
        span->end = edge + periods * c->s.period;
    return span->end;
}

/* For a clock's `changed` listener, whichever clock that was. Returns the new end. */
static inline hc_time hc_clock_span_changed(struct hc_clock_span *span, const struct hc_clock *c, hc_time now)
{
    if (c->s.period == span->period)
        return span->end;
    if (span->period)
        span->periods = span->end > now ? (span->end - now + span->period - 1) / span->period : 0;
    span->period = c->s.period;
    span->end = span->period ? now + span->periods * span->period : HC_NEVER;
    return span->end;
}

#endif
