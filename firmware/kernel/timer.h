/* Virtual timers on Timer_B, which counts ACLK: 32,768 ticks a second, a 32-bit time that wraps after 36.4 hours.
 *
 * All timers share one compare interrupt; they are kept in a list, the first to fire at its head. A timer fires in a
 * task, with its argument. Delays are at most TIMER_LONGEST. */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include "kernel/task.h"

#define TIMER_SECOND 32768ul
#define TIMER_LONGEST 0x7ffffffful

/* Ticks in MS milliseconds, of 1/1000 s. For constants: the compiler computes it. */
#define TIMER_MS(ms) ((uint32_t)((uint64_t)(ms) * 32768 / 1000))

struct timer {
    struct timer *next;
    task_fn *fired;
    void *argument;
    uint32_t at;     /* when it fires next */
    uint32_t period; /* 0: once */
    bool running;
};

/* A timer for static memory:  static struct timer beacon = TIMER(send_beacon, NULL); */
#define TIMER(fired_, argument_) { .fired = (fired_), .argument = (argument_) }

/* Starts Timer_B. Before anything else of this file. */
void timer_init(void);

/* The time, from any context. */
uint32_t timer_now(void);

/* From tasks only. Starting a running timer starts it anew. */
void timer_start_once(struct timer *t, uint32_t ticks);
/* Fires first after TICKS, then every TICKS, without drift. */
void timer_start_periodic(struct timer *t, uint32_t ticks);
/* Fires once, at the time AT; at once if that has passed. */
void timer_start_at(struct timer *t, uint32_t at);
void timer_stop(struct timer *t);

static inline bool timer_running(const struct timer *t)
{
    return t->running;
}

/* True when A is earlier than B, whichever side of the wrap they are on; they must be within TIMER_LONGEST. */
static inline bool timer_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* The 32-bit time of a capture of Timer_B that happened less than two seconds ago. */
uint32_t timer_of_capture(uint16_t capture);

#endif
