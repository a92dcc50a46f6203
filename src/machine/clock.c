#include "clock.h"

#include <assert.h>

void hc_clock_init(struct hc_clock *c, const char *name)
{
    *c = (struct hc_clock){ .name = name };
}

void hc_clock_listen(struct hc_clock *c, struct hc_clock_listener listener)
{
    assert(c->listeners < HC_CLOCK_LISTENERS_MAX);
    c->listener[c->listeners++] = listener;
}

void hc_clock_set(struct hc_clock *c, hc_time period, hc_time now)
{
    if (period == c->s.period)
        return;
    for (int i = 0; i < c->listeners; i++)
        if (c->listener[i].changing)
            c->listener[i].changing(c->listener[i].owner, now);
    uint64_t count = hc_clock_ticks(c, now);
    if (c->s.period && now > c->s.origin)
        c->s.origin += (count - c->s.count) * c->s.period;
    if (!c->s.period || c->s.origin + period < now)
        c->s.origin = now;
    c->s.count = count;
    c->s.period = period;
    for (int i = 0; i < c->listeners; i++)
        if (c->listener[i].changed)
            c->listener[i].changed(c->listener[i].owner, now);
}
