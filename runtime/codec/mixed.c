/* Codec set hindcast: the encoder. */
#include "codec.h"

#ifdef HC_CODEC_HAS_MIXED

#include <stddef.h>

#define CODEC_OF(x) ((struct hc_codec *)((uint8_t *)(x) - offsetof(struct hc_codec, mixed)))

/* ---- the MQ coder: names as in the standards' figures ---- */

static void begin_code(struct hc_mixed *x)
{
    x->mq.a = 0x8000;
    x->mq.c = 0;
    x->mq.ct = 12;
    x->mq.at = 0;
    x->events = 0;
    x->page[HC_PAGE_HEADER - 1] = 0; /* what comes before the first byte; a carry never reaches it */
}

static void byte_out(struct hc_mixed *x)
{
    uint8_t *b = &x->page[HC_PAGE_HEADER - 1 + x->mq.at];
    uint8_t stuffed = 0;

    if (*b != 0xff && x->mq.c & 0x8000000) {
        ++*b;
        x->mq.c &= 0x7ffffff;
    }
    if (*b == 0xff)
        stuffed = 1;
    b[1] = (uint8_t)(x->mq.c >> (19 + stuffed));
    x->mq.c &= stuffed ? 0xfffff : 0x7ffff;
    x->mq.ct = (uint8_t)(8 - stuffed);
    x->mq.at++;
}

static void end_code(struct hc_mixed *x)
{
    uint32_t above = x->mq.c + x->mq.a;
    x->mq.c |= 0xffff;
    if (x->mq.c >= above)
        x->mq.c -= 0x8000;
    x->mq.c <<= x->mq.ct;
    byte_out(x);
    x->mq.c <<= x->mq.ct;
    byte_out(x);
    uint8_t *end = &x->page[HC_PAGE_HEADER + x->mq.at];
    if (end[-1] == 0xff) /* the decoder reads ones behind the end */
        end--;
    end[0] = (uint8_t)x->model.check;
    end[1] = (uint8_t)(x->model.check >> 8);
    struct hc_codec *codec = CODEC_OF(x);
    codec->page(codec, HC_STREAM_MIXED, x->page, (uint8_t)(end + 2 - x->page - HC_PAGE_HEADER));
    begin_code(x);
}

static uint8_t decide(struct hc_mixed *x, hc_mq_context *cx, uint8_t bit)
{
    uint8_t context = *cx;
    const struct hc_mq_state *state = &hc_mq_states[context >> 1];
    uint16_t qe = state->qe;
    uint16_t a = x->mq.a - qe;

    if ((context & 1) == bit) {
        if (a & 0x8000) {
            x->mq.c += qe;
            x->mq.a = a;
            return bit;
        }
        if (a < qe)
            a = qe;
        else
            x->mq.c += qe;
        *cx = state->next_more | (context & 1);
    } else {
        if (a < qe)
            x->mq.c += qe;
        else
            a = qe;
        *cx = state->next_less ^ (context & 1);
    }
    do {
        a = (uint16_t)(a << 1);
        x->mq.c <<= 1;
        if (--x->mq.ct == 0)
            byte_out(x);
    } while (!(a & 0x8000));
    x->mq.a = a;
    if (x->mq.at >= HC_MIXED_FULL)
        end_code(x);
    return bit;
}

#include "model_code.h"

/* ---- events ---- */

/* One that the program leads to, or a sudden one. */
static struct hc_mixed *begin_event(struct hc_codec *codec, uint8_t sudden)
{
    if (codec->mixed.events == HC_MIXED_EVENTS)
        hc_mixed_finish(codec);
    codec->mixed.events++;
    code_sudden(&codec->mixed, sudden);
    return &codec->mixed;
}

static struct hc_mixed *begin_sudden(struct hc_codec *codec, uint8_t kind)
{
    code_kind(begin_event(codec, 1), kind);
    return &codec->mixed;
}

void hc_mixed_state(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    code_state(begin_event(codec, 0), site, codec->sites[site].mask, value);
}

void hc_mixed_timer(struct hc_codec *codec, uint16_t site, uint16_t delta)
{
    code_timer(begin_event(codec, 0), site, delta);
}

void hc_mixed_data(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    code_data(begin_event(codec, 0), site, HC_SITE_WORD(&codec->sites[site]), value);
}

void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes)
{
    struct hc_mixed *x = begin_sudden(codec, SUDDEN_MEMORY);

    code_bits(x, address, 0x8000);
    code_bits(x, size, 0x8000);
    while (size--)
        code_byte(x, *bytes++);
}

void hc_mixed_interrupt(struct hc_codec *codec, const struct hc_arrival *arrival)
{
    if (arrival->flags & HC_ARRIVAL_ASLEEP) {
        code_vector(begin_event(codec, 0), arrival->vector);
    } else {
        struct hc_arrival a = *arrival;
        code_arrival(begin_sudden(codec, SUDDEN_INTERRUPT), &a);
    }
}

void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value)
{
    struct hc_mixed *x = begin_sudden(codec, SUDDEN_MARK);

    code_bits(x, code, 0x80);
    code_bits(x, value, 0x8000);
}

void hc_mixed_start(struct hc_codec *codec)
{
    uint8_t *byte = (uint8_t *)&codec->mixed.model;
    for (uint16_t i = 0; i < sizeof codec->mixed.model; i++)
        byte[i] = 0;
    begin_code(&codec->mixed);
}

void hc_mixed_finish(struct hc_codec *codec)
{
    code_sudden(&codec->mixed, 1);
    code_kind(&codec->mixed, SUDDEN_END);
    end_code(&codec->mixed);
}

#endif
