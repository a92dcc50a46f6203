/* Energy: states that last a known time at 3 V, against datasheet currents worked out by hand. */
#include "field/energy.h"
#include "machine/device/chip/cc2420_internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct bench {
    struct hc_telosb *board;
    struct hc_machine *m;
    struct hc_energy *energy;
    struct hc_energy_report report;
};

/* Powered, its CPU asleep in LPM3. */
static void start(struct bench *b)
{
    b->board = hc_telosb_new(NULL, NULL);
    b->m = b->board->machine;
    b->energy = hc_energy_new(b->board);
    hc_poke16(b->m, 0x4000, 0x3fff); /* JMP $ */
    hc_poke16(b->m, 0xfffe, 0x4000);
    hc_machine_reset(b->m, HC_POR);
    hc_energy_switch(b->energy, true);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    hc_bus_write(b->m, 0x120, 0x5a80, 2); /* no watchdog */
}

static void pass(struct bench *b, int seconds)
{
    hc_machine_run(b->m, hc_now(b->m) + (hc_time)seconds * HC_SECOND);
}

static void measure(struct bench *b)
{
    hc_energy_measure(b->energy, &b->report);
}

static void end(struct bench *b)
{
    hc_telosb_free(b->board);
    hc_energy_free(b->energy);
}

/* To a thousandth: the few cycles in which nothing should have happened. */
static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-3 * fabs(expected) + 1e-6)
        fail_msg("%g, should be %g", value, expected);
}

static void test_asleep(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    pass(&b, 100);
    measure(&b);
    assert_near(hc_seconds(b.report.powered), 100);
    assert_near(b.report.millijoules[HC_CONSUMER_CPU], 100 * 2.6e-6 * 3 * 1000);
    assert_near(b.report.millijoules[HC_CONSUMER_RADIO], 100 * 20e-9 * 3 * 1000);
    assert_near(b.report.millijoules[HC_CONSUMER_FLASH], 100 * 50e-6 * 3 * 1000);
    assert_near(b.report.millijoules[HC_CONSUMER_LEDS], 0);
    assert_near(b.report.millijoules[HC_CONSUMER_SHT11], 0);
    assert_near(b.report.total_millijoules, 0.78 + 0.006 + 15);
    assert_near(b.report.mean_milliwatts, 0.15786);
    end(&b);
}

/* 500 pC a cycle, whatever the frequency. */
static void test_awake(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    hc_set_register(b.m, HC_SR, 0);
    pass(&b, 2);
    measure(&b);
    assert_near(hc_seconds(b.report.cpu[HC_MODE_ACTIVE]), 2);
    assert_true(b.report.cycles > 1000000);
    assert_near(b.report.millijoules[HC_CONSUMER_CPU], (double)b.report.cycles * 500e-12 * 3 * 1000);
    end(&b);
}

static void test_sleep_modes(void **state)
{
    static const struct {
        unsigned sr;
        double microamperes;
    } modes[] = {
        { HC_SR_CPUOFF, 75 },
        { HC_SR_CPUOFF | HC_SR_SCG0, 75 },
        { HC_SR_CPUOFF | HC_SR_SCG1, 17 },
        { HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1, 2.6 },
        { HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 | HC_SR_OSCOFF, 0.2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct bench b;
        start(&b);
        hc_set_register(b.m, HC_SR, modes[i].sr);
        pass(&b, 10);
        measure(&b);
        assert_near(b.report.millijoules[HC_CONSUMER_CPU], 10 * modes[i].microamperes * 1e-6 * 3 * 1000);
        end(&b);
    }
}

static void test_radio(void **state)
{
    static const struct {
        enum hc_cc2420_state state;
        double milliamperes;
    } states[] = {
        { HC_CC2420_POWER_DOWN, 0.020 }, { HC_CC2420_IDLE, 0.426 },        { HC_CC2420_RX_SFD_SEARCH, 18.8 },
        { HC_CC2420_RX_FRAME, 18.8 },    { HC_CC2420_RX_CALIBRATE, 18.8 }, { HC_CC2420_TX_FRAME, 17.4 },
        { HC_CC2420_TX_ACK, 17.4 }, /* PA_LEVEL 31 after reset */
    };

    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct bench b;
        start(&b);
        hc_bus_write(b.m, 0x1d, 0x64, 1); /* P4OUT: CSn, VREG_EN and RESETn high */
        hc_bus_write(b.m, 0x1e, 0x64, 1); /* P4DIR */
        pass(&b, 1);
        measure(&b);
        struct hc_energy_report before = b.report;
        hc_wire_set(b.m, hc_wire_find(b.m, "radio.state"), (int32_t)states[i].state);
        pass(&b, 10);
        measure(&b);
        assert_near(hc_seconds(b.report.radio[states[i].state] - before.radio[states[i].state]), 10);
        assert_near(b.report.millijoules[HC_CONSUMER_RADIO] - before.millijoules[HC_CONSUMER_RADIO],
                    10 * states[i].milliamperes * 3);
        end(&b);
    }
}

