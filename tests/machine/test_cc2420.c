/* CC2420 against its datasheet: supply, reset, crystal, SPI protocol, registers and pins; and driven by firmware. */
#include "cc2420_bench.h"
#include "machine/board/telosb.h"
#include "support/harness.h"

/* ---- registers ---- */

static const struct {
    int reg;
    uint16_t reset, ones; /* ones: what it reads after 0xffff has been written */
} registers[] = {
    { 0x10, 0xf800, 0xf801 }, { 0x11, 0x0ae2, 0x3fff }, { 0x12, 0x0500, 0x07ff }, { 0x13, 0xe080, 0xff80 },
    { 0x14, 0xa70f, 0xffff }, { 0x15, 0xa0ff, 0xffff }, { 0x16, 0x12e5, 0x3fff }, { 0x17, 0x0a56, 0x3fff },
    { 0x18, 0x4165, 0xcbff }, { 0x19, 0x03c4, 0x03ff }, { 0x1a, 0x0000, 0x7f7f }, { 0x1b, 0x0040, 0x007f },
    { 0x1c, 0x0040, 0x0fff }, { 0x1d, 0x0000, 0x1fff }, { 0x1e, 0x233d, 0x233d }, { 0x1f, 0x3000, 0x3000 },
    { 0x20, 0x7a94, 0xffff }, { 0x21, 0xffff, 0xffff }, { 0x22, 0x0000, 0xffff }, { 0x23, 0x07f3, 0x0fff },
    { 0x24, 0x3649, 0xffff }, { 0x25, 0x0854, 0x7fff }, { 0x26, 0x012a, 0x03ff }, { 0x27, 0x0210, 0x0ff0 },
    { 0x28, 0x5002, 0xffff }, { 0x29, 0x0620, 0x7fe0 }, { 0x2a, 0x82dd, 0xffff }, { 0x2b, 0x0000, 0x7f80 },
    { 0x2c, 0x0001, 0x0001 }, { 0x2d, 0x0000, 0x8000 }, { 0x2e, 0x0000, 0x7fff }, { 0x2f, 0x0010, 0x00ff },
    { 0x30, 0x0000, 0xffff },
};

enum { REGISTERS = sizeof registers / sizeof *registers };

static void registers_have_their_reset_values(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    for (int i = 0; i < REGISTERS; i++)
        if (get(n, registers[i].reg) != registers[i].reset)
            fail_msg("register %02x reads %04x", (unsigned)registers[i].reg, get(n, registers[i].reg));
}

static void registers_keep_what_can_be_written(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    for (int i = 0; i < REGISTERS; i++) {
        set(n, registers[i].reg, 0xffff);
        pass(*state, 5); /* the battery monitor's comparator */
        if (get(n, registers[i].reg) != registers[i].ones)
            fail_msg("register %02x reads %04x", (unsigned)registers[i].reg, get(n, registers[i].reg));
    }
}

static void agc_reports_the_gain_mode_that_is_forced(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    set(n, AGCCTRL, 0x07f4);
    assert_int_equal(get(n, AGCCTRL), 0x07f5);
    set(n, AGCCTRL, 0x07f8);
    assert_int_equal(get(n, AGCCTRL), 0x07fa);
    set(n, AGCCTRL, 0x07f0);
    assert_int_equal(get(n, AGCCTRL), 0x07f3);
}

/* ---- supply, reset, crystal ---- */

