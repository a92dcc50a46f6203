/* One driver after the other, each started by the end of the last.
 * result: 0-2 serial number, low word first, 3 visible light, 4 total light, 5 temperature, 6 humidity (both raw),
 * 7 temperature in hundredths of a degree, 8 humidity in permille, 9 half of the supply, 10 diode,
 * 11 bytes that differ after write and read, 12 bytes not 0xff after erase, 13 refused while busy,
 * 14 flash erase in ticks, 15 page program in ticks */
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/ds2411.h"
#include "drivers/leds.h"
#include "drivers/m25p80.h"
#include "drivers/sht11.h"
#include "drivers/uart.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

#define ADDRESS 0x31200ul
enum { SAMPLES = 100, SAMPLE_TICKS = 328 };

volatile uint16_t result[16];
volatile uint16_t finished;
uint16_t samples[SAMPLES];
volatile uint32_t sampling_took;
static uint8_t buffer[600], page[M25P80_PAGE];
static uint32_t began;

/* ---- flash ---- */

static void asleep(void)
{
    finished = 0xd09e;
}

static void read_erased(void)
{
    for (uint16_t i = 0; i < sizeof buffer; i++)
        result[12] += buffer[i] != 0xff;
    m25p80_sleep(asleep);
}

static void erased_again(void)
{
    result[14] = (uint16_t)(timer_now() - began);
    m25p80_read(ADDRESS, buffer, sizeof buffer, read_erased);
}

static void read_back(void)
{
    for (uint16_t i = 0; i < sizeof buffer; i++)
        result[11] += buffer[i] != (i < 2 * M25P80_PAGE ? (uint8_t)(i * 7) : 0xff);
    began = timer_now();
    m25p80_erase(ADDRESS, erased_again);
}

static void fill(uint16_t from)
{
    for (uint16_t i = 0; i < M25P80_PAGE; i++)
        page[i] = (uint8_t)((from + i) * 7);
}

static void written_both(void)
{
    m25p80_read(ADDRESS, buffer, sizeof buffer, read_back);
}

static void written(void)
{
    result[15] = (uint16_t)(timer_now() - began);
    fill(M25P80_PAGE);
    m25p80_write(ADDRESS + M25P80_PAGE, page, M25P80_PAGE, written_both);
}

static void erased(void)
{
    fill(0);
    began = timer_now();
    m25p80_write(ADDRESS, page, M25P80_PAGE, written);
    result[13] += !m25p80_erase(ADDRESS, erased);
}

/* ---- sensors ---- */

static void sampled(void)
{
    sampling_took = timer_now() - began;
    m25p80_erase(ADDRESS, erased);
}

static void diode_read(uint16_t value)
{
    result[10] = value;
    began = timer_now();
    adc12_sample(ADC12_ACCELEROMETER, SAMPLE_TICKS, samples, SAMPLES, sampled);
    result[13] += !adc12_read(ADC12_SUPPLY, diode_read);
}

static void supply_read(uint16_t value)
{
    result[9] = value;
    adc12_read(ADC12_TEMPERATURE, diode_read);
}

static void humidity_read(uint16_t raw)
{
    result[6] = raw;
    result[7] = (uint16_t)sht11_centidegrees(result[5]);
    result[8] = (uint16_t)sht11_humidity_permille(raw, (int16_t)result[7]);
    adc12_read(ADC12_SUPPLY, supply_read);
}

static void temperature_read(uint16_t raw)
{
    result[5] = raw;
    sht11_measure(SHT11_HUMIDITY, humidity_read);
}

static void total_read(uint16_t value)
{
    result[4] = value;
    sht11_measure(SHT11_TEMPERATURE, temperature_read);
    result[13] += !sht11_measure(SHT11_HUMIDITY, humidity_read);
}

static void visible_read(uint16_t value)
{
    result[3] = value;
    adc12_read(ADC12_TOTAL_LIGHT, total_read);
}

int main(void)
{
    uint8_t serial[6];
    board_start();
    if (ds2411_read(serial))
        for (uint8_t i = 0; i < 3; i++)
            result[i] = (uint16_t)(serial[2 * i] | serial[2 * i + 1] << 8);
    leds_set(LED_GREEN);
    adc12_read(ADC12_VISIBLE_LIGHT, visible_read);
    kernel_run();
}