/* The datasheet's rows, and lines between and below them. */
static void test_transmit_power(void **state)
{
    static const struct {
        int level;
        double milliamperes;
    } levels[] = { { 31, 17.4 }, { 27, 16.5 }, { 19, 13.9 },  { 11, 11.2 },
                   { 3, 8.5 },   { 5, 9.2 },   { 29, 16.95 }, { 0, 7.45 } };
    struct bench b;

    (void)state;
    start(&b);
    hc_wire radio = hc_wire_find(b.m, "radio.state");
    double before = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        b.board->radio->s.reg[TXCTRL] = (uint16_t)levels[i].level;
        hc_wire_set(b.m, radio, i % 2 ? HC_CC2420_TX_FRAME : HC_CC2420_TX_ACK);
        pass(&b, 1);
        measure(&b);
        assert_near(hc_seconds(b.report.transmitting[levels[i].level]), 1);
        assert_near(b.report.millijoules[HC_CONSUMER_RADIO] - before, levels[i].milliamperes * 3);
        before = b.report.millijoules[HC_CONSUMER_RADIO];
    }
    end(&b);
}

static void test_flash_and_sht11(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    hc_wire_set(b.m, hc_wire_find(b.m, "flash.state"), HC_M25P80_PROGRAM);
    hc_wire_set(b.m, hc_wire_find(b.m, "sht11.state"), HC_SHT11_MEASURING);
    pass(&b, 2);
    hc_wire_set(b.m, hc_wire_find(b.m, "flash.state"), HC_M25P80_ACTIVE);
    hc_wire_set(b.m, hc_wire_find(b.m, "sht11.state"), HC_SHT11_IDLE);
    pass(&b, 3);
    hc_wire_set(b.m, hc_wire_find(b.m, "flash.state"), HC_M25P80_DEEP_POWER_DOWN);
    pass(&b, 5);
    measure(&b);
    assert_near(b.report.millijoules[HC_CONSUMER_FLASH], (2 * 15 + 3 * 4 + 5 * 0.010) * 3);
    assert_near(b.report.millijoules[HC_CONSUMER_SHT11], (2 * 0.55 + 8 * 0.0003) * 3);
    end(&b);
}

static void test_leds(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    hc_bus_write(b.m, 0x31, 0x60, 1); /* P5OUT: red lit, the others not */
    hc_bus_write(b.m, 0x32, 0x70, 1); /* P5DIR */
    pass(&b, 4);
    hc_bus_write(b.m, 0x31, 0x10, 1); /* green and blue instead */
    pass(&b, 6);
    measure(&b);
    assert_near(hc_seconds(b.report.led[HC_TELOSB_RED]), 4);
    assert_near(hc_seconds(b.report.led[HC_TELOSB_BLUE]), 6);
    assert_near(b.report.millijoules[HC_CONSUMER_LEDS], (4 * 4.3 + 6 * (3.7 + 1.7)) * 3);
    end(&b);
}

/* Without supply nothing is used, and what was used stays. Measuring changes nothing. */
static void test_power(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    hc_wire_set(b.m, hc_wire_find(b.m, "radio.state"), HC_CC2420_IDLE);
    pass(&b, 5);
    measure(&b);
    hc_energy_switch(b.energy, false);
    hc_machine_power_off(b.m, 1);
    pass(&b, 100);
    measure(&b);
    assert_near(hc_seconds(b.report.powered), 5);
    assert_near(b.report.millijoules[HC_CONSUMER_RADIO], 5 * 0.426 * 3);
    hc_machine_reset(b.m, HC_POR);
    hc_energy_switch(b.energy, true);
    hc_set_register(b.m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    hc_bus_write(b.m, 0x120, 0x5a80, 2);
    hc_wire_set(b.m, hc_wire_find(b.m, "radio.state"), HC_CC2420_IDLE);
    pass(&b, 5);
    measure(&b);
    measure(&b);
    assert_near(hc_seconds(b.report.powered), 10);
    assert_near(b.report.millijoules[HC_CONSUMER_RADIO], 10 * 0.426 * 3);
    assert_near(b.report.millijoules[HC_CONSUMER_CPU], 10 * 2.6e-6 * 3 * 1000);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asleep), cmocka_unit_test(test_awake),           cmocka_unit_test(test_sleep_modes),
        cmocka_unit_test(test_radio),  cmocka_unit_test(test_flash_and_sht11), cmocka_unit_test(test_leds),
        cmocka_unit_test(test_power),  cmocka_unit_test(test_transmit_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
