/* SHT11 against its datasheet: a master of the two-wire protocol in a few lines. */
#include "machine/device/chip/sht11.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct hc_region regions[] = {
    { "io", HC_IO, 0x0000, 0x01ff, 0 },
    { "ram", HC_RAM, 0x0200, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part part = { "bare", HC_CPU_MSP430, regions, 0x10000, 16, 0 };

enum { TEMPERATURE = 0x03, HUMIDITY = 0x05, WRITE_STATUS = 0x06, READ_STATUS = 0x07, SOFT_RESET = 0x1e };

struct bench {
    struct hc_machine *m;
    struct hc_sht11 *chip;
    hc_wire data, sck, power;
    int data_driver, sck_driver, power_driver;
    struct hc_sht11_world world;
};

static struct hc_sht11_world world(void *owner, hc_time now)
{
    (void)now;
    return ((struct bench *)owner)->world;
}

static void pass(struct bench *b, hc_time length)
{
    hc_machine_run(b->m, hc_now(b->m) + length);
}

static void set_data(struct bench *b, bool high)
{
    hc_wire_drive(b->m, b->data, b->data_driver, high ? HC_RELEASE : HC_LOW);
    pass(b, hc_us(1));
}

static void set_sck(struct bench *b, bool high)
{
    hc_wire_drive(b->m, b->sck, b->sck_driver, high ? HC_HIGH : HC_LOW);
    pass(b, hc_us(1));
}

static bool data(struct bench *b)
{
    return hc_wire_level(b->m, b->data);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&part, NULL);
    b->data = hc_wire_new(b->m, "data", 0);
    b->sck = hc_wire_new(b->m, "sck", 0);
    b->power = hc_wire_new(b->m, "power", 0);
    b->data_driver = hc_wire_driver(b->m, b->data);
    b->sck_driver = hc_wire_driver(b->m, b->sck);
    b->power_driver = hc_wire_driver(b->m, b->power);
    b->chip = hc_sht11_new(b->m, "sht11", (struct hc_sht11_pins){ b->data, b->sck, b->power });
    b->world = (struct hc_sht11_world){ 25000, 500, 3000 };
    hc_sht11_set_source(b->chip, world, b);
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    hc_wire_drive(b->m, b->power, b->power_driver, HC_HIGH);
    pass(b, hc_ms(11));
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    hc_machine_free(b->m);
    free(b);
    return 0;
}

static void start(struct bench *b)
{
    set_data(b, true);
    set_sck(b, false);
    set_sck(b, true);
    set_data(b, false);
    set_sck(b, false);
    set_sck(b, true);
    set_data(b, true);
    set_sck(b, false);
}

/* True if it was acknowledged. */
static bool send_byte(struct bench *b, uint8_t byte)
{
    for (int i = 7; i >= 0; i--) {
        set_data(b, byte >> i & 1);
        set_sck(b, true);
        set_sck(b, false);
    }
    set_data(b, true);
    set_sck(b, true);
    bool acknowledged = !data(b);
    set_sck(b, false);
    return acknowledged;
}

static uint8_t receive_byte(struct bench *b, bool acknowledge)
{
    uint8_t byte = 0;
    for (int i = 0; i < 8; i++) {
        set_sck(b, true);
        byte = (uint8_t)(byte << 1 | data(b));
        set_sck(b, false);
    }
    set_data(b, !acknowledge);
    set_sck(b, true);
    set_sck(b, false);
    set_data(b, true);
    return byte;
}

static bool command(struct bench *b, uint8_t code)
{
    start(b);
    return send_byte(b, code);
}

