/* Counts four times a second and broadcasts the counter; shows the low bits of the last counter received, and reports
 * each over the UART: "count SOURCE VALUE". */
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"

enum { COUNT_TYPE = 6 };

static uint16_t counter;
static struct am_message message;

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
}

static struct am_client client = { .type = COUNT_TYPE, .sent = sent };

static void received(const struct am_message *m)
{
    if (m->payload_length != 2)
        return;
    uint16_t value = (uint16_t)(m->payload[0] << 8 | m->payload[1]);
    leds_set(value & LED_ALL);
    uart_text("count ");
    uart_unsigned(m->source);
    uart_text(" ");
    uart_unsigned(value);
    uart_end();
}

static struct am_listener listener = { .type = COUNT_TYPE, .received = received };

static void tick(void *unused)
{
    (void)unused;
    counter++;
    if (am_sending(&client))
        return;
    message.payload[0] = (uint8_t)(counter >> 8);
    message.payload[1] = (uint8_t)counter;
    am_send(&client, &message, AM_BROADCAST, 2);
}

static struct timer ticker = TIMER(tick, NULL);

int main(void)
{
    board_start();
    uart_init();
    am_listen(&listener);
    am_start();
    timer_start_periodic(&ticker, TIMER_SECOND / 4);
    kernel_run();
}
