/* From the ring to the codec. Where all is of codec set hindcast, port/.../encode.S does the same. */
#include "record.h"

#include "checkpoint.h"
#include "critical.h"
#include "pieces.h"
#include "ram.h"
#include "ring.h"
#include "shelf.h"

#if HC_CODEC_IN_ASSEMBLY

_Static_assert(offsetof(struct hc_ram, recorder.tail) == HC_RAM_TAIL &&
                   offsetof(struct hc_ram, recorder.flags) == HC_RAM_FLAGS && offsetof(struct hc_codec, mixed) == 0 &&
                   sizeof(struct hc_coder) == 8 && offsetof(struct hc_mixed, model) == 8 &&
                   offsetof(struct hc_mixed, page) == 314 &&
                   offsetof(struct hc_mixed, taken) == 314 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, first) == 316 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, index) == 318 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, sum) == 320 + HC_PAGE_PAYLOAD &&
                   HC_MIXED_FULL == HC_PAGE_PAYLOAD - HC_MIXED_TRAILER,
               "offsets in encode.S");
#define MODEL_IS(member, offset) (offsetof(struct hc_model, member) == (offset))
_Static_assert(MODEL_IS(recent, 2) && MODEL_IS(timer, 4) && MODEL_IS(state, 132) && MODEL_IS(wake, 196) &&
                   MODEL_IS(place, 204) && MODEL_IS(sudden, 220) && MODEL_IS(count, 224) && MODEL_IS(sample, 228) &&
                   MODEL_IS(byte, 232) && MODEL_IS(byte_level, 296) && MODEL_IS(at, 304),
               "offsets in encode.S");

#else

#if HC_DMA && HC_CODEC_SETS
#error "what DMA writes is recorded by codec set hindcast only: with several streams nothing says when it came"
#endif

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    EVENT_MAX = 80,      /* bytes of code that an entry of the ring may make */
    INTERRUPT_UNITS = 2, /* what an entry costs: a read 1, as each byte more, and 16 reads more of a value */
};

/* All of these take an entry whose first word was TAG, go on at FROM and return where it ends. */

/* Whether positions there need a hash. */
static bool is_hashed(uint16_t pc)
{
    return __hc_link.hashed[pc >> 11] >> (pc >> 8 & 7) & 1;
}

static uint16_t encode_interrupt(uint16_t tag, uint16_t from)
{
    struct hc_arrival arrival = { .vector = (uint8_t)((tag & HC_RING_VECTOR) >> 1), .flags = HC_ARRIVAL_ASLEEP };

    if (tag & HC_RING_TIMER)
        self.codec.timer[HC_TIMER_SLOT((HC_TIMER_ADDRESS((tag & HC_RING_TIMER) >> 8)))] = hc_ring_word(&from);
    if (!(tag & HC_RING_ASLEEP)) {
        arrival.pc = hc_ring_word(&from);
        arrival.flags = tag & HC_RING_HASHED && is_hashed(arrival.pc) ? HC_ARRIVAL_HASHED : 0;
        arrival.count = hc_ring_word(&from);
#if !HC_ORDERED
        arrival.laps = hc_ring_word(&from);
#endif
        if (tag & HC_RING_HASHED) {
            arrival.hash = hc_ring_word(&from);
            arrival.hash |= (uint32_t)hc_ring_word(&from) << 16;
        }
    }
    hc_encode_interrupt(&self.codec, &arrival);
    return from;
}

static uint16_t encode_read(uint16_t descriptor, uint16_t from)
{
    uint16_t number = HC_SITE_NUMBER(descriptor), value = hc_ring_word(&from);
    const struct hc_site *site = &HC_SITES[number];
    bool data = HC_SITE_CLASS(site) >= HC_SITE_DATA;

    if (HC_SITE_WORD(site)) {
        hc_encode_read(&self.codec, number, value);
        return from;
    }
    hc_encode_read(&self.codec, number, (uint8_t)value);
    for (uint8_t more = (uint8_t)(value >> 8); more; more--)
        hc_encode_read(&self.codec, number, data ? hc_ring_byte(&from) : (uint8_t)value);
    return from;
}

#if HC_DMA
static uint16_t encode_memory(uint16_t tag, uint16_t from)
{
    uint8_t bytes[HC_DMA_PIECE];
    uint8_t size = (uint8_t)((tag & HC_RING_VECTOR) >> 1);
    uint16_t address = hc_ring_word(&from);

    for (uint8_t i = 0; i < size && i < sizeof bytes; i++)
        bytes[i] = hc_ring_byte(&from);
    hc_encode_memory(&self.codec, address, size, bytes);
    return from;
}
#endif

static uint16_t encode(uint16_t from)
{
    uint16_t tag = hc_ring_word(&from);

    if (tag >= HC_RING_TAGS)
        return encode_read(tag, from);
#if HC_DMA
    if (tag >= HC_RING_MEMORY)
        return encode_memory(tag, from);
#endif
    return encode_interrupt(tag, from);
}

/* ---- taking ---- */

