#include "unmix.h"

#define UNMIX_OF(x) ((struct hc_unmix *)(x)) /* its first member */

/* ---- pages ---- */

static void take_run(struct hc_unmix *u, uint8_t byte)
{
    u->run = HC_MIXED_RUN - byte;
    u->goes_on = byte == 0;
}

static void take_bits(struct hc_unmix *u, uint8_t byte)
{
    u->bits = (uint16_t)(byte << 1 | 1);
}

/* Whether the page ends as the encoder ended it: nothing is left, and the events so far were the same. Its CRC is
 * right, so if they differ, the page is not the cause. */
static void end_page(struct hc_unmix *u)
{
    u->in_page = false;
    u->noted += (uint16_t)(u->mixed.taken - (uint16_t)u->noted);
    if (u->rescued)
        u->status = HC_FEED_DAMAGE; /* it has fewer events than it says */
    else if (u->run || u->check != u->mixed.model.check)
        u->status = HC_FEED_DIVERGED;
}

/* Starts the next run. Returns false if the page has ended instead. */
static bool begin_run(struct hc_unmix *u)
{
    if (u->at < u->length) {
        take_run(u, u->code[u->at++]);
        return true;
    }
    end_page(u);
    return false;
}

/* After the last page: the rescued part of the next one. */
static void begin_rescued(struct hc_unmix *u)
{
    enum { MOST_BEFORE = 1024 };
    const struct hc_page_rescue *head = &u->rescue->head;
    uint16_t before = (uint16_t)((uint16_t)u->noted - head->taken);

    if (before <= MOST_BEFORE) {
        u->status = HC_FEED_DAMAGE; /* the code ended in the last page, but with another check */
        return;
    }
    u->status = HC_FEED_OK;
    u->rescued = true;
    u->code = u->rescue->code;
    u->length = head->next;
}

static void find_page(struct hc_unmix *u)
{
    uint8_t length;

    u->status = hc_page_stream_next(&u->pages, &u->code, &length);
    if (u->status == HC_FEED_END && u->rescue->there && !u->rescue->damaged)
        begin_rescued(u);
    if (u->status || u->rescued)
        return;
    u->consumed += length;
    if (length < HC_MIXED_TRAILER + 2) {
        u->status = HC_FEED_DAMAGE;
        return;
    }
    u->list[u->begun++] = (struct hc_unmix_page){ u->pages.page, u->noted };
    u->length = length - HC_MIXED_TRAILER;
    u->check = (uint16_t)(u->code[u->length] | u->code[u->length + 1] << 8);
}

/* A run that continues from the page before starts with this page's second run byte. */
static void begin_page(struct hc_unmix *u)
{
    find_page(u);
    if (u->status)
        return;
    u->in_page = true;
    u->at = 2;
    take_bits(u, u->code[1]);
    bool begins_another = u->goes_on;
    take_run(u, u->code[0]);
    if (begins_another)
        begin_run(u);
}

/* False at the end. */
static bool in_page(struct hc_unmix *u)
{
    if (!u->status && !u->in_page)
        begin_page(u);
    return !u->status;
}

/* ---- what a page is made of ---- */

/* Returns the decoded value; 0 once the status is not HC_FEED_OK. */
static uint8_t code_bit(struct hc_mixed *x, uint8_t value)
{
    struct hc_unmix *u = UNMIX_OF(x);

    (void)value;
    if (!in_page(u))
        return 0;
    uint8_t bit = u->bits >> 8;
    u->bits = (uint16_t)(u->bits << 1 & 0x1ff);
    if (u->bits != 0x100)
        return bit;
    if (u->at < u->length)
        take_bits(u, u->code[u->at++]);
    else
        end_page(u);
    return bit;
}

/* Whether the run is over: the next value was mispredicted, or the next event is asynchronous. */
static bool is_over(struct hc_unmix *u)
{
    while (in_page(u) && u->run == 0)
        if (begin_run(u))
            return true;
    return false;
}