static void regulator_and_crystal_take_their_time(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    assert_int_equal(strobe(n, SNOP), 0xff); /* nobody drives SO */
    hc_wire_drive(b->m, n->vreg_en, n->vreg_driver, HC_HIGH);
    at(b, 49);
    assert_int_equal(strobe(n, SNOP), 0xff);
    at(b, 50);
    assert_int_equal(strobe(n, SNOP), 0);
    assert_int_equal(get(n, MANFIDL), 0x233d);
    assert_int_equal(get(n, FSMSTATE), 0);
    strobe(n, SRXON); /* ignored: no crystal */
    assert_int_equal(strobe(n, SXOSCON), 0);
    at(b, 300 + 999); /* the crystal waits for a stable supply */
    assert_int_equal(status_of(n), 0);
    at(b, 300 + 1000);
    assert_int_equal(status_of(n), XOSC16M_STABLE);
    assert_int_equal(get(n, FSMSTATE), 1);
    strobe(n, SXOSCOFF);
    assert_int_equal(status_of(n), 0);
    hc_wire_drive(b->m, n->vreg_en, n->vreg_driver, HC_LOW);
    assert_int_equal(strobe(n, SNOP), 0xff);
}

static void resetn_pin_resets_registers_but_not_ram(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t byte = 0x5a;

    set(n, IOCFG0, 0x007f);
    ram_write(n, KEY0, &byte, 1);
    hc_wire_drive(b->m, n->resetn, n->resetn_driver, HC_LOW);
    assert_int_equal(strobe(n, SNOP), 0xff);
    hc_wire_drive(b->m, n->resetn, n->resetn_driver, HC_HIGH);
    assert_int_equal(get(n, IOCFG0), 0x0040);
    assert_int_equal(status_of(n), 0); /* the crystal is off */
    strobe(n, SXOSCON);
    pass(b, 1000);
    byte = 0;
    ram_read(n, KEY0, &byte, 1);
    assert_int_equal(byte, 0x5a);
}

static void main_resetn_bit_holds_the_chip(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    set(n, IOCFG0, 0x007f);
    set(n, MAIN, 0x7800);
    assert_int_equal(get(n, MAIN), 0x7800);
    assert_int_equal(get(n, IOCFG0), 0x0040);
    set(n, IOCFG0, 0x007f);
    assert_int_equal(get(n, IOCFG0), 0x0040);
    strobe(n, SXOSCON);
    pass(b, 1000);
    assert_int_equal(status_of(n), 0);
    set(n, MAIN, 0xf800);
    strobe(n, SXOSCON);
    pass(b, 1000);
    assert_int_equal(status_of(n), XOSC16M_STABLE);
}

static void ram_and_fifos_need_the_crystal(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    const uint8_t written[2] = { 0x12, 0x34 };
    uint8_t read[2] = { 0xee, 0xee };

    ram_write(n, PANID, written, 2);
    strobe(n, SXOSCOFF);
    ram_read(n, PANID, read, 2);
    assert_memory_equal(read, "\0\0", 2);
    ram_write(n, PANID, (const uint8_t *)"\x55\x55", 2);
    set(n, SYNCWORD, 0x1234); /* registers answer */
    assert_int_equal(get(n, SYNCWORD), 0x1234);
    strobe(n, SXOSCON);
    pass(b, 1000);
    ram_read(n, PANID, read, 2);
    assert_memory_equal(read, written, 2); /* kept in power-down */
}

/* ---- SPI ---- */

static void one_selection_may_hold_several_accesses(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    chip_select(n, true);
    assert_int_equal(exchange(n, SRXON), XOSC16M_STABLE);
    assert_int_equal(exchange(n, SNOP), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0x40 | MANFIDL), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0), 0x23);
    assert_int_equal(exchange(n, 0), 0x3d);
    assert_int_equal(exchange(n, SYNCWORD), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0x12), 0);
    assert_int_equal(exchange(n, 0x34), 0);
    assert_int_equal(exchange(n, 0x40 | SYNCWORD), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0), 0x12);
    assert_int_equal(exchange(n, 0), 0x34);
    assert_int_equal(exchange(n, SRFOFF), XOSC16M_STABLE);
    chip_select(n, false);
    assert_int_equal(get(n, FSMSTATE), 1);
}

static void half_a_register_is_not_written(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    chip_select(n, true);
    exchange(n, SYNCWORD);
    exchange(n, 0x12);
    chip_select(n, false);
    assert_int_equal(get(n, SYNCWORD), 0xa70f);
}

