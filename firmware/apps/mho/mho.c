/* Multi-hop oscilloscope: every node reads its light sensor once a second, and sends every five readings to the base
 * station, which prints them.
 *
 *     message   number of the first reading 2 | reading 2 ... x 5      (collection type 0x93)
 *     line      mho ORIGIN NUMBER READING READING READING READING READING */
#include "apps/base_station.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/bytes.h"
#include "net/ctp.h"

#ifndef MHO_PERIOD_MS
#define MHO_PERIOD_MS 1000 /* between two readings; a build option */
#endif

enum { TYPE = 0x93, READINGS = 5, MESSAGE = 2 + 2 * READINGS };

static uint8_t message[MESSAGE];
static uint8_t readings;       /* in the message */
static uint16_t readings_made; /* since boot */

static void received(uint16_t origin, uint8_t type, const uint8_t *payload, uint8_t length)
{
    if (type != TYPE || length != MESSAGE)
        return;
    uart_text("mho ");
    uart_unsigned(origin);
    for (uint8_t at = 0; at < MESSAGE; at += 2) {
        uart_text(" ");
        uart_unsigned(bytes_get16(payload + at));
    }
    uart_end();
}

static void light_read(uint16_t value)
{
    if (readings == 0)
        bytes_put16(message, readings_made);
    bytes_put16(message + 2 + 2 * readings, value);
    readings++;
    readings_made++;
    if (readings < READINGS)
        return;
    readings = 0;
    if (!ctp_send(TYPE, message, MESSAGE))
        leds_toggle(LED_RED); /* no other LED: they would cost more than the radio's sleep saves */
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
    timer_start_periodic(&sampling, TIMER_MS(MHO_PERIOD_MS));
}

/* Nodes that were switched on together sample, and send, at different moments nevertheless. */
static struct timer phase = TIMER(begin_sampling, NULL);

int main(void)
{
    board_start();
    uart_init();
    am_start();
    ctp_start(is_base_station() ? received : NULL);
    timer_start_once(&phase, random_below(READINGS * TIMER_MS(MHO_PERIOD_MS)));
    kernel_run();
}
