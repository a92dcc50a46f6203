/* The SPI bus: whole bytes, and pins that firmware clocks by hand. */
#include "support/harness.h"

#include "machine/board/telosb.h"

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

/* Answers with a fixed sequence, keeps what it is told. */
struct chip {
    struct hc_device base;
    struct {
        bool selected;
        uint8_t answer;
        int count;
        uint8_t seen[8];
    } s;
};

struct bench {
    struct hc_machine *m;
    struct hc_spi_bus *bus;
    struct chip *chip[2];
    hc_wire sck, mosi, miso;
    int sck_driver, mosi_driver;
    int notes;
};

static bool selected(struct hc_device *d)
{
    return ((struct chip *)d)->s.selected;
}

static uint8_t next(struct hc_device *d)
{
    return ((struct chip *)d)->s.answer;
}

static uint8_t exchange(struct hc_device *d, uint8_t mosi, hc_time now)
{
    struct chip *c = (struct chip *)d;
    (void)now;
    c->s.seen[c->s.count++ % 8] = mosi;
    return c->s.answer++;
}

static const struct hc_device_ops ops = { .name = "chip", .help = "counts" };

static void note(void *owner, const char *text)
{
    (void)text;
    ((struct bench *)owner)->notes++;
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&part, NULL);
    hc_machine_set_note(b->m, note, b);
    b->bus = hc_spi_bus_new(b->m, "spi");
    for (int i = 0; i < 2; i++) {
        b->chip[i] = HC_DEVICE_NEW(b->m, &ops, "chip", struct chip);
        hc_spi_attach(b->bus, (struct hc_spi_slave){ selected, exchange, next, &b->chip[i]->base });
    }
    b->sck = hc_wire_new(b->m, "sck", 0);
    b->mosi = hc_wire_new(b->m, "mosi", 0);
    b->miso = hc_wire_new(b->m, "miso", 1);
    b->sck_driver = hc_wire_driver(b->m, b->sck);
    b->mosi_driver = hc_wire_driver(b->m, b->mosi);
    hc_spi_watch_pins(b->bus, b->sck, b->mosi, b->miso);
    hc_machine_reset(b->m, HC_POR);
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

static void choose(struct bench *b, int i, bool on)
{
    b->chip[i]->s.selected = on;
    hc_spi_select_changed(b->bus);
}

/* COUNT bits, highest first; MISO is read while SCK is high, as most firmware does, or before it rises. */
static uint8_t clock_bits(struct bench *b, uint8_t out, int count, bool early)
{
    unsigned in = 0;
    for (int i = 0; i < count; i++) {
        hc_wire_drive(b->m, b->mosi, b->mosi_driver, out >> (7 - i) & 1 ? HC_HIGH : HC_LOW);
        if (early)
            in = in << 1 | (unsigned)hc_wire_level(b->m, b->miso);
        hc_wire_drive(b->m, b->sck, b->sck_driver, HC_HIGH);
        if (!early)
            in = in << 1 | (unsigned)hc_wire_level(b->m, b->miso);
        hc_wire_drive(b->m, b->sck, b->sck_driver, HC_LOW);
    }
    return (uint8_t)in;
}

static void whole_bytes(void **state)
{
    struct bench *b = *state;
    assert_int_equal(hc_spi_exchange(b->bus, 0x12, 0), 0xff);
    assert_int_equal(b->chip[0]->s.count, 0);
    b->chip[0]->s.selected = true;
    b->chip[0]->s.answer = 0x7e;
    assert_int_equal(hc_spi_exchange(b->bus, 0x12, 0), 0x7e);
    assert_int_equal(hc_spi_exchange(b->bus, 0x34, 0), 0x7f);
    assert_int_equal(b->chip[0]->s.seen[0], 0x12);
    assert_int_equal(b->chip[0]->s.seen[1], 0x34);
    assert_int_equal(b->chip[1]->s.count, 0);
}

