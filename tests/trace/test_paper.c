/* Codec set paper, bit for bit: records worked out by hand from Figure 4 of the paper. */
#include "trace/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FLAG, PORT, TIMER, BYTE, SAMPLE, CAPTURE, FAR = 70, SITES };

static const struct hc_site sites[SITES] = {
    [FLAG] = { 0x002 | HC_SITE_STATE << 12, 0x0001 },
    [PORT] = { 0x020 | HC_SITE_STATE << 12, 0x0090 },
    [TIMER] = { 0x190 | HC_SITE_TIMER << 12 | 1 << 14, 0xffff },
    [BYTE] = { 0x076 | HC_SITE_DATA << 12, 0x00ff },
    [SAMPLE] = { 0x140 | HC_SITE_DATA << 12 | 1 << 14, 0x0fff },
    [CAPTURE] = { 0x172 | HC_SITE_TIMER << 12 | 1 << 14, 0xffff },
    [FAR] = { 0x028 | HC_SITE_STATE << 12, 0x0007 },
};

struct output {
    struct hc_codec codec;
    char bits[HC_LANES][40000];
    int pages;
};

static void put_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct output *o = (struct output *)codec;
    const uint8_t *lengths = page, *bytes = lengths + HC_LANES;
    assert_int_equal(stream, HC_STREAM_PAPER);
    assert_int_equal(HC_LANES + lengths[0] + lengths[1] + lengths[2] + lengths[3], length);
    o->pages++;
    for (int lane = 0; lane < HC_LANES; bytes += lengths[lane++]) {
        char *end = o->bits[lane] + strlen(o->bits[lane]);
        for (int i = 0; i < lengths[lane] * 8; i++)
            *end++ = bytes[i / 8] >> (7 - i % 8) & 1 ? '1' : '0';
        *end = 0;
    }
}

static void start(struct output *o)
{
    memset(o, 0, sizeof *o);
    hc_codec_open(&o->codec, sites, put_page);
    o->codec.sets = HC_PAPER_ALL;
    hc_codec_start(&o->codec);
}

/* EXPECTED may have blanks; what it lacks to whole bytes is ones. */
static void check(struct output *o, int lane, const char *expected)
{
    char bits[4096];
    size_t count = 0;
    hc_codec_finish(&o->codec);
    for (; *expected; expected++)
        if (*expected != ' ')
            bits[count++] = *expected;
    while (count % 8)
        bits[count++] = '1';
    bits[count] = 0;
    assert_string_equal(o->bits[lane], bits);
}

/* A run is written when it ends: the first value begins one, a change ends it, so does the 255th read. */
static void runs(void **state)
{
    (void)state;
    struct output o;
    start(&o);
    for (int i = 0; i < 3; i++)
        hc_encode_read(&o.codec, FLAG, 0);
    hc_encode_read(&o.codec, PORT, 0x80);
    hc_encode_read(&o.codec, FLAG, 1);
    hc_encode_read(&o.codec, PORT, 0x80);
    check(&o, HC_LANE_REGISTERS,
          /* site 0, 3 times 0: ended by the 1. At the end: site 0, once 1; site 1, twice bits 7 and 4 = 10 */
          "111 000000 00000011 0"
          "111 000000 00000001 1"
          "111 000001 00000010 10");

    start(&o);
    for (int i = 0; i < 256; i++)
        hc_encode_read(&o.codec, FLAG, 1);
    check(&o, HC_LANE_REGISTERS,
          "111 000000 11111111 1"
          "111 000000 00000001 1");
}

/* Sites that have no index of six bits. */
static void far_site(void **state)
{
    (void)state;
    struct output o;
    start(&o);
    hc_encode_read(&o.codec, FAR, 5);
    hc_encode_read(&o.codec, FAR, 5);
    check(&o, HC_LANE_REGISTERS,
          /* site 70 = 0000000001000110 */
          "111 111111 0000000001000110 00000001 101"
          "111 111111 0000000001000110 00000001 101");
}

/* The difference to the last read of that timer, or to the base; 16 bits from 64 on, and where it went back. */
static void timers(void **state)
{
    (void)state;
    struct output o;
    start(&o);
    hc_encode_read(&o.codec, TIMER, 3);
    hc_encode_read(&o.codec, TIMER, 3);
    hc_encode_read(&o.codec, TIMER, 7);
    hc_encode_read(&o.codec, TIMER, 70);
    hc_encode_read(&o.codec, TIMER, 134);
    hc_encode_read(&o.codec, TIMER, 133);
    hc_encode_read(&o.codec, CAPTURE, 2);             /* of the other timer: from 0 */
    hc_encode_based(&o.codec, TIMER, 0x1002, 0x1000); /* after an interrupt */
    hc_encode_read(&o.codec, TIMER, 0x1003);          /* from the read, not from the base */
    check(&o, HC_LANE_REGISTERS,
          "0 11"
          "0 00"
          "10 000100"
          "10 111111"
          "110 0000000001000000"
          "110 1111111111111111"
          "0 10"
          "0 10"
          "0 01");
}

