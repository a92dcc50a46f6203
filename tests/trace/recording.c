#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the sink ---- */

void recording_seal(uint8_t *page)
{
    uint16_t crc = hc_page_crc(0xffff, page, HC_PAGE_CRC);
    page[HC_PAGE_CRC] = (uint8_t)(crc >> 8);
    page[HC_PAGE_CRC + 1] = (uint8_t)crc;
}

void recording_page(struct recording *r, uint8_t stream, const uint8_t *payload, uint8_t length)
{
    size_t end = r->size + HC_PAGE_SIZE;
    if (end > r->room) {
        r->room = end * 2;
        r->image = realloc(r->image, r->room);
        assert_non_null(r->image);
    }
    uint8_t *page = r->image + r->size;
    memset(page, r->filler, HC_PAGE_SIZE);
    const uint8_t header[] = { HC_PAGE_MAGIC,
                               stream,
                               (uint8_t)r->boot,
                               (uint8_t)(r->boot >> 8),
                               (uint8_t)r->segment,
                               (uint8_t)(r->segment >> 8),
                               (uint8_t)r->sequence,
                               (uint8_t)(r->sequence >> 8),
                               (uint8_t)(r->sequence >> 16),
                               length };
    memcpy(page, header, sizeof header);
    memcpy(page + HC_PAGE_HEADER, payload, length);
    recording_seal(page);
    r->size += HC_PAGE_SIZE;
    r->sequence++;
}

static void put_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct recording *r = (struct recording *)((char *)codec - offsetof(struct recording, codec));
    recording_page(r, stream, page, length);
}

/* ---- recording ---- */

/* Timers at the addresses of two blocks; masks of all sizes. */
static void make_sites(struct recording *r)
{
    uint64_t seed = 7;
    for (uint16_t i = 0; i < RECORDING_SITES; i++) {
        uint16_t class = i < 8 ? HC_SITE_TIMER : i < 16 ? HC_SITE_DATA : i < 20 ? HC_SITE_VECTOR : HC_SITE_STATE;
        uint16_t word = class == HC_SITE_TIMER || i & 1;
        uint16_t mask = class == HC_SITE_STATE ? (uint16_t)recording_number(&seed) : 0xffff;
        if (i % 3 == 0 && class == HC_SITE_STATE)
            mask = (uint16_t)(1u << i % 8);
        r->sites[i].mask = word ? mask : mask & 0xff;
        r->sites[i].place = (uint16_t)((i & 2 ? 0x190 : 0x170) | class << 12 | word << 14);
    }
    r->table = (struct hc_site_table){ r->sites, RECORDING_SITES, RECORDING_SITES_AT };
}

void recording_start(struct recording *r, uint8_t sets)
{
    memset(r, 0, sizeof *r);
    make_sites(r);
    r->filler = 0xff;
    hc_codec_open(&r->codec, r->sites, put_page);
    r->codec.sets = sets;
}

void recording_stop(struct recording *r)
{
    free(r->event);
    free(r->image);
}

void recording_boot(struct recording *r)
{
    const struct hc_page_boot begin = { .begin = { HC_TRACE_VERSION, r->codec.sets, "a build" } };
    r->boot++;
    r->segment++;
    r->events = 0;
    recording_page(r, HC_STREAM_BOOT, (const uint8_t *)&begin, sizeof begin);
    hc_codec_start(&r->codec);
}

void recording_remember(struct recording *r, const struct recorded *e)
{
    if (r->events == r->event_room) {
        r->event_room = r->event_room ? r->event_room * 2 : 64;
        r->event = realloc(r->event, r->event_room * sizeof *r->event);
        assert_non_null(r->event);
    }
    r->event[r->events++] = *e;
}

