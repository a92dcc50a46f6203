/* A sensor tells the CO2 in the air over a serial line, once a second ("co2 412"); the node sends each reading to the
 * base station, which must get one every two seconds or less. The fault: a reading like the last one is not worth a
 * message. FIXED: every reading is. */
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/recorder.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"

enum { CO2_TYPE = 12, LIMIT = 2 * TIMER_SECOND };

HC_EVERY(reported, 0, LIMIT, HC_LOG);

static struct am_message message;
static uint16_t last;

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
    HC_HAPPENED(reported, timer_now());
}

static struct am_client client = { .type = CO2_TYPE, .sent = sent };

static bool is_news(uint16_t ppm)
{
#ifdef FIXED
    (void)ppm;
    return true;
#else
    return ppm != last;
#endif
}

static void report(uint16_t ppm)
{
    message.payload[0] = (uint8_t)(ppm >> 8);
    message.payload[1] = (uint8_t)ppm;
    if (!am_sending(&client))
        am_send(&client, &message, AM_BROADCAST, 2);
}

static uint16_t number_in(const char *text)
{
    uint16_t value = 0;
    for (; *text; text++)
        if (*text >= '0' && *text <= '9')
            value = value * 10 + (uint16_t)(*text - '0');
    return value;
}

static void received(char *line)
{
    if (line[0] != 'c' || line[1] != 'o' || line[2] != '2' || line[3] != ' ')
        return;
    uint16_t ppm = number_in(line + 4);
    if (is_news(ppm))
        report(ppm);
    last = ppm;
    leds_toggle(LED_GREEN);
}

static void look(void *unused)
{
    (void)unused;
    HC_STILL(reported, timer_now());
}

static struct timer looker = TIMER(look, NULL);

int main(void)
{
    board_start();
    uart_init();
    uart_listen(received);
    am_start();
    timer_start_periodic(&looker, TIMER_SECOND / 2);
    kernel_run();
}
