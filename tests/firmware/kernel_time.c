/* Virtual timers of many periods, checked against the time at which they fire.
 * fires: how often each has fired. result: 0 greatest lateness in ticks, 1 fired early, 2 fired though stopped,
 * 3 order violated */
#include "drivers/board.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { PERIODIC = 4, CHAIN = PERIODIC, FAR, TIMERS };

volatile uint32_t fires[TIMERS];
volatile uint16_t result[4];
volatile uint32_t start_time, far_at;

static const uint32_t periods[PERIODIC] = { 1000, 32768, 65536, 100003 };
static uint32_t expected[TIMERS];
static uint32_t last_due;

static void check(uint16_t which)
{
    uint32_t late = timer_now() - expected[which];
    if (late > TIMER_LONGEST)
        result[1]++;
    else if (late > result[0])
        result[0] = late > 0xffff ? 0xffff : (uint16_t)late;
    if (timer_before(expected[which], last_due))
        result[3]++;
    last_due = expected[which];
    fires[which]++;
}

static void ticked(void *which)
{
    uint16_t i = (uint16_t)(uintptr_t)which;
    check(i);
    expected[i] += periods[i];
}

static void never(void *unused)
{
    (void)unused;
    result[2]++;
}

static void chained(void *unused);
static struct timer periodic[PERIODIC] = { TIMER(ticked, (void *)0), TIMER(ticked, (void *)1), TIMER(ticked, (void *)2),
                                           TIMER(ticked, (void *)3) };
static struct timer chain = TIMER(chained, NULL), stopped = TIMER(never, NULL);

/* Each time another delay, from one tick to several turns of the counter; and a timer that is stopped in time. */
static void chained(void *unused)
{
    (void)unused;
    if (expected[CHAIN])
        check(CHAIN);
    timer_stop(&stopped);
    uint32_t delay = 1 + (random_below(200000) >> (random16() & 15));
    timer_start_once(&stopped, delay + 1000);
    timer_start_once(&stopped, delay + 10);
    timer_start_once(&chain, delay);
    expected[CHAIN] = chain.at;
}

static void far_fired(void *unused)
{
    (void)unused;
    check(FAR);
    far_at = timer_now();
}

static struct timer distant = TIMER(far_fired, NULL);

int main(void)
{
    board_start();
    uint32_t now = start_time = timer_now();
    for (uint16_t i = 0; i < PERIODIC; i++) {
        timer_start_periodic(&periodic[i], periods[i]);
        expected[i] = periodic[i].at;
    }
    timer_start_at(&distant, expected[FAR] = now + 2 * 3600 * TIMER_SECOND);
    last_due = now;
    chained(NULL);
    kernel_run();
}
