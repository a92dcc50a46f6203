/* The counter: what it counts, by mode and clock. */
#include "timer_internal.h"

/* ---- the clock ---- */

struct hc_clock *hc_timer_source(const struct hc_timer *t)
{
    return hc_timer_ssel(t) == SSEL_ACLK ? t->config.aclk : hc_timer_ssel(t) == SSEL_SMCLK ? t->config.smclk : NULL;
}

uint64_t hc_timer_ticks(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock *clock = hc_timer_source(t);
    return clock ? hc_clock_ticks(clock, when) : t->s.external[hc_timer_ssel(t) == SSEL_INCLK];
}

hc_time hc_timer_time_of_count(const struct hc_timer *t, uint64_t counts_ago, hc_time now)
{
    const struct hc_clock *clock = hc_timer_source(t);
    return clock ? hc_clock_time_of(clock, t->s.tick - t->s.prescale - counts_ago * hc_timer_division(t)) : now;
}

hc_time hc_timer_time_in_counts(const struct hc_timer *t, uint32_t n)
{
    const struct hc_clock *clock = hc_timer_source(t);
    if (!clock || n == NEVER)
        return HC_NEVER;
    return hc_clock_time_of(clock, t->s.tick + (uint64_t)n * hc_timer_division(t) - t->s.prescale);
}

hc_time hc_timer_next_fall(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock *clock = hc_timer_source(t);
    uint64_t whole = hc_timer_division(t); /* ticks of a count */

    if (!clock || !clock->s.period)
        return HC_NEVER;
    if (whole > 1)
        return hc_clock_time_of(clock, t->s.tick - t->s.prescale + (t->s.prescale < whole / 2 ? 0 : whole) + whole / 2);
    hc_time half = clock->s.period / 2;
    hc_time fall =
        when < clock->s.origin ? clock->s.origin + half : when - (when - clock->s.origin) % clock->s.period + half;
    return fall > when ? fall : fall + clock->s.period;
}

/* ---- modes ---- */

/* In up/down mode: the next count goes down. */
static bool falling(const struct hc_timer *t)
{
    return t->s.r && (t->s.down || t->s.r >= t->s.latch[0]);
}

uint32_t hc_timer_counts_to(const struct hc_timer *t, uint32_t value)
{
    uint32_t r = t->s.r, top = t->s.latch[0], max = hc_timer_max(t);
    int m = hc_timer_mode(t);

    if (m == STOP || (m != CONTINUOUS && !top && !r))
        return NEVER;
    if (m == UP_DOWN && falling(t) && value < r) /* may start above TxCCR0, if that was lowered */
        return r - value;
    if (value > (m == CONTINUOUS ? max : top))
        return NEVER;
    if (m == CONTINUOUS)
        return value > r ? value - r : max + 1 - r + value;
    if (m == UP && r >= top)
        return 1 + value;
    if (m == UP)
        return value > r ? value - r : top - r + 1 + value;
    if (falling(t))
        return r + value;
    return value > r ? value - r : top - r + top - value;
}

void hc_timer_move(struct hc_timer *t, uint32_t n)
{
    uint32_t r = t->s.r, top = t->s.latch[0];

    switch (hc_timer_mode(t)) {
    case CONTINUOUS:
        t->s.r = (uint16_t)((r + n) & hc_timer_max(t));
        break;
    case UP:
        if (r >= top)
            t->s.r = (uint16_t)(top || r ? n - 1 : 0);
        else
            t->s.r = (uint16_t)(r + n > top ? 0 : r + n);
        break;
    case UP_DOWN:
        if (!top && !r)
            break;
        t->s.down = falling(t);
        t->s.r = (uint16_t)(t->s.down ? r - n : r + n);
        if (!t->s.r)
            t->s.down = false;
        break;
    }
}

uint64_t hc_timer_cut(const struct hc_timer *t, uint64_t n)
{
    int m = hc_timer_mode(t);
    uint64_t top = t->s.latch[0];
    uint64_t twice = m == CONTINUOUS ? 2 * ((uint64_t)hc_timer_max(t) + 1) : m == UP ? 2 * (top + 1) : 4 * top;

    if (m == STOP || !twice || n < 2 * twice || (m != CONTINUOUS && t->s.r > top))
        return n;
    return twice + n % twice;
}
