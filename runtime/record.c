/* From the ring to the codec, and what hc_update does in which order. */
#include "record.h"

#include "critical.h"
#include "link.h"
#include "ram.h"
#include "ring.h"
#include "sink.h"

#if HC_DMA && HC_CODEC_SETS
#error "what DMA writes is recorded by codec set hindcast only: with several streams nothing says when it came"
#endif

#define ram __hc_ram
#define self __hc_ram.recorder

extern const struct hc_site __start_hc_sites[] __attribute__((weak));

/* ---- the ring ---- */

#if HC_CODEC_IN_ASSEMBLY

/* port/msp430/encode.S */
void __hc_take(uint16_t end);
#define take(end) __hc_take(end)

_Static_assert(offsetof(struct hc_ram, recorder.site) == HC_RAM_SITE &&
                   offsetof(struct hc_ram, recorder.tail) == HC_RAM_TAIL &&
                   offsetof(struct hc_ram, recorder.flags) == HC_RAM_FLAGS && HC_LOG_SPARE == HC_RAM_FLAG_SPARE &&
                   offsetof(struct hc_codec, mixed) == 0 && sizeof(struct hc_coder) == 8 &&
                   offsetof(struct hc_mixed, model) == 264 && HC_MIXED_FULL == 241 && HC_CHANCES == 19,
               "offsets in encode.S");
#define MODEL_IS(member, offset) (offsetof(struct hc_model, member) == (offset))
_Static_assert(MODEL_IS(vector, 1) && MODEL_IS(check, 2) && MODEL_IS(sudden, 4) && MODEL_IS(number, 8) &&
                   MODEL_IS(large, 176) && MODEL_IS(laps, 187) && MODEL_IS(hashed, 188) && MODEL_IS(first, 189) &&
                   MODEL_IS(state, 190) && MODEL_IS(successor, 222) && MODEL_IS(place, 230) && MODEL_IS(moved, 246) &&
                   MODEL_IS(sample, 250) && MODEL_IS(position, 252) && MODEL_IS(guess, 253) &&
                   MODEL_IS(surprised, 381) && sizeof(struct hc_model) == 390,
               "offsets in encode.S");

#else

static const uint16_t *unit(uint16_t offset)
{
    return (const uint16_t *)(const void *)(ram.ring + offset);
}

static uint16_t after(uint16_t offset)
{
    return (offset + 4) & (HC_RING - 1);
}

static void predict(uint16_t timer, uint16_t base)
{
    self.codec.timer[HC_TIMER_SLOT(timer)] = base;
}

static void encode_read(uint16_t site, uint16_t value)
{
    hc_encode_read(&self.codec, (uint16_t)(HC_SITE_AT(site) - __start_hc_sites), value);
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
    from = after(from);
    if (tag & HC_RING_BASED) {
        predict(HC_TIMER_OF_VECTOR(arrival.vector), base);
    } else if (base) {
        --*(uint16_t *)(uintptr_t)(u + 1); /* one of many: the others stay */
        from = begin;
    }
    hc_encode_interrupt(&self.codec, &arrival);
    return from;
}

static void encode_run(const uint16_t *u)
{
    uint8_t n = (u[0] >> 1) & 3;
    uint16_t value = (uint8_t)(u[0] >> 4), rest = u[1];
    do {
        encode_read(self.site, value);
        value = (uint8_t)rest;
        rest >>= 8;
    } while (--n);
}

static uint16_t encode(uint16_t from)
{
    const uint16_t *u = unit(from);
    uint16_t tag = u[0];
    if (tag >= HC_RING_TAGS) {
        self.site = tag & 0xfffe;
        encode_read(self.site, u[1]);
        if (tag & 1)
            encode_read(self.site + sizeof(struct hc_site), 0);
    } else if (tag & HC_RING_RUN) {
        encode_run(u);
    } else if (tag >= HC_RING_BASE) {
        predict(tag - HC_RING_BASE, u[1]);
    } else {
        return encode_interrupt(from);
    }
    return after(from);
}

/* Up to offset END, or until a page is full. */
static void take(uint16_t end)
{
    while (self.tail != end && !(self.flags & HC_LOG_SPARE)) {
        uint16_t from = self.tail;
        ram.run_unit = ram.run_end = HC_RUN_NONE; /* a handler must not add to what is being taken */
        self.tail = encode(from);
        hc_atomic_add(&ram.room, (self.tail - from) & (HC_RING - 1));
    }
}

#endif

/* Writes the spare page, if there is one: a segment's events come after its beginning. */
static void flush(void)
{
    while (self.flags & HC_LOG_SPARE && self.flags & HC_LOG_WAITING)
        hc_checkpoint_write();
    hc_log_flush();
}

void hc_record_finish(uint16_t end)
{
    ram.limit = HC_RING; /* whoever began this: everything is taken now */
    while (self.tail != end) {
        take(end);
        flush();
    }
    hc_codec_finish(&self.codec);
    flush();
}

