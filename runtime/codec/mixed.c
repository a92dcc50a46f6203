/* Codec set hindcast: the encoder. Its arithmetic coder has the states of the MQ coder, and writes its code in the
 * simplest way: the page is still in RAM, so that a carry is added to what is written already. */
#include "codec.h"

#ifdef HC_CODEC_HAS_MIXED

#include <stddef.h>

#define CODEC_OF(x) ((struct hc_codec *)((uint8_t *)(x) - offsetof(struct hc_codec, mixed)))

/* ---- the coder ---- */

static void begin_code(struct hc_mixed *x)
{
    x->coder.a = 0x8000;
    x->coder.c = 0;
    x->coder.bits = 1;
    x->coder.at = 0;
    x->events = 0;
}

#ifdef __MSP430__

/* port/msp430/decide.S, which counts on these offsets. */
_Static_assert(offsetof(struct hc_mixed, coder.a) == 0 && offsetof(struct hc_mixed, coder.c) == 2 &&
                   offsetof(struct hc_mixed, coder.bits) == 4 && offsetof(struct hc_mixed, coder.at) == 6 &&
                   offsetof(struct hc_mixed, page) + HC_PAGE_HEADER == 22 && HC_MIXED_FULL == 239,
               "offsets in decide.S");

#ifdef HC_CODEC_HOME
struct hc_mixed *const __hc_mixed_home = &HC_CODEC_FIXED->mixed;

uint8_t __hc_decide(hc_mq_context *context, uint16_t bit);
#define decide(x, context, bit) ((void)(x), __hc_decide(context, bit))
#else
uint8_t __hc_decide(struct hc_mixed *x, hc_mq_context *context, uint16_t bit);
#define decide(x, context, bit) __hc_decide(x, context, bit)
#endif

void __hc_decide_end(struct hc_mixed *x);
#define end_interval(x) __hc_decide_end(x)

#else

/* Adds to the lower end of the interval. */
static void add(struct hc_mixed *x, uint16_t more)
{
    uint16_t c = (uint16_t)(x->coder.c + more);

    x->coder.c = c;
    if (c >= more)
        return;
    uint16_t bits = ++x->coder.bits;
    if (bits & (bits - 1))
        return;
    /* A carry out of the byte under way, which was all ones. */
    x->coder.bits = bits >> 1;
    uint8_t *byte = &x->page[HC_PAGE_HEADER + x->coder.at];
    while (++*--byte == 0)
        ;
}

static void shift(struct hc_mixed *x)
{
    uint16_t bits = (uint16_t)(x->coder.bits << 1);

    if (x->coder.c & 0x8000)
        bits++;
    x->coder.c = (uint16_t)(x->coder.c << 1);
    if (bits & 0x100) {
        x->page[HC_PAGE_HEADER + x->coder.at++] = (uint8_t)bits;
        bits = 1;
    }
    x->coder.bits = bits;
}

/* Writes a number of which the first bits are enough to tell that it lies in the interval. */
static void end_interval(struct hc_mixed *x)
{
    add(x, 0x7fff);
    for (uint8_t i = 0; i < 15; i++)
        shift(x);
}

#endif

void __hc_end_code(struct hc_mixed *x);

void __hc_end_code(struct hc_mixed *x)
{
    struct hc_codec *codec = CODEC_OF(x);

    end_interval(x);
    uint8_t *end = &x->page[HC_PAGE_HEADER + x->coder.at];
    *end++ = (uint8_t)x->model.check;
    *end = (uint8_t)(x->model.check >> 8);
    codec->page(codec, HC_STREAM_MIXED, x->page, x->coder.at + 2);
    begin_code(x);
}

#ifndef __MSP430__
/* The lower part of the interval, of size QE, is the less probable value's unless the other part is smaller still. */
static uint8_t decide(struct hc_mixed *x, hc_mq_context *context, uint16_t value)
{
    uint8_t bit = value != 0;
    uint8_t old = *context;
    const struct hc_mq_state *state = &hc_mq_states[old >> 1];
    uint16_t qe = state->qe;
    uint16_t a = x->coder.a - qe;
    uint8_t less = (old ^ bit) & 1;

    if (less != (a < qe))
        a = qe;
    else
        add(x, qe);
    if (less)
        *context = state->next_less ^ (old & 1);
    else if (!(a & 0x8000))
        *context = state->next_more | (old & 1);
    while (!(a & 0x8000)) {
        a = (uint16_t)(a << 1);
        shift(x);
    }
    x->coder.a = a;
    if (x->coder.at >= HC_MIXED_FULL)
        __hc_end_code(x);
    return bit;
}
#endif

#define LEARN(place, value) ((void)(value))
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

static struct hc_mixed *begin_sudden(struct hc_codec *codec, uint8_t vector)
{
    code_vector(begin_event(codec, 1), vector);
    return &codec->mixed;
}

void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    HC_CODEC_FIX(codec);
    code_read(begin_event(codec, 0), site, &codec->sites[site], value);
}

void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival)
{
    HC_CODEC_FIX(codec);
    if (arrival->flags & HC_ARRIVAL_ASLEEP)
        code_vector(begin_event(codec, 0), arrival->vector);
    else
        code_arrival(begin_sudden(codec, arrival->vector), arrival);
}

void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes)
{
    HC_CODEC_FIX(codec);
    struct hc_mixed *x = begin_sudden(codec, SUDDEN_MEMORY);

    code_bits(x, address, 0x8000);
    code_bits(x, size, 0x8000);
    while (size--)
        code_byte(x, *bytes++);
}

void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value)
{
    HC_CODEC_FIX(codec);
    struct hc_mixed *x = begin_sudden(codec, SUDDEN_MARK);

    code_bits(x, code, 0x80);
    code_bits(x, value, 0x8000);
}

void hc_mixed_start(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
    uint8_t *byte = (uint8_t *)&codec->mixed.model;
    for (uint16_t i = sizeof codec->mixed.model; i; i--)
        *byte++ = 0;
    begin_code(&codec->mixed);
}

void hc_mixed_finish(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
    code_sudden(&codec->mixed, 1);
    code_vector(&codec->mixed, SUDDEN_END);
    __hc_end_code(&codec->mixed);
}

#endif
