#include "rescue.h"
#include "stream.h"

#include "../../runtime/ring.h"
#include "../support/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_CODE = 2, NO_BITS = 1, MOST_BITS = 0xff };

static uint16_t word(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static enum hc_log_error blame(struct hc_rescue *r, const char *text)
{
    r->damaged = true;
    snprintf(r->text, sizeof r->text, "%s", text);
    return HC_LOG_OK;
}

/* ---- the pages ---- */

static void read_head(struct hc_page_rescue *head, const uint8_t *bytes)
{
    *head = (struct hc_page_rescue){
        .taken = word(bytes),
        .check = word(bytes + 2),
        .bits = word(bytes + 4),
        .bits_at = word(bytes + 6),
        .next = word(bytes + 8),
        .count = word(bytes + 10),
        .state = word(bytes + 12),
        .ring = word(bytes + 14),
    };
}

/* Bytes of the whole, by its head. */
static size_t whole_size(const struct hc_page_rescue *head)
{
    return sizeof *head + head->next + (head->next & 1u) + head->ring;
}

/* The first page of the rescue. If a reset came while it was written, it was written again from the start: the last one
 * counts. */
static size_t find_first(const struct hc_log *log, const struct hc_log_segment *s, size_t first)
{
    const struct hc_log_page *page;
    struct hc_page_rescue head;
    hc_log_pages(log, &page);
    if (page[first].length < sizeof head)
        return first;
    read_head(&head, page[first].payload);
    size_t pages = (whole_size(&head) + HC_PAGE_PAYLOAD - 1) / HC_PAGE_PAYLOAD;
    for (size_t more = s->pages[HC_STREAM_RESCUE]; more > pages; more--)
        first = hc_log_next_page(log, s, HC_STREAM_RESCUE, first + 1);
    return first;
}

/* All payloads in order, *SIZE bytes. Returns NULL on out-of-memory, or, with *SIZE 0, if pages are missing. */
static uint8_t *join(const struct hc_log *log, const struct hc_log_segment *s, size_t *size)
{
    const struct hc_log_page *page;
    size_t end = hc_log_pages(log, &page), at = 0;
    uint8_t *bytes = calloc(1, s->payload[HC_STREAM_RESCUE]);
    size_t first = find_first(log, s, hc_log_next_page(log, s, HC_STREAM_RESCUE, s->first_page));
    *size = 1;
    if (!bytes)
        return NULL;
    for (size_t i = first; i < end; i = hc_log_next_page(log, s, HC_STREAM_RESCUE, i + 1)) {
        if (i > first && hc_log_missing_before(log, i)) {
            free(bytes);
            *size = 0;
            return NULL;
        }
        memcpy(bytes + at, page[i].payload, page[i].length);
        at += page[i].length;
    }
    *size = at;
    return bytes;
}

/* The bits of an incomplete byte go to its top, unless the encoder was about to start a new byte: then theirs is
 * complete. */
static void put_bits(struct hc_rescue *r, uint8_t *code)
{
    unsigned bits = r->head.bits;
    if (r->head.bits_at == r->head.next)
        return;
    while (!(bits & 0x100))
        bits <<= 1;
    code[r->head.bits_at] = (uint8_t)bits;
}

/* ---- the ring ---- */

struct ring {
    const uint8_t *bytes;
    size_t size, at;
    const struct hc_site_table *sites;
    struct hc_rescue *to;
    size_t room;
    bool no_memory;
};

static bool has(const struct ring *ring, size_t bytes)
{
    return ring->size - ring->at >= bytes;
}

static uint16_t next(struct ring *ring)
{
    uint16_t value = word(ring->bytes + ring->at);
    ring->at += 2;
    return value;
}

static void add(struct ring *ring, struct hc_event event)
{
    if (!hc_grow(&ring->to->event, ring->to->events, &ring->room, sizeof event)) {
        ring->no_memory = true;
        return;
    }
    ring->to->event[ring->to->events++] = event;
}

static void add_read(struct ring *ring, uint16_t site, uint16_t value)
{
    add(ring, (struct hc_event){ .kind = HC_EVENT_READ, .read = { site, value } });
}

enum ring_entry {
    RING_WHOLE,
    RING_INCOMPLETE, /* the ring ends within it */
    RING_SENSELESS,  /* no recorder writes that */
};

/* Each of these takes an entry whose first word was TAG, or of SITE. */

static enum ring_entry take_read(struct ring *ring, uint16_t site)
{
    const struct hc_site *s = &ring->sites->sites[site];
    if (!has(ring, 2))
        return RING_INCOMPLETE;
    uint16_t value = next(ring);
    unsigned more = HC_SITE_WORD(s) ? 0 : value >> 8;
    bool data = HC_SITE_CLASS(s) >= HC_SITE_DATA;
    if (more > (data ? HC_RING_MORE : HC_RING_AGAIN))
        return RING_SENSELESS;
    if (data && !has(ring, more + (more & 1)))
        return RING_INCOMPLETE;
    add_read(ring, site, HC_SITE_WORD(s) ? value : value & 0xff);
    for (unsigned i = 0; i < more; i++)
        add_read(ring, site, data ? ring->bytes[ring->at + i] : value & 0xff);
    ring->at += data ? more + (more & 1) : 0;
    return RING_WHOLE;
}

static enum ring_entry take_interrupt(struct ring *ring, uint16_t tag)
{
    struct hc_event e = { .kind = HC_EVENT_INTERRUPT };
    e.interrupt.vector = (uint8_t)((tag & HC_RING_VECTOR) >> 1);
    e.interrupt.asleep = tag & HC_RING_ASLEEP;
    e.interrupt.hashed = tag & HC_RING_HASHED;
    size_t base = tag & HC_RING_TIMER ? 2 : 0; /* not needed: values of timers are as they were read here */
    if (e.interrupt.asleep && e.interrupt.hashed)
        return RING_SENSELESS;
    if (!has(ring, base + (e.interrupt.asleep ? 0 : e.interrupt.hashed ? 8 : 4)))
        return RING_INCOMPLETE;
    ring->at += base;
    if (!e.interrupt.asleep) {
        e.interrupt.pc = next(ring);
        e.interrupt.count = next(ring);
        if (e.interrupt.hashed) {
            e.interrupt.hash = next(ring);
            e.interrupt.hash |= (uint32_t)next(ring) << 16;
        }
    }
    add(ring, e);
    return RING_WHOLE;
}

static enum ring_entry take_memory(struct ring *ring, uint16_t tag)
{
    uint16_t size = (tag - HC_RING_MEMORY) / 2;
    if (tag & 1 || !size)
        return RING_SENSELESS;
    if (!has(ring, 2u + size + (size & 1)))
        return RING_INCOMPLETE;
    uint16_t address = next(ring);
    add(ring, (struct hc_event){ .kind = HC_EVENT_MEMORY, .memory = { address, size, ring->bytes + ring->at } });
    ring->at += size + (size & 1u);
    return RING_WHOLE;
}

static enum ring_entry take_entry(struct ring *ring)
{
    uint16_t tag = next(ring);
    uint16_t distance = (uint16_t)(tag - ring->sites->address);
    if (tag >= ring->sites->address && distance / 4u < ring->sites->count)
        return distance % 4 ? RING_SENSELESS : take_read(ring, distance / 4);
    if (tag < HC_RING_MEMORY)
        return take_interrupt(ring, tag);
    return tag < HC_RING_TAGS ? take_memory(ring, tag) : RING_SENSELESS;
}

static enum hc_log_error read_ring(struct hc_rescue *r, const uint8_t *bytes, const struct hc_site_table *sites)
{
    struct ring ring = { .bytes = bytes, .size = r->head.ring, .sites = sites, .to = r };
    enum ring_entry entry = RING_WHOLE;
    size_t start = 0;
    while (entry == RING_WHOLE && has(&ring, 2) && !ring.no_memory) {
        start = ring.at;
        entry = take_entry(&ring);
    }
    if (entry == RING_SENSELESS && ring.size - start == 2) /* space that was reserved for the rest of an entry */
        entry = RING_INCOMPLETE;
    r->incomplete = entry == RING_INCOMPLETE;
    if (ring.no_memory)
        return HC_LOG_NO_MEMORY;
    return entry == RING_SENSELESS ? blame(r, "an entry of its ring is invalid") : HC_LOG_OK;
}

/* ---- all of it ---- */

static enum hc_log_error read_rescue(struct hc_rescue *r, size_t size, const struct hc_site_table *sites)
{
    if (size < sizeof r->head)
        return blame(r, "it is too short");
    read_head(&r->head, r->bytes);
    size_t code = r->head.next + (r->head.next & 1u);
    if (r->head.next < FEWEST_CODE || r->head.next > HC_MIXED_FULL || r->head.bits_at > r->head.next)
        return blame(r, "the size of its code is invalid");
    if (r->head.bits < NO_BITS || r->head.bits > MOST_BITS || r->head.ring % 2)
        return blame(r, "its state is invalid");
    if (size != whole_size(&r->head))
        return blame(r, "its pages contradict its header");
    put_bits(r, r->bytes + sizeof r->head);
    r->code = r->bytes + sizeof r->head;
    return read_ring(r, r->code + code, sites);
}

enum hc_log_error hc_rescue_open(struct hc_rescue *out, const struct hc_log *log, const struct hc_log_segment *s,
                                 const struct hc_site_table *sites)
{
    size_t size;
    *out = (struct hc_rescue){ .there = s->pages[HC_STREAM_RESCUE] != 0, .pages = s->pages[HC_STREAM_MIXED] };
    if (!out->there)
        return HC_LOG_OK;
    out->bytes = join(log, s, &size);
    if (out->bytes)
        return read_rescue(out, size, sites);
    return size ? HC_LOG_NO_MEMORY : blame(out, "a page of it is missing");
}

void hc_rescue_close(struct hc_rescue *rescue)
{
    free(rescue->bytes);
    free(rescue->event);
}