void recording_add(struct recording *r, const struct recorded *e)
{
    recording_remember(r, e);
    switch (e->kind) {
    case HC_EVENT_READ:
        if (e->has_base)
            hc_encode_based(&r->codec, e->site, e->value, e->base);
        else
            hc_encode_read(&r->codec, e->site, e->value);
        break;
    case HC_EVENT_INTERRUPT:
        hc_encode_interrupt(&r->codec, &(struct hc_arrival){ e->arrival.vector, e->arrival.flags, e->arrival.pc,
                                                             e->arrival.count, e->arrival.laps, e->arrival.hash });
        break;
    case HC_EVENT_MEMORY:
        hc_encode_memory(&r->codec, e->address, e->size, e->bytes);
        break;
    }
}

void recording_end(struct recording *r)
{
    hc_codec_finish(&r->codec);
}

/* ---- random events ---- */

uint32_t recording_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Small numbers are likely, extremes happen. */
static uint16_t random_value(uint64_t *seed)
{
    static const uint16_t extremes[] = { 0, 1, 0xffff, 0x8000, 0x7fff, 0xff, 0x100, 0xfffe, 3, 4, 63, 64, 255, 256 };
    uint32_t n = recording_number(seed);
    if (n % 8 == 0)
        return extremes[n / 8 % (sizeof extremes / sizeof *extremes)];
    return (uint16_t)(recording_number(seed) >> n % 31);
}

static void random_arrival(uint64_t *seed, struct hc_arrival *a)
{
    uint32_t n = recording_number(seed);
    a->vector = n % 5 ? n / 8 % 15 : n / 8 % 64;
    if (n / 512 % 3) {
        a->flags = HC_ARRIVAL_ASLEEP;
        return;
    }
    a->pc = recording_number(seed) % 4 ? (uint16_t)(0x4000 + recording_number(seed) % 8 * 2) : random_value(seed);
    a->count = random_value(seed);
    a->laps = recording_number(seed) % 8 ? 0 : random_value(seed);
    if (recording_number(seed) % 3 == 0) {
        a->flags = HC_ARRIVAL_HASHED;
        a->hash = 3 * recording_number(seed);
    }
}

/* A loop that looks at a flag. */
static bool is_looked_at(const struct recording *r)
{
    const struct recorded *last = &r->event[r->events - 1];
    return r->events && last->kind == HC_EVENT_READ && !(r->sites[last->site].place & 0x6000);
}

void recording_random(const struct recording *r, uint64_t *seed, struct recorded *e)
{
    uint32_t n = recording_number(seed) % 100;
    memset(e, 0, sizeof *e);
    if (n >= 20 && is_looked_at(r)) {
        *e = r->event[r->events - 1];
    } else if (n < 15) {
        e->kind = HC_EVENT_INTERRUPT;
        random_arrival(seed, &e->arrival);
    } else if (n == 15) {
        e->kind = HC_EVENT_MEMORY;
        e->address = random_value(seed);
        e->size = recording_number(seed) % (RECORDING_MEMORY + 1);
        for (uint16_t i = 0; i < e->size; i++)
            e->bytes[i] = (uint8_t)random_value(seed);
    } else {
        e->kind = HC_EVENT_READ;
        e->site = recording_number(seed) % (n < 50 ? 24 : RECORDING_SITES);
        e->has_base = HC_SITE_CLASS(&r->sites[e->site]) == HC_SITE_TIMER && recording_number(seed) % 2;
        e->value = random_value(seed) & r->sites[e->site].mask;
        e->base = e->has_base ? (uint16_t)(e->value - random_value(seed)) : 0;
    }
}

/* ---- what is rescued ---- */

static void put16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static bool is_run_byte(const struct recording *r, const struct recorded *e)
{
    const struct hc_site *s = &r->sites[e->site];
    return e->kind == HC_EVENT_READ && (s->place & 0x2000) && !(s->place & 0x4000);
}

static bool is_same_read(const struct recorded *a, const struct recorded *b)
{
    return b->kind == HC_EVENT_READ && b->site == a->site && b->value == a->value;
}

