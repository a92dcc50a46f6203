/* From the ring to the codec, where not all is of set hindcast, which port/.../encode.S does. */
#include "record.h"

#include "critical.h"
#include "link.h"
#include "ram.h"
#include "ring.h"

#if HC_DMA && HC_CODEC_SETS
#error "what DMA writes is recorded by codec set hindcast only: with several streams nothing says when it came"
#endif

#define ram __hc_ram
#define self __hc_ram.recorder

extern const struct hc_site __start_hc_sites[] __attribute__((weak));

/* ---- the ring ---- */

#if HC_CODEC_IN_ASSEMBLY

_Static_assert(offsetof(struct hc_ram, recorder.tail) == HC_RAM_TAIL &&
                   offsetof(struct hc_ram, recorder.flags) == HC_RAM_FLAGS && offsetof(struct hc_codec, mixed) == 0 &&
                   sizeof(struct hc_coder) == 8 && offsetof(struct hc_mixed, model) == 8 &&
                   offsetof(struct hc_mixed, page) == 314 &&
                   offsetof(struct hc_mixed, taken) == 314 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, first) == 316 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, index) == 318 + HC_PAGE_PAYLOAD &&
                   offsetof(struct hc_mixed, sum) == 320 + HC_PAGE_PAYLOAD && HC_MIXED_FULL == HC_PAGE_PAYLOAD - HC_MIXED_TRAILER,
               "offsets in encode.S");
#define MODEL_IS(member, offset) (offsetof(struct hc_model, member) == (offset))
_Static_assert(MODEL_IS(recent, 2) && MODEL_IS(timer, 4) && MODEL_IS(state, 132) && MODEL_IS(wake, 196) &&
                   MODEL_IS(place, 204) && MODEL_IS(sudden, 220) && MODEL_IS(count, 224) && MODEL_IS(sample, 228) &&
                   MODEL_IS(byte, 232) && MODEL_IS(byte_level, 296) && MODEL_IS(at, 304),
               "offsets in encode.S");

#else

/* The word at *AT, which goes on behind it. */
static uint16_t next(uint16_t *at)
{
    uint16_t word = HC_MEMORY16(*at);
    *at += 2;
    return word;
}

/* All of these take an entry whose first word was TAG, go on at FROM and return where it ends. */

/* Volatile: its zeros are not what the node will find there. */
extern const volatile struct hc_link __hc_link;

/* Whether positions there need a hash. */
static bool is_hashed(uint16_t pc)
{
    return __hc_link.hashed[pc >> 11] >> (pc >> 8 & 7) & 1;
}

static uint16_t encode_interrupt(uint16_t tag, uint16_t from)
{
    struct hc_arrival arrival = { .vector = (uint8_t)((tag & HC_RING_VECTOR) >> 1), .flags = HC_ARRIVAL_ASLEEP };
    if (!(tag & HC_RING_ASLEEP)) {
        arrival.pc = next(&from);
        arrival.flags = tag & HC_RING_HASHED && is_hashed(arrival.pc) ? HC_ARRIVAL_HASHED : 0;
        arrival.count = next(&from);
#if !HC_ORDERED
        arrival.laps = next(&from);
#endif
        if (tag & HC_RING_HASHED) {
            arrival.hash = next(&from);
            arrival.hash |= (uint32_t)next(&from) << 16;
        }
    }
    hc_encode_interrupt(&self.codec, &arrival);
    if (tag & HC_RING_TIMER)
        self.codec.timer[HC_TIMER_SLOT(HC_TIMER_ADDRESS((tag & HC_RING_TIMER) >> 8))] = next(&from);
    return from;
}

static uint16_t encode_read(uint16_t tag, uint16_t from)
{
    const struct hc_site *site = HC_SITE_AT(tag);
    uint16_t number = (uint16_t)(site - __start_hc_sites), value = next(&from);
    uint8_t more = HC_SITE_WORD(site) ? 0 : (uint8_t)(value >> 8);
    hc_encode_read(&self.codec, number, HC_SITE_WORD(site) ? value : (uint8_t)value);
    for (; more; more--)
        hc_encode_read(&self.codec, number, HC_MEMORY8(from++));
    return (from + 1) & 0xfffe;
}

void __hc_take(void)
{
    while (self.tail != ram.head && !(self.flags & HC_RAM_FLAG_SPARE)) {
        uint16_t from = self.tail;
        ram.newest = HC_ADDRESS(&ram.newest); /* a handler must not add to what is being taken */
        uint16_t tag = next(&from);
        from = tag >= HC_RING_TAGS ? encode_read(tag, from) : encode_interrupt(tag, from);
        uint16_t size = from - self.tail;
        if (from >= HC_ADDRESS(ram.ring) + HC_RING)
            from -= HC_RING;
        self.tail = from;
        hc_atomic_add(&ram.room, size);
    }
}

/* ---- pages ---- */

/* Several may come of one event. The sink is open. */
static void page_full(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    (void)codec;
    self.flags |= HC_RAM_FLAG_UNEVEN;
    if (self.flags & HC_RAM_FLAG_SPARE) {
        hc_log_flush();
    }
    self.flags |= HC_RAM_FLAG_SPARE;
    self.spare_stream = stream;
    self.spare_segment = self.present - (self.boundary != 0);
    self.spare_length = length;
    for (uint8_t i = 0; i < length; i++)
        self.spare[i] = page[i];
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

void __hc_record_open(void)
{
    hc_codec_open(&self.codec, __start_hc_sites, page_full);
    hc_codec_start(&self.codec);
}

#endif