static void ram_write_reads_what_was_there(void **state)
{
    struct node *n = &((struct bench *)*state)->a;
    uint8_t bytes[4] = { 1, 2, 3, 4 };

    ram_write(n, 0x0fe, bytes, 4); /* from bank 1 into bank 2 */
    chip_select(n, true);
    assert_int_equal(exchange(n, 0x80 | 0x7e), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0x40), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(exchange(n, (uint8_t)(i + 5)), i + 1);
    chip_select(n, false);
    ram_read(n, 0x0fe, bytes, 4);
    assert_memory_equal(bytes, "\5\6\7\x08", 4);
    ram_read(n, KEY0, bytes, 2);
    assert_memory_equal(bytes, "\7\x08", 2);
}

static void txfifo_writes_return_the_status(void **state)
{
    struct node *n = &((struct bench *)*state)->a;
    uint8_t bytes[2];

    chip_select(n, true);
    assert_int_equal(exchange(n, TXFIFO), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0x33), XOSC16M_STABLE);
    assert_int_equal(exchange(n, 0x44), XOSC16M_STABLE);
    chip_select(n, false);
    ram_read(n, 0x000, bytes, 2);
    assert_memory_equal(bytes, "\x33\x44", 2);
}

static void rxfifo_can_be_written_over_spi(void **state)
{
    struct node *n = &((struct bench *)*state)->a;
    const uint8_t frame[4] = { 3, 0xaa, 0xbb, 0xcc };
    uint8_t read[4];

    fifo_write(n, RXFIFO, frame, 3);
    assert_int_equal(level(n, n->fifo), 1);
    assert_int_equal(level(n, n->fifop), 0);
    fifo_write(n, RXFIFO, frame + 3, 1);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, read, 4);
    assert_memory_equal(read, frame, 4);
    assert_int_equal(level(n, n->fifo), 0);
    assert_int_equal(level(n, n->fifop), 0);
}

/* Clocked by hand, bit by bit: the first bit of the status stands on SO before the first edge. */
static void bit_banged_bus_gets_the_status(void **state)
{
    struct node *n = &((struct bench *)*state)->a;
    uint8_t in = 0;

    chip_select(n, true);
    for (int i = 0; i < 8; i++)
        in = (uint8_t)(in << 1 | hc_spi_clock(n->bus, SRXON >> (7 - i) & 1, hc_now(n->m)));
    chip_select(n, false);
    assert_int_equal(in, XOSC16M_STABLE);
    assert_int_equal(hc_cc2420_state(n->radio), HC_CC2420_RX_CALIBRATE);
}

/* ---- pins ---- */

static void polarity_bits_invert_the_pins(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    set(n, IOCFG0, 0x0040 | 0x0780);
    assert_int_equal(level(n, n->fifo), 1);
    assert_int_equal(level(n, n->fifop), 1);
    assert_int_equal(level(n, n->sfd), 1);
    assert_int_equal(level(n, n->cca), 1);
    fifo_write(n, RXFIFO, (const uint8_t *)"\1\2", 2);
    assert_int_equal(level(n, n->fifo), 0);
    assert_int_equal(level(n, n->fifop), 0);
}

static void cca_pin_can_show_the_crystal(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    set(n, IOCFG1, 24);
    assert_int_equal(level(n, n->cca), 1);
    strobe(n, SXOSCOFF);
    assert_int_equal(level(n, n->cca), 0);
    strobe(n, SXOSCON);
    pass(b, 999);
    assert_int_equal(level(n, n->cca), 0);
    pass(b, 1);
    assert_int_equal(level(n, n->cca), 1);
    set(n, IOCFG1, 31 << 5 | 30); /* ONE on SFD, ZERO on CCA */
    assert_int_equal(level(n, n->sfd), 1);
    assert_int_equal(level(n, n->cca), 0);
    set(n, IOCFG1, 3); /* LOCK_STATUS */
    strobe(n, SRXON);
    pass(b, 191);
    assert_int_equal(level(n, n->cca), 0);
    pass(b, 1);
    assert_int_equal(level(n, n->cca), 1);
}

