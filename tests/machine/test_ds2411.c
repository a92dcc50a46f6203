/* DS2411 against its datasheet: a 1-Wire master in a few lines, with the slot times at the edges of what is allowed. */
#include "machine/device/chip/ds2411.h"

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

enum { SLOT = 70, READ_ROM = 0x33, SEARCH_ROM = 0xf0, OVERDRIVE_SKIP_ROM = 0x3c };

struct bench {
    struct hc_machine *m;
    struct hc_ds2411 *chip;
    hc_wire line;
    int driver;
    unsigned low_for_1, low_for_0, low_to_read; /* us */
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&part, NULL);
    b->line = hc_wire_new(b->m, "line", 1);
    b->driver = hc_wire_driver(b->m, b->line);
    b->chip = hc_ds2411_new(b->m, "ds2411", b->line, 0x123456789abc);
    b->low_for_1 = b->low_to_read = 6;
    b->low_for_0 = 60;
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    hc_machine_run(b->m, hc_us(1201)); /* the datasheet's power-up delay */
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

static void pass(struct bench *b, unsigned us)
{
    hc_machine_run(b->m, hc_now(b->m) + hc_us(us));
}

static int level(struct bench *b)
{
    return hc_wire_level(b->m, b->line);
}

static void low(struct bench *b, unsigned us)
{
    hc_wire_drive(b->m, b->line, b->driver, HC_LOW);
    pass(b, us);
    hc_wire_drive(b->m, b->line, b->driver, HC_RELEASE);
}

/* True if a chip answered. */
static bool reset(struct bench *b, unsigned us)
{
    low(b, us);
    pass(b, 70);
    bool present = !level(b);
    pass(b, 410);
    return present;
}

static void write_bit(struct bench *b, bool bit)
{
    unsigned us = bit ? b->low_for_1 : b->low_for_0;
    low(b, us);
    pass(b, SLOT + 60 - us);
}

static bool read_bit(struct bench *b)
{
    low(b, b->low_to_read);
    pass(b, 14 - b->low_to_read);
    bool bit = level(b);
    pass(b, SLOT);
    return bit;
}

static void write_byte(struct bench *b, uint8_t byte)
{
    for (int i = 0; i < 8; i++)
        write_bit(b, byte >> i & 1);
}

static uint64_t read_rom(struct bench *b)
{
    uint64_t rom = 0;
    write_byte(b, READ_ROM);
    for (int i = 0; i < 64; i++)
        rom |= (uint64_t)read_bit(b) << i;
    return rom;
}

/* CRC-8 of the guide, x^8 + x^5 + x^4 + 1: over the whole ROM with its CRC it is 0. */
static uint8_t crc8(uint64_t rom)
{
    uint8_t crc = 0;
    for (int i = 0; i < 64; i++)
        crc = (uint8_t)(crc >> 1 ^ (((crc ^ rom >> i) & 1) ? 0x8c : 0));
    return crc;
}

static void presence_pulse(void **state)
{
    struct bench *b = *state;
    assert_int_equal(level(b), 1);
    low(b, 480);
    assert_int_equal(level(b), 1);
    pass(b, 14);
    assert_int_equal(level(b), 1); /* tPDH at least 15 us */
    pass(b, 47);
    assert_int_equal(level(b), 0); /* at most 60 */
    pass(b, 13);
    assert_int_equal(level(b), 0); /* and still there at 74: tPDL at least 60 */
    pass(b, 240);
    assert_int_equal(level(b), 1);
}

static void no_presence_without_reset(void **state)
{
    struct bench *b = *state;
    assert_false(reset(b, 120)); /* the longest zero bit */
    assert_true(reset(b, 480));
    assert_true(reset(b, 960));
}

static void reads_rom(void **state)
{
    struct bench *b = *state;
    assert_true(reset(b, 480));
    uint64_t rom = read_rom(b);
    assert_int_equal(rom & 0xff, 0x01);
    assert_true((rom >> 8 & 0xffffffffffff) == 0x123456789abc);
    assert_int_equal(crc8(rom), 0);
    assert_true(rom == hc_ds2411_rom(b->chip));
    assert_int_equal(read_bit(b), 1); /* nothing more to say */
}

