/* Codec set hindcast: the encoder. Bytes that count and bytes of bits lie in the page in the order in which they are
 * begun; the page is in RAM, so that each can be filled while others are. A node whose events are all of this set has
 * it in assembly (port/msp430/encode.S). */
#include "codec.h"

#if defined HC_CODEC_HAS_MIXED && !defined HC_CODEC_IN_ASSEMBLY

#include <stddef.h>

#define CODEC_OF(x) ((struct hc_codec *)((uint8_t *)(x) - offsetof(struct hc_codec, mixed)))

/* ---- pages ---- */

enum { NO_BITS = 1, EIGHT_BITS = 0x100 };

static void begin_page(struct hc_mixed *x)
{
    x->coder.run = 0;
    x->coder.bits_at = 1;
    x->coder.next = 2;
    x->coder.bits = NO_BITS;
    x->page[0] = HC_MIXED_RUN;
    x->first = x->taken;
    x->index = HC_MIXED_UNCHECKED;
}

static bool is_full(const struct hc_mixed *x)
{
    return x->coder.next == HC_MIXED_FULL;
}

static void put_word(struct hc_mixed *x, uint16_t word)
{
    x->page[x->coder.next++] = (uint8_t)word;
    x->page[x->coder.next++] = (uint8_t)(word >> 8);
}

static void end_page(struct hc_mixed *x)
{
    while (x->coder.bits < EIGHT_BITS)
        x->coder.bits = (uint16_t)(x->coder.bits << 1);
    x->page[x->coder.bits_at] = (uint8_t)x->coder.bits;
    put_word(x, x->model.check);
    put_word(x, (uint16_t)(x->index | x->at << 8));
    put_word(x, x->sum);
    HC_CODEC_PAGE(CODEC_OF(x), HC_STREAM_MIXED, x->page, (uint8_t)x->coder.next);
    begin_page(x);
}

/* ---- what a page is made of ---- */

static void begin_run(struct hc_mixed *x)
{
    if (is_full(x))
        end_page(x);
    x->coder.run = x->coder.next++;
    x->page[x->coder.run] = HC_MIXED_RUN;
}

static uint8_t code_bit(struct hc_mixed *x, uint8_t bit)
{
    x->coder.bits = (uint16_t)(x->coder.bits << 1 | bit);
    if (x->coder.bits < EIGHT_BITS)
        return bit;
    if (is_full(x)) {
        end_page(x);
        return bit;
    }
    x->page[x->coder.bits_at] = (uint8_t)x->coder.bits;
    x->coder.bits_at = x->coder.next++;
    x->coder.bits = NO_BITS;
    return bit;
}

/* True if a run ends because a confident prediction of 0 was wrong: NUMBER is something else. */
static bool code_surprise(struct hc_mixed *x, bool sure, uint16_t number)
{
    if (sure && number) {
        begin_run(x);
        code_bit(x, 0);
        return true;
    }
    if (--x->page[x->coder.run] == 0)
        begin_run(x);
    return false;
}

#define LEARN(place, value) ((void)(value))
#include "model_code.h"

/* ---- events ---- */

static struct hc_mixed *begin_sudden(struct hc_codec *codec, uint16_t what)
{
    begin_run(&codec->mixed);
    code_bit(&codec->mixed, 1);
    code_sudden(&codec->mixed, what);
    return &codec->mixed;
}

void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    HC_CODEC_FIX(codec);
    code_read(&codec->mixed, site, &HC_CODEC_SITES(codec)[site], value);
}

void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival)
{
    HC_CODEC_FIX(codec);
    uint16_t what = (uint16_t)(arrival->vector << 1);

    if (arrival->flags & HC_ARRIVAL_ASLEEP) {
        code_wake(&codec->mixed, arrival->vector);
        return;
    }
    if (arrival->flags & HC_ARRIVAL_HASHED)
        what |= SUDDEN_HASHED;
    if (arrival->laps)
        what |= SUDDEN_LAPS;
    code_arrival(begin_sudden(codec, what), what, arrival);
}

void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes)
{
    HC_CODEC_FIX(codec);
    struct hc_mixed *x = begin_sudden(codec, SUDDEN_MEMORY);

    code_bits(x, address, 0x8000);
    code_bits(x, size, 0x8000);
    while (size--)
        code_byte(x, *bytes++);
    note_event(x, SUDDEN_MEMORY);
}

void hc_mixed_start(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
    uint8_t *byte = (uint8_t *)&codec->mixed.model;
    for (uint16_t i = sizeof codec->mixed - offsetof(struct hc_mixed, model); i; i--)
        *byte++ = 0;
    begin_page(&codec->mixed);
}

void hc_mixed_finish(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
    if (codec->mixed.taken != codec->mixed.first)
        end_page(&codec->mixed);
}

bool hc_mixed_self_check(struct hc_codec *codec, uint8_t count, uint16_t sum)
{
    HC_CODEC_FIX(codec);
    struct hc_mixed *x = &codec->mixed;
    uint16_t index = (uint16_t)(x->taken - x->first);

    if (x->index != HC_MIXED_UNCHECKED || index >= HC_MIXED_UNCHECKED)
        return false;
    x->index = (uint8_t)index;
    x->at = count;
    x->sum = sum;
    return true;
}

#endif