/* Inside an event a wrong prediction is never an asynchronous event. */
static bool code_surprise(struct hc_mixed *x, bool sure, uint16_t number)
{
    struct hc_unmix *u = UNMIX_OF(x);
    bool surprised = u->surprised || is_over(u);

    (void)number;
    if (surprised && !u->status && ((!u->surprised && code_bit(x, 0)) || !sure))
        u->status = HC_FEED_DIVERGED;
    u->surprised = false;
    if (u->status || surprised)
        return !u->status;
    if (--u->run == 0 && u->goes_on)
        begin_run(u);
    return false;
}

#define LEARN(place, value) ((place) = (value))
#include "../../runtime/codec/model_code.h"

/* ---- events ---- */

void hc_unmix_open(struct hc_unmix *u, const struct hc_log *log, const struct hc_log_segment *segment,
                   struct hc_unmix_page *list, const struct hc_rescue *rescue)
{
    *u = (struct hc_unmix){ .status = HC_FEED_OK, .list = list, .rescue = rescue };
    hc_page_stream_open(&u->pages, log, segment, HC_STREAM_MIXED, 0);
}

static void look_at_sudden(struct hc_unmix *u)
{
    struct hc_mixed *x = &u->mixed;
    uint16_t what = code_sudden(x, 0);

    if (what < SUDDEN_MEMORY) {
        u->arrival = (struct hc_arrival){ .vector = (what & SUDDEN_VECTOR) >> 1,
                                          .flags = what & SUDDEN_HASHED ? HC_ARRIVAL_HASHED : 0 };
        code_arrival(x, what, &u->arrival);
        u->next = HC_NEXT_INTERRUPT;
    } else if (what == SUDDEN_MEMORY) {
        u->next = HC_NEXT_MEMORY;
    } else if (!u->status) {
        u->status = HC_FEED_DIVERGED;
    }
}

static void look(struct hc_unmix *u)
{
    bool over = is_over(u);

    if (over && code_bit(&u->mixed, 0)) {
        look_at_sudden(u);
        return;
    }
    u->surprised = over;
    u->next = HC_NEXT_EXPECTED;
}

/* Whether the encoded events end here according to the rescue. If the reset came during encoding, the last whole page,
 * or the code itself, may have further events; the ring has them as well. */
static bool ends_here(const struct hc_unmix *u)
{
    const struct hc_rescue *rescue = u->rescue;
    bool may = rescue->there && !rescue->damaged && u->begun == rescue->pages;
    return may && u->mixed.taken == rescue->head.taken && u->mixed.model.check == rescue->head.check;
}

/* A rescue is damaged, whatever contradicts it. */
static void forgive(struct hc_unmix *u)
{
    if (u->rescued && u->status)
        u->status = HC_FEED_DAMAGE;
}

enum hc_feed_status hc_unmix_peek(struct hc_unmix *u)
{
    if (u->status || u->next != HC_NEXT_UNKNOWN)
        return u->status;
    if (ends_here(u)) {
        u->in_ring = true;
        return u->status = HC_FEED_END;
    }
    if (u->rescued && u->mixed.taken == u->rescue->head.taken)
        u->status = HC_FEED_DAMAGE;
    else
        look(u);
    forgive(u);
    return u->status;
}

enum hc_feed_status hc_unmix_read(struct hc_unmix *u, uint16_t site, const struct hc_site *s, uint16_t *value)
{
    u->next = HC_NEXT_UNKNOWN;
    *value = code_read(&u->mixed, site, s, 0);
    forgive(u);
    return u->status;
}

enum hc_feed_status hc_unmix_wake(struct hc_unmix *u, uint8_t *vector)
{
    u->next = HC_NEXT_UNKNOWN;
    *vector = code_wake(&u->mixed, 0);
    forgive(u);
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
    note_event(&u->mixed, SUDDEN_MEMORY);
    forgive(u);
    return u->status;
}
