/* Three timers, three LEDs: 4, 2 and 1 times a second. */
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

static void toggle(void *led)
{
    leds_toggle((uint8_t)(uintptr_t)led);
}

static struct timer red = TIMER(toggle, (void *)LED_RED);
static struct timer green = TIMER(toggle, (void *)LED_GREEN);
static struct timer blue = TIMER(toggle, (void *)LED_BLUE);

int main(void)
{
    board_start();
    timer_start_periodic(&red, TIMER_SECOND / 4);
    timer_start_periodic(&green, TIMER_SECOND / 2);
    timer_start_periodic(&blue, TIMER_SECOND);
    kernel_run();
}
