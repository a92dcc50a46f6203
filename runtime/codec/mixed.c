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
    uint32_t end = x->mq.c + x->mq.a;
    x->mq.c |= 0xffff;
    if (x->mq.c >= end)
        x->mq.c -= 0x8000;
    x->mq.c <<= x->mq.ct;
    byte_out(x);
    x->mq.c <<= x->mq.ct;
    byte_out(x);
    uint8_t length = x->mq.at;
    while (length && x->page[HC_PAGE_HEADER - 1 + length] == 0xff) /* the decoder reads ones behind the end */
        length--;
    struct hc_codec *codec = CODEC_OF(x);
    codec->page(codec, HC_STREAM_MIXED, x->page, length);
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

static void put_site(struct hc_mixed *x, uint16_t site)
{
    if (site < 256 - SYMBOL_SITE) {
        code_symbol(x, (uint8_t)(SYMBOL_SITE + site));
    } else {
        code_symbol(x, SYMBOL_FAR);
        code_bits(x, site, 16);
    }
}

void hc_mixed_state(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    put_site(&codec->mixed, site);
    code_state(&codec->mixed, site, codec->sites[site].mask, value);
}

void hc_mixed_timer(struct hc_codec *codec, uint16_t site, uint16_t delta)
{
    put_site(&codec->mixed, site);
    code_timer(&codec->mixed, site, delta);
}

void hc_mixed_data(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    put_site(&codec->mixed, site);
    code_data(&codec->mixed, site, &codec->sites[site], value);
}

void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes)
{
    struct hc_mixed *x = &codec->mixed;

    code_symbol(x, SYMBOL_MEMORY);
    code_bits(x, address, 16);
    code_bits(x, size, 16);
    while (size--)
        code_byte(x, *bytes++);
}

void hc_mixed_interrupt(struct hc_codec *codec, const struct hc_arrival *arrival)
{
    struct hc_arrival a = *arrival;
    code_symbol(&codec->mixed, (uint8_t)(SYMBOL_VECTOR + a.vector));
    code_arrival(&codec->mixed, &a);
}

void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value)
{
    code_symbol(&codec->mixed, SYMBOL_MARK);
    code_bits(&codec->mixed, code, 8);
    code_bits(&codec->mixed, value, 16);
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
    struct hc_mixed *x = &codec->mixed;
    code_symbol(x, SYMBOL_END);
    end_code(x);
}

#endif