void hc_record_begin(void)
{
    self.segment = ram.segment;
    hc_codec_start(&self.codec);
}

/* ---- pages ---- */

/* The codec reuses PAGE, and its stack is deep enough as it is: the page is written by whoever called the codec, before
 * it does so again. */
static void keep_page(uint8_t stream, const uint8_t *page, uint8_t length)
{
    uint8_t *to = self.spare;
    if (self.flags & HC_LOG_SPARE) {
        ram.room = (int16_t)HC_ROOM_LOST;
        ram.run_unit = ram.run_end = HC_RUN_NONE;
        ram.lost++;
        return;
    }
    self.flags |= HC_LOG_SPARE;
    self.spare_stream = stream;
    self.spare_length = length;
    for (page += HC_PAGE_HEADER; length; length--)
        *to++ = *page++;
}

#if HC_CODEC_IN_ASSEMBLY
void __hc_page_full(uint8_t length);

void __hc_page_full(uint8_t length)
{
    keep_page(HC_STREAM_MIXED, self.codec.mixed.page, length);
}
#else
static void page_full(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    (void)codec;
#if HC_CODEC_SETS
    self.flags |= HC_LOG_UNEVEN;
    if (hc_log_reach(true)) /* more than one may come at a time */
        flush();
#endif
    keep_page(stream, page, length);
}
#endif

/* ---- reset ---- */

void __hc_record_reset(void)
{
    ram.count = ram.laps = ram.head = ram.lost = ram.state = 0;
    ram.room = HC_RING - 4;
    ram.work = HC_WORK_SINK;
    ram.run_unit = ram.run_end = HC_RUN_NONE;
    ram.segment = HC_SEGMENT_NONE;
    self.tail = 0;
    self.spare_stream = HC_STREAM_BOOT;
    self.spare_length = hc_checkpoint_boot();
    self.flags = HC_LOG_SPARE;
    if (!self.spare_length) {
        self.flags = 0;
        ram.work = HC_WORK_SINK | HC_WORK_CHECKPOINT;
        ram.room = (int16_t)HC_ROOM_LOST;
        ram.lost = 1;
    }
#if !HC_CODEC_IN_ASSEMBLY
    hc_codec_open(&self.codec, __start_hc_sites, page_full);
#endif
    hc_record_begin();
    self.segment = 0;
}

/* ---- update ---- */

static void freeze(void)
{
    hc_record_finish(ram.head);
    if (!(self.flags & HC_LOG_FROZEN))
        hc_log_write(HC_STREAM_MARK, self.segment, (const uint8_t *)&ram.reason, sizeof ram.reason);
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
    flush();
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
    if (self.flags & HC_LOG_WAITING) {
        hc_checkpoint_write();
    } else if (hc_log_ready()) {
        hc_log_erase_ahead();
        if (work & HC_WORK_CHECKPOINT && hc_sink_ready()) {
            hc_atomic_clear(&ram.work, HC_WORK_CHECKPOINT);
            hc_checkpoint_take();
        }
    }
}

/* Courtesy ends when events would be lost, have been lost, or a sector would be of no use without a checkpoint. */
static bool is_urgent(void)
{
#ifdef HC_CODEC_IN_ASSEMBLY
    bool waits = self.codec.mixed.coder.next >= &self.codec.mixed.page[HC_PAGE_SIZE / 2];
#else
    bool waits = ram.room < HC_RING - HC_BATCH;
#endif
    return (waits && self.flags & HC_LOG_SPARE) || ram.lost || ram.work & HC_WORK_SINK || self.flags & HC_LOG_WAITING ||
           (ram.work & HC_WORK_CHECKPOINT && self.place & HC_LOG_SECTOR / 256 / 8);
}

static bool is_ready(void)
{
    return hc_log_reach(is_urgent()) && hc_log_ready();
}

/* True when the spare page is free, after it was written if need be. */
static bool write_spare(void)
{
    if (self.flags & HC_LOG_SPARE && is_ready())
        flush();
    return !(self.flags & HC_LOG_SPARE);
}

void __hc_record_update(void)
{
    bool rests = true;
    if (self.flags & HC_LOG_FULL) {
        idle();
        return;
    }
    do
        take(ram.head);
    while (write_spare() && ram.room < HC_RESERVE && self.tail != ram.head);
    if (ram.lost)
        hc_atomic_set(&ram.work, HC_WORK_CHECKPOINT);
    if ((ram.work || self.flags & (HC_LOG_SINK | HC_LOG_WAITING)) && write_spare() && is_ready())
        keep_house();
    if (self.flags & HC_LOG_SINK) {
        self.flags &= (uint16_t)~HC_LOG_SINK;
        rests = hc_sink_close();
    }
    if (rests && !(self.flags & HC_LOG_WAITING))
        hc_atomic_clear(&ram.work, HC_WORK_SINK);
    else
        hc_atomic_set(&ram.work, HC_WORK_SINK);
}