/* Both pins can show what is powered down: 6 synthesizer, 7 to 10 receiver, 11 power amplifier. */
static void pins_can_show_what_is_powered_down(void **state)
{
    static const struct {
        int mux, idle, receiving, sending;
    } signals[] = { { 6, 1, 0, 0 }, { 7, 1, 0, 1 }, { 8, 1, 0, 1 }, { 9, 1, 0, 1 }, { 10, 1, 0, 1 }, { 11, 1, 1, 0 } };
    struct bench *b = *state;
    struct node *n = &b->a;
    const uint8_t frame[] = { 5, 2, 0, 1 };

    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
        set(n, IOCFG1, (uint16_t)(signals[i].mux << 5 | signals[i].mux));
        assert_int_equal(level(n, n->sfd), signals[i].idle);
        assert_int_equal(level(n, n->cca), signals[i].idle);
        strobe(n, SRXON);
        pass(b, 200);
        assert_int_equal(level(n, n->sfd), signals[i].receiving);
        assert_int_equal(level(n, n->cca), signals[i].receiving);
        fifo_write(n, TXFIFO, frame, sizeof frame);
        strobe(n, STXON);
        pass(b, 250);
        assert_int_equal(level(n, n->sfd), signals[i].sending);
        assert_int_equal(level(n, n->cca), signals[i].sending);
        strobe(n, SRFOFF);
    }
}

static void sfd_pin_cannot_show_the_crystal(void **state)
{
    struct node *n = &((struct bench *)*state)->a;

    set(n, IOCFG1, 24 << 5); /* PD_F_COMP there */
    assert_int_equal(level(n, n->sfd), 0);
}

static void pins_are_released_without_supply(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    set(n, IOCFG0, 0x0780);
    assert_int_equal(level(n, n->fifo), 1);
    hc_wire_drive(b->m, n->vreg_en, n->vreg_driver, HC_LOW);
    assert_int_equal(level(n, n->fifo), 0); /* its pull */
}

/* ---- synthesizer, battery ---- */

static void synthesizer_reports_calibration_and_lock(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    strobe(n, STXCAL);
    assert_int_equal(get(n, FSCTRL), 0x5165);
    pass(b, 191);
    assert_int_equal(status_of(n) & LOCK, 0);
    pass(b, 1);
    assert_int_equal(status_of(n), XOSC16M_STABLE | LOCK);
    assert_int_equal(get(n, FSCTRL), 0x6565);
    strobe(n, SRFOFF);
    assert_int_equal(get(n, FSCTRL), 0x4165);
}

static void battery_monitor_compares(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    /* Toggles at 1.25 V x (72 - v) / 27: 3,009 mV for 7, 2,963 mV for 8. */
    set(n, BATTMON, 0x20 | 7);
    assert_int_equal(get(n, BATTMON), 0x67); /* not settled yet */
    pass(b, 5);
    assert_int_equal(get(n, BATTMON), 0x27);
    set(n, BATTMON, 0x20 | 8);
    pass(b, 5);
    assert_int_equal(get(n, BATTMON), 0x68);
    hc_cc2420_set_supply(n->radio, 2900);
    assert_int_equal(get(n, BATTMON), 0x28);
}

/* ---- driven by firmware, through USART0 and the TelosB's pins ---- */

struct air {
    int sent;
    uint8_t byte[32];
};

static void sent_byte(void *owner, struct hc_cc2420 *radio, uint8_t byte, hc_time now)
{
    struct air *air = owner;
    (void)radio;
    (void)now;
    if (air->sent < 32)
        air->byte[air->sent++] = byte;
}

