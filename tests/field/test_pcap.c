/* The capture file, byte by byte. */
#include "field/pcap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct capture {
    char *bytes;
    size_t size;
    FILE *file;
};

static void begin(struct capture *c)
{
    c->file = open_memstream(&c->bytes, &c->size);
    assert_non_null(c->file);
}

static const uint8_t *end(struct capture *c)
{
    fclose(c->file);
    return (const uint8_t *)c->bytes;
}

static uint32_t word(const uint8_t *at)
{
    return (uint32_t)(at[0] | at[1] << 8 | at[2] << 16) | (uint32_t)at[3] << 24;
}

static void test_header(void **state)
{
    static const uint8_t expected[24] = { 0x4d, 0x3c, 0xb2, 0xa1, 2,    0,    4, 0, 0,         0, 0, 0,
                                          0,    0,    0,    0,    0xff, 0xff, 0, 0, 283 & 255, 1, 0, 0 };
    struct capture c;

    (void)state;
    begin(&c);
    hc_pcap_begin(c.file);
    end(&c);
    assert_int_equal(c.size, sizeof expected);
    assert_memory_equal(c.bytes, expected, sizeof expected);
    free(c.bytes);
}

static const uint8_t air[] = { 0, 0, 0, 0, 0xa7, 5, 2, 0, 42, 0x12, 0x34 };

static void test_record(void **state)
{
    struct capture c;
    struct hc_air_frame frame = {
        .node = 3, .start = hc_us(2000001), .mhz = 2480, .dbm = -7, .length = sizeof air, .bytes = air
    };

    (void)state;
    begin(&c);
    assert_true(hc_pcap_add(c.file, &frame));
    const uint8_t *b = end(&c);
    assert_int_equal(c.size, 16 + 40 + 5);
    assert_int_equal(word(b), 2);
    assert_int_equal(word(b + 4), 1000);
    assert_int_equal(word(b + 8), 45);
    assert_int_equal(word(b + 12), 45);
    static const uint8_t tap[] = {
        0, 0, 40, 0,                                     /* version, length */
        0, 0, 1,  0, 1,    0,    0,    0,                /* FCS type: 16-bit CRC */
        1, 0, 4,  0, 0,    0,    0xe0, 0xc0,             /* RSS: -7.0f */
        3, 0, 3,  0, 26,   0,    0,    0,                /* channel 26, page 0 */
        5, 0, 8,  0, 0xe8, 0x97, 0x35, 0x77, 0, 0, 0, 0, /* 2,000,001,000 ns */
    };
    assert_int_equal(sizeof tap, 40);
    assert_memory_equal(b + 16, tap, sizeof tap);
    assert_memory_equal(b + 56, air + 6, 5);
    free(c.bytes);
}

/* What was broken off says how long it would have been. */
static void test_broken_off(void **state)
{
    struct capture c;
    struct hc_air_frame frame = { .mhz = 2405, .length = 9, .bytes = air };

    (void)state;
    begin(&c);
    assert_true(hc_pcap_add(c.file, &frame));
    const uint8_t *b = end(&c);
    assert_int_equal(word(b + 8), 43);
    assert_int_equal(word(b + 12), 45);
    assert_int_equal(b[16 + 4 + 16 + 4], 11);
    assert_int_equal(c.size, 16 + 43);
    free(c.bytes);
}

static void test_no_frame(void **state)
{
    static const uint8_t noise[40] = { 0 };
    struct capture c;
    struct hc_air_frame frames[] = {
        { .mhz = 2405, .length = 0, .bytes = air },
        { .mhz = 2405, .length = 5, .bytes = air }, /* the SFD, and no length */
        { .mhz = 2405, .length = sizeof noise, .bytes = noise },
    };

    (void)state;
    begin(&c);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        assert_false(hc_pcap_add(c.file, &frames[i]));
    end(&c);
    assert_int_equal(c.size, 0);
    free(c.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_broken_off),
        cmocka_unit_test(test_no_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
