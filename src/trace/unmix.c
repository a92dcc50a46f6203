#include "unmix.h"

#define UNMIX_OF(x) ((struct hc_unmix *)(x)) /* its first member */

/* ---- pages ---- */

/* What is behind the end of a page is ones. */
static uint8_t byte_at(const struct hc_unmix *u, uint32_t index)
{
    return index < u->length ? u->code[index] : 0xff;
}

static void byte_in(struct hc_unmix *u)
{
    if (byte_at(u, u->at) != 0xff) {
        u->c += (uint32_t)byte_at(u, ++u->at) << 8;
        u->ct = 8;
    } else if (byte_at(u, u->at + 1u) <= 0x8f) {
        u->c += (uint32_t)byte_at(u, ++u->at) << 9;
        u->ct = 7;
    } else {
        u->c += 0xff00;
        u->ct = 8;
    }
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
    u->at = 0;
    u->c = (uint32_t)byte_at(u, 0) << 16;
    byte_in(u);
    u->c <<= 7;
    u->ct -= 7;
    u->mixed.mq = (struct hc_mq){ .a = 0x8000, .ct = 12 };
    u->in_page = true;
}

/* The page has ended, as the encoder ended it: then all of it was used, and the events so far were the same. */
static void end_page(struct hc_unmix *u)
{
    uint16_t ends = u->mixed.mq.at + 2u; /* without the last byte if that is all ones */
    u->in_page = false;
    u->mixed.events = 0;
    if (u->length != ends && u->length + 1u != ends)
        u->status = HC_FEED_DAMAGE;
    else if (u->check != u->mixed.model.check)
        u->status = HC_FEED_DIVERGED;
}

/* ---- decisions ---- */

/* One shift; follows what the encoder did with it. */
static void shift(struct hc_unmix *u)
{
    struct hc_mq *mq = &u->mixed.mq;

    if (u->ct == 0)
        byte_in(u);
    u->c <<= 1;
    u->ct--;
    if (--mq->ct == 0) {
        mq->ct = mq->at && byte_at(u, mq->at - 1u) == 0xff ? 7 : 8;
        mq->at++;
    }
}

/* What it was; once the status is not HC_FEED_OK any more, 0. */
static uint8_t decide(struct hc_mixed *x, hc_mq_context *context, uint8_t bit)
{
    struct hc_unmix *u = UNMIX_OF(x);
    struct hc_mq *mq = &x->mq;

    if (!u->status && !u->in_page)
        begin_page(u);
    if (u->status)
        return 0;
    const struct hc_mq_state *state = &hc_mq_states[*context >> 1];
    uint8_t more = *context & 1;
    uint16_t a = mq->a - state->qe;
    bool less = (u->c >> 16) < state->qe;
    if (!less) {
        u->c -= (uint32_t)state->qe << 16;
        if (a & 0x8000) {
            mq->a = a;
            return more;
        }
    }
    /* The smaller part of the interval is the less probable value's, whichever it is. */
    bool is_more = less == (a < state->qe);
    bit = is_more ? more : !more;
    *context = is_more ? state->next_more | more : state->next_less ^ more;
    if (less)
        a = state->qe;
    do {
        a = (uint16_t)(a << 1);
        shift(u);
    } while (!(a & 0x8000));
    mq->a = a;
    if (mq->at + 1u > u->length)
        u->status = HC_FEED_DAMAGE;
    else if (mq->at >= HC_MIXED_FULL)
        end_page(u);
    return bit;
}

#include "../../runtime/codec/model_code.h"

/* ---- events ---- */

void hc_unmix_open(struct hc_unmix *u, const struct hc_log *log, const struct hc_log_segment *segment)
{
    *u = (struct hc_unmix){ .status = HC_FEED_OK };
    hc_page_stream_open(&u->pages, log, segment, HC_STREAM_MIXED);
}

/* A page that was ended before it was full. */
static void skip_end(struct hc_unmix *u)
{
    if (u->in_page)
        end_page(u);
}

static void look(struct hc_unmix *u)
{
    struct hc_mixed *x = &u->mixed;

    if (x->events++ > HC_MIXED_EVENTS) {
        u->status = HC_FEED_DIVERGED;
        return;
    }
    if (!code_sudden(x, 0)) {
        u->next = HC_NEXT_EXPECTED;
        return;
    }
    switch (code_kind(x, 0)) {
    case SUDDEN_INTERRUPT:
        u->arrival = (struct hc_arrival){ 0 };
        code_arrival(x, &u->arrival);
        u->next = HC_NEXT_INTERRUPT;
        break;
    case SUDDEN_MEMORY:
        u->next = HC_NEXT_MEMORY;
        break;
    case SUDDEN_MARK:
        u->next = HC_NEXT_MARK;
        break;
    default:
        skip_end(u);
        break;
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
    struct hc_mixed *x = &u->mixed;

    u->next = HC_NEXT_UNKNOWN;
    switch (HC_SITE_CLASS(s)) {
    case HC_SITE_TIMER:
        *value = code_timer(x, site, 0);
        break;
    case HC_SITE_DATA:
        *value = code_data(x, site, HC_SITE_WORD(s), 0);
        break;
    default:
        *value = code_state(x, site, s->mask, 0);
        break;
    }
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
