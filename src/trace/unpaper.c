#include "unpaper.h"

#include "../support/grow.h"

#include <stdlib.h>

/* ---- bits ---- */

struct reader {
    struct hc_page_stream pages;
    enum hc_feed_status status;
    const uint8_t *payload;
    unsigned bits, at; /* of the page under way */
    size_t *consumed;
};

/* Leading ones in a page's last byte that are no record. */
static bool is_padding(const struct reader *r)
{
    unsigned left = r->bits - r->at;
    if (left > 7)
        return false;
    return left == 0 || (uint8_t)(r->payload[r->bits / 8 - 1] << (8 - left)) == (uint8_t)(0xff << (8 - left));
}

/* Before each record: whether there is one. */
static bool has_record(struct reader *r)
{
    while (!r->status && is_padding(r)) {
        uint8_t length;
        r->status = hc_page_stream_next(&r->pages, &r->payload, &length);
        r->bits = r->status ? 0 : length * 8u;
        r->at = 0;
        *r->consumed += r->status ? 0 : length;
    }
    return !r->status;
}

/* 0, and damage, where the page ends within a record. */
static uint16_t take(struct reader *r, unsigned bits)
{
    uint16_t value = 0;
    if (r->status || r->bits - r->at < bits) {
        if (!r->status)
            r->status = HC_FEED_DAMAGE;
        return 0;
    }
    for (; bits; bits--, r->at++)
        value = (uint16_t)(value << 1 | (r->payload[r->at / 8] >> (7 - r->at % 8) & 1));
    return value;
}

static void open_reader(struct reader *r, struct hc_unpaper *u, const struct hc_log *log,
                        const struct hc_log_segment *segment, enum hc_lane lane)
{
    *r = (struct reader){ .status = HC_FEED_OK, .consumed = &u->payload };
    hc_page_stream_open(&r->pages, log, segment, HC_STREAM_PAPER, lane);
}

/* ---- registers ---- */

/* The bits of VALUE, which are next to each other, at the places of MASK. */
static uint16_t scatter(uint16_t value, uint16_t mask)
{
    uint16_t out = 0;
    for (unsigned i = 0; i < 16; i++) {
        if (mask >> i & 1) {
            out |= (uint16_t)((value & 1) << i);
            value >>= 1;
        }
    }
    return out;
}

static bool read_state(struct hc_unpaper *u, struct reader *r, const struct hc_site_table *sites)
{
    uint16_t site = take(r, 6);
    if (site == HC_PAPER_ESCAPE)
        site = take(r, 16);
    uint8_t length = (uint8_t)take(r, 8);
    if (!r->status && (site >= sites->count || length == 0))
        r->status = HC_FEED_DAMAGE;
    if (r->status)
        return true;
    uint16_t mask = sites->sites[site].mask;
    uint16_t value = scatter(take(r, (unsigned)__builtin_popcount(mask)), mask);
    struct hc_unpaper_runs *runs = &u->states[site];
    if (r->status)
        return true;
    if (!hc_grow(&runs->run, runs->count, &runs->room, sizeof *runs->run))
        return false;
    runs->run[runs->count++] = (struct hc_paper_run){ value, length };
    return true;
}

static bool add_timer(struct hc_unpaper *u, const struct reader *r, uint16_t delta)
{
    if (r->status)
        return true;
    if (!hc_grow(&u->timer, u->timers, &u->timer_room, sizeof *u->timer))
        return false;
    u->timer[u->timers++] = delta;
    return true;
}

static bool read_registers(struct hc_unpaper *u, struct reader *r, const struct hc_site_table *sites)
{
    bool good = true;
    while (good && has_record(r)) {
        if (take(r, 1) == 0)
            good = add_timer(u, r, take(r, 2));
        else if (take(r, 1) == 0)
            good = add_timer(u, r, take(r, 6));
        else if (take(r, 1) == 0)
            good = add_timer(u, r, take(r, 16));
        else
            good = read_state(u, r, sites);
    }
    u->end[HC_LANE_REGISTERS] = r->status;
    return good;
}

/* ---- data ---- */

static bool add_byte(struct hc_unpaper *u, uint8_t byte)
{
    if (!hc_grow(&u->data, u->bytes, &u->byte_room, 1))
        return false;
    u->data[u->bytes++] = byte;
    return true;
}

