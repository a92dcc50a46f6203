#include "unmix.h"

#define UNMIX_OF(x) ((struct hc_unmix *)(x)) /* its first member */

/* ---- pages ---- */

/* What is behind the end of a page is zeros. */
static uint8_t bit_at(const struct hc_unmix *u, unsigned index)
{
    return index / 8 < u->length ? u->code[index / 8] >> (7 - index % 8) & 1 : 0;
}

static void begin_page(struct hc_unmix *u)
{
    uint8_t length;

    u->status = hc_page_stream_next(&u->pages, &u->code, &length);
    if (u->status)
        return;
    u->consumed += length;
    if (length < 2) {
        u->status = HC_FEED_DAMAGE;
        return;
    }
    u->length = length - 2u;
    u->check = (uint16_t)(u->code[u->length] | u->code[u->length + 1] << 8);
    u->size = 0x8000;
    u->value = 0;
    for (u->shifts = 0; u->shifts < 16; u->shifts++)
        u->value = (uint16_t)(u->value << 1 | bit_at(u, u->shifts));
    u->in_page = true;
}

/* Bytes that the encoder had completed: the 16 bits that lie ahead are not among them. */
static unsigned complete(const struct hc_unmix *u)
{
    return (u->shifts - 16) / 8;
}

/* The page has ended, as the encoder ended it, by one byte more: then all of it was used, and the events so far were
 * the same. Its CRC is right: if they were not, it was not the page that changed. */
static void end_page(struct hc_unmix *u)
{
    u->in_page = false;
    if (u->length != complete(u) + 1 || u->check != u->mixed.model.check)
        u->status = HC_FEED_DIVERGED;
}

/* ---- decisions ---- */

/* False at the end. */
static bool in_page(struct hc_unmix *u)
{
    if (!u->status && !u->in_page)
        begin_page(u);
    return !u->status;
}

/* The part of the interval that begins at LOW and is SIZE long was taken. */
static void narrow(struct hc_unmix *u, uint16_t low, uint16_t size)
{
    u->value -= low;
    while (!(size & 0x8000)) {
        size = (uint16_t)(size << 1);
        u->value = (uint16_t)(u->value << 1 | bit_at(u, u->shifts++));
    }
    u->size = size;
    if (complete(u) + 1 > u->length)
        u->status = HC_FEED_DIVERGED;
    else if (complete(u) >= HC_MIXED_FULL)
        end_page(u);
}

/* What it was; once the status is not HC_FEED_OK any more, 0. */
static uint8_t decide(struct hc_mixed *x, hc_chance *chance, uint16_t value)
{
    struct hc_unmix *u = UNMIX_OF(x);

    (void)value;
    if (!in_page(u))
        return 0;
    uint8_t bit = *chance & 1;
    uint16_t less = hc_chances[*chance >> 1];
    uint16_t more = u->size - less;

    if (u->value >= more) {
        *chance = hc_chance_after_less(*chance);
        narrow(u, more, less);
        return !bit;
    }
    if (!(more & 0x8000))
        *chance = hc_chance_after_more(*chance);
    narrow(u, 0, more);
    return bit;
}

static uint8_t toss(struct hc_mixed *x, uint16_t value)
{
    struct hc_unmix *u = UNMIX_OF(x);

    (void)value;
    if (!in_page(u))
        return 0;
    uint16_t half = u->size >> 1;
    uint8_t bit = u->value >= half;
    narrow(u, bit ? half : 0, half);
    return bit;
}

#define LEARN(place, value) ((place) = (value))
#include "../../runtime/codec/model_code.h"

/* ---- events ---- */

void hc_unmix_open(struct hc_unmix *u, const struct hc_log *log, const struct hc_log_segment *segment)
{
    *u = (struct hc_unmix){ .status = HC_FEED_OK };
    hc_page_stream_open(&u->pages, log, segment, HC_STREAM_MIXED, 0);
}

/* A page that was ended before it was full. If it was just full then, it is an empty one. */
static void skip_end(struct hc_unmix *u)
{
    if (in_page(u))
        end_page(u);
}

static void look(struct hc_unmix *u)
{
    struct hc_mixed *x = &u->mixed;

    if (!code_sudden(x, 0)) {
        u->next = HC_NEXT_EXPECTED;
        return;
    }
    uint8_t vector = code_vector(x, 0);
    if (vector < SUDDEN_END) {
        u->arrival = (struct hc_arrival){ .vector = vector };
        code_arrival(x, &u->arrival);
        u->next = HC_NEXT_INTERRUPT;
    } else if (vector == SUDDEN_MEMORY) {
        u->next = HC_NEXT_MEMORY;
    } else if (vector == SUDDEN_MARK) {
        u->next = HC_NEXT_MARK;
    } else if (vector == SUDDEN_END) {
        skip_end(u);
    } else if (!u->status) {
        u->status = HC_FEED_DIVERGED;
    }
}

enum hc_feed_status hc_unmix_peek(struct hc_unmix *u)
{
    while (!u->status && u->next == HC_NEXT_UNKNOWN)
        look(u);
    return u->status;
}

enum hc_feed_status hc_unmix_read(struct hc_unmix *u, uint16_t site, const struct hc_site *s, uint16_t *value)
{
    u->next = HC_NEXT_UNKNOWN;
    *value = code_read(&u->mixed, site, s, 0);
    return u->status;
}

enum hc_feed_status hc_unmix_wake(struct hc_unmix *u, uint8_t *vector)
{
    u->next = HC_NEXT_UNKNOWN;
    *vector = code_vector(&u->mixed, 0);
    return u->status;
}

void hc_unmix_take_interrupt(struct hc_unmix *u)
{
    u->next = HC_NEXT_UNKNOWN;
}

enum hc_feed_status hc_unmix_memory(struct hc_unmix *u, uint16_t *address, uint16_t *size, uint8_t *bytes)
{
    u->next = HC_NEXT_UNKNOWN;
    *address = code_bits(&u->mixed, 0, 0x8000);
    *size = code_bits(&u->mixed, 0, 0x8000);
    for (uint16_t i = 0; i < *size && !u->status; i++)
        bytes[i] = code_byte(&u->mixed, 0);
    return u->status;
}

enum hc_feed_status hc_unmix_mark(struct hc_unmix *u, uint8_t *code, uint16_t *value)
{
    u->next = HC_NEXT_UNKNOWN;
    *code = (uint8_t)code_bits(&u->mixed, 0, 0x80);
    *value = code_bits(&u->mixed, 0, 0x8000);
    return u->status;
}
