/* Timers in replay: what a read of one is relative to, and what time it is by them. */
#include "internal.h"

enum { ACLK_HZ = 32768, SMCLK_HZ = 1 << 20, SOURCE_ACLK = 1, HALF_COUNT = 0x8000 };

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

/* ---- what the recorder predicts from (docs/trace.md) ---- */

const uint16_t *hc_estimate_base(struct hc_replay *r, uint32_t address)
{
    int i = timer_of(r->regs, address);
    return i >= 0 && r->s.timer[i].based ? &r->s.timer[i].base : NULL;
}

void hc_estimate_forget(struct hc_replay *r)
{
    for (int i = 0; i < HC_REGS_TIMERS_MAX; i++)
        r->s.timer[i].based = false;
}

/* ---- time ---- */

static uint64_t microseconds(struct hc_replay *r, int i)
{
    uint32_t control = register_value(r, r->regs->timer[i].control);
    uint64_t hz = (control >> 8 & 3) == SOURCE_ACLK ? ACLK_HZ : SMCLK_HZ;
    return ((r->s.timer[i].ticks << (control >> 6 & 3)) * 1000000) / hz;
}

/* The counter of timer I was seen at VALUE. */
static void seen(struct hc_replay *r, int i, uint16_t value)
{
    struct hc_estimate_timer *t = &r->s.timer[i];
    if (t->seen)
        t->ticks += (uint16_t)(value - t->last);
    t->seen = true;
    t->last = value;
    uint64_t now = microseconds(r, i);
    if (now > r->s.time_us)
        r->s.time_us = now;
}

/* Compare unit N of timer I matched: the counter is, or was just now, at its value. */
static void compared(struct hc_replay *r, int i, int n)
{
    const struct hc_regs_timer *t = &r->regs->timer[i];
    struct hc_estimate_timer *timer = &r->s.timer[i];
    if (register_value(r, t->cctl + 2 * (uint32_t)n) & t->cap)
        return;
    timer->based = true;
    timer->base = (uint16_t)register_value(r, t->ccr + 2 * (uint32_t)n);
    if (!timer->seen || (uint16_t)(timer->base - timer->last) < HALF_COUNT)
        seen(r, i, timer->base);
}

void hc_estimate_interrupt(struct hc_replay *r, int vector)
{
    for (int i = 0; i < r->regs->timers; i++)
        if (r->regs->timer[i].ccr0_vector == vector)
            compared(r, i, 0);
}

static void vector_read(struct hc_replay *r, int i, uint16_t value)
{
    const struct hc_regs_timer *t = &r->regs->timer[i];
    if (value == t->overflow) {
        r->s.timer[i].based = true;
        r->s.timer[i].base = 0;
        seen(r, i, 0);
    } else if (value && value / 2 < t->blocks) {
        compared(r, i, value / 2);
    }
}

void hc_estimate_read(struct hc_replay *r, uint32_t address, int class, uint16_t value)
{
    if (class == HC_REG_VECTOR) {
        for (int i = 0; i < r->regs->timers; i++)
            if (r->regs->timer[i].iv == address)
                vector_read(r, i, value);
        return;
    }
    int i = class == HC_REG_TIMER ? timer_of(r->regs, address) : -1;
    if (i < 0)
        return;
    r->s.timer[i].based = false;
    if (address == r->regs->timer[i].counter)
        seen(r, i, value);
}
