/* Oscilloscope: every node reads its light sensor eight times a second, and sends every ten readings straight to the
 * base station, which prints them.
 *
 *     message   number of the first reading 2 | reading 2 ... x 10      (AM type 0x93)
 *     line      oscilloscope SOURCE NUMBER READING ... x 10 */
#include "apps/base_station.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"
#include "net/bytes.h"

enum { TYPE = 0x93, READINGS = 10, MESSAGE = 2 + 2 * READINGS };

#define PERIOD (TIMER_SECOND / 8)

static void sent(struct am_client *c, bool acked);

static struct am_message message;
static struct am_client client = { .type = TYPE, .sent = sent };
static uint16_t gathered[READINGS];
static uint8_t readings; /* gathered */
static uint16_t readings_made;

static void print(const struct am_message *m)
{
    if (m->payload_length != MESSAGE)
        return;
    leds_toggle(LED_BLUE);
    uart_text("oscilloscope ");
    uart_unsigned(m->source);
    for (uint8_t at = 0; at < MESSAGE; at += 2) {
        uart_text(" ");
        uart_unsigned(bytes_get16(m->payload + at));
    }
    uart_end();
}

/* The ten readings are lost when those before are still being sent. */
static void send(void)
{
    if (am_sending(&client)) {
        leds_toggle(LED_RED);
        return;
    }
    bytes_put16(message.payload, (uint16_t)(readings_made - READINGS));
    for (uint8_t i = 0; i < READINGS; i++)
        bytes_put16(message.payload + 2 + 2 * i, gathered[i]);
    am_send(&client, &message, BASE_STATION, MESSAGE);
}

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    leds_toggle(acked ? LED_GREEN : LED_RED);
}

static void light_read(uint16_t value)
{
    gathered[readings++] = value;
    readings_made++;
    if (readings < READINGS)
        return;
    readings = 0;
    send();
}

static void read_light(void *unused)
{
    (void)unused;
    adc12_read(ADC12_VISIBLE_LIGHT, light_read);
}

static struct timer sampling = TIMER(read_light, NULL);

static void begin_sampling(void *unused)
{
    (void)unused;
    timer_start_periodic(&sampling, PERIOD);
}

static struct timer phase = TIMER(begin_sampling, NULL);

int main(void)
{
    static struct am_listener listener = { .type = TYPE, .received = print };
    board_start();
    uart_init();
    am_start();
    if (is_base_station())
        am_listen(&listener);
    else
        timer_start_once(&phase, random_below(PERIOD));
    kernel_run();
}