/* Equal bytes of a site are counted in an entry, up to 63 more of them. */
static size_t put_again(const struct recording *r, size_t i, uint8_t *to, size_t at)
{
    const struct recorded *e = &r->event[i];
    size_t more = 0;
    if (r->sites[e->site].place & 0x6000)
        return 0;
    while (more < 63 && i + more + 1 < r->events && is_same_read(e, &e[more + 1]))
        more++;
    to[at - 1] = (uint8_t)more;
    return more;
}

/* Bytes of data of a site share an entry, up to 31 more of them. Returns how many events it took. */
static size_t put_read(const struct recording *r, size_t i, uint8_t *to, size_t *at)
{
    const struct recorded *e = &r->event[i];
    put16(to + *at, RECORDING_SITES_AT + 4u * e->site);
    put16(to + *at + 2, e->value);
    *at += 4;
    size_t more = put_again(r, i, to, *at);
    if (more)
        return 1 + more;
    while (is_run_byte(r, e) && more < 31 && i + more + 1 < r->events && is_run_byte(r, &e[more + 1]) &&
           e[more + 1].site == e->site) {
        more++;
        to[*at + more - 1] = (uint8_t)e[more].value;
    }
    if (more) {
        to[*at - 1] = (uint8_t)more;
        *at += more + more % 2;
    }
    return 1 + more;
}

static size_t put_entry(const struct recording *r, size_t i, uint8_t *to, size_t *at)
{
    const struct recorded *e = &r->event[i];
    if (e->kind == HC_EVENT_READ)
        return put_read(r, i, to, at);
    if (e->kind == HC_EVENT_MEMORY) {
        put16(to + *at, 0x0800 + 2u * e->size);
        put16(to + *at + 2, e->address);
        memcpy(to + *at + 4, e->bytes, e->size);
        *at += 4u + e->size + e->size % 2;
        return 1;
    }
    unsigned flags = e->arrival.flags & HC_ARRIVAL_ASLEEP ? 0x80 : e->arrival.flags & HC_ARRIVAL_HASHED ? 1 : 0;
    unsigned timer = e->arrival.vector % 4u << 8; /* some are a timer's */
    put16(to + *at, e->arrival.vector * 2u | flags | timer);
    *at += 2;
    if (timer) {
        put16(to + *at, 0x7777); /* its CCR0 */
        *at += 2;
    }
    put16(to + *at, e->arrival.pc);
    put16(to + *at + 2, e->arrival.count);
    put16(to + *at + 4, e->arrival.hash);
    put16(to + *at + 6, e->arrival.hash >> 16);
    *at += flags == 0x80 ? 0 : flags ? 8 : 4;
    return 1;
}

void recording_ring_event(const struct recording *r, uint64_t *seed, struct recorded *e)
{
    do {
        recording_random(r, seed, e);
        e->arrival.laps = 0;
    } while (e->kind == HC_EVENT_MEMORY && (e->size == 0 || e->size > 32));
}

void recording_rescue(struct recording *r, size_t encoded, uint16_t count)
{
    uint8_t bytes[8192];
    const struct hc_mixed *x = &r->codec.mixed;
    size_t next = x->coder.next, at = 16 + next + next % 2, ring = at;
    for (size_t i = encoded; i < r->events;)
        i += put_entry(r, i, bytes, &at);
    const unsigned head[] = { x->taken, x->model.check,       x->coder.bits, x->coder.bits_at, (unsigned)next, count,
                              0,        (unsigned)(at - ring) };
    for (size_t i = 0; i < 8; i++)
        put16(bytes + 2 * i, head[i]);
    memcpy(bytes + 16, x->page, next);
    if (next % 2)
        bytes[16 + next] = 0;
    for (size_t from = 0; from < at; from += HC_PAGE_PAYLOAD)
        recording_page(r, HC_STREAM_RESCUE, bytes + from,
                       (uint8_t)(at - from < HC_PAGE_PAYLOAD ? at - from : HC_PAGE_PAYLOAD));
}

