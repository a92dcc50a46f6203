/* The driver of the CC2420, a phase of its test firmware after the other. */
#include "machine/board/telosb.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct air {
    int transmissions;
    struct hc_radio_signal last;
};

static void transmitted(void *owner, struct hc_cc2420 *radio, struct hc_radio_signal signal, hc_time at)
{
    struct air *air = owner;
    (void)radio;
    (void)at;
    air->transmissions++;
    air->last = signal;
}

static void run_phase(struct harness *h, int phase)
{
    while (harness_get(h, "phase", 0) < phase)
        harness_run(h, hc_ms(1));
    harness_run(h, hc_ms(20));
}

static void start(struct harness *h, struct air *air)
{
    harness_start(h, "radio_driver");
    hc_cc2420_set_medium(h->board->radio, (struct hc_radio_medium){ .transmit_start = transmitted, .owner = air });
}

static int dbm(const struct harness *h, int which)
{
    return (int16_t)harness_get(h, "result", which);
}

static void it_starts_and_sends_as_configured(void **state)
{
    (void)state;
    struct harness h;
    struct air air = { 0 };
    start(&h, &air);
    run_phase(&h, 1);
    assert_in_range(harness_get(&h, "result", 0), 66, 100); /* 2 to 3 ms */
    assert_in_range(dbm(&h, 1) + 200, 95, 105);             /* silence, -100 dBm */
    assert_int_equal(harness_get(&h, "result", 2), 1);
    assert_int_equal(air.transmissions, 1);
    assert_int_equal(air.last.mhz, 2450);
    assert_int_equal(air.last.dbm, 0);
    run_phase(&h, 3);
    assert_int_equal(air.transmissions, 2);
    assert_int_equal(air.last.mhz, 2425);
    assert_int_equal(air.last.dbm, -25);
    harness_stop(&h);
}

static void it_sees_energy(void **state)
{
    (void)state;
    struct harness h;
    struct air air = { 0 };
    start(&h, &air);
    run_phase(&h, 4);
    assert_int_equal(harness_get(&h, "result", 4), 0);
    hc_cc2420_carrier(h.board->radio, -60, hc_now(h.machine));
    harness_run(&h, hc_ms(1));
    assert_int_equal(harness_get(&h, "result", 4), 1);
    run_phase(&h, 5);
    assert_int_equal(harness_get(&h, "result", 3), 0);
    assert_in_range(dbm(&h, 5) + 200, 136, 144);
    assert_int_equal(harness_get(&h, "result", 7), 1);
    assert_int_equal(air.transmissions, 2);
    harness_stop(&h);
}

static void it_sleeps_and_remembers(void **state)
{
    (void)state;
    struct harness h;
    struct air air = { 0 };
    start(&h, &air);
    run_phase(&h, 6);
    assert_int_equal(hc_cc2420_state(h.board->radio), HC_CC2420_POWER_DOWN);
    run_phase(&h, 7);
    assert_int_equal(hc_cc2420_state(h.board->radio), HC_CC2420_RX_SFD_SEARCH);
    assert_in_range(harness_get(&h, "result", 6), 40, 64); /* 1.2 to 2 ms */
    run_phase(&h, 8);
    assert_int_equal(air.last.mhz, 2425);
    assert_int_equal(air.last.dbm, -25);
    run_phase(&h, 9);
    assert_int_equal(hc_cc2420_state(h.board->radio), HC_CC2420_OFF);
    harness_stop(&h);
}

/* CRC of IEEE 802.15.4. */
static uint16_t crc(uint16_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0x8408 : crc >> 1);
    return crc;
}

static void air_byte(struct harness *h, uint8_t byte)
{
    harness_run(h, hc_us(32));
    hc_cc2420_air_byte(h->board->radio, byte, 20, hc_now(h->machine));
}

/* A frame of LENGTH bytes to the node, which asks to be acknowledged. */
static void send_to(struct harness *h, uint8_t number, uint8_t length)
{
    static const uint8_t synchronisation[] = { 0, 0, 0, 0, 0xa7 };
    uint8_t header[] = { 0x61, 0x88, number, 0x22, 0, 9, 0 };
    uint16_t check = 0;
    for (size_t i = 0; i < sizeof synchronisation; i++)
        air_byte(h, synchronisation[i]);
    air_byte(h, length);
    for (uint8_t i = 0; i < length - 2; i++) {
        uint8_t byte = i < sizeof header ? header[i] : i;
        check = crc(check, byte);
        air_byte(h, byte);
    }
    air_byte(h, (uint8_t)check);
    air_byte(h, (uint8_t)(check >> 8));
    harness_run(h, hc_ms(1)); /* for the acknowledgement */
}

/* Three frames of 41 bytes fit into the RXFIFO; the fourth is not acknowledged. */
static void an_overflow_loses_nothing_that_was_acknowledged(void **state)
{
    (void)state;
    struct harness h;
    struct air air = { 0 };
    start(&h, &air);
    run_phase(&h, 11);
    air.transmissions = 0;
    for (uint8_t number = 1; number <= 4; number++)
        send_to(&h, number, 40);
    assert_int_equal(hc_cc2420_state(h.board->radio), HC_CC2420_RX_OVERFLOW);
    assert_int_equal(air.transmissions, 3);
    assert_int_equal(harness_get(&h, "result", 8), 0);
    run_phase(&h, 12);
    assert_int_equal(harness_get(&h, "result", 8), 3);
    assert_int_equal(harness_get(&h, "result", 9), 1 + 2 + 3);
    assert_int_equal(harness_get(&h, "cc2420_overflows", 0), 1);
    send_to(&h, 40, 120); /* it hears again */
    assert_int_equal(air.transmissions, 4);
    harness_run(&h, hc_ms(5));
    assert_int_equal(harness_get(&h, "result", 8), 4);
    assert_int_equal(harness_get(&h, "cc2420_bad_frames", 0), 0);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_and_sends_as_configured),
        cmocka_unit_test(it_sees_energy),
        cmocka_unit_test(it_sleeps_and_remembers),
        cmocka_unit_test(an_overflow_loses_nothing_that_was_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
