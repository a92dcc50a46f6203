/* The drivers of firmware/ against the emulated devices and what those measure. */
#include "machine/board/telosb.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DCO_HZ = 4194304, SAMPLES = 100, SAMPLE_TICKS = 328, TICKS = 32768 };

/* ---- the world that the sensors see ---- */

static struct hc_sht11_world cold_and_damp(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return (struct hc_sht11_world){ .millidegrees = 4250, .humidity_permille = 812, .supply_millivolts = 3000 };
}

static uint32_t dusk(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return 1000;
}

/* A ramp of 1 V a second. */
static int64_t ramp(void *owner, int channel, hc_time t)
{
    (void)owner;
    (void)channel;
    return (int64_t)hc_to_us(t) % 2500000;
}

static int near(int a, int b, int distance)
{
    return abs(a - b) <= distance;
}

static void start(struct harness *h)
{
    harness_start(h, "drivers");
    hc_sht11_set_source(h->board->climate, cold_and_damp, NULL);
    hc_light_sensor_set_source(h->board->visible_light, dusk, NULL);
    hc_light_sensor_set_source(h->board->total_light, dusk, NULL);
    hc_adc12_set_source(h->board->chip.adc12, 0, ramp, NULL);
}

static void check_samples(const struct harness *h)
{
    double step = SAMPLE_TICKS * 4095.0 / TICKS / 2.5;
    for (int i = 1; i < SAMPLES; i++) {
        int rise = harness_get(h, "samples", i) - harness_get(h, "samples", i - 1);
        if (rise > -2000 && !near(rise, (int)(step + 0.5), 2)) /* but for the ramp's end */
            fail_msg("sample %d is %d above the one before", i, rise);
    }
    uint32_t ticks = harness_get32(h, "sampling_took", 0);
    assert_in_range(ticks, SAMPLES * SAMPLE_TICKS, SAMPLES * SAMPLE_TICKS + 600);
}

static void readings_match_the_sources(void **state)
{
    (void)state;
    struct harness h;
    start(&h);
    harness_finish(&h, hc_ms(10000));
    uint64_t rom = hc_ds2411_rom(h.board->serial_number);
    for (int i = 0; i < 3; i++)
        assert_int_equal(harness_get(&h, "result", i), (uint16_t)(rom >> (8 + 16 * i)));
    assert_true(near(harness_get(&h, "result", 3), 1000 * 160 / 100 * 4095 / 25000, 1));
    assert_true(near(harness_get(&h, "result", 4), 1000 * 1300 / 100 * 4095 / 25000, 1));
    assert_true(near((int16_t)harness_get(&h, "result", 7), 425, 1));
    assert_true(near((int16_t)harness_get(&h, "result", 8), 812, 4));
    assert_true(near(harness_get(&h, "result", 9), 4095, 0)); /* 3 V / 2 against 1.5 V */
    assert_true(near(harness_get(&h, "result", 10), (986 + 89) * 4095 / 1500, 4));
    check_samples(&h);
    harness_stop(&h);
}

static void flash_writes_reads_and_erases(void **state)
{
    (void)state;
    struct harness h;
    start(&h);
    harness_run_to(&h, "read_back", hc_ms(10000));
    uint8_t byte[512];
    hc_m25p80_read(h.board->flash, 0x31200, byte, sizeof byte);
    for (unsigned i = 0; i < sizeof byte; i++)
        assert_int_equal(byte[i], (uint8_t)(i * 7));
    harness_finish(&h, hc_ms(10000));
    assert_int_equal(harness_get(&h, "result", 11), 0);
    assert_int_equal(harness_get(&h, "result", 12), 0);
    assert_int_equal(harness_get(&h, "result", 13), 3);
    assert_in_range(harness_get(&h, "result", 14), TICKS / 2, TICKS * 3 / 2);
    assert_in_range(harness_get(&h, "result", 15), TICKS / 1000, TICKS * 6 / 1000);
    hc_m25p80_read(h.board->flash, 0x31200, byte, sizeof byte);
    for (unsigned i = 0; i < sizeof byte; i++)
        assert_int_equal(byte[i], 0xff);
    assert_int_equal(hc_wire_level(h.machine, hc_wire_find(h.machine, "flash.state")), HC_M25P80_DEEP_POWER_DOWN);
    harness_stop(&h);
}

static void the_dco_is_within_a_percent(void **state)
{
    (void)state;
    struct harness h;
    start(&h);
    harness_run_to(&h, "leds_set", hc_ms(1000));
    const struct hc_clock *smclk = hc_basic_clock_smclk(h.board->chip.clock);
    assert_in_range(hc_ms(1000) / smclk->s.period, DCO_HZ - DCO_HZ / 100, DCO_HZ + DCO_HZ / 100);
    harness_stop(&h);
}

/* ---- SPI ---- */

static void the_bus_is_granted_in_order(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "spi_arbiter");
    harness_finish(&h, hc_ms(1000));
    char log[8] = { 0 };
    for (int i = 0; i < 7; i++)
        log[i] = (char)harness_get8(&h, "log", i);
    assert_string_equal(log, "12BbCA");
    assert_int_equal(harness_get(&h, "result", 0), 0);
    harness_stop(&h);
}

/* ---- UART ---- */

struct text {
    char bytes[2048];
    int length;
};

static void collect(void *owner, uint8_t byte, hc_time now)
{
    struct text *t = owner;
    (void)now;
    if (t->length < (int)sizeof t->bytes - 1)
        t->bytes[t->length++] = (char)byte;
}

static void lines_leave_whole_or_not_at_all(void **state)
{
    (void)state;
    struct harness h;
    struct text out = { .length = 0 };
    harness_start(&h, "uart_lines");
    hc_usart_on_transmit(h.board->uart, collect, &out);
    harness_run(&h, hc_ms(100));
    assert_string_equal(out.bytes, "node 0 -40000 0xbeef\n4294967295\n");
    memset(&out, 0, sizeof out);
    harness_run(&h, hc_ms(100));
    uint16_t accepted = harness_get(&h, "result", 0);
    assert_in_range(accepted, 255 / 8, 255 / 7);
    assert_int_equal(accepted + harness_get(&h, "result", 1), 40);
    char expected[2048] = "", line[16];
    for (int i = 0; i < accepted; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        strcat(expected, line);
    }
    assert_string_equal(out.bytes, expected);
    assert_true(hc_register(h.machine, HC_SR) & HC_SR_SCG1); /* all said: deep sleep again */
    harness_stop(&h);
}

static void lines_come_in(void **state)
{
    (void)state;
    struct harness h;
    struct text out = { .length = 0 };
    harness_start(&h, "uart_lines");
    harness_run(&h, hc_ms(500));
    hc_usart_on_transmit(h.board->uart, collect, &out);
    for (const char *p = "freeze\n"; *p; p++) {
        hc_usart_receive(h.board->uart, (uint8_t)*p);
        harness_run(&h, hc_us(200));
    }
    harness_run(&h, hc_ms(20));
    for (const char *p = "thaw 7\n"; *p; p++) {
        hc_usart_receive(h.board->uart, (uint8_t)*p);
        harness_run(&h, hc_us(200));
    }
    harness_run(&h, hc_ms(20));
    assert_string_equal(out.bytes, "got freeze\ngot thaw 7\n");
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_match_the_sources),      cmocka_unit_test(flash_writes_reads_and_erases),
        cmocka_unit_test(the_dco_is_within_a_percent),     cmocka_unit_test(the_bus_is_granted_in_order),
        cmocka_unit_test(lines_leave_whole_or_not_at_all), cmocka_unit_test(lines_come_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
