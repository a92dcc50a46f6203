/* From the ring to the codec, and what hc_update does in which order. */
#include "record.h"

#include "critical.h"
#include "link.h"
#include "ram.h"
#include "ring.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

extern const struct hc_site __start_hc_sites[] __attribute__((weak));

/* ---- the ring ---- */

static const uint16_t *unit(uint16_t offset)
{
    return (const uint16_t *)(const void *)(ram.ring + offset);
}

static uint16_t after(uint16_t offset)
{
    return (offset + 4) & (HC_RING - 1);
}

static void predict(uint8_t timer, uint16_t base)
{
    self.base[timer] = base;
    self.based |= (uint8_t)(1 << timer);
}

static void encode_read(const struct hc_site *site, uint16_t value)
{
    uint16_t number = (uint16_t)(site - __start_hc_sites);
    if (HC_SITE_CLASS(site) == HC_SITE_TIMER) {
        uint8_t timer = HC_TIMER_INDEX(HC_SITE_ADDRESS(site));
        uint8_t bit = (uint8_t)(1 << timer);
        if (self.based & bit) {
            self.based &= (uint8_t)~bit;
            hc_encode_based(&self.codec, number, value, self.base[timer]);
            return;
        }
    }
    hc_encode_read(&self.codec, number, value);
}

/* All of these take the event at offset FROM and return where it ends. */

static uint16_t encode_interrupt(uint16_t from)
{
    const uint16_t *u = unit(from);
    uint16_t tag = u[0], base = u[1];
    struct hc_arrival arrival = { .vector = (uint8_t)((tag & HC_RING_VECTOR) >> 1), .flags = HC_ARRIVAL_ASLEEP };
    uint16_t begin = from;
    if (!(tag & HC_RING_ASLEEP)) {
        arrival.flags = tag & HC_RING_HASHED ? HC_ARRIVAL_HASHED : 0;
        arrival.pc = base;
        from = after(from);
        u = unit(from);
        arrival.count = u[0];
        base = u[1];
        if (tag & HC_RING_LONG) {
            from = after(from);
            arrival.laps = unit(from)[0];
            arrival.hash = unit(from)[1];
        }
    }
    if (!(tag & HC_RING_BASED) && base) {
        --*(uint16_t *)(uintptr_t)(u + 1); /* one of many: the others stay */
        hc_encode_interrupt(&self.codec, &arrival);
        return begin;
    }
    from = after(from);
    if (tag & HC_RING_BASED)
        predict(HC_TIMER_OF_VECTOR(arrival.vector), base);
    hc_encode_interrupt(&self.codec, &arrival);
    return from;
}

static uint16_t encode_run(uint16_t from)
{
    const uint16_t *u = unit(from);
    uint8_t n = (u[0] >> 1) & 3;
    uint16_t value = (uint8_t)(u[0] >> 4), rest = u[1];
    do {
        encode_read(HC_SITE_AT(self.site), value);
        value = (uint8_t)rest;
        rest >>= 8;
    } while (--n);
    return after(from);
}

static uint16_t encode(uint16_t from)
{
    const uint16_t *u = unit(from);
#if HC_DMA
    if (u[0] < HC_RING_TAGS && (u[0] & (HC_RING_MEMORY | HC_RING_RUN)) == HC_RING_MEMORY)
        return hc_dma_encode(from);
#endif
    if (u[0] < HC_RING_TAGS)
        return u[0] & HC_RING_RUN ? encode_run(from) : encode_interrupt(from);
    self.site = u[0];
    const struct hc_site *site = HC_SITE_AT(u[0]);
    encode_read(site, u[1]);
    from = after(from);
    u = unit(from);
    if (from != ram.head && u[0] == HC_RING_BASE) {
        predict(HC_TIMER_OF_IV(HC_SITE_ADDRESS(site)), u[1]);
        from = after(from);
    }
    return from;
}

static void take(void)
{
    uint16_t from = self.tail;
    ram.run_unit = ram.run_end = HC_RUN_NONE; /* a handler must not add to what is being taken */
    self.tail = encode(from);
    hc_atomic_add(&ram.room, (self.tail - from) & (HC_RING - 1));
}

void hc_record_finish(uint16_t end)
{
    while (self.tail != end) {
        take();
        hc_log_flush();
    }
    hc_codec_finish(&self.codec);
    hc_log_flush();
}

void hc_record_begin(void)
{
    self.segment = ram.segment;
    self.based = 0;
    hc_codec_start(&self.codec);
}

/* ---- pages ---- */

/* The codec reuses PAGE, and its stack is deep enough as it is: the page is written by whoever called the codec, before
 * it does so again. Only of codec set paper more than one may come. */
