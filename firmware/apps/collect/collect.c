/* Collect: every 20 seconds each node reads its five sensors and sends what they say to the base station.
 *
 *     message   number 2 | temperature 2 | humidity 2 | visible light 2 | total light 2 | supply 2     (collection type
 * 0xc0) as the sensors give them; 0xffff: no answer line      collect ORIGIN NUMBER CENTIDEGREES PERMILLE VISIBLE TOTAL
 * MILLIVOLTS */
#include "apps/base_station.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/sht11.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/bytes.h"
#include "net/ctp.h"

#ifndef COLLECT_PERIOD_MS
#define COLLECT_PERIOD_MS 20000 /* a build option */
#endif

enum { TYPE = 0xc0, NO_ANSWER = 0xffff };

/* The message's words, in the order in which they are filled. */
enum { NUMBER, TEMPERATURE, HUMIDITY, VISIBLE_LIGHT, TOTAL_LIGHT, SUPPLY, WORDS };
enum { MESSAGE = 2 * WORDS };

static uint8_t message[MESSAGE];
static uint8_t at; /* the word that is being read */
static uint16_t number;

static uint16_t word(const uint8_t *payload, uint8_t index)
{
    return bytes_get16(payload + 2 * index);
}

/* The internal reference is 1.5 V, and the converter sees half of the supply. */
static uint16_t millivolts(uint16_t raw)
{
    return (uint16_t)(raw * 3000ul / 4096);
}

static void received(uint16_t origin, uint8_t type, const uint8_t *payload, uint8_t length)
{
    if (type != TYPE || length != MESSAGE)
        return;
    int16_t temperature = sht11_centidegrees(word(payload, TEMPERATURE));
    uart_text("collect ");
    uart_unsigned(origin);
    uart_text(" ");
    uart_unsigned(word(payload, NUMBER));
    uart_text(" ");
    uart_signed(temperature);
    uart_text(" ");
    uart_signed(sht11_humidity_permille(word(payload, HUMIDITY), temperature));
    uart_text(" ");
    uart_unsigned(word(payload, VISIBLE_LIGHT));
    uart_text(" ");
    uart_unsigned(word(payload, TOTAL_LIGHT));
    uart_text(" ");
    uart_unsigned(millivolts(word(payload, SUPPLY)));
    uart_end();
}

static void read_done(uint16_t value);

/* True when the sensor of word AT has been asked. */
static bool ask(void)
{
    switch (at) {
    case TEMPERATURE:
        return sht11_measure(SHT11_TEMPERATURE, read_done);
    case HUMIDITY:
        return sht11_measure(SHT11_HUMIDITY, read_done);
    case VISIBLE_LIGHT:
        return adc12_read(ADC12_VISIBLE_LIGHT, read_done);
    case TOTAL_LIGHT:
        return adc12_read(ADC12_TOTAL_LIGHT, read_done);
    default:
        return adc12_read(ADC12_SUPPLY, read_done);
    }
}

/* Asks the next sensor, past those that cannot be asked; sends after the last. */
static void go_on(void)
{
    for (at++; at < WORDS; at++) {
        if (ask())
            return;
        bytes_put16(message + 2 * at, NO_ANSWER);
    }
    if (!ctp_send(TYPE, message, MESSAGE))
        leds_toggle(LED_RED); /* no other LED: they would cost more than the radio's sleep saves */
}

static void read_done(uint16_t value)
{
    bytes_put16(message + 2 * at, value);
    go_on();
}

static void begin_round(void *unused)
{
    (void)unused;
    at = NUMBER;
    bytes_put16(message, number++);
    go_on();
}

static struct timer rounds = TIMER(begin_round, NULL);

static void begin_sampling(void *unused)
{
    (void)unused;
    timer_start_periodic(&rounds, TIMER_MS(COLLECT_PERIOD_MS));
    begin_round(NULL);
}

static struct timer phase = TIMER(begin_sampling, NULL);

int main(void)
{
    board_start();
    uart_init();
    am_start();
    ctp_start(is_base_station() ? received : NULL);
    timer_start_once(&phase, random_below(TIMER_MS(COLLECT_PERIOD_MS)));
    kernel_run();
}
