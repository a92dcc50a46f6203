/* The arithmetic coder: its table of states against the test sequence of ISO/IEC 14492 (annex H.2), by an MQ coder that
 * is written here from the standard's flow charts; its code against a decoder that computes with whole numbers. */
#include "trace/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- the standard's coder ---- */

struct mq {
    uint32_t a, c;
    int ct;
    uint8_t out[64];
    int bp; /* of the byte that was written last; out[0] is none */
    hc_mq_context context;
};

static void byte_out(struct mq *m)
{
    bool stuffed = m->out[m->bp] == 0xff;
    if (!stuffed && m->c >= 0x8000000) {
        m->out[m->bp]++;
        m->c &= 0x7ffffff;
        stuffed = m->out[m->bp] == 0xff;
    }
    m->out[++m->bp] = (uint8_t)(m->c >> (stuffed ? 20 : 19));
    m->c &= stuffed ? 0xfffff : 0x7ffff;
    m->ct = stuffed ? 7 : 8;
}

static void encode(struct mq *m, int bit)
{
    const struct hc_mq_state *s = &hc_mq_states[m->context >> 1];
    int more = m->context & 1;
    m->a -= s->qe;
    if (bit == more) {
        if (m->a & 0x8000) {
            m->c += s->qe;
            return;
        }
        if (m->a < s->qe)
            m->a = s->qe;
        else
            m->c += s->qe;
        m->context = (hc_mq_context)(s->next_more | more);
    } else {
        if (m->a < s->qe)
            m->c += s->qe;
        else
            m->a = s->qe;
        m->context = (hc_mq_context)(s->next_less ^ more);
    }
    do {
        m->a <<= 1;
        m->c <<= 1;
        if (--m->ct == 0)
            byte_out(m);
    } while (!(m->a & 0x8000));
}

static void flush(struct mq *m)
{
    uint32_t above = m->c + m->a;
    m->c |= 0xffff;
    if (m->c >= above)
        m->c -= 0x8000;
    m->c <<= m->ct;
    byte_out(m);
    m->c <<= m->ct;
    byte_out(m);
}

static void published_sequence(void **state)
{
    (void)state;
    static const uint8_t input[] = { 0x00, 0x02, 0x00, 0x51, 0x00, 0x00, 0x00, 0xc0, 0x03, 0x52, 0x87,
                                     0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x82, 0xc0, 0x20, 0x00, 0xfc, 0xd7,
                                     0x9e, 0xf6, 0xbf, 0x7f, 0xed, 0x90, 0x4f, 0x46, 0xa3, 0xbf };
    static const uint8_t output[] = { 0x84, 0xc7, 0x3b, 0xfc, 0xe1, 0xa1, 0x43, 0x04, 0x02, 0x20,
                                      0x00, 0x00, 0x41, 0x0d, 0xbb, 0x86, 0xf4, 0x31, 0x7f, 0xff,
                                      0x88, 0xff, 0x37, 0x47, 0x1a, 0xdb, 0x6a, 0xdf };
    struct mq m = { .a = 0x8000, .ct = 12 };
    for (size_t i = 0; i < sizeof input * 8; i++)
        encode(&m, input[i / 8] >> (7 - i % 8) & 1);
    flush(&m);
    assert_memory_equal(m.out + 1, output, sizeof output);
}

/* ---- ours ---- */

struct output {
    struct hc_codec codec;
    uint8_t page[HC_PAGE_SIZE];
    int length;
};

static void put_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct output *o = (struct output *)codec;
    assert_int_equal(stream, HC_STREAM_MIXED);
    memcpy(o->page, page + HC_PAGE_HEADER, length);
    o->length = length;
}

/* The decisions of a few reads of a flag that are all 0, as the models put them: "sudden?", "changed?", each with a
 * context of its own until the history repeats. Worked by hand with the interval as numbers: every decision is the more
 * probable one, of which the lower end moves up by qe.
 *
 *     state 0, a = 0x8000, qe = 0x5601: 0x8000 - 0x5601 = 0x29ff is smaller than qe, so the larger part, the lower one,
 *     is the more probable value's: a = 0x5601, c unchanged; one shift: a = 0xac02; state 1, qe = 0x3401 next time
 *
 * Two first decisions of state 0: the second has a = 0xac02 - 0x5601 = 0x5601, equal to qe: not smaller, so c = 0x5601,
 * a = 0x5601; one shift: a = 0xac02, c = 0xac02. Then the page ends: "sudden?" is 1 (state 1 of its context: a =
 * 0xac02 - 0x3401 = 0x7801, less probable: a = 0x3401; two shifts: a = 0xd004, c = 0xac02 << 2), "other?" is 1 (state
 * 0: a = 0xd004 - 0x5601 = 0x7a03, not smaller: a = 0x5601; one shift: a = 0xac02), two bits 1 1 of even chances (a =
 * 0xac02 - 0x5601 = 0x5601: the value 1 is the less probable one, a = 0x5601, one shift, twice).
 *
 *     c in all: 0xac02 with 2 bits before it, shifted 2 + 1 + 2 times: 0xac02 << 5; 7 shifts in all, 1 + 1 of them
 * before c moved. Bits above the point: 0xac02 << 5 = 0x158040: bits 20..16 are 1 0101, the rest 0x8040. To end: 0x8040
 * + 0x7fff carries: 1 0110 and 0x003f, of which 15 bits follow: 0 0 1 0110 0 = 0x2c, 0000 0000 = 0x00 and six bits
 * more, which do not make a byte and are not needed. */
static void by_hand(void **state)
{
    (void)state;
    static const struct hc_site flag = { 0x002, 0x01 };
    struct output o = { .length = 0 };
    hc_codec_open(&o.codec, &flag, put_page);
    hc_codec_start(&o.codec);
    hc_encode_read(&o.codec, 0, 0);
    hc_codec_finish(&o.codec);
    assert_int_equal(o.length, 2 + 2);
    assert_int_equal(o.page[0], 0x2c);
    assert_int_equal(o.page[1], 0x00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_sequence),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests_name("coder", tests, NULL, NULL);
}