static bool copy(struct hc_unpaper *u, struct reader *r)
{
    uint16_t offset = take(r, 8);
    uint16_t length = take(r, 8);
    if (!r->status && (offset == 0 || offset > HC_LZRW_OFFSET_MAX || offset > u->bytes || length < HC_LZRW_MATCH_MIN))
        r->status = HC_FEED_DAMAGE;
    for (; !r->status && length; length--)
        if (!add_byte(u, u->data[u->bytes - offset]))
            return false;
    return true;
}

static bool read_data(struct hc_unpaper *u, struct reader *r)
{
    bool good = true;
    while (good && has_record(r)) {
        if (take(r, 1)) {
            good = copy(u, r);
        } else {
            uint8_t byte = (uint8_t)take(r, 8);
            good = r->status || add_byte(u, byte);
        }
    }
    u->end[HC_LANE_DATA] = r->status;
    return good;
}

/* ---- interrupts ---- */

static void read_count(struct reader *r, bool is_long, struct hc_event *e)
{
    e->interrupt.pc = take(r, 16);
    e->interrupt.count = take(r, is_long ? 16 : 8);
    if (is_long && e->interrupt.count == 0) {
        e->interrupt.count = (uint32_t)take(r, 16) << 16;
        e->interrupt.count |= take(r, 16);
    }
}

static void read_hash(struct reader *hashes, struct hc_event *e)
{
    if (!has_record(hashes))
        return;
    e->interrupt.hashed = take(hashes, 1);
    if (!e->interrupt.hashed)
        return;
    e->interrupt.hash = (uint32_t)take(hashes, 16) << 16;
    e->interrupt.hash |= take(hashes, 16);
}

static void read_interrupt(struct reader *r, struct reader *hashes, struct hc_event *e)
{
    bool awake = take(r, 1);
    bool is_long = awake && take(r, 1);
    uint8_t vector = (uint8_t)take(r, 4);
    if (!awake && vector == 15) {
        vector = (uint8_t)take(r, 8);
        awake = take(r, 1);
        is_long = awake && take(r, 1);
        take(r, 4);
    }
    *e = (struct hc_event){ .kind = HC_EVENT_INTERRUPT, .interrupt = { .vector = vector, .asleep = !awake } };
    if (!awake)
        return;
    read_count(r, is_long, e);
    if (!r->status)
        read_hash(hashes, e);
    if (!r->status && hashes->status)
        r->status = hashes->status;
}

static bool read_interrupts(struct hc_unpaper *u, struct reader *r, struct reader *hashes)
{
    while (has_record(r)) {
        struct hc_event e;
        read_interrupt(r, hashes, &e);
        if (r->status)
            break;
        if (!hc_grow(&u->interrupt, u->interrupts, &u->interrupt_room, sizeof e))
            return false;
        u->interrupt[u->interrupts++] = e;
    }
    u->end[HC_LANE_INTERRUPTS] = r->status;
    return true;
}

/* ---- all ---- */

enum hc_log_error hc_unpaper_open(struct hc_unpaper *u, const struct hc_log *log, const struct hc_log_segment *segment,
                                  const struct hc_site_table *sites)
{
    struct reader r;
    struct reader hashes;
    bool good = true;

    *u = (struct hc_unpaper){ .sites = sites->count };
    u->states = calloc(sites->count + 1, sizeof *u->states);
    if (!u->states)
        return HC_LOG_NO_MEMORY;
    if (segment->sets & HC_PAPER_REGISTERS) {
        open_reader(&r, u, log, segment, HC_LANE_REGISTERS);
        good = read_registers(u, &r, sites);
    }
    if (good && segment->sets & HC_PAPER_DATA) {
        open_reader(&r, u, log, segment, HC_LANE_DATA);
        good = read_data(u, &r);
    }
    if (good && segment->sets & HC_PAPER_INTERRUPTS) {
        open_reader(&r, u, log, segment, HC_LANE_INTERRUPTS);
        open_reader(&hashes, u, log, segment, HC_LANE_HASHES);
        good = read_interrupts(u, &r, &hashes);
    }
    return good ? HC_LOG_OK : HC_LOG_NO_MEMORY;
}

void hc_unpaper_close(struct hc_unpaper *u)
{
    for (size_t i = 0; u->states && i < u->sites; i++)
        free(u->states[i].run);
    free(u->states);
    free(u->timer);
    free(u->data);
    free(u->interrupt);
    *u = (struct hc_unpaper){ 0 };
}
