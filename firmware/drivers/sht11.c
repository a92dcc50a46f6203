/* Two wires on port 1: DATA (5), which a resistor pulls up, so that its direction makes the level, and SCK (6). The
 * chip's supply is pin 7. */
#include "drivers/sht11.h"

#include "kernel/timer.h"

#include <kit.h>

enum { DATA = BIT5, SCK = BIT6, SUPPLY = BIT7 };
enum { MEASURE_TEMPERATURE = 0x03, MEASURE_HUMIDITY = 0x05 };
enum { LOOKS = 40 };
#define START_TICKS TIMER_MS(12) /* after power-up: 11 ms */
#define LOOK_TICKS TIMER_MS(10)

static void started(void *unused);
static void look(void *unused);
static struct timer starting = TIMER(started, NULL), looking = TIMER(look, NULL);

static struct {
    bool busy;
    uint8_t command;
    uint8_t looks;
    sht11_done_fn *done;
} sensor;

/* ---- the wires ---- */

static void data(bool high)
{
    if (high)
        P1DIR &= (uint8_t)~DATA;
    else
        P1DIR |= DATA;
}

static void sck(bool high)
{
    if (high)
        P1OUT |= SCK;
    else
        P1OUT &= (uint8_t)~SCK;
}

static void pulse(void)
{
    sck(true);
    sck(false);
}

static void transmission_start(void)
{
    data(true);
    sck(false);
    sck(true);
    data(false);
    sck(false);
    sck(true);
    data(true);
    sck(false);
}

/* True when the chip acknowledged. */
static bool send(uint8_t byte)
{
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        data(byte & bit);
        pulse();
    }
    data(true);
    sck(true);
    bool acknowledged = !(P1IN & DATA);
    sck(false);
    return acknowledged;
}

static uint8_t receive(bool acknowledge)
{
    uint8_t byte = 0;
    for (uint8_t i = 0; i < 8; i++) {
        sck(true);
        byte = (uint8_t)(byte << 1 | ((P1IN & DATA) ? 1 : 0));
        sck(false);
    }
    data(!acknowledge);
    pulse();
    data(true);
    return byte;
}

/* x^8 + x^5 + x^4 + 1, high bit first; the chip sends the sum with its bits in the other order. */
static uint8_t crc(uint8_t sum, uint8_t byte)
{
    sum ^= byte;
    for (uint8_t i = 0; i < 8; i++)
        sum = (uint8_t)(sum & 0x80 ? sum << 1 ^ 0x31 : sum << 1);
    return sum;
}

static uint8_t reversed(uint8_t byte)
{
    uint8_t result = 0;
    for (uint8_t i = 0; i < 8; i++, byte >>= 1)
        result = (uint8_t)(result << 1 | (byte & 1));
    return result;
}

/* ---- a measurement ---- */

static void finish(uint16_t raw)
{
    P1OUT &= (uint8_t)~(SUPPLY | SCK);
    sensor.busy = false;
    sensor.done(raw);
}

static void started(void *unused)
{
    (void)unused;
    transmission_start();
    if (!send(sensor.command)) {
        finish(SHT11_FAILED);
        return;
    }
    sensor.looks = 0;
    timer_start_once(&looking, LOOK_TICKS);
}

static void fetch(void)
{
    uint8_t high = receive(true);
    uint8_t low = receive(true);
    uint8_t sum = receive(false);
    bool right = sum == reversed(crc(crc(crc(0, sensor.command), high), low));
    finish(right ? (uint16_t)(high << 8 | low) : SHT11_FAILED);
}

/* DATA falls when the measurement has ended. */
static void look(void *unused)
{
    (void)unused;
    if (!(P1IN & DATA))
        fetch();
    else if (++sensor.looks == LOOKS)
        finish(SHT11_FAILED);
    else
        timer_start_once(&looking, LOOK_TICKS);
}

bool sht11_measure(enum sht11_quantity what, sht11_done_fn *done)
{
    if (sensor.busy)
        return false;
    sensor.busy = true;
    sensor.command = what == SHT11_TEMPERATURE ? MEASURE_TEMPERATURE : MEASURE_HUMIDITY;
    sensor.done = done;
    P1OUT |= SUPPLY;
    timer_start_once(&starting, START_TICKS);
    return true;
}

/* ---- the datasheet's formulas, in integers ---- */

int16_t sht11_centidegrees(uint16_t raw)
{
    return (int16_t)(raw - 3960);
}

/* linear = -4 + 0.0405 raw - 2.8e-6 raw^2;  true = linear + (T - 25) (0.01 + 0.00008 raw), all in percent */
int16_t sht11_humidity_permille(uint16_t raw, int16_t temperature)
{
    int32_t linear = (int32_t)raw * 405 / 1000 - (int32_t)((uint32_t)raw * raw / 1000 * 28 / 1000) - 40;
    return (int16_t)(linear + (temperature - 2500) * (1000 + 8 * (int32_t)raw) / 1000000);
}
