/* Tasks in the order of their posting, from tasks and from a handler; a full queue; sleep.
 * result: 0 tasks accepted of 40 posted at once, 1 overflows, 2 out of order, 3 idle calls before the task that the
 * first of them posted, 4 tasks run */
#include "drivers/board.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

volatile uint16_t result[8];
volatile uint16_t finished;
volatile uint16_t phase;
volatile uint8_t order[12];
static uint8_t ordered, next;
static uint16_t idles;

static void note(void *value)
{
    order[ordered++] = (uint8_t)(uintptr_t)value;
}

static void in_turn(void *value)
{
    if ((uint8_t)(uintptr_t)value != next++)
        result[2]++;
    result[4]++;
}

static void fill(void)
{
    for (uintptr_t i = 0; i < 40; i++)
        result[0] += task_post(in_turn, (void *)i);
    result[1] = task_overflows;
}

/* P1.0 is an output here: its flag, set by hand, interrupts. */
KIT_INTERRUPT(PORT1_VECTOR) void port1(void)
{
    P1IFG = 0;
    task_post(note, (void *)3);
    KERNEL_HANDLER_END();
}

static void first(void *unused)
{
    (void)unused;
    note((void *)1);
    task_post(note, (void *)2);
    P1IE = BIT0;
    P1IFG = BIT0;
    task_post(note, (void *)4);
}

static void from_idle(void *unused)
{
    (void)unused;
    result[3] = idles;
}

void kernel_idle(void)
{
    if (idles++ == 0)
        task_post(from_idle, NULL);
}

static void sleep_lightly(void *unused)
{
    (void)unused;
    kernel_hold_smclk();
    phase = 1;
}

static void sleep_deeply(void *unused)
{
    (void)unused;
    kernel_release_smclk();
    phase = 2;
}

static struct timer light = TIMER(sleep_lightly, NULL), deep = TIMER(sleep_deeply, NULL);

int main(void)
{
    board_start();
    fill();
    while (task_run())
        ;
    task_post(first, NULL);
    timer_start_once(&light, TIMER_MS(100));
    timer_start_once(&deep, TIMER_MS(200));
    kernel_run();
}
