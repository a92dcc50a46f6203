/* The arithmetic coder: its code against an interval that is computed with all its digits, and its length against the
 * entropy of what was coded. */
#include "trace/log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    memcpy(o->page, page + HC_PAGE_HEADER, length);
    o->length = length;
    o->all += length - 2u;
}

/* ---- by hand ---- */

/* The interval with all its digits: nothing is written, nothing carried. */
struct exact {
    uint64_t low, size;
    unsigned shifts;
};

static void narrow(struct exact *e, uint64_t low, uint64_t size)
{
    e->low += low;
    for (e->size = size; e->size < 0x8000; e->shifts++) {
        e->size <<= 1;
        e->low <<= 1;
    }
}

static void take(struct exact *e, hc_chance *chance, int bit)
{
    uint64_t less = hc_chances[*chance >> 1], more = e->size - less;
    if (bit != (*chance & 1)) {
        *chance = (hc_chance)((less & 0xff) ^ (*chance & 1));
        narrow(e, more, less);
    } else {
        if (more < 0x8000)
            *chance += 2;
        narrow(e, 0, more);
    }
}

/* The decisions of a flag that is read as 0, and of the page's end: not sudden, as guessed; sudden, not vector 0 as
 * guessed: at least 1, 2, 4 ... 64, not 128, not negative, six bits 0 with even chances. The page must hold a number
 * that lies in the interval that is left. */
static void by_hand(void **state)
{
    (void)state;
    static const struct hc_site flag = { 0x002, 0x01 };
    struct output o = { .length = 0 };
    struct exact e = { .size = 0x8000 };
    hc_chance sudden = 0, guess = 0, successor = 0, sizes[8] = { 0 }, sign = 0;
    uint64_t code = 0;

    hc_codec_open(&o.codec, &flag, put_page);
    hc_codec_start(&o.codec);
    hc_encode_read(&o.codec, 0, 0);
    hc_codec_finish(&o.codec);

    take(&e, &sudden, 0);
    take(&e, &guess, 0);
    take(&e, &sudden, 1);
    take(&e, &successor, 1);
    for (int i = 0; i < 8; i++)
        take(&e, &sizes[i], i < 7);
    take(&e, &sign, 0);
    for (int i = 0; i < 6; i++)
        narrow(&e, 0, e.size / 2);

    unsigned length = e.shifts / 8 + 1;
    assert_int_equal(o.length, length + 2);
    for (unsigned i = 0; i < length; i++)
        code = code << 8 | o.page[i];
    code <<= 16 + e.shifts - 8 * length;
    assert_true(code >= e.low && code < e.low + e.size);
}

/* ---- how good ---- */

/* A flag that is another than the last time in ODDS of 1024 cases, by chance: its code is nearly as short as can be. */
static void near_entropy(void **state)
{
    (void)state;
    static const struct hc_site flag = { 0x002, 0x01 };
    static const unsigned odds[] = { 16, 50, 100, 250, 512 };
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
        enum { EVENTS = 100000 };
        struct output o = { .length = 0 };
        uint64_t seed = 3;
        uint16_t value = 0;
        hc_codec_open(&o.codec, &flag, put_page);
        hc_codec_start(&o.codec);
        for (int n = 0; n < EVENTS; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            value ^= (seed >> 33) % 1024 < odds[i];
            hc_encode_read(&o.codec, 0, value);
        }
        hc_codec_finish(&o.codec);
        double p = odds[i] / 1024.0;
        double least = EVENTS * -(p * log2(p) + (1 - p) * log2(1 - p)) / 8;
        /* Besides it is coded that no event is sudden, and that what changed is one bit. */
        double sure = EVENTS * (1 + 3 * p) * 0.009 / 8;
        if ((double)o.all < least || (double)o.all > 1.30 * least + sure)
            fail_msg("%u of 1024: %zu bytes, entropy %.0f", odds[i], o.all, least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(near_entropy),
    };
    return cmocka_run_group_tests_name("coder", tests, NULL, NULL);
}
