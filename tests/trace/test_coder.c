/* The arithmetic coder: its table of states against the test sequence of ISO/IEC 14492 (annex H.2), by an MQ coder that
 * is written here from the standard's flow charts; its code against an interval that is
 * computed with all its digits. */
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

/* The interval with all its digits: nothing is written, nothing carried. */
struct exact {
    uint64_t low, size;
    unsigned shifts;
};

static void take(struct exact *e, hc_mq_context *context, int bit)
{
    const struct hc_mq_state *s = &hc_mq_states[*context >> 1];
    int more = *context & 1;
    uint64_t upper = e->size - s->qe;
    bool less_is_lower = upper >= s->qe;
    bool lower = (bit != more) == less_is_lower;

    if (!lower)
        e->low += s->qe;
    e->size = lower ? s->qe : upper;
    if (bit != more)
        *context = (hc_mq_context)(s->next_less ^ more);
    else if (e->size < 0x8000)
        *context = (hc_mq_context)(s->next_more | more);
    for (; e->size < 0x8000; e->shifts++) {
        e->size <<= 1;
        e->low <<= 1;
    }
}

/* The decisions of a flag that is read as 0, and of the page's end: not sudden, no difference; sudden, vector 64 in
 * place of 0: at least 1, 2, 4 ... 64, not 128, not negative, six bits 0 without a model. The page must hold a number
 * that lies in the interval that is left. */
static void by_hand(void **state)
{
    (void)state;
    static const struct hc_site flag = { 0x002, 0x01 };
    struct output o = { .length = 0 };
    struct exact e = { .size = 0x8000 };
    hc_mq_context sudden = 0;
    hc_mq_context zero = 0;
    hc_mq_context sizes[8] = { 0 };
    hc_mq_context sign = 0;
    hc_mq_context even = HC_MQ_EVEN;
    uint64_t code = 0;

    hc_codec_open(&o.codec, &flag, put_page);
    hc_codec_start(&o.codec);
    hc_encode_read(&o.codec, 0, 0);
    hc_codec_finish(&o.codec);

    take(&e, &sudden, 0);
    take(&e, &zero, 0);
    take(&e, &sudden, 1);
    for (int i = 0; i < 8; i++)
        take(&e, &sizes[i], i < 7);
    take(&e, &sign, 0);
    for (int i = 0; i < 6; i++)
        take(&e, &even, 0);

    unsigned length = (e.shifts + 15) / 8;
    assert_int_equal(o.length, length + 2);
    for (unsigned i = 0; i < length; i++)
        code = code << 8 | o.page[i];
    code <<= 16 + e.shifts - 8 * length;
    assert_true(code >= e.low && code < e.low + e.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_sequence),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests_name("coder", tests, NULL, NULL);
}