/* Literals until three bytes are found again; a match goes on for as long as it can. */
static void data(void **state)
{
    (void)state;
    struct output o;
    start(&o);
    hc_encode_read(&o.codec, BYTE, 'a');
    check(&o, HC_LANE_DATA, "0 01100001");

    start(&o);
    for (const char *c = "abcabcabx"; *c; c++)
        hc_encode_read(&o.codec, BYTE, (uint8_t)*c);
    check(&o, HC_LANE_DATA,
          /* a b c, then 5 bytes that were 3 before, then x */
          "0 01100001"
          "0 01100010"
          "0 01100011"
          "1 00000011 00000101"
          "0 01111000");

    start(&o);
    hc_encode_read(&o.codec, SAMPLE, 0x0a21); /* low byte first */
    check(&o, HC_LANE_DATA, "0 00100001 0 00001010");
}

static void interrupts(void **state)
{
    (void)state;
    struct output o;
    struct hc_arrival arrivals[] = {
        { .vector = 13, .flags = HC_ARRIVAL_ASLEEP },
        { .vector = 4, .pc = 0x4a7c, .count = 1 },
        { .vector = 4, .pc = 0x4a7c, .count = 255, .flags = HC_ARRIVAL_HASHED, .hash = 0x1234abcd },
        { .vector = 4, .pc = 0x4a7c, .count = 256 },
        { .vector = 4, .pc = 0x4a7c, .count = 0 },
        { .vector = 4, .pc = 0x4a7c, .count = 2, .laps = 1 },
        { .vector = 45, .flags = HC_ARRIVAL_ASLEEP },
    };
    start(&o);
    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++)
        hc_encode_interrupt(&o.codec, &arrivals[i]);
    check(&o, HC_LANE_INTERRUPTS,
          "0 1101"
          "10 0100 0100101001111100 00000001"
          "10 0100 0100101001111100 11111111"
          "11 0100 0100101001111100 0000000100000000"
          "11 0100 0100101001111100 0000000000000000 0000000000000000 0000000000000000"
          "11 0100 0100101001111100 0000000000000000 0000000000000001 0000000000000010"
          "0 1111 00101101 0 0000");
    check(&o, HC_LANE_HASHES, "0 1 0001001000110100 1010101111001101 0 0 0");
}

/* A record lies in one page, and an event is begun only where 20 bytes are left of the 240 that streams have. */
static void pages(void **state)
{
    (void)state;
    struct output o;
    start(&o);
    for (int i = 0; i < 199; i++)
        hc_encode_read(&o.codec, BYTE, (uint16_t)(i * 37 & 0xff));
    hc_codec_finish(&o.codec);
    /* Two bytes are held back: after 196 + 2 bytes 196 * 9 bits = 221 bytes are begun, and all 198 are written. */
    assert_int_equal(o.pages, 2);
    assert_int_equal(strlen(o.bits[HC_LANE_DATA]), (198 * 9 + 7) / 8 * 8 + 16);
}

/* A page leaves nothing behind: what happened before its last event can be replayed from it and those before it. */
static void whole_pages(void **state)
{
    (void)state;
    struct output o;
    int pages = 0;
    start(&o);
    for (int i = 0; i < 1000; i++) {
        hc_encode_read(&o.codec, FLAG, 1);
        hc_encode_read(&o.codec, PORT, i == 0);
        hc_encode_read(&o.codec, BYTE, 'a');
        hc_encode_interrupt(&o.codec, &(struct hc_arrival){ .vector = 4, .pc = 0x4a7c, .count = 1 });
        if (o.pages == pages)
            continue;
        pages = o.pages;
        struct output copy = o;
        hc_codec_finish(&copy.codec);
        /* What was held back is of the last of these events alone: no more than one record in each stream. */
        assert_true(strlen(copy.bits[HC_LANE_REGISTERS]) <= strlen(o.bits[HC_LANE_REGISTERS]) + 40);
        assert_true(strlen(copy.bits[HC_LANE_DATA]) <= strlen(o.bits[HC_LANE_DATA]) + 16);
    }
    assert_true(pages >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),       cmocka_unit_test(far_site), cmocka_unit_test(timers),      cmocka_unit_test(data),
        cmocka_unit_test(interrupts), cmocka_unit_test(pages),    cmocka_unit_test(whole_pages),
    };
    return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
