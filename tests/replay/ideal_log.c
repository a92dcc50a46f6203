#include "ideal_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WINDOW = 768, RECORD = 120, TA = 0x160, TB = 0x180, CCR0 = 0x12, CAP = 0x100 };

/* ---- pages ---- */

static void put16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

void ideal_log_page(struct ideal_log *log, uint8_t stream, const void *payload, size_t length)
{
    if (log->size + HC_PAGE_SIZE > log->room) {
        log->room = 2 * log->room + 64 * HC_PAGE_SIZE;
        log->image = realloc(log->image, log->room);
        assert_non_null(log->image);
    }
    uint8_t *page = log->image + log->size;
    memset(page, 0xff, HC_PAGE_SIZE);
    page[0] = 'H';
    page[1] = stream;
    put16(page + 2, log->boot);
    put16(page + 4, log->segment);
    put16(page + 6, log->sequence);
    page[8] = (uint8_t)(log->sequence++ >> 16);
    page[9] = (uint8_t)length;
    memcpy(page + 10, payload, length);
    uint16_t crc = hc_page_crc(0xffff, page, 254);
    page[254] = (uint8_t)(crc >> 8);
    page[255] = (uint8_t)crc;
    log->size += HC_PAGE_SIZE;
}

static struct ideal_log *log_of(struct hc_codec *codec)
{
    return (struct ideal_log *)(void *)((char *)codec - offsetof(struct ideal_log, codec));
}

static void page_full(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct ideal_log *log = log_of(codec);
    log->unchecked_updates = 0;
    log->checks += page[length - 4] != 255; /* its self-check */
    if (log->spare)
        ideal_log_page(log, HC_STREAM_MIXED, log->spare_page, log->spare_length);
    log->spare = log->holds;
    memcpy(log->spare_page, page, length);
    log->spare_length = length;
    if (!log->holds)
        ideal_log_page(log, stream, page, length);
}

void ideal_log_flush(struct ideal_log *log)
{
    hc_codec_finish(&log->codec);
    if (log->spare)
        ideal_log_page(log, HC_STREAM_MIXED, log->spare_page, log->spare_length);
    log->spare = false;
}

/* ---- events ---- */

/* What the program's registers of TIMER say after an interrupt of its unit 0. */
static bool read_base(const struct ideal_log *log, uint32_t timer, uint16_t *base)
{
    struct hc_machine *m = log->from->machine;
    *base = hc_peek16(m, timer + CCR0);
    return !(hc_peek16(m, timer + 2) & CAP);
}

static void on_event(void *owner, const struct hc_event *event)
{
    struct ideal_log *log = owner;
    size_t n = log->waiting++;
    assert_true(n < sizeof log->ring / sizeof *log->ring);
    log->ring[n] = *event;
    int vector = event->kind == HC_EVENT_INTERRUPT ? event->interrupt.vector : -1;
    log->based[n] =
        (vector == 6 && read_base(log, TA, &log->base[n])) || (vector == 13 && read_base(log, TB, &log->base[n]));
}

static void encode_read(struct ideal_log *log, const struct hc_event *e)
{
    const struct hc_site *site = &log->sites[e->read.site];
    int timer = (site->place & 0xfff) >= TB;
    if ((site->place >> 12 & 3) == 1 && log->has_base[timer])
        hc_encode_based(&log->codec, e->read.site, e->read.value, log->next_base[timer]);
    else
        hc_encode_read(&log->codec, e->read.site, e->read.value);
    if ((site->place >> 12 & 3) == 1)
        log->has_base[timer] = false;
}

static bool is_in_loop(const struct ideal_log *log, const struct hc_arrival *arrival)
{
    struct hc_symbol function;
    return arrival->count > 4 && hc_image_function_at(log->from->image, arrival->pc, &function) &&
           strcmp(function.name, "main") == 0;
}