/* ---- asking ---- */

static void check_interrupt(const struct recorded *e, const struct hc_event *got)
{
    const struct hc_arrival *a = &e->arrival;
    assert_int_equal(got->kind, HC_EVENT_INTERRUPT);
    assert_int_equal(got->interrupt.vector, a->vector);
    assert_int_equal(got->interrupt.asleep, (a->flags & HC_ARRIVAL_ASLEEP) != 0);
    if (a->flags & HC_ARRIVAL_ASLEEP)
        return;
    assert_int_equal(got->interrupt.pc, a->pc);
    assert_int_equal(got->interrupt.count, a->count | (uint32_t)a->laps << 16);
    assert_int_equal(got->interrupt.hashed, (a->flags & HC_ARRIVAL_HASHED) != 0);
    if (got->interrupt.hashed)
        assert_int_equal(got->interrupt.hash, a->hash);
}

static enum hc_feed_status ask_interrupt(const struct recorded *e, struct hc_feed *feed)
{
    struct hc_event woken;
    if (e->arrival.flags & HC_ARRIVAL_ASLEEP) {
        enum hc_feed_status status = hc_feed_wake(feed, &woken);
        if (!status)
            check_interrupt(e, &woken);
        return status;
    }
    const struct hc_event *next = hc_feed_interrupt(feed);
    if (!next)
        return hc_feed_status_next(feed) ? hc_feed_status_next(feed) : HC_FEED_DIVERGED;
    check_interrupt(e, next);
    hc_feed_take_interrupt(feed);
    return HC_FEED_OK;
}

static enum hc_feed_status ask_memory(const struct recorded *e, struct hc_feed *feed)
{
    uint16_t address;
    uint16_t size;
    const uint8_t *bytes;
    enum hc_feed_status status = hc_feed_memory(feed, &address, &size, &bytes);
    if (status)
        return status;
    assert_int_equal(address, e->address);
    assert_int_equal(size, e->size);
    if (size)
        assert_memory_equal(bytes, e->bytes, size);
    return HC_FEED_OK;
}

static enum hc_feed_status ask_read(const struct recorded *e, struct hc_feed *feed)
{
    uint16_t value;
    enum hc_feed_status status = hc_feed_read(feed, e->site, e->has_base ? &e->base : NULL, &value);
    if (!status)
        assert_int_equal(value, e->value);
    return status;
}

size_t recording_ask(const struct recording *r, struct hc_feed *feed, enum hc_feed_status *status)
{
    static enum hc_feed_status (*const ask[])(const struct recorded *, struct hc_feed *) = {
        [HC_EVENT_READ] = ask_read,
        [HC_EVENT_INTERRUPT] = ask_interrupt,
        [HC_EVENT_MEMORY] = ask_memory,
    };
    size_t answered = 0;
    *status = HC_FEED_OK;
    for (; answered < r->events; answered++) {
        *status = ask[r->event[answered].kind](&r->event[answered], feed);
        if (*status)
            break;
    }
    return answered;
}

bool recording_replay(const struct recording *r, const uint8_t *image, size_t size, size_t *answered,
                      enum hc_feed_status *status, struct hc_log_message *message)
{
    struct hc_log *log;
    struct hc_feed *feed;
    const struct hc_log_segment *segments;

    *answered = 0;
    if (hc_log_open_memory(&log, "image", image, size, message) != HC_LOG_OK)
        return false;
    size_t count = hc_log_segments(log, &segments);
    assert_true(count > 0);
    bool opened = hc_feed_open(&feed, log, &segments[count - 1], &r->table, message) == HC_LOG_OK;
    if (opened) {
        *answered = recording_ask(r, feed, status);
        hc_feed_free(feed);
    }
    hc_log_free(log);
    return opened;
}
