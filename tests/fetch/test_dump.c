/* The dump program on an emulated mote: what it answers, how long, and what it does to the chip. CRCs by Python's
 * binascii.crc_hqx. */
#include "machine/board/telosb.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct harness h;
    uint8_t said[8192];
    size_t size;
    int writes; /* cycles that write or erase */
};

static void heard(void *owner, uint8_t byte, hc_time now)
{
    struct bench *b = owner;

    (void)now;
    if (b->size < sizeof b->said)
        b->said[b->size++] = byte;
}

static void state_changed(void *owner, int32_t state, hc_time now)
{
    struct bench *b = owner;

    (void)now;
    b->writes += state == HC_M25P80_PROGRAM || state == HC_M25P80_ERASE || state == HC_M25P80_WRITE_STATUS;
}

static int chip_state(struct bench *b)
{
    return hc_wire_level(b->h.machine, hc_wire_find(b->h.machine, "flash.state"));
}

static void watch(struct bench *b)
{
    hc_wire_listen(b->h.machine, hc_wire_find(b->h.machine, "flash.state"), state_changed, b);
    hc_usart_on_transmit(b->h.board->uart, heard, b);
}

static void start(struct bench *b)
{
    *b = (struct bench){ 0 };
    b->h.board = hc_telosb_new(&(struct hc_telosb_config){ .node_id = 7 }, NULL);
    assert_non_null(b->h.board);
    harness_load(&b->h, b->h.board->machine, HARNESS_APPS "/dump.elf");
    watch(b);
    harness_run(&b->h, hc_ms(100));
    assert_int_equal(chip_state(b), HC_M25P80_DEEP_POWER_DOWN);
}

/* Runs MS milliseconds after the request; what was said then is in b->said. */
static void ask(struct bench *b, const char *request, int ms)
{
    b->size = 0;
    for (; *request; request++)
        assert_true(hc_usart_receive(b->h.board->uart, (uint8_t)*request));
    harness_run(&b->h, hc_ms((uint64_t)ms));
}

static void assert_said(const struct bench *b, const void *bytes, size_t size)
{
    assert_int_equal(b->size, size);
    assert_memory_equal(b->said, bytes, size);
}

static void assert_banner(const struct bench *b)
{
    assert_true(b->size > 20);
    assert_memory_equal(b->said, "\r\nhindcast dump 1, 115200 baud.", 31);
}

#define BYTES(...)                                            \
    (const uint8_t[]){ __VA_ARGS__ }, sizeof(const uint8_t[]) \
    {                                                         \
        __VA_ARGS__                                           \
    }

static void answers(void **state)
{
    static struct bench b;
    uint8_t chip[3] = { 0x5a, 0x00, 0xa5 };

    (void)state;
    start(&b);
    assert_banner(&b);
    assert_int_equal(hc_m25p80_write(b.h.board->flash, 0x01f0fe, chip, sizeof chip), 0);
    ask(&b, "i 1c7f\n", 30);
    assert_said(&b, BYTES(1, 'I', 0, 0, 0, 0, 14, 1, 0x13, 0x20, 0x20, 0x14, 0, 0, 0, 0, 0x10, 0, 7, 0, 7, 0x9c, 0xd5));
    ask(&b, "\n\nr 01f000 0200 bed1\n", 80);
    assert_int_equal(b.size, 2 * 265);
    assert_memory_equal(b.said, "\1D\1\xf0\0\1\0\xff", 8);
    assert_int_equal(b.said[7 + 0xfe], 0x5a);
    assert_memory_equal(b.said + 265, "\1D\1\xf1\0\1\0\xa5\xff", 9);
    ask(&b, "r 01f0fe 0003 98f5\n", 30);
    assert_said(&b, BYTES(1, 'D', 0x01, 0xf0, 0xfe, 0, 3, 0x5a, 0x00, 0xa5, 0x45, 0x8c));
    ask(&b, "r 020000 1000 4165\n", 100);
    assert_said(&b, BYTES(1, 'B', 0x02, 0, 0, 0x10, 0, 0xa8, 0xb0));
    ask(&b, "s 01f0fe 0003 dd96\n", 30);
    /* 5a + 00 + a5; 5a + 5a + ff */
    assert_said(&b, BYTES(1, 'S', 0x01, 0xf0, 0xfe, 0, 3, 0x00, 0xff, 0x01, 0xb3, 0x88, 0xfc));
    assert_int_equal(chip_state(&b), HC_M25P80_DEEP_POWER_DOWN);
    assert_int_equal(b.writes, 0);
    harness_stop(&b.h);
}