static void encode(struct ideal_log *log, size_t i)
{
    const struct hc_event *e = &log->ring[i];
    if (e->kind == HC_EVENT_READ) {
        encode_read(log, e);
        return;
    }
    if (e->kind == HC_EVENT_MEMORY) {
        hc_encode_memory(&log->codec, e->memory.address, e->memory.size, e->memory.bytes);
        return;
    }
    struct hc_arrival arrival = { .vector = e->interrupt.vector,
                                  .flags = e->interrupt.asleep   ? HC_ARRIVAL_ASLEEP
                                           : e->interrupt.hashed ? HC_ARRIVAL_HASHED
                                                                 : 0,
                                  .pc = e->interrupt.pc,
                                  .count = (uint16_t)e->interrupt.count,
                                  .hash = e->interrupt.hash };
    if (is_in_loop(log, &arrival) && ++log->interrupts == log->early) {
        arrival.count -= 2; /* the loop and hc_update count */
        arrival.flags = 0;
        log->checks_before_early = log->checks;
    }
    hc_encode_interrupt(&log->codec, &arrival);
    if (!log->based[i])
        return;
    int timer = e->interrupt.vector == 13;
    log->has_base[timer] = true;
    log->next_base[timer] = log->base[i];
}

static void encode_all(struct ideal_log *log)
{
    for (size_t i = 0; i < log->waiting; i++)
        encode(log, i);
    log->waiting = 0;
}

/* ---- self-checks ---- */

struct words {
    uint32_t a, b;
};

static void add(struct words *w, uint32_t word)
{
    w->a = (w->a + word) & 0xffff;
    w->b = (w->b + w->a) & 0xffff;
}

/* Window NUMBER of all, counted from the beginning of the segment. */
static void find_window(const struct ideal_log *log, size_t number, uint32_t *start, uint32_t *end)
{
    static const int order[] = { 0, 1, 3, 4, 5, 6 };
    const struct hc_border *b = &log->from->border;
    uint32_t sp = hc_register(log->from->machine, HC_SP);
    for (;;) {
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            for (uint32_t at = b->link.piece[order[i]].start; at < b->link.piece[order[i]].end; at += WINDOW)
                if (number-- == 0) {
                    *start = at;
                    *end = at + WINDOW < b->link.piece[order[i]].end ? at + WINDOW : b->link.piece[order[i]].end;
                    return;
                }
        if (number-- == 0)
            break;
    }
    bool inside = sp >= b->link.free.start && sp < b->link.free.end;
    *start = inside ? sp + 2 : 0;
    *end = !inside ? 0 : sp + 2 + WINDOW < b->link.free.end ? sp + 2 + WINDOW : b->link.free.end;
}

static void self_check(struct ideal_log *log)
{
    struct hc_machine *m = log->from->machine;
    struct words w = { 0, 0 };
    uint32_t start, end, sp = hc_register(m, HC_SP);
    add(&w, hc_position_count(&log->from->border, m) & 0xffff);
    add(&w, sp);
    for (int i = 4; i <= 10; i++)
        add(&w, hc_register(m, i));
    add(&w, hc_peek16(m, sp + 2));
    find_window(log, log->window, &start, &end);
    if (log->from->dma.active)
        end = start;
    for (uint32_t at = start; at < end; at += 2)
        add(&w, hc_peek16(m, at));
    uint16_t sum = (uint16_t)(w.a ^ (w.b >> 9 | w.b << 7));
    if (!hc_encode_self_check(&log->codec, (uint16_t)hc_position_count(&log->from->border, m), sum))
        return;
    log->window += !log->from->dma.active;
}

/* ---- checkpoints ---- */

struct records {
    struct ideal_log *log;
    uint8_t page[HC_PAGE_PAYLOAD];
    size_t used;
};

/* Records go on from page to page. */
static void put_bytes(struct records *r, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        r->page[r->used++] = bytes[i];
        if (r->used < sizeof r->page)
            continue;
        ideal_log_page(r->log, HC_STREAM_CHECKPOINT, r->page, r->used);
        r->used = 0;
    }
}

static void put_record(struct records *r, uint32_t address, const uint8_t *bytes, size_t size)
{
    uint8_t head[4];
    put16(head, address);
    put16(head + 2, (unsigned)size);
    put_bytes(r, head, sizeof head);
    put_bytes(r, bytes, size);
}