/* A frame with a right FCS arrives, a byte every 32 us. */
static void deliver(struct harness *h)
{
    static const uint8_t bytes[] = { 0, 0, 0, 0, 0xa7, 5, 0x02, 0x00, 0x6a, 0xe4, 0x79 };
    hc_time start = hc_now(h->machine);

    hc_cc2420_carrier(h->board->radio, -70, start);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        harness_run(h, start + hc_us(32 * (i + 1)) - hc_now(h->machine));
        hc_cc2420_air_byte(h->board->radio, bytes[i], 20, hc_now(h->machine));
    }
    hc_cc2420_carrier(h->board->radio, HC_CC2420_SILENCE, hc_now(h->machine));
}

static void firmware_sends_encrypts_and_receives(void **state)
{
    static const uint8_t sent[] = { 0, 0, 0, 0, 0xa7, 9, 0x41, 0x88, 1, 0xff, 0xff, 0xff, 0xff };
    static const uint8_t cipher[] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                      0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };
    static const uint8_t received[] = { 5, 0x02, 0x00, 0x6a, (uint8_t)(-70 + 45) };
    struct harness h;
    struct air air = { 0 };

    (void)state;
    harness_start(&h, "cc2420");
    hc_cc2420_set_medium(h.board->radio, (struct hc_radio_medium){ .transmit_byte = sent_byte, .owner = &air });
    while (!harness_get(&h, "listening", 0) && hc_now(h.machine) < hc_ms(100))
        harness_run(&h, hc_ms(1));
    assert_int_equal(harness_get(&h, "result", 0), 0x233d);
    assert_int_equal(harness_get(&h, "result", 1), TX_ACTIVE);
    assert_int_equal(air.sent, 5 + 10);
    assert_memory_equal(air.byte, sent, sizeof sent);
    /* SFD was high for 10 bytes: 320 us, counted by SMCLK at about 750 kHz. */
    assert_in_range(harness_get(&h, "result", 2), 235, 245);
    assert_int_equal(harness_get(&h, "result", 3), 0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(harness_get8(&h, "block", i), cipher[i]);
    deliver(&h);
    harness_finish(&h, hc_now(h.machine) + hc_ms(10));
    for (unsigned i = 0; i < sizeof received; i++)
        assert_int_equal(harness_get8(&h, "frame", (int)i), received[i]);
    assert_true(harness_get8(&h, "frame", 5) & 0x80);
    assert_int_equal(harness_get(&h, "result", 4), 1);
    assert_int_equal(harness_get(&h, "result", 5), 0); /* FIFO and FIFOP are low again */
    harness_stop(&h);
}

#define UNPOWERED(test) cmocka_unit_test_setup_teardown(test, bench_unpowered, bench_free)
#define IDLE(test) cmocka_unit_test_setup_teardown(test, bench_idle, bench_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IDLE(registers_have_their_reset_values),
        IDLE(registers_keep_what_can_be_written),
        IDLE(agc_reports_the_gain_mode_that_is_forced),
        UNPOWERED(regulator_and_crystal_take_their_time),
        IDLE(resetn_pin_resets_registers_but_not_ram),
        IDLE(main_resetn_bit_holds_the_chip),
        IDLE(ram_and_fifos_need_the_crystal),
        IDLE(one_selection_may_hold_several_accesses),
        IDLE(half_a_register_is_not_written),
        IDLE(ram_write_reads_what_was_there),
        IDLE(txfifo_writes_return_the_status),
        IDLE(rxfifo_can_be_written_over_spi),
        IDLE(bit_banged_bus_gets_the_status),
        IDLE(polarity_bits_invert_the_pins),
        IDLE(cca_pin_can_show_the_crystal),
        IDLE(sfd_pin_cannot_show_the_crystal),
        IDLE(pins_can_show_what_is_powered_down),
        IDLE(pins_are_released_without_supply),
        IDLE(synthesizer_reports_calibration_and_lock),
        IDLE(battery_monitor_compares),
        cmocka_unit_test(firmware_sends_encrypts_and_receives),
    };

    return cmocka_run_group_tests_name("cc2420", tests, NULL, NULL);
}
