/* Keeps the times of its ticks, in a list of eight: nobody stops it at the ninth, which is written over what lies
 * behind the list. */
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

struct state {
    uint16_t count, last;
};
uint16_t history[8];
uint16_t limit = 1000;
struct state state;

static void ticked(void *unused)
{
    (void)unused;
    history[state.count++] = TBR;
    if (state.count > limit)
        leds_toggle(LED_RED);
}

static struct timer timer = TIMER(ticked, NULL);

int main(void)
{
    board_start();
    timer_start_periodic(&timer, TIMER_SECOND / 2);
    kernel_run();
}