static void put_memory(struct records *r, uint32_t start, uint32_t end, uint8_t noise)
{
    uint8_t bytes[RECORD];
    for (uint32_t at = start; at < end; at += RECORD) {
        size_t n = end - at < RECORD ? end - at : RECORD;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(hc_peek(r->log->from->machine, at + (uint32_t)i) ^ noise);
        put_record(r, at, bytes, n);
    }
}

static void put_registers(struct records *r)
{
    struct hc_machine *m = r->log->from->machine;
    const struct hc_memory_range *piece = &r->log->from->border.link.piece[2];
    uint8_t bytes[30] = { 0 };
    for (int i = 0; i < 12; i++)
        put16(bytes + (ptrdiff_t)2 * i, hc_register(m, 4 + i));
    put16(bytes + 28, hc_register(m, HC_SP));
    assert_int_equal(piece->end - piece->start, sizeof bytes);
    put_record(r, piece->start, bytes, sizeof bytes);
}

/* Of the DMA channels. The size that the first one has counted down to is anything. */
static void put_peripherals(struct records *r)
{
    uint8_t bytes[24] = { 0 };
    const struct ideal *from = r->log->from;
    put16(bytes, 0x0c80 | (from->dma.active ? 0x10 : 0));
    put16(bytes + 4, from->dma.address);
    put16(bytes + 6, from->dma.active ? 1 : from->dma.size);
    put_record(r, 1, bytes, sizeof bytes);
}

static void put_begin(const struct ideal_log *log, uint8_t *begin)
{
    begin[0] = 5; /* the version */
    begin[1] = 0;
    memcpy(begin + 2, log->from->border.link.build, 8);
}

/* A first copy that is wrong, as the program has changed it since; then what is right. */
static void checkpoint(struct ideal_log *log)
{
    const struct hc_border *b = &log->from->border;
    struct hc_machine *m = log->from->machine;
    struct records r = { .log = log };
    uint8_t begin[12];
    ideal_log_flush(log);
    log->segment++;
    put_record(&r, 0, NULL, 0);
    put_memory(&r, b->link.piece[0].start, b->link.piece[0].end, 0x55);
    put_memory(&r, b->link.piece[0].start, b->link.piece[0].end, 0);
    put_memory(&r, hc_register(m, HC_SP) & ~1u, b->link.free.end, 0);
    put_peripherals(&r);
    put_registers(&r);
    if (r.used)
        ideal_log_page(log, HC_STREAM_CHECKPOINT, r.page, r.used);
    put_begin(log, begin);
    put16(begin + 10, hc_position_count(b, m));
    ideal_log_page(log, HC_STREAM_COMMIT, begin, sizeof begin);
    hc_codec_start(&log->codec);
    log->has_base[0] = log->has_base[1] = false;
    log->window = 0;
}

static void on_update(void *owner)
{
    struct ideal_log *log = owner;
    log->updates++;
    encode_all(log);
    if (log->unchecked_updates++ >= log->patience)
        self_check(log);
    if (log->wants_checkpoint)
        checkpoint(log);
    log->wants_checkpoint = false;
}

/* ---- lives ---- */

static void boot(struct ideal_log *log, uint16_t cause, bool found)
{
    uint8_t begin[14];
    struct records r = { .log = log };
    put_record(&r, 0, NULL, 0);
    put_peripherals(&r);
    ideal_log_page(log, HC_STREAM_CHECKPOINT, r.page, r.used);
    put_begin(log, begin);
    put16(begin + 10, cause);
    put16(begin + 12, found);
    ideal_log_page(log, HC_STREAM_BOOT, begin, sizeof begin);
    hc_codec_start(&log->codec);
    log->waiting = 0;
    log->has_base[0] = log->has_base[1] = false;
    log->window = 0;
    log->unchecked_updates = 0;
    log->spare = false;
}

