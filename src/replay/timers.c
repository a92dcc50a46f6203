/* Timers in replay: the base of each read, and the time that follows from them. */
#include "timers.h"

#include "peripherals.h"

/* Units of time are ticks of a DCO at 2^20 Hz; the crystal's are 32 of them. */
enum {
    UNITS_LOG = 20,
    ACLK_UNITS_LOG = 5,
    SOURCE_ACLK = 1,
    HALF_COUNT = 0x8000,
    ALL_COUNTS = 0x10000,
    ALL_BITS = 0xffff
};
enum { STOPPED, UP, CONTINUOUS, UP_AND_DOWN };

static int timer_of(const struct hc_regs *regs, uint32_t address)
{
    for (int i = 0; i < regs->timers; i++) {
        const struct hc_regs_timer *t = &regs->timer[i];
        if (address == t->counter || (address >= t->ccr && address < t->ccr + 2u * t->blocks))
            return i;
    }
    return -1;
}

static uint32_t register_value(struct hc_replay *r, uint32_t address)
{
    return hc_regfile_peek(hc_peripherals_file(r->peripherals), address, 2);
}

/* ---- what the recorder predicts from (FORMAT.md) ---- */

const uint16_t *hc_timers_base(struct hc_replay *r, uint32_t address)
{
    int i = timer_of(r->regs, address);
    return i >= 0 && r->s.timer[i].based ? &r->s.timer[i].base : NULL;
}

void hc_timers_forget(struct hc_replay *r)
{
    for (int i = 0; i < HC_REGS_TIMERS_MAX; i++)
        r->s.timer[i].based = false;
}

void hc_timers_go_on(struct hc_replay *r, const struct hc_replay_state *before, bool same_boot)
{
    r->s.time_us = before->time_us;
    r->s.units = before->units;
    r->s.by_crystal = before->by_crystal;
    for (int i = 0; i < HC_REGS_TIMERS_MAX; i++) {
        r->s.timer[i] = before->timer[i];
        r->s.timer[i].seen &= same_boot;
        r->s.timer[i].wrapped = false;
        r->s.timer[i].based = false;
    }
}

/* ---- time ---- */

static uint32_t control_of(struct hc_replay *r, int i)
{
    return register_value(r, r->regs->timer[i].control);
}

static bool by_crystal(uint32_t control)
{
    return (control >> 8 & 3) == SOURCE_ACLK;
}

/* The period of the counter, in counts. */
static uint32_t period_of(struct hc_replay *r, int i, uint32_t control)
{
    return (control >> 4 & 3) == UP ? register_value(r, r->regs->timer[i].ccr) + 1 : ALL_COUNTS;
}

/* The least number of counts from one value of a counter to another. */
static uint32_t counts(uint32_t control, uint32_t period, uint32_t from, uint32_t to)
{
    switch (control >> 4 & 3) {
    case STOPPED:
        return 0;
    case UP_AND_DOWN:
        return from < to ? to - from : from - to;
    default:
        return to >= from ? to - from : from < period ? to + period - from : to;
    }
}

/* Advances time by N counts of timer I. A timer clocked by the crystal has priority over those clocked by the DCO,
 * whose frequency is only assumed. */
static void pass(struct hc_replay *r, int i, uint32_t control, uint64_t n)
{
    struct hc_timer_state *t = &r->s.timer[i];
    t->units += n << ((control >> 6 & 3) + (by_crystal(control) ? ACLK_UNITS_LOG : 0));
    if (by_crystal(control) && n)
        r->s.by_crystal = true;
    if (t->units <= r->s.units || (r->s.by_crystal && !by_crystal(control)))
        return;
    r->s.units = t->units;
    r->s.time_us = t->units * 1000000 >> UNITS_LOG;
}

/* The counter of timer I was seen at VALUE. */
static void seen(struct hc_replay *r, int i, uint16_t value)
{
    struct hc_timer_state *t = &r->s.timer[i];
    uint32_t control = control_of(r, i);
    if (t->seen)
        pass(r, i, control, counts(control, period_of(r, i, control), t->last, value));
    else
        t->units = r->s.units;
    t->wrapped |= t->seen && value < t->last;
    t->seen = true;
    t->matched = false;
    t->last = value;
}

/* The overflow interrupt may be late: the program has already read a value after the overflow. */
static void overflowed(struct hc_replay *r, int i)
{
    struct hc_timer_state *t = &r->s.timer[i];
    if (!t->wrapped)
        seen(r, i, 0);
    t->wrapped = false;
}

/* Compare unit N of timer I matched: the counter is, or was just now, at its value. */
static void compared(struct hc_replay *r, int i, int n)
{
    const struct hc_regs_timer *t = &r->regs->timer[i];
    struct hc_timer_state *timer = &r->s.timer[i];
    if (register_value(r, t->cctl + 2 * (uint32_t)n) & t->cap)
        return;
    uint16_t value = (uint16_t)register_value(r, t->ccr + 2 * (uint32_t)n);
    timer->based |= n == 0; /* of unit 0 alone */
    if (n == 0)
        timer->base = value;
    uint32_t control = control_of(r, i);
    bool again = n == 0 && timer->seen && timer->last == value;
    if (again && ((control >> 4 & 3) == UP || ((control >> 4 & 3) == CONTINUOUS && timer->matched)))
        pass(r, i, control, period_of(r, i, control));
    else if (!timer->seen || (control >> 4 & 3) == UP || (n == 0 && timer->matched) ||
             (uint16_t)(value - timer->last) < HALF_COUNT)
        seen(r, i, value);
    timer->matched |= n == 0 && timer->last == value;
}

void hc_timers_interrupt(struct hc_replay *r, int vector)
{
    for (int i = 0; i < r->regs->timers; i++)
        if (r->regs->timer[i].ccr0_vector == vector)
            compared(r, i, 0);
}

static void vector_read(struct hc_replay *r, int i, uint16_t value)
{
    const struct hc_regs_timer *t = &r->regs->timer[i];
    if (value == t->overflow)
        overflowed(r, i);
    else if (value && value / 2 < t->blocks)
        compared(r, i, value / 2);
}

void hc_timers_read(struct hc_replay *r, uint32_t address, const struct hc_site *site, uint16_t value)
{
    int class = HC_SITE_CLASS(site);
    if (class == HC_SITE_VECTOR) {
        for (int i = 0; i < r->regs->timers; i++)
            if (r->regs->timer[i].iv == address)
                vector_read(r, i, value);
        return;
    }
    int i = class == HC_SITE_TIMER ? timer_of(r->regs, address) : -1;
    if (i < 0)
        return;
    r->s.timer[i].based = false;
    if (address == r->regs->timer[i].counter && site->mask == ALL_BITS)
        seen(r, i, value);
}
