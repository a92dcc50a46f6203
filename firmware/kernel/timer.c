/* The list of timers belongs to tasks. Handlers only count overflows and post `expire`, which runs what is due and then
 * sets the compare register for the next timer, if that is less than one turn of the 16-bit counter away. Otherwise the
 * overflow that must come before it does so. What is due is known from the compare register: the counter, which takes
 * two reads or more, is asked only for how far it is to the next. */
#include "kernel/timer.h"

#include "kernel/critical.h"
#include "kernel/sleep.h"

/* A compare value must be this far ahead to be sure that the counter has not passed it before it is written. Where
 * reads are recorded that takes 300 cycles. */
#ifdef __HINDCAST__
enum { COMPARE_MARGIN = 4 };
#else
enum { COMPARE_MARGIN = 2 };
#endif

static struct timer *first;
static volatile uint16_t overflows; /* the high word of time */
static volatile bool expire_posted;
static bool expiring;
static uint32_t due; /* up to this time timers fire, when the compare register's interrupt has come */

static void expire(void *unused);

static void post_expire(void)
{
    if (!expire_posted)
        expire_posted = task_post(expire, NULL);
}

/* ACLK and MCLK are not synchronous: a value read while the counter changes may be wrong, but not twice alike. */
static uint16_t counter(void)
{
    uint16_t a, b = TBR;
    do {
        a = b;
        b = TBR;
    } while (a != b);
    return a;
}

/* An overflow that has not been counted, as interrupts are off, is less than RECENT ticks (125 ms) ago. */
uint32_t timer_now(void)
{
    enum { RECENT = 0x1000 };
    uint16_t state = critical_enter();
    uint16_t low = counter(), high = overflows;
    if (low < RECENT && (TBCTL & TBIFG))
        high++;
    critical_leave(state);
    return (uint32_t)high << 16 | low;
}

uint32_t timer_of_capture(uint16_t capture)
{
    uint32_t now = timer_now();
    return now - (uint16_t)((uint16_t)now - capture);
}

/* Makes sure that `expire` runs when the first timer is due. */
static void arm(void)
{
    uint16_t state = critical_enter();
    TBCCTL0 = 0;
    if (first) {
        due = timer_now();
        int32_t left = (int32_t)(first->at - due);
        if (left <= 0) {
            post_expire();
        } else if (left <= 0xffff) {
            due += left < COMPARE_MARGIN ? COMPARE_MARGIN : (uint32_t)left;
            TBCCR0 = (uint16_t)due;
            TBCCTL0 = CCIE;
        }
    }
    critical_leave(state);
}

static void insert(struct timer *t)
{
    struct timer **place = &first;
    while (*place && !timer_before(t->at, (*place)->at))
        place = &(*place)->next;
    t->next = *place;
    *place = t;
    t->running = true;
}

static void take_out(struct timer *t)
{
    for (struct timer **place = &first; t->running && *place; place = &(*place)->next) {
        if (*place == t) {
            *place = t->next;
            t->running = false;
            return;
        }
    }
}

/* What becomes due meanwhile waits its turn behind the other tasks: a timer that keeps starting itself for a few ticks,
 * until a task has done something, must let that task run. */
static void expire(void *unused)
{
    (void)unused;
    expire_posted = false;
    bool elapsed = !(TBCCTL0 & CCIE); /* else an overflow, or what it was posted for has been stopped */
    uint32_t now = due;
    expiring = true;
    while (elapsed && first && !timer_before(now, first->at)) {
        struct timer *t = first;
        take_out(t);
        if (t->period) {
            t->at += t->period;
            insert(t);
        }
        t->fired(t->argument);
    }
    expiring = false;
    arm();
}

static void start(struct timer *t, uint32_t at, uint32_t period)
{
    take_out(t);
    t->at = at;
    t->period = period;
    insert(t);
    if (first == t && !expiring)
        arm();
}

void timer_start_once(struct timer *t, uint32_t ticks)
{
    start(t, timer_now() + ticks, 0);
}

void timer_start_periodic(struct timer *t, uint32_t ticks)
{
    start(t, timer_now() + ticks, ticks);
}

void timer_start_at(struct timer *t, uint32_t at)
{
    start(t, at, 0);
}

void timer_stop(struct timer *t)
{
    take_out(t);
}

KIT_INTERRUPT(TIMERB0_VECTOR) void timer_compare_handler(void)
{
    TBCCTL0 = 0;
    post_expire();
    KERNEL_HANDLER_END();
}

KIT_INTERRUPT(TIMERB1_VECTOR) void timer_overflow_handler(void)
{
    if (TBIV == TBIV_TBIFG) {
        overflows++;
        if (first)
            post_expire();
    }
    KERNEL_HANDLER_END();
}

void timer_init(void)
{
    TBCTL = TBSSEL_1 | MC_2 | TBCLR | TBIE;
}