static void page_full(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    (void)codec;
#if HC_CODEC_SETS
    self.flags |= HC_LOG_UNEVEN;
    if (hc_log_reach(true))
        hc_log_flush();
#endif
    if (self.flags & HC_LOG_SPARE) {
        ram.room = (int16_t)HC_ROOM_LOST;
        ram.lost++;
        return;
    }
    for (uint16_t i = HC_PAGE_HEADER; i < HC_PAGE_SIZE; i++)
        self.spare[i] = page[i];
    self.spare[1] = stream;
    self.spare[9] = length;
    self.flags |= HC_LOG_SPARE;
}

/* ---- reset ---- */

void __hc_record_reset(void)
{
    ram.count = ram.laps = ram.head = ram.lost = ram.state = 0;
    ram.room = HC_RING - 4;
    ram.work = HC_WORK_PAGE;
    ram.run_unit = ram.run_end = HC_RUN_NONE;
    ram.segment = HC_SEGMENT_NONE;
    self.tail = 0;
    self.sink.awake = 0;
    self.spare[1] = HC_STREAM_BOOT;
    self.spare[9] = hc_checkpoint_boot();
    self.flags = HC_LOG_SPARE;
    if (!self.spare[9]) {
        self.flags = HC_LOG_CHECKPOINT;
        ram.room = (int16_t)HC_ROOM_LOST;
        ram.lost = 1;
    }
    hc_codec_open(&self.codec, __start_hc_sites, page_full);
    hc_record_begin();
    self.segment = 0;
}

/* ---- update ---- */

static void freeze(void)
{
    hc_record_finish(ram.head);
    if (!(self.flags & HC_LOG_FROZEN))
        hc_log_mark(HC_MARK_FREEZE, ram.reason);
    hc_atomic_clear(&ram.work, HC_WORK_FREEZE);
}

/* Recording has ended: the program appends to a ring that nobody reads. */
static void idle(void)
{
    ram.room = INT16_MAX;
    ram.work = 0;
}

#if defined HC_CODEC_HAS_MIXED && defined HC_CODEC_HAS_PAPER
/* Replay gets as far as the codec set that ends first: when a page of one is in the log, all that the other holds back
 * follows. */
static void even_out(void)
{
    hc_codec_finish(&self.codec);
    hc_log_flush();
    self.flags &= (uint16_t)~HC_LOG_UNEVEN;
}
#endif

/* What needs the log when nothing waits for it any more. The sink is open and ready. */
static void keep_house(void)
{
    uint16_t work = ram.work;
    if (work & HC_WORK_FREEZE)
        freeze();
#if defined HC_CODEC_HAS_MIXED && defined HC_CODEC_HAS_PAPER
    if (self.flags & HC_LOG_UNEVEN)
        even_out();
#endif
    if ((self.flags & HC_LOG_CHECKPOINT || work & HC_WORK_CHECKPOINT) && hc_log_has_room(HC_CHUNKS + 6)) {
        hc_checkpoint_take();
        hc_atomic_clear(&ram.work, HC_WORK_CHECKPOINT);
    } else if (hc_sink_ready()) {
        hc_log_has_room(HC_LOG_SECTOR / 512); /* erases ahead */
    }
}

/* Courtesy ends when events would be lost, have been lost, or a sector would be of no use without a checkpoint. */
static bool is_urgent(void)
{
    if (self.flags & HC_LOG_SPARE && ram.room < HC_RING - HC_BATCH)
        return true;
    return ram.lost || (self.flags & HC_LOG_CHECKPOINT && self.place & HC_LOG_SECTOR / 256 / 8);
}

static bool is_ready(bool urgent)
{
    return hc_log_reach(urgent) && hc_log_ready();
}

/* True when the spare page is free, after it was written if need be. */
static bool write_spare(bool urgent)
{
    if (self.flags & HC_LOG_SPARE && is_ready(urgent))
        hc_log_flush();
    return !(self.flags & HC_LOG_SPARE);
}

void __hc_record_update(void)
{
    bool rests = true;
    if (self.flags & HC_LOG_FULL) {
        idle();
        return;
    }
    bool urgent = is_urgent();
    if (ram.work)
        write_spare(urgent);
    while (self.tail != ram.head && write_spare(urgent))
        take();
    if (ram.lost)
        self.flags |= HC_LOG_CHECKPOINT;
    if ((ram.work || self.flags & (HC_LOG_CHECKPOINT | HC_LOG_SINK | HC_LOG_SPARE)) && write_spare(urgent) &&
        is_ready(urgent))
        keep_house();
    if (self.flags & HC_LOG_SINK) {
        self.flags &= (uint16_t)~HC_LOG_SINK;
        rests = hc_sink_close();
    }
    if (rests && !(self.flags & (HC_LOG_SPARE | HC_LOG_CHECKPOINT)))
        hc_atomic_clear(&ram.work, HC_WORK_PAGE);
    else
        hc_atomic_set(&ram.work, HC_WORK_PAGE);
}