#if HC_CODEC_SETS == 0
/* The next entry might fill this page while the one before it waits, and cannot wait elsewhere. */
static bool is_blocked(void)
{
    return self.flags & HC_RAM_FLAG_SPARE && self.codec.mixed.coder.next >= HC_MIXED_FULL - EVENT_MAX &&
           !(HC_HAS_SHELF && hc_shelf_put());
}

/* All that was taken up to AT is the ring's no more. A reset that comes meanwhile finds what was before. */
static void put_away(uint16_t at)
{
    HC_KEPT.tail_before = self.tail;
    HC_KEPT.taken_before = self.taken;
    HC_KEPT.check_before = HC_KEPT.check;
    HC_KEPT.bits_before = HC_KEPT.bits;
    hc_barrier();
    HC_KEPT.changes = 1;
    hc_barrier();
    self.tail = at;
    self.taken = self.codec.mixed.taken;
    HC_KEPT.check = self.codec.mixed.model.check;
    HC_KEPT.bits = self.codec.mixed.coder.bits;
    hc_barrier();
    HC_KEPT.changes = 0;
}

void __hc_keep(void)
{
    put_away(self.tail);
}
#else
static bool is_blocked(void)
{
    return self.flags & HC_RAM_FLAG_SPARE;
}

static void put_away(uint16_t at)
{
    self.tail = at;
}

void __hc_keep(void)
{
}
#endif

/* With so much room for what may come, the program goes first if it has something to do: what comes behind HEAD is an
 * interrupt's. */
static bool has_time(uint16_t head)
{
    if (ram.room < HC_RESERVE + 16)
        return true;
    return !(ram.limit & 1) && ram.head == head;
}

static uint8_t units_of_read(const struct hc_site *site, uint16_t value)
{
    if (HC_SITE_WORD(site))
        return 1;
    return (uint8_t)(1 + (HC_SITE_CLASS(site) >= HC_SITE_DATA ? value >> 8 : value >> 12));
}

/* What the entry at AT costs. */
static uint8_t units_of(uint16_t at)
{
    uint16_t tag = hc_ring_word(&at), value = hc_ring_word(&at);

    if (tag >= HC_RING_TAGS)
        return units_of_read(&HC_SITES[HC_SITE_NUMBER(tag)], value);
#if HC_DMA
    if (tag >= HC_RING_MEMORY)
        return (uint8_t)(1 + ((tag & HC_RING_VECTOR) >> 1));
#endif
    return INTERRUPT_UNITS;
}

void __hc_take(int16_t units)
{
    uint16_t at = self.tail, head = ram.head;
    uint16_t size;

    while (units > 0 && at != ram.head && at != self.boundary && has_time(head) && !is_blocked()) {
        units -= units_of(at);
        ram.newest = HC_ADDRESS(&ram.newest); /* a handler must not add to what is being taken */
        at = hc_ring_next(encode(at));
    }
    size = hc_ring_size(self.tail, at);
    put_away(at);
    hc_atomic_add(&ram.room, size);
}

/* ---- pages ---- */

uint16_t __hc_coded_segment(void)
{
    return self.boundary ? self.present - 1 : self.present;
}

/* A segment with a page of events before the next one began was worth its beginning. */
static void judge_beginning(void)
{
    if (__hc_coded_segment() == self.present)
        self.tries = 0;
    else if (self.tries >= 2 * HC_CHECKPOINT_PATIENCE)
        self.tries = HC_CHECKPOINT_PATIENCE;
}

static void keep_page(uint8_t stream, const uint8_t *page, uint8_t length)
{
    judge_beginning();
    self.spare_stream = stream;
    self.spare_length = length;
    self.spare_segment = __hc_coded_segment();
    for (uint8_t i = 0; i < HC_PAGE_PAYLOAD; i++)
        self.spare[i] = page[i];
    hc_barrier(); /* a reset finds it there, or not yet */
    self.flags |= HC_RAM_FLAG_SPARE;
}

#if HC_CODEC_SETS == 0
/* There is no place for a page. What comes behind it is of a segment that has no beginning, also if that is not the
 * newest. */
static void drop_page(void)
{
    self.present += self.boundary ? 2 : 1;
    __hc_record_lose();
}

void __hc_page_complete(uint8_t stream, const uint8_t *page, uint8_t length)
{
    self.age = 0;
    if (self.flags & HC_RAM_FLAG_SPARE) {
        drop_page();
    } else {
        keep_page(stream, page, length);
        hc_atomic_set(&ram.work, HC_WORK_MORE); /* while it waits, updates take less */
    }
}
#else
/* Several may come of one event. The sink is open. */
void __hc_page_complete(uint8_t stream, const uint8_t *page, uint8_t length)
{
    self.flags |= HC_RAM_FLAG_UNEVEN;
    if (self.flags & HC_RAM_FLAG_SPARE) {
        while (self.made)
            __hc_record_waiting(); /* a segment's events come after its beginning */
        hc_log_flush();
    }
    keep_page(stream, page, length);
}

void __hc_record_even_out(void)
{
#if defined HC_CODEC_HAS_MIXED
    if (!(self.flags & HC_RAM_FLAG_UNEVEN))
        return;
    hc_codec_finish(&self.codec);
    hc_log_flush();
    self.flags &= (uint16_t)~HC_RAM_FLAG_UNEVEN;
#endif
}
#endif

#endif
