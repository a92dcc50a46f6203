/* Sends a number to the base station, node 0, every 50 ms. Numbers must be sent one after the other. The fault:
 * it does not ask whether the radio still has the last message. FIXED: it does, and waits for the next turn. */
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/recorder.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"

enum { BUSY_TYPE = 13, BASE = 0 };

HC_ORDER(in_sequence, value == last + 1, HC_LOG);

static struct am_message message;
static uint16_t number;

static void sent(struct am_client *c, bool acked)
{
    (void)acked;
    (void)c;
    HC_VALUE(in_sequence, (uint32_t)message.payload[0] << 8 | message.payload[1]);
    leds_toggle(LED_BLUE);
}

static struct am_client client = { .type = BUSY_TYPE, .sent = sent };

static void tick(void *unused)
{
    (void)unused;
#ifdef FIXED
    if (am_sending(&client))
        return;
#endif
    number++;
    message.payload[0] = (uint8_t)(number >> 8);
    message.payload[1] = (uint8_t)number;
    am_send(&client, &message, BASE, 2);
}

static struct timer ticker = TIMER(tick, NULL);

int main(void)
{
    board_start();
    am_start();
    timer_start_periodic(&ticker, TIMER_SECOND / 20);
    kernel_run();
}
