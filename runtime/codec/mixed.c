/* Codec set hindcast: the encoder. It writes its code in the simplest way: the page is still in RAM, so that a carry
 * is added to what is written already. A node whose events are all of this set has it in assembly
 * (port/msp430/encode.S). */
#include "codec.h"

#if defined HC_CODEC_HAS_MIXED && !defined HC_CODEC_IN_ASSEMBLY

#include <stdbool.h>
#include <stddef.h>

#define CODEC_OF(x) ((struct hc_codec *)((uint8_t *)(x) - offsetof(struct hc_codec, mixed)))

/* ---- the coder ---- */

enum { NO_BITS = 0x100, CARRY = 0x100 };

static void begin_code(struct hc_mixed *x)
{
    x->coder.a = 0x8000;
    x->coder.c = 0;
    x->coder.bits = NO_BITS;
    x->coder.next = x->page + HC_PAGE_HEADER;
}

/* Adds to the lower end of the interval. */
static void add(struct hc_mixed *x, uint16_t more)
{
    x->coder.c = (uint16_t)(x->coder.c + more);
    if (x->coder.c < more)
        x->coder.bits++;
}

static void put_byte(struct hc_mixed *x)
{
    uint8_t *byte = x->coder.next;

    *x->coder.next++ = (uint8_t)x->coder.bits;
    if (x->coder.bits & CARRY)
        while (++*--byte == 0)
            ;
    x->coder.bits = NO_BITS;
}

/* One bit of code; true if it completed a byte. */
static bool shift(struct hc_mixed *x)
{
    bool complete = x->coder.bits >> 15;

    x->coder.bits = (uint16_t)(x->coder.bits << 1 | x->coder.c >> 15);
    x->coder.c = (uint16_t)(x->coder.c << 1);
    if (complete)
        put_byte(x);
    return complete;
}

/* With the first byte that tells that the code lies in the interval. */
static void end_code(struct hc_mixed *x)
{
    struct hc_codec *codec = CODEC_OF(x);

    add(x, 0x7fff);
    x->coder.c &= 0x8000;
    while (!shift(x))
        ;
    *x->coder.next++ = (uint8_t)x->model.check;
    *x->coder.next++ = (uint8_t)(x->model.check >> 8);
    codec->page(codec, HC_STREAM_MIXED, x->page, (uint8_t)(x->coder.next - x->page - HC_PAGE_HEADER));
    begin_code(x);
}

/* The interval has become A. */
static void narrow(struct hc_mixed *x, uint16_t a)
{
    while (!(a & 0x8000)) {
        a = (uint16_t)(a << 1);
        shift(x);
    }
    x->coder.a = a;
    if (x->coder.next == &x->page[HC_PAGE_HEADER + HC_MIXED_FULL])
        end_code(x);
}

/* The more probable value has the lower part of the interval. */
static uint8_t decide(struct hc_mixed *x, hc_chance *chance, uint16_t value)
{
    uint8_t bit = value != 0;
    uint16_t less = hc_chances[*chance >> 1];
    uint16_t more = x->coder.a - less;

    if ((*chance ^ bit) & 1) {
        *chance = hc_chance_after_less(*chance);
        add(x, more);
        narrow(x, less);
    } else {
        if (!(more & 0x8000))
            *chance = hc_chance_after_more(*chance);
        narrow(x, more);
    }
    return bit;
}

static uint8_t toss(struct hc_mixed *x, uint16_t value)
{
    uint16_t half = x->coder.a >> 1;

    if (value)
        add(x, half);
    narrow(x, half);
    return value != 0;
}

#define LEARN(place, value) ((void)(value))
#include "model_code.h"

/* ---- events ---- */

/* One that the program leads to, or a sudden one. */
static struct hc_mixed *begin_event(struct hc_codec *codec, uint8_t sudden)
{
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
    end_code(begin_sudden(codec, SUDDEN_END));
}

#endif
