/* Earthquake monitor: every node samples its accelerometer at 100 Hz for a second, finds the strongest frequency by a
 * Fourier transform, sends it to the base station, and begins again. The base station listens only.
 *
 *     message   number 2 | frequency, in hundredths of a hertz, 2 | magnitude 2           (collection type 0xea)
 *     line      em ORIGIN NUMBER CENTIHERTZ MAGNITUDE */
#include "apps/base_station.h"
#include "apps/em/fft.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/bytes.h"
#include "net/ctp.h"

enum {
    TYPE = 0xea,
    MESSAGE = 6,
    SAMPLES = 100,
    SAMPLE_TICKS = 328, /* 99.9 Hz */
    GAIN = 8,           /* 12 bits, the mean taken off, become nearly 16 */
};

static uint16_t samples[SAMPLES];
static struct fft spectrum;
static uint8_t stage;
static uint16_t number;

static void received(uint16_t origin, uint8_t type, const uint8_t *payload, uint8_t length)
{
    if (type != TYPE || length != MESSAGE)
        return;
    leds_toggle(LED_BLUE);
    uart_text("em ");
    uart_unsigned(origin);
    for (uint8_t at = 0; at < MESSAGE; at += 2) {
        uart_text(" ");
        uart_unsigned(bytes_get16(payload + at));
    }
    uart_end();
}

static void begin_period(void *unused);
static struct timer phase = TIMER(begin_period, NULL);

static void send(void)
{
    uint8_t message[MESSAGE];
    uint16_t peak = fft_peak(&spectrum); /* hundredths of a bin, which is 32768 / SAMPLE_TICKS / FFT_POINTS Hz */
    bytes_put16(message, number++);
    bytes_put16(message + 2, (uint16_t)(peak * (TIMER_SECOND / FFT_POINTS) / SAMPLE_TICKS));
    bytes_put16(message + 4, fft_magnitude(&spectrum, (uint8_t)((peak + 50) / 100)));
    leds_toggle(ctp_send(TYPE, message, MESSAGE) ? LED_GREEN : LED_RED);
    begin_period(NULL);
}

/* One stage a task: the radio must not wait for the whole transform. */
static void transform(void *unused)
{
    (void)unused;
    fft_stage(&spectrum, stage);
    if (++stage == FFT_STAGES)
        send();
    else
        task_post(transform, NULL);
}

static void sampled(void)
{
    uint32_t sum = 0;
    for (uint8_t i = 0; i < SAMPLES; i++)
        sum += samples[i];
    uint16_t mean = (uint16_t)(sum / SAMPLES);
    for (uint8_t i = 0; i < FFT_POINTS; i++) {
        spectrum.re[i] = i < SAMPLES ? (int16_t)((int16_t)(samples[i] - mean) * GAIN) : 0;
        spectrum.im[i] = 0;
    }
    fft_reorder(&spectrum);
    stage = 0;
    task_post(transform, NULL);
}

static void begin_period(void *unused)
{
    (void)unused;
    adc12_sample(ADC12_ACCELEROMETER, SAMPLE_TICKS, samples, SAMPLES, sampled);
}

int main(void)
{
    board_start();
    uart_init();
    am_start();
    ctp_start(is_base_station() ? received : NULL);
    if (!is_base_station())
        timer_start_once(&phase, random_below(TIMER_SECOND));
    kernel_run();
}
