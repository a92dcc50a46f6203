/* What codec set hindcast writes, against pages written by hand from FORMAT.md; and its length against
 * what there is to tell. */
#include "trace/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct output {
    struct hc_codec codec;
    uint8_t page[HC_PAGE_SIZE];
    int length;
    size_t all; /* bytes of code */
};

static void put_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct output *o = (struct output *)codec;
    assert_int_equal(stream, HC_STREAM_MIXED);
    memcpy(o->page, page, length);
    o->length = length;
    o->all += length - 6u;
}

/* ---- by hand ---- */

enum { FLAG, TIMER, WORD = 3 };
static const struct hc_site sites[] = { { 0x002, 0x01 }, { 0x5190, 0xffff }, { 0x2076, 0xff }, { 0x6140, 0xfff } };

static void check_page(struct output *o, const char *text)
{
    static const uint8_t unchecked[] = { 0xff, 0, 0, 0 }; /* a page without a self-check */
    uint8_t expected[HC_PAGE_SIZE];
    int length = 0, used;
    unsigned byte;
    hc_codec_finish(&o->codec);
    for (; sscanf(text, "%x%n", &byte, &used) == 1; text += used)
        expected[length++] = (uint8_t)byte;
    for (int i = 0; i < 4; i++)
        expected[length++] = unchecked[i];
    assert_int_equal(o->length, length);
    assert_memory_equal(o->page, expected, (size_t)length);
}

static void start(struct output *o)
{
    hc_codec_open(&o->codec, sites, put_page);
    hc_codec_start(&o->codec);
}

/* A page without events is not handed out. */
static void nothing(void **state)
{
    struct output o = { .length = 0 };
    (void)state;
    start(&o);
    hc_codec_finish(&o.codec);
    assert_int_equal(o.length, 0);
}

/* As guessed: 0 of a flag that was never read. 1 is not, though there was no other value yet: a second run begins, bit
 * 0 (not sudden), the number 2: not below 2 (0), below 4 (1), its lower bit (0). Twice more 1, at levels 2 and 1: below
 * 1 (1). Then nothing needs to be said. */
static void flags(void **state)
{
    struct output o = { .length = 0 };
    (void)state;
    start(&o);
    for (int i = 0; i < 5; i++)
        hc_encode_read(&o.codec, FLAG, i > 0);
    /*              run  0 0 1 0 1 1 ..   run  check: 0, 2, 2 * 2 + 2 ... */
    check_page(&o, "fe   2c               fc   1e 00");
}

/* 5 of a timer is 10: 0 (not sudden), not below 2, 4, 8 (0 0 0), below 16 (1), the lower bits (010). These are eight:
 * the next byte for bits lies behind the second run. */
static void timers(void **state)
{
    struct output o = { .length = 0 };
    (void)state;
    start(&o);
    hc_encode_based(&o.codec, TIMER, 105, 100);
    check_page(&o, "ff 0a ff 00  06 00");
}

/* A word of data, twice: 0x123 is 582, not below 2, 4 ... 512 (nine times 0), below 1024 (1), 001000110. The second, at
 * level 2, is below 1 (1). */
static void words(void **state)
{
    struct output o = { .length = 0 };
    (void)state;
    start(&o);
    hc_encode_read(&o.codec, WORD, 0x123);
    hc_encode_read(&o.codec, WORD, 0x123);
    /*              0 0000000   00 1 00100   0110 1 ...   14, then 2 * 14 + 14 */
    check_page(&o, "ff 00  fe   24           68           2a 00");
}

/* Sudden (1), and nothing of it as guessed. 2 * 2 + 1 is 10: 0, 0001 010; 0x4002 is 0x8004, too large for a size: 0,
 * fifteen times 0, all bits; 1 is 2: 0, 01 0; the hash 0001001000110100 1010101111001101. */
static void interrupt(void **state)
{
    struct output o = { .length = 0 };
    struct hc_arrival a = { .vector = 2, .flags = HC_ARRIVAL_HASHED, .pc = 0x4002, .count = 1, .hash = 0x1234abcd };
    (void)state;
    start(&o);
    hc_encode_interrupt(&o.codec, &a);
    check_page(&o, "ff 85 ff ff 00 ff 00 40 02 10 ff 91 a5 5e 68  05 00");
}

/* A byte counts to 255. */
static void long_run(void **state)
{
    struct output o = { .length = 0 };
    (void)state;
    start(&o);
    for (int i = 0; i < 300; i++)
        hc_encode_read(&o.codec, FLAG, 0);
    check_page(&o, "00 00 d2  00 00");
}

/* ---- how good ---- */

/* Values of which nothing is known but how large they are take three bits more than they have, at most. */
static void sizes(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 15; bits++) {
        enum { EVENTS = 20000 };
        struct output o = { .length = 0 };
        uint64_t seed = 3;
        start(&o);
        for (int n = 0; n < EVENTS; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            hc_encode_read(&o.codec, WORD, (uint16_t)((seed >> 33) % (1u << bits)));
        }
        hc_codec_finish(&o.codec);
        double each = (double)o.all * 8 / EVENTS;
        if (each < bits || each > (bits ? bits + 3.0 : 0.04))
            fail_msg("values of %u bits take %.2f", bits, each);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),   cmocka_unit_test(flags),    cmocka_unit_test(timers), cmocka_unit_test(words),
        cmocka_unit_test(interrupt), cmocka_unit_test(long_run), cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests_name("coder", tests, NULL, NULL);
}
