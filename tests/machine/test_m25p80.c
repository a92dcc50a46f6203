/* M25P80 against its datasheet, by direct calls on the SPI bus. */
#include "machine/device/chip/cow_memory.h"
#include "machine/device/chip/m25p80.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WREN = 0x06, WRDI = 0x04, RDID = 0x9f, RDSR = 0x05, WRSR = 0x01, READ = 0x03, FAST_READ = 0x0b };
enum { PP = 0x02, SE = 0xd8, BE = 0xc7, DP = 0xb9, RES = 0xab };
enum { WIP = 1, WEL = 2 };

static const struct hc_region regions[] = {
    { "io", HC_IO, 0x0000, 0x01ff, 0 },
    { "ram", HC_RAM, 0x0200, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part part = { "bare", HC_CPU_MSP430, regions, 0x10000, 16, 0 };

struct bench {
    struct hc_machine *m;
    struct hc_spi_bus *bus;
    struct hc_m25p80 *flash;
    hc_wire s, hold, w;
    int s_driver, hold_driver, w_driver;
};

static void pass(struct bench *b, hc_time length)
{
    hc_machine_run(b->m, hc_now(b->m) + length);
}

/* A chip whose power-up times are over. */
static void power_up(struct bench *b)
{
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    pass(b, hc_ms(11));
}

static struct bench *bench_of(uint64_t seed)
{
    struct bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&part, NULL);
    b->bus = hc_spi_bus_new(b->m, "spi");
    b->s = hc_wire_new(b->m, "s", 1);
    b->hold = hc_wire_new(b->m, "hold", 1);
    b->w = hc_wire_new(b->m, "w", 1);
    b->s_driver = hc_wire_driver(b->m, b->s);
    b->hold_driver = hc_wire_driver(b->m, b->hold);
    b->w_driver = hc_wire_driver(b->m, b->w);
    b->flash = hc_m25p80_new(b->m, "flash", b->bus, (struct hc_m25p80_pins){ b->s, b->hold, b->w }, seed);
    power_up(b);
    return b;
}

static int set_up(void **state)
{
    *state = bench_of(1);
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    hc_machine_free(b->m);
    free(b);
    return 0;
}

static void chip_select(struct bench *b, bool selected)
{
    hc_wire_drive(b->m, b->s, b->s_driver, selected ? HC_LOW : HC_HIGH);
}

static uint8_t exchange(struct bench *b, uint8_t out)
{
    return hc_spi_exchange(b->bus, out, hc_now(b->m));
}

/* One transaction: OUT bytes sent, then IN bytes received. */
static void talk(struct bench *b, const uint8_t *out, size_t outs, uint8_t *in, size_t ins)
{
    chip_select(b, true);
    for (size_t i = 0; i < outs; i++)
        assert_int_equal(exchange(b, out[i]), 0xff); /* high impedance */
    for (size_t i = 0; i < ins; i++)
        in[i] = exchange(b, 0xa5);
    chip_select(b, false);
}

#define TELL(b, ...) talk((b), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), NULL, 0)

static uint8_t status(struct bench *b)
{
    uint8_t value;
    talk(b, (const uint8_t[]){ RDSR }, 1, &value, 1);
    return value;
}

static uint8_t byte_at(struct bench *b, uint32_t address)
{
    uint8_t value;
    hc_m25p80_read(b->flash, address, &value, 1);
    return value;
}

static void program(struct bench *b, uint32_t address, const uint8_t *data, size_t size)
{
    TELL(b, WREN);
    chip_select(b, true);
    uint8_t head[] = { PP, (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address };
    for (size_t i = 0; i < sizeof head; i++)
        exchange(b, head[i]);
    for (size_t i = 0; i < size; i++)
        exchange(b, data[i]);
    chip_select(b, false);
}

static void program_and_wait(struct bench *b, uint32_t address, const uint8_t *data, size_t size)
{
    program(b, address, data, size);
    pass(b, hc_ms(2));
    assert_int_equal(status(b) & WIP, 0);
}

static void write_status(struct bench *b, uint8_t value)
{
    TELL(b, WREN);
    TELL(b, WRSR, value);
    pass(b, hc_ms(6));
}

/* Busy until AFTER, and no longer. */
static void assert_busy_for(struct bench *b, hc_time length)
{
    hc_time start = hc_now(b->m);
    assert_int_equal(status(b) & (WIP | WEL), WIP | WEL);
    hc_machine_run(b->m, start + length - hc_us(1));
    assert_int_equal(status(b) & WIP, WIP);
    hc_machine_run(b->m, start + length + hc_ns(1));
    assert_int_equal(status(b) & (WIP | WEL), 0);
}

static void identifies_itself(void **state)
{
    struct bench *b = *state;
    uint8_t id[4], signature[2];
    talk(b, (const uint8_t[]){ RDID }, 1, id, 4);
    assert_memory_equal(id, ((const uint8_t[]){ 0x20, 0x20, 0x14, 0x10 }), 4);
    talk(b, (const uint8_t[]){ 0x9e }, 1, id, 4); /* its other code */
    assert_memory_equal(id, ((const uint8_t[]){ 0x20, 0x20, 0x14, 0x10 }), 4);
    talk(b, (const uint8_t[]){ RES, 0, 0, 0 }, 4, signature, 2);
    assert_int_equal(signature[0], 0x13);
    assert_int_equal(signature[1], 0x13);
}

static void write_enable_latch(void **state)
{
    struct bench *b = *state;
    assert_int_equal(status(b), 0);
    TELL(b, WREN);
    assert_int_equal(status(b), WEL);
    TELL(b, WRDI);
    assert_int_equal(status(b), 0);
    /* Without it, nothing is written. */
    TELL(b, PP, 0, 0, 0, 0x00);
    TELL(b, SE, 0, 0, 0);
    TELL(b, BE);
    TELL(b, WRSR, 0x1c);
    assert_int_equal(status(b), 0);
    pass(b, hc_ms(20));
    assert_int_equal(status(b), 0);
    assert_int_equal(byte_at(b, 0), 0xff);
}

static void reads_and_wraps(void **state)
{
    struct bench *b = *state;
    uint8_t in[3];
    hc_m25p80_write(b->flash, 0xfffff, (const uint8_t[]){ 0x11 }, 1);
    hc_m25p80_write(b->flash, 0, (const uint8_t[]){ 0x22, 0x33 }, 2);
    talk(b, (const uint8_t[]){ READ, 0x0f, 0xff, 0xff }, 4, in, 3);
    assert_memory_equal(in, ((const uint8_t[]){ 0x11, 0x22, 0x33 }), 3);
    talk(b, (const uint8_t[]){ FAST_READ, 0xff, 0xff, 0xff, 0x00 }, 5, in, 3);
    assert_memory_equal(in, ((const uint8_t[]){ 0x11, 0x22, 0x33 }), 3);
}

/* tPP = 0.4 ms + n/256 ms */
static void page_program_times(void **state)
{
    struct bench *b = *state;
    static const uint8_t zeros[HC_M25P80_PAGE];
    static const struct {
        size_t bytes;
        uint64_t us_256; /* in 1/256 us */
    } rows[] = { { 1, 400 * 256 + 1000 }, { 64, 400 * 256 + 64000 }, { 256, 1400 * 256 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        program(b, 0x1000 * (uint32_t)(i + 1), zeros, rows[i].bytes);
        assert_busy_for(b, hc_us(rows[i].us_256) / 256);
        assert_int_equal(byte_at(b, 0x1000 * (uint32_t)(i + 1)), 0);
    }
}

static void programming_clears_bits_only(void **state)
{
    struct bench *b = *state;
    program_and_wait(b, 0x300, (const uint8_t[]){ 0xf0 }, 1);
    program_and_wait(b, 0x300, (const uint8_t[]){ 0xcc }, 1);
    assert_int_equal(byte_at(b, 0x300), 0xc0);
}

static void programming_wraps_in_the_page(void **state)
{
    struct bench *b = *state;
    program_and_wait(b, 0x4fe, (const uint8_t[]){ 1, 2, 3, 4 }, 4);
    assert_int_equal(byte_at(b, 0x4fe), 1);
    assert_int_equal(byte_at(b, 0x4ff), 2);
    assert_int_equal(byte_at(b, 0x400), 3);
    assert_int_equal(byte_at(b, 0x401), 4);
    assert_int_equal(byte_at(b, 0x500), 0xff);
    /* Of more than a page, the last 256 bytes count. */
    uint8_t long_data[300];
    for (size_t i = 0; i < sizeof long_data; i++)
        long_data[i] = (uint8_t)(i / 2);
    program_and_wait(b, 0x600, long_data, sizeof long_data);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(byte_at(b, 0x600 + i), long_data[i < 44 ? i + 256 : i]);
}

static void erases(void **state)
{
    struct bench *b = *state;
    const uint8_t zero = 0;
    const uint32_t places[] = { 0x2ffff, 0x30000, 0x3ffff, 0x40000 };
    for (int i = 0; i < 4; i++)
        hc_m25p80_write(b->flash, places[i], &zero, 1);
    TELL(b, WREN);
    TELL(b, SE, 0x03, 0x12, 0x34);
    assert_busy_for(b, HC_SECOND);
    for (int i = 0; i < 4; i++)
        assert_int_equal(byte_at(b, places[i]), i == 1 || i == 2 ? 0xff : 0x00);
    TELL(b, WREN);
    TELL(b, BE);
    assert_busy_for(b, 10 * HC_SECOND);
    assert_int_equal(byte_at(b, places[0]), 0xff);
    assert_int_equal(byte_at(b, places[3]), 0xff);
}

static void busy_chip_answers_status_only(void **state)
{
    struct bench *b = *state;
    uint8_t in[4];
    hc_m25p80_write(b->flash, 0, (const uint8_t[]){ 0x55 }, 1);
    program(b, 0x100, (const uint8_t[]){ 0x12 }, 1);
    talk(b, (const uint8_t[]){ READ, 0, 0, 0 }, 4, in, 1);
    assert_int_equal(in[0], 0xff);
    talk(b, (const uint8_t[]){ RDID }, 1, in, 1);
    assert_int_equal(in[0], 0xff);
    talk(b, (const uint8_t[]){ RES, 0, 0, 0 }, 4, in, 1);
    assert_int_equal(in[0], 0xff);
    TELL(b, DP);
    TELL(b, WRDI);
    TELL(b, PP, 0, 0, 0, 0);
    /* Status is read as long as the clock runs, and is always fresh. */
    chip_select(b, true);
    exchange(b, RDSR);
    assert_int_equal(exchange(b, 0), WIP | WEL);
    pass(b, hc_ms(2));
    assert_int_equal(exchange(b, 0), 0);
    chip_select(b, false);
    assert_int_equal(byte_at(b, 0x100), 0x12);
    assert_int_equal(byte_at(b, 0), 0x55);
}

/* A command is executed only if S rises where the datasheet wants it. */
static void wrong_lengths_are_rejected(void **state)
{
    struct bench *b = *state;
    TELL(b, WREN);
    TELL(b, PP, 0, 0, 0);
    TELL(b, SE, 0, 0);
    TELL(b, SE, 0, 0, 0, 0);
    TELL(b, BE, 0);
    TELL(b, WRSR);
    TELL(b, WRSR, 0x1c, 0x1c);
    assert_int_equal(status(b), WEL);
    /* In the middle of a byte. */
    chip_select(b, true);
    exchange(b, PP);
    for (int i = 0; i < 4; i++)
        exchange(b, 0);
    hc_spi_begin(b->bus, true);
    chip_select(b, false);
    hc_spi_begin(b->bus, false);
    assert_int_equal(status(b), WEL);
    pass(b, hc_ms(2));
    assert_int_equal(byte_at(b, 0), 0xff);
}

static void unknown_instructions_are_ignored(void **state)
{
    struct bench *b = *state;
    TELL(b, WREN);
    for (unsigned i = 0; i < 256; i++) {
        static const uint8_t known[] = { WREN, WRDI, RDID, 0x9e, RDSR, WRSR, READ, FAST_READ, PP, SE, BE, DP, RES };
        if (!memchr(known, (int)i, sizeof known))
            TELL(b, (uint8_t)i, 0, 0, 0, 0);
    }
    assert_int_equal(status(b), WEL);
    assert_int_equal(byte_at(b, 0), 0xff);
}

/* The datasheet's table of protected areas: first protected sector by BP2-BP0. */
static void block_protection(void **state)
{
    struct bench *b = *state;
    static const uint8_t first[8] = { 16, 15, 14, 12, 8, 0, 0, 0 };
    for (unsigned bp = 0; bp < 8; bp++) {
        write_status(b, (uint8_t)(bp << 2));
        assert_int_equal(status(b), bp << 2);
        for (unsigned sector = 0; sector < 16; sector++) {
            bool protected = sector >= first[bp];
            program(b, sector << 16 | bp << 8, (const uint8_t[]){ 0 }, 1);
            assert_int_equal(status(b) & WIP, !protected);
            pass(b, hc_ms(1));
            assert_int_equal(byte_at(b, sector << 16 | bp << 8), protected ? 0xff : 0);
            TELL(b, WREN);
            TELL(b, SE, (uint8_t)sector, 0, 0);
            assert_int_equal(status(b) & WIP, !protected);
            pass(b, hc_ms(1001));
            TELL(b, WRDI);
        }
        TELL(b, WREN);
        TELL(b, BE);
        assert_int_equal(status(b) & WIP, bp == 0);
        pass(b, 11 * HC_SECOND);
    }
}

static void status_register_write(void **state)
{
    struct bench *b = *state;
    TELL(b, WREN);
    TELL(b, WRSR, 0xff);
    hc_time start = hc_now(b->m);
    assert_int_equal(status(b), WIP | WEL); /* the old bits until the end */
    hc_machine_run(b->m, start + hc_ms(5) - hc_us(1));
    assert_int_equal(status(b), WIP | WEL);
    hc_machine_run(b->m, start + hc_ms(5));
    assert_int_equal(status(b), 0x9c);
    /* SRWD and W low: hardware protected. */
    hc_wire_drive(b->m, b->w, b->w_driver, HC_LOW);
    write_status(b, 0);
    assert_int_equal(status(b), 0x9c | WEL);
    hc_wire_drive(b->m, b->w, b->w_driver, HC_HIGH);
    write_status(b, 0);
    assert_int_equal(status(b), 0);
    /* W alone protects nothing. */
    hc_wire_drive(b->m, b->w, b->w_driver, HC_LOW);
    write_status(b, 0x04);
    assert_int_equal(status(b), 0x04);
}

static void status_register_is_non_volatile(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x84);
    TELL(b, WREN);
    hc_machine_reset(b->m, HC_POR); /* the microcontroller's affair: the chip keeps its supply */
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_int_equal(status(b), 0x84 | WEL);
    hc_machine_power_off(b->m, 1);
    power_up(b);
    assert_int_equal(status(b), 0x84);
}

static void hold_pauses(void **state)
{
    struct bench *b = *state;
    hc_m25p80_write(b->flash, 0, (const uint8_t[]){ 0x5a, 0x66 }, 2);
    chip_select(b, true);
    exchange(b, READ);
    exchange(b, 0);
    exchange(b, 0);
    hc_wire_drive(b->m, b->hold, b->hold_driver, HC_LOW);
    assert_int_equal(exchange(b, 0x77), 0xff);
    hc_wire_drive(b->m, b->hold, b->hold_driver, HC_HIGH);
    exchange(b, 0);
    assert_int_equal(exchange(b, 0), 0x5a);
    chip_select(b, false);
    /* Deselected during Hold, a command is lost. */
    chip_select(b, true);
    exchange(b, WREN);
    hc_wire_drive(b->m, b->hold, b->hold_driver, HC_LOW);
    chip_select(b, false);
    hc_wire_drive(b->m, b->hold, b->hold_driver, HC_HIGH);
    assert_int_equal(status(b), 0);
}

static void deep_power_down(void **state)
{
    struct bench *b = *state;
    uint8_t in;
    hc_m25p80_write(b->flash, 0, (const uint8_t[]){ 0x5a }, 1);
    TELL(b, DP);
    pass(b, hc_us(3));
    assert_int_equal(hc_wire_level(b->m, hc_wire_find(b->m, "flash.state")), HC_M25P80_DEEP_POWER_DOWN);
    talk(b, (const uint8_t[]){ READ, 0, 0, 0 }, 4, &in, 1);
    assert_int_equal(in, 0xff);
    assert_int_equal(status(b), 0xff); /* not even the status */
    /* Woken without reading the signature: tRES1, 3 us. */
    TELL(b, RES);
    pass(b, hc_us(2));
    assert_int_equal(status(b), 0xff);
    pass(b, hc_us(1));
    assert_int_equal(status(b), 0);
    /* With it: tRES2, 1.8 us. */
    TELL(b, DP);
    pass(b, hc_us(3));
    talk(b, (const uint8_t[]){ RES, 0, 0, 0 }, 4, &in, 1);
    assert_int_equal(in, 0x13);
    pass(b, hc_ns(1700));
    assert_int_equal(status(b), 0xff);
    pass(b, hc_ns(200));
    talk(b, (const uint8_t[]){ READ, 0, 0, 0 }, 4, &in, 1);
    assert_int_equal(in, 0x5a);
}

static void power_up_delays(void **state)
{
    struct bench *b = *state;
    hc_machine_power_off(b->m, 1);
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_int_equal(status(b), 0xff); /* tVSL */
    pass(b, hc_us(10));
    TELL(b, WREN);
    assert_int_equal(status(b), 0); /* tPUW */
    pass(b, hc_ms(1));
    TELL(b, WREN);
    assert_int_equal(status(b), WEL);
}

/* ---- power cuts ---- */

static unsigned ones(const uint8_t *bytes, size_t size)
{
    unsigned n = 0;
    for (size_t i = 0; i < size; i++)
        n += (unsigned)__builtin_popcount(bytes[i]);
    return n;
}

static void torn_program(void **state)
{
    struct bench *b = *state;
    uint8_t data[HC_M25P80_PAGE], page[HC_M25P80_PAGE];
    memset(data, 0x00, sizeof data);
    program(b, 0x700, data, sizeof data);
    pass(b, hc_us(400) + hc_us(500) + hc_us(2)); /* half of the bytes, and half of the next one's time */
    hc_machine_power_off(b->m, 1);
    hc_m25p80_read(b->flash, 0x700, page, sizeof page);
    assert_int_equal(ones(page, 128), 0);
    assert_true(page[128] != 0x00 && page[128] != 0xff);
    assert_int_equal(ones(page + 129, 127), 127 * 8);
    power_up(b);
    assert_int_equal(status(b), 0);
    /* Cut before the first byte's turn: nothing happened. */
    program(b, 0x800, data, sizeof data);
    pass(b, hc_us(399));
    hc_machine_power_off(b->m, 1);
    assert_int_equal(byte_at(b, 0x800), 0xff);
}

static void torn_erase(void **state)
{
    struct bench *b = *state;
    static uint8_t sector[HC_M25P80_SECTOR];
    memset(sector, 0x0f, sizeof sector);
    hc_m25p80_write(b->flash, 0x50000, sector, sizeof sector);
    hc_m25p80_write(b->flash, 0x4ffff, (const uint8_t[]){ 0x0f }, 1);
    hc_m25p80_write(b->flash, 0x60000, (const uint8_t[]){ 0x0f }, 1);
    TELL(b, WREN);
    TELL(b, SE, 5, 0, 0);
    pass(b, hc_ms(125)); /* half of the zeros written */
    hc_machine_power_off(b->m, 1);
    hc_m25p80_read(b->flash, 0x50000, sector, sizeof sector);
    assert_int_equal(ones(sector, 0x8000), 0);
    assert_int_equal(ones(sector + 0x8001, 0x7fff), 0x7fff * 4);
    power_up(b);
    TELL(b, WREN);
    TELL(b, SE, 5, 0, 0);
    pass(b, hc_ms(625)); /* half of the bits have come up */
    hc_machine_power_off(b->m, 1);
    hc_m25p80_read(b->flash, 0x50000, sector, sizeof sector);
    assert_in_range(ones(sector, sizeof sector), 65536 * 8 * 49 / 100, 65536 * 8 * 51 / 100);
    assert_int_equal(byte_at(b, 0x4ffff), 0x0f);
    assert_int_equal(byte_at(b, 0x60000), 0x0f);
}

/* The same seed and history leave the same bits, another seed others. */
static void torn_bits_repeat(void **state)
{
    (void)state;
    static uint8_t sector[3][HC_M25P80_SECTOR];
    for (int i = 0; i < 3; i++) {
        struct bench *b = bench_of(i == 2 ? 7 : 5);
        TELL(b, WREN);
        TELL(b, SE, 5, 0, 0);
        pass(b, hc_ms(700));
        hc_machine_power_off(b->m, 1);
        hc_m25p80_read(b->flash, 0x50000, sector[i], sizeof sector[i]);
        hc_machine_free(b->m);
        free(b);
    }
    assert_memory_equal(sector[0], sector[1], sizeof sector[0]);
    assert_memory_not_equal(sector[0], sector[2], sizeof sector[0]);
}

static void torn_status(void **state)
{
    struct bench *b = *state;
    write_status(b, 0x04);
    TELL(b, WREN);
    TELL(b, WRSR, 0x84);
    pass(b, hc_ms(2));
    hc_machine_power_off(b->m, 1);
    power_up(b);
    assert_int_equal(status(b) & 0x7f, 0x04); /* a bit that does not change cannot be torn */
}

/* ---- snapshots and files ---- */

static void snapshots_share_and_keep(void **state)
{
    struct bench *b = *state;
    program_and_wait(b, 0x100, (const uint8_t[]){ 0x11 }, 1);
    struct hc_snapshot *before = hc_snapshot_take(b->m);
    program(b, 0x101, (const uint8_t[]){ 0x22 }, 1);
    struct hc_snapshot *during = hc_snapshot_take(b->m);
    pass(b, hc_ms(2));
    hc_m25p80_write(b->flash, 0x100, (const uint8_t[]){ 0x99 }, 1);
    hc_snapshot_restore(b->m, before);
    assert_int_equal(byte_at(b, 0x100), 0x11);
    assert_int_equal(byte_at(b, 0x101), 0xff);
    pass(b, hc_ms(2));
    assert_int_equal(byte_at(b, 0x101), 0xff);
    hc_snapshot_restore(b->m, during); /* the cycle goes on */
    assert_int_equal(status(b), WIP | WEL);
    pass(b, hc_ms(2));
    assert_int_equal(status(b), 0);
    assert_int_equal(byte_at(b, 0x101), 0x22);
    assert_int_equal(byte_at(b, 0x100), 0x11);
    hc_snapshot_free(before);
    hc_snapshot_free(during);
    assert_int_equal(byte_at(b, 0x100), 0x11);
}

static void snapshots_go_into_another_machine(void **state)
{
    struct bench *b = *state;
    struct bench *other = bench_of(1);
    static uint8_t sector[HC_M25P80_SECTOR];
    hc_m25p80_write(b->flash, 0x20000, sector, sizeof sector);
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    hc_snapshot_restore(other->m, snapshot);
    hc_snapshot_free(snapshot);
    assert_int_equal(byte_at(other, 0x2ffff), 0);
    TELL(other, WREN);
    TELL(other, SE, 2, 0, 0);
    pass(other, 2 * HC_SECOND);
    assert_int_equal(byte_at(other, 0x2ffff), 0xff);
    assert_int_equal(byte_at(b, 0x2ffff), 0);
    hc_machine_free(other->m);
    free(other);
}

static void files(void **state)
{
    struct bench *b = *state;
    char directory[] = "/tmp/hindcast-m25p80-XXXXXX", path[64], message[200] = "";
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/flash.bin", directory);
    /* Missing: erased. */
    hc_m25p80_write(b->flash, 0x123, (const uint8_t[]){ 0x42 }, 1);
    assert_int_equal(hc_m25p80_load_file(b->flash, path, message, sizeof message), 0);
    assert_int_equal(byte_at(b, 0x123), 0xff);
    /* Round trip. */
    hc_m25p80_write(b->flash, 0xabcde, (const uint8_t[]){ 0x42 }, 1);
    assert_int_equal(hc_m25p80_save_file(b->flash, path, message, sizeof message), 0);
    hc_m25p80_write(b->flash, 0xabcde, (const uint8_t[]){ 0x43 }, 1);
    assert_int_equal(hc_m25p80_load_file(b->flash, path, message, sizeof message), 0);
    assert_int_equal(byte_at(b, 0xabcde), 0x42);
    /* Wrong sizes are refused and change nothing. */
    for (int longer = 0; longer < 2; longer++) {
        assert_int_equal(truncate(path, HC_M25P80_SIZE - 1 + 2 * longer), 0);
        assert_int_equal(hc_m25p80_load_file(b->flash, path, message, sizeof message), HC_M25P80_FILE_SIZE);
        assert_non_null(strstr(message, path));
        assert_non_null(strstr(message, longer ? "longer" : "shorter"));
        assert_int_equal(byte_at(b, 0xabcde), 0x42);
    }
    assert_int_equal(hc_m25p80_load_file(b->flash, directory, message, sizeof message), HC_M25P80_FILE_UNREADABLE);
    assert_int_equal(hc_m25p80_save_file(b->flash, "/nowhere/at/all", message, sizeof message),
                     HC_M25P80_FILE_UNWRITABLE);
    remove(path);
    rmdir(directory);
}

static void clocked_by_hand(void **state)
{
    struct bench *b = *state;
    hc_wire sck = hc_wire_new(b->m, "sck", 0), mosi = hc_wire_new(b->m, "mosi", 0), miso = hc_wire_new(b->m, "miso", 0);
    int sck_driver = hc_wire_driver(b->m, sck), mosi_driver = hc_wire_driver(b->m, mosi);
    hc_spi_watch_pins(b->bus, sck, mosi, miso);
    uint32_t out = (uint32_t)RES << 24, in = 0;
    chip_select(b, true);
    for (int i = 0; i < 40; i++) {
        hc_wire_drive(b->m, mosi, mosi_driver, i < 32 && (out >> (31 - i) & 1) ? HC_HIGH : HC_LOW);
        hc_wire_drive(b->m, sck, sck_driver, HC_HIGH);
        in = in << 1 | (uint32_t)hc_wire_level(b->m, miso);
        hc_wire_drive(b->m, sck, sck_driver, HC_LOW);
    }
    chip_select(b, false);
    assert_int_equal(in & 0xff, 0x13);
    /* Seven bits of WREN and then S high: rejected. */
    for (int bits = 7; bits <= 8; bits++) {
        chip_select(b, true);
        for (int i = 0; i < bits; i++) {
            hc_wire_drive(b->m, mosi, mosi_driver, WREN >> (7 - i) & 1 ? HC_HIGH : HC_LOW);
            hc_wire_drive(b->m, sck, sck_driver, HC_HIGH);
            hc_wire_drive(b->m, sck, sck_driver, HC_LOW);
        }
        chip_select(b, false);
        assert_int_equal(status(b), bits == 8 ? WEL : 0);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(identifies_itself),
        TEST(write_enable_latch),
        TEST(reads_and_wraps),
        TEST(page_program_times),
        TEST(programming_clears_bits_only),
        TEST(programming_wraps_in_the_page),
        TEST(erases),
        TEST(busy_chip_answers_status_only),
        TEST(wrong_lengths_are_rejected),
        TEST(unknown_instructions_are_ignored),
        TEST(block_protection),
        TEST(status_register_write),
        TEST(status_register_is_non_volatile),
        TEST(hold_pauses),
        TEST(deep_power_down),
        TEST(power_up_delays),
        TEST(torn_program),
        TEST(torn_erase),
        TEST(torn_bits_repeat),
        TEST(torn_status),
        TEST(snapshots_share_and_keep),
        TEST(snapshots_go_into_another_machine),
        TEST(files),
        TEST(clocked_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