/* The datasheet's bitwise CRC: register preset with the reversed low nibble of the status register. */
static uint8_t crc_of(uint8_t status, const uint8_t *bytes, int size)
{
    uint8_t crc = 0, reversed = 0;
    for (int i = 0; i < 4; i++)
        crc |= (uint8_t)((status >> i & 1) << (7 - i));
    for (int i = 0; i < size * 8; i++) {
        bool bit = bytes[i / 8] >> (7 - i % 8) & 1;
        crc = (uint8_t)(crc << 1 ^ ((bit != crc >> 7) ? 0x31 : 0));
    }
    for (int i = 0; i < 8; i++)
        reversed |= (uint8_t)((crc >> i & 1) << (7 - i));
    return reversed;
}

/* Measures and checks time and checksum; STATUS is what the chip's register holds. */
static uint16_t measure(struct bench *b, uint8_t code, unsigned us, uint8_t status)
{
    assert_true(command(b, code));
    hc_time begun = hc_now(b->m) - hc_us(1);
    assert_true(data(b));
    hc_machine_run(b->m, begun + hc_us(us) - hc_us(1));
    assert_true(data(b));
    hc_machine_run(b->m, begun + hc_us(us) + hc_us(1));
    assert_false(data(b));
    uint8_t message[3] = { code };
    message[1] = receive_byte(b, true);
    message[2] = receive_byte(b, true);
    assert_int_equal(receive_byte(b, false), crc_of(status, message, 3));
    assert_true(data(b));
    return (uint16_t)(message[1] << 8 | message[2]);
}

static uint8_t read_status(struct bench *b)
{
    uint8_t message[2] = { READ_STATUS };
    assert_true(command(b, READ_STATUS));
    message[1] = receive_byte(b, true);
    assert_int_equal(receive_byte(b, false), crc_of(message[1], message, 2));
    return message[1];
}

static void write_status(struct bench *b, uint8_t value)
{
    assert_true(command(b, WRITE_STATUS));
    assert_true(send_byte(b, value));
}

/* T = d1 + 0.01 SO, d1 = -39.6 at 3 V */
static void temperature(void **state)
{
    struct bench *b = *state;
    static const struct {
        int32_t millidegrees, millivolts;
        uint16_t reading;
    } rows[] = {
        { 25000, 3000, 6460 },   { 0, 3000, 3960 },       { -39600, 3000, 0 },   { -60000, 3000, 0 },
        { 123800, 3000, 16340 }, { 200000, 3000, 16383 }, { 25000, 2500, 6455 }, { 25000, 5000, 6500 },
        { 25000, 3250, 6463 },   { 25000, 3500, 6466 },   { 25000, 4000, 6475 }, { 25000, 2400, 6455 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        b->world.millidegrees = rows[i].millidegrees;
        b->world.supply_millivolts = rows[i].millivolts;
        assert_int_equal(measure(b, TEMPERATURE, 210000, 0), rows[i].reading);
    }
}

/* RH = -4 + 0.0405 SO - 2.8e-6 SO^2 + (T - 25)(0.01 + 0.00008 SO) */
static void humidity(void **state)
{
    struct bench *b = *state;
    for (int32_t permille = 0; permille <= 1000; permille += 125) {
        for (int32_t degrees = -20; degrees <= 80; degrees += 25) {
            b->world.humidity_permille = permille;
            b->world.millidegrees = degrees * 1000;
            double so = measure(b, HUMIDITY, 55000, 0);
            double rh = -4 + 0.0405 * so - 2.8e-6 * so * so + (degrees - 25) * (0.01 + 0.00008 * so);
            if (so > 0 && so < 4095)
                assert_true(rh > permille / 10.0 - 0.05 && rh < permille / 10.0 + 0.05);
        }
    }
}

static void low_resolution(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x01);
    assert_int_equal(measure(b, TEMPERATURE, 55000, 0x01), 1615); /* 64.6 / 0.04 */
    double so = measure(b, HUMIDITY, 11000, 0x01);
    double rh = -4 + 0.648 * so - 7.2e-4 * so * so;
    assert_true(rh > 49.5 && rh < 50.5);
    /* Without reloading the calibration, 8.2 ms less. */
    write_status(b, 0x02);
    measure(b, HUMIDITY, 55000 - 8200, 0x02);
}

