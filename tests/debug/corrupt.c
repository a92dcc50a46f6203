/* A program that records itself and damages itself: every ninth reading is written over the pointer behind the table.
 * Twice a second it looks, and when the pointer is wrong it gives up. */
#include "drivers/board.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

#include <stddef.h>

enum { READINGS = 8 };

struct table {
    uint16_t reading[READINGS];
    void (*report)(uint16_t sum);
};

static struct table table;
static uint8_t used;
volatile uint16_t reports, failures;

static void report(uint16_t sum)
{
    reports += sum > 0;
}

static __attribute__((noinline)) void keep(uint16_t value)
{
    table.reading[used++] = value; /* culprit */
    if (used > READINGS)           /* should be >= */
        used = 0;
}

static void sample(void *unused)
{
    (void)unused;
    keep((uint16_t)timer_now());
}

static __attribute__((noinline)) void give_up(void)
{
    failures++; /* giving up */
}

static void check(void *unused)
{
    (void)unused;
    if (table.report != report)
        give_up();
    else
        table.report(table.reading[0]);
}

static struct timer sampler = TIMER(sample, NULL), checker = TIMER(check, NULL);

int main(void)
{
    board_start();
    table.report = report;
    timer_start_periodic(&sampler, TIMER_SECOND / 20);
    timer_start_periodic(&checker, TIMER_SECOND / 4);
    kernel_run();
}