/* Whatever is no request is answered by the banner, and the next request as if nothing had been. */
static void nonsense(void **state)
{
    static const char *const lines[] = {
        "\r",
        "i 1c7e\n",
        "I 1c7f\n",
        "i  1c7f\n",
        "i 1C7F\n",
        "r 01f000 1001 b624\n",
        "r 01f000 0000 d0b1\n",
        "r 01f00g 0001 7845\n",
        "help\n",
        "i 1c7f\r\r",
        "012345678901234567890123456789\n",
    };
    static struct bench b;

    (void)state;
    start(&b);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool good = !strncmp(lines[i], "i 1c7f\r", 7);
        ask(&b, lines[i], 50);
        if (!good)
            assert_banner(&b);
        ask(&b, "i 1c7f\n", 30);
        assert_int_equal(b.size, 23);
    }
    ask(&b, "\n\n\n", 50);
    assert_int_equal(b.size, 0);
    harness_stop(&b.h);
}

/* A request ends the answer to the one before. */
static void the_last_request_counts(void **state)
{
    static struct bench b;
    uint8_t byte = 0;

    (void)state;
    start(&b);
    for (uint32_t at = 0; at < 0x1000; at += 256)
        assert_int_equal(hc_m25p80_write(b.h.board->flash, at, &byte, 1), 0);
    ask(&b, "r 000000 1000 9fef\n", 60);
    assert_true(b.size > 265);
    ask(&b, "i 1c7f\n", 100);
    assert_true(b.size < 2 * 265 + 23);
    assert_memory_equal(b.said + b.size - 23, "\1I\0\0\0\0\16", 7);
    harness_stop(&b.h);
}

/* The chip is erasing a sector when the mote is reset into the dump program: it says so until the chip is ready. */
static void busy_chip(void **state)
{
    static struct bench b;
    int waits = 0;

    (void)state;
    b = (struct bench){ 0 };
    harness_start(&b.h, "drivers");
    for (int i = 0; i < 10000 && chip_state(&b) != HC_M25P80_ERASE; i++)
        harness_run(&b.h, hc_ms(1));
    assert_int_equal(chip_state(&b), HC_M25P80_ERASE);
    hc_image_free(b.h.image);
    b.h.image = harness_fill(b.h.machine, HARNESS_APPS "/dump.elf");
    hc_machine_reset(b.h.machine, HC_PUC);
    watch(&b);
    harness_run(&b.h, hc_ms(100));
    assert_banner(&b);
    for (ask(&b, "r 020000 1000 4165\n", 100); b.said[1] == 'W'; ask(&b, "r 020000 1000 4165\n", 100)) {
        assert_said(&b, BYTES(1, 'W', 0x02, 0, 0, 0, 3, 0xc2, 0x25));
        waits++;
    }
    assert_in_range(waits, 3, 12); /* of a second, in which the driver and the boot had their share */
    assert_int_equal(b.size, 9);
    assert_int_equal(b.said[1], 'B');
    assert_int_equal(chip_state(&b), HC_M25P80_DEEP_POWER_DOWN);
    assert_int_equal(b.writes, 0);
    harness_stop(&b.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(the_last_request_counts),
        cmocka_unit_test(busy_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