void ideal_log_start(struct ideal_log *log, struct ideal *from)
{
    memset(log, 0, sizeof *log);
    log->from = from;
    const struct hc_border *b = &from->border;
    assert_true(b->sites_end - b->sites <= sizeof log->sites);
    for (uint32_t i = 0; b->sites + 4 * i < b->sites_end; i++)
        log->sites[i] = (struct hc_site){ hc_peek16(from->machine, b->sites + 4 * i),
                                          hc_peek16(from->machine, b->sites + 4 * i + 2) };
    hc_codec_open(&log->codec, log->sites, page_full);
    from->on_event = on_event;
    from->on_update = on_update;
    from->owner = log;
    boot(log, 2, false);
}

void ideal_log_stop(struct ideal_log *log)
{
    free(log->image);
}

/* Entries as runtime/ring.h says. */
static size_t put_ring(const struct ideal_log *log, uint8_t *to)
{
    size_t at = 0;
    const uint32_t sites = log->from->border.sites;
    for (size_t i = 0; i < log->waiting; i++) {
        const struct hc_event *e = &log->ring[i];
        if (e->kind == HC_EVENT_READ) {
            put16(to + at, sites + 4u * e->read.site);
            put16(to + at + 2, e->read.value);
            at += 4;
            continue;
        }
        if (e->kind == HC_EVENT_MEMORY) {
            put16(to + at, 0x0800 + 2u * e->memory.size);
            put16(to + at + 2, e->memory.address);
            memcpy(to + at + 4, e->memory.bytes, e->memory.size);
            at += 4u + e->memory.size;
            continue;
        }
        unsigned timer = !log->based[i] ? 0 : e->interrupt.vector == 13 ? 0x200 : 0x100;
        put16(to + at, timer | e->interrupt.vector * 2u | (e->interrupt.asleep ? 0x80 : e->interrupt.hashed ? 1 : 0));
        at += 2;
        if (log->based[i]) {
            put16(to + at, log->base[i]);
            at += 2;
        }
        if (!e->interrupt.asleep) {
            put16(to + at, e->interrupt.pc);
            put16(to + at + 2, e->interrupt.count);
            put16(to + at + 4, e->interrupt.hash);
            put16(to + at + 6, e->interrupt.hash >> 16);
            at += e->interrupt.hashed ? 8 : 4;
        }
    }
    return at;
}

static void write_rescue(struct ideal_log *log, size_t at_work)
{
    uint8_t bytes[4096];
    const struct hc_mixed *x = &log->codec.mixed;
    const uint16_t taken = x->taken, check = x->model.check, bits = x->coder.bits;
    log->holds = true; /* a page that gets full is not written any more */
    for (size_t i = 0; i < at_work; i++)
        encode(log, i);
    size_t next = x->coder.next, ring = put_ring(log, bytes + 16 + next + next % 2);
    if (log->spare)
        ideal_log_page(log, HC_STREAM_MIXED, log->spare_page, log->spare_length);
    const uint16_t head[] = { taken,
                              check,
                              bits,
                              x->coder.bits_at,
                              (uint16_t)next,
                              (uint16_t)hc_position_count(&log->from->border, log->from->machine),
                              0,
                              (uint16_t)ring };
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        put16(bytes + 2 * i, head[i]);
    memcpy(bytes + 16, x->page, next);
    if (next % 2)
        bytes[16 + next] = 0xee;
    for (size_t at = 0, all = 16 + next + next % 2 + ring; at < all; at += HC_PAGE_PAYLOAD)
        ideal_log_page(log, HC_STREAM_RESCUE, bytes + at, all - at < HC_PAGE_PAYLOAD ? all - at : HC_PAGE_PAYLOAD);
}

void ideal_log_reset(struct ideal_log *log, uint16_t cause, bool rescue, size_t at_work)
{
    bool holds = log->holds;
    if (rescue)
        write_rescue(log, at_work < log->waiting ? at_work : log->waiting);
    log->holds = holds;
    log->boot++;
    log->segment++;
    log->sequence++;
    ideal_reset(log->from);
    boot(log, cause, rescue);
}

void ideal_log_save(const struct ideal_log *log, const char *path)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(log->image, 1, log->size, out), log->size);
    assert_int_equal(fclose(out), 0);
}