static void status_register(void **state)
{
    struct bench *b = *state;
    assert_int_equal(read_status(b), 0);
    for (uint8_t value = 0; value < 8; value++) {
        write_status(b, value);
        assert_int_equal(read_status(b), value);
    }
    write_status(b, 0xff);
    assert_int_equal(read_status(b), 0x07);
    write_status(b, 0);
    /* Low voltage is found by a measurement. */
    b->world.supply_millivolts = 2400;
    assert_int_equal(read_status(b), 0);
    measure(b, HUMIDITY, 55000, 0x40);
    assert_int_equal(read_status(b), 0x40);
    b->world.supply_millivolts = 2500;
    measure(b, HUMIDITY, 55000, 0);
    assert_int_equal(read_status(b), 0);
}

static void heater(void **state)
{
    struct bench *b = *state;
    uint16_t cold = measure(b, TEMPERATURE, 210000, 0), damp = measure(b, HUMIDITY, 55000, 0);
    write_status(b, 0x04);
    assert_in_range(measure(b, TEMPERATURE, 210000, 0x04), cold + 500, cold + 1000);
    assert_true(measure(b, HUMIDITY, 55000, 0x04) < damp);
}

static void soft_reset(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x05);
    assert_true(command(b, SOFT_RESET));
    pass(b, hc_ms(5));
    assert_false(command(b, READ_STATUS)); /* deaf for a while, but never for more than 11 ms */
    pass(b, hc_ms(6));
    assert_int_equal(read_status(b), 0);
}

static void unknown_commands(void **state)
{
    struct bench *b = *state;
    for (unsigned code = 0; code < 256; code++) {
        bool known = code == TEMPERATURE || code == HUMIDITY || code == WRITE_STATUS || code == READ_STATUS ||
                     code == SOFT_RESET;
        if (!known)
            assert_false(command(b, (uint8_t)code));
    }
    assert_int_equal(read_status(b), 0);
}

/* Without a transmission start, bits mean nothing; nine clocks with DATA high end a transfer. */
static void connection_reset(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x01);
    assert_false(send_byte(b, READ_STATUS));
    assert_true(command(b, READ_STATUS));
    set_sck(b, true);
    set_sck(b, false);
    for (int i = 0; i < 9; i++) {
        set_sck(b, true);
        set_sck(b, false);
    }
    assert_true(data(b));
    assert_int_equal(read_status(b), 0x01); /* the register is kept */
    /* A transmission start abandons a measurement. */
    assert_true(command(b, TEMPERATURE));
    pass(b, hc_ms(20));
    assert_int_equal(read_status(b), 0x01);
    pass(b, hc_ms(300));
    assert_true(data(b));
}

/* The master may leave out the checksum by not acknowledging. */
static void reading_without_checksum(void **state)
{
    struct bench *b = *state;
    assert_true(command(b, TEMPERATURE));
    pass(b, hc_ms(211));
    uint16_t reading = (uint16_t)(receive_byte(b, true) << 8);
    reading |= receive_byte(b, false);
    assert_int_equal(reading, 6460);
    set_sck(b, true);
    assert_true(data(b));
    set_sck(b, false);
    assert_int_equal(read_status(b), 0);
}

static void power(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x01);
    hc_wire_drive(b->m, b->power, b->power_driver, HC_LOW);
    pass(b, hc_ms(1));
    assert_false(data(b)); /* the pull-up has no supply either */
    assert_true(!command(b, READ_STATUS) || !data(b));
    hc_wire_drive(b->m, b->power, b->power_driver, HC_HIGH);
    pass(b, hc_ms(5));
    assert_false(command(b, READ_STATUS));
    pass(b, hc_ms(6));
    assert_int_equal(read_status(b), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(temperature), TEST(humidity),         TEST(low_resolution),   TEST(status_register),          TEST(heater),
        TEST(soft_reset),  TEST(unknown_commands), TEST(connection_reset), TEST(reading_without_checksum), TEST(power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