static void two_at_once(void **state)
{
    struct bench *b = *state;
    b->chip[0]->s.selected = b->chip[1]->s.selected = true;
    b->chip[0]->s.answer = 0xf3;
    b->chip[1]->s.answer = 0x3f;
    assert_int_equal(hc_spi_exchange(b->bus, 1, 0), 0x33);
    hc_spi_exchange(b->bus, 2, 0);
    assert_int_equal(b->notes, 1);
    assert_int_equal(b->chip[1]->s.count, 2);
}

static void by_hand(void **state)
{
    struct bench *b = *state;
    assert_int_equal(hc_wire_level(b->m, b->miso), 1);
    for (int early = 0; early < 2; early++) {
        b->chip[0]->s.answer = 0x5a;
        b->chip[0]->s.count = 0;
        choose(b, 0, true);
        assert_int_equal(clock_bits(b, 0xc3, 8, early), 0x5a);
        assert_int_equal(clock_bits(b, 0x81, 8, early), 0x5b);
        assert_int_equal(b->chip[0]->s.count, 2);
        assert_int_equal(b->chip[0]->s.seen[0], 0xc3);
        assert_int_equal(b->chip[0]->s.seen[1], 0x81);
        choose(b, 0, false);
        assert_int_equal(hc_wire_level(b->m, b->miso), 1);
    }
}

/* A slave sees whole bytes only; one that was cut short by its select never happened. */
static void partial_bytes(void **state)
{
    struct bench *b = *state;
    choose(b, 0, true);
    clock_bits(b, 0xff, 5, false);
    assert_true(hc_spi_mid_byte(b->bus, 0));
    choose(b, 0, false);
    assert_false(hc_spi_mid_byte(b->bus, 0));
    choose(b, 0, true);
    clock_bits(b, 0x42, 8, false);
    assert_int_equal(b->chip[0]->s.count, 1);
    assert_int_equal(b->chip[0]->s.seen[0], 0x42);
    /* A slave that does not tell: edges without one selected start over as well. */
    clock_bits(b, 0xff, 3, false);
    b->chip[0]->s.selected = false;
    clock_bits(b, 0xff, 8, false);
    b->chip[0]->s.selected = true;
    clock_bits(b, 0x99, 8, false);
    assert_int_equal(b->chip[0]->s.count, 2);
    assert_int_equal(b->chip[0]->s.seen[1], 0x99);
}

static void edges_of_the_usart_do_not_count(void **state)
{
    struct bench *b = *state;
    choose(b, 0, true);
    clock_bits(b, 0xff, 3, false);
    hc_spi_drive(b->bus, true);
    assert_false(hc_spi_mid_byte(b->bus, 0));
    clock_bits(b, 0xff, 8, false);
    assert_int_equal(b->chip[0]->s.count, 0);
    hc_spi_begin(b->bus, true);
    assert_true(hc_spi_mid_byte(b->bus, 0));
    hc_spi_exchange(b->bus, 1, 0);
    assert_false(hc_spi_mid_byte(b->bus, 0));
    hc_spi_drive(b->bus, false);
    clock_bits(b, 0x77, 8, false);
    assert_int_equal(b->chip[0]->s.seen[1], 0x77);
}

/* The TelosB's flash, first clocked by hand through P3, then by USART0 with double-buffered writes. */
static void firmware(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "spi");
    const uint8_t data[8] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe };
    hc_m25p80_write(h.board->flash, 0x12345, data, sizeof data);
    harness_finish(&h, HC_SECOND);
    assert_int_equal(harness_get(&h, "result", 0), 0x2020);
    assert_int_equal(harness_get(&h, "result", 1), 0x0014);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(harness_get8(&h, "by_hand", i), data[i]);
        assert_int_equal(harness_get8(&h, "by_usart", i), data[i]);
        assert_int_equal(harness_get8(&h, "by_dma", i), data[i]);
    }
    harness_stop(&h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_bytes),
        TEST(two_at_once),
        TEST(by_hand),
        TEST(partial_bytes),
        TEST(edges_of_the_usart_do_not_count),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
