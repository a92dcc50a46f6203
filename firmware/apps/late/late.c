/* Three timers, three LEDs, as blink; and now and then a long computation. The red LED must be toggled every quarter of
 * a second. FIXED: the computation gives way to others after each piece. */
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/recorder.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { PIECES = 400, PIECE = 400, PERIOD = TIMER_SECOND / 4, SLACK = TIMER_SECOND / 50 };

HC_EVERY(blinks_on_time, PERIOD - SLACK, PERIOD + SLACK, HC_LOG);

static uint16_t sum, left;

static void toggle(void *led)
{
    leds_toggle((uint8_t)(uintptr_t)led);
    if ((uintptr_t)led == LED_RED)
        HC_HAPPENED(blinks_on_time, timer_now());
}

static void compute(void)
{
    for (uint16_t i = 0; i < PIECE; i++)
        sum = (uint16_t)(sum << 1 | sum >> 15) ^ i;
}

static void work(void *unused)
{
    (void)unused;
#ifdef FIXED
    compute();
    if (left && --left)
        task_post(work, NULL);
#else
    while (left && --left)
        compute();
#endif
}

static void begin_work(void *unused)
{
    (void)unused;
    left = PIECES;
    task_post(work, NULL);
}

static struct timer red = TIMER(toggle, (void *)LED_RED);
static struct timer green = TIMER(toggle, (void *)LED_GREEN);
static struct timer blue = TIMER(toggle, (void *)LED_BLUE);
static struct timer worker = TIMER(begin_work, NULL);

int main(void)
{
    board_start();
    timer_start_periodic(&red, PERIOD);
    timer_start_periodic(&green, TIMER_SECOND / 2);
    timer_start_periodic(&blue, TIMER_SECOND);
    timer_start_periodic(&worker, 3 * TIMER_SECOND);
    kernel_run();
}