static void slots_at_their_limits(void **state)
{
    struct bench *b = *state;
    static const unsigned rows[][3] = { { 1, 60, 1 }, { 5, 60, 5 }, { 14, 60, 13 }, { 5, 119, 5 }, { 14, 119, 13 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        b->low_for_1 = rows[i][0];
        b->low_for_0 = rows[i][1];
        b->low_to_read = rows[i][2];
        assert_true(reset(b, 480));
        assert_true(read_rom(b) == hc_ds2411_rom(b->chip));
    }
}

static void searches(void **state)
{
    struct bench *b = *state;
    uint64_t rom = 0;
    assert_true(reset(b, 480));
    write_byte(b, SEARCH_ROM);
    for (int i = 0; i < 64; i++) {
        bool bit = read_bit(b), complement = read_bit(b);
        assert_int_equal(bit, !complement);
        rom |= (uint64_t)bit << i;
        write_bit(b, bit);
    }
    assert_true(rom == hc_ds2411_rom(b->chip));
    /* Another branch taken: the chip falls silent. */
    assert_true(reset(b, 480));
    write_byte(b, SEARCH_ROM);
    bool first = read_bit(b);
    read_bit(b);
    write_bit(b, !first);
    for (int i = 0; i < 8; i++)
        assert_int_equal(read_bit(b), 1);
}

static void other_commands_silence_it(void **state)
{
    struct bench *b = *state;
    assert_true(reset(b, 480));
    write_byte(b, 0xcc);
    for (int i = 0; i < 16; i++)
        assert_int_equal(read_bit(b), 1);
    assert_true(reset(b, 480));
    assert_true(read_rom(b) == hc_ds2411_rom(b->chip));
}

static void reset_interrupts_reading(void **state)
{
    struct bench *b = *state;
    assert_true(reset(b, 480));
    write_byte(b, READ_ROM);
    for (int i = 0; i < 9; i++)
        read_bit(b);
    assert_true(reset(b, 480));
    assert_true(read_rom(b) == hc_ds2411_rom(b->chip));
}

/* ---- overdrive: resets of 48 to 80 us, slots of 8 us and more ---- */

static bool overdrive_reset(struct bench *b, unsigned us)
{
    low(b, us);
    pass(b, 9);
    bool present = !level(b);
    pass(b, 40);
    return present;
}

static uint64_t overdrive_read_rom(struct bench *b, unsigned low_for_1, unsigned low_for_0)
{
    uint64_t rom = 0;
    for (int i = 0; i < 8; i++) {
        unsigned us = READ_ROM >> i & 1 ? low_for_1 : low_for_0;
        low(b, us);
        pass(b, 20 - us);
    }
    for (int i = 0; i < 64; i++) {
        low(b, 1);
        pass(b, 1);
        rom |= (uint64_t)level(b) << i;
        pass(b, 10);
    }
    return rom;
}

static void overdrive(void **state)
{
    struct bench *b = *state;
    assert_true(reset(b, 480));
    write_byte(b, OVERDRIVE_SKIP_ROM);
    for (unsigned us = 48; us <= 80; us += 8) {
        assert_true(overdrive_reset(b, us));
        assert_true(overdrive_read_rom(b, 1, us < 64 ? 6 : 15) == hc_ds2411_rom(b->chip));
    }
    /* A long reset brings it back to standard speed. */
    assert_true(reset(b, 480));
    assert_true(read_rom(b) == hc_ds2411_rom(b->chip));
    assert_false(overdrive_reset(b, 64));
}

static void power_up_delay(void **state)
{
    struct bench *b = *state;
    hc_machine_power_off(b->m, 1);
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_false(reset(b, 480));
    pass(b, 1000);
    assert_true(reset(b, 480));
}

static void serial_can_change(void **state)
{
    struct bench *b = *state;
    hc_ds2411_set_serial(b->chip, 0xffff000000000001);
    assert_true(reset(b, 480));
    uint64_t rom = read_rom(b);
    assert_true((rom & 0xffffffffffffff) == 0x00000000000101);
    assert_int_equal(crc8(rom), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(presence_pulse),
        TEST(no_presence_without_reset),
        TEST(reads_rom),
        TEST(slots_at_their_limits),
        TEST(searches),
        TEST(other_commands_silence_it),
        TEST(reset_interrupts_reading),
        TEST(overdrive),
        TEST(power_up_delay),
        TEST(serial_can_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
