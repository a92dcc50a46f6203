/* The log of a region at the desk: the same expectations as on the node (runtime/region/model.h), and the inputs that
 * follow from them and the log. Plain data but for the code: a copy of the struct and of `last` is a snapshot. */
#ifndef HC_REPLAY_REGION_REGION_FEED_H
#define HC_REPLAY_REGION_REGION_FEED_H

#include "../runtime/region/model.h"
#include "region_map.h"
#include "trace/log.h"

enum { HC_REGION_CACHE_MAX = 1024 };

enum hc_region_answer {
    HC_REGION_ANSWER, /* here it is */
    HC_REGION_ENTERS, /* somebody enters the region first */
    HC_REGION_OVER,   /* the log ends here: `text` */
    HC_REGION_DIFFERS /* log and program contradict each other: `text` */
};

/* What never changes while a boot is replayed. */
struct hc_region_log {
    uint8_t *code;
    size_t size;
    uint16_t boot;
    bool cut; /* pages are missing behind it */
};

/* Whether NEXT, the page behind PAGE in the log, goes on where that one ended; else nothing of this boot can be
 * understood from there on. Both are of stream HC_STREAM_REGION. */
bool hc_region_pages_join(const struct hc_log_page *page, const struct hc_log_page *next);

/* The code of boot number INDEX (counted from 0, in the log's order); *BOOTS: how many there are. False with a
 * sentence: none, of another build, another kind of log, memory. Free `code`. */
bool hc_region_log_read(struct hc_region_log *out, const struct hc_log *log, const struct hc_region_map *map,
                        size_t index, size_t *boots, char *text, size_t size);

struct hc_region_feed {
    size_t position; /* in the code: bits that were taken */
    uint32_t ticks;  /* before the record that is next */
    bool escape;     /* which may come anywhere: */
    uint8_t kind;    /* enum hc_region_escape */
    bool over;       /* there is none */
    bool full;       /* it came behind 65,535 ticks */
    uint16_t hash;
    uint8_t context; /* as on the node (runtime/region/record.h) */
    uint8_t visits, inner;
    uint64_t checks;
    struct hc_region_groups groups;
    uint8_t next[256];
    struct {
        uint32_t tag, unit;
    } line[HC_REGION_CACHE_MAX];
};

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log);

/* Bytes of the log that were taken. */
static inline size_t hc_region_feed_used(const struct hc_region_feed *f)
{
    return (f->position + 7) / 8;
}

/* The outside runs in a call: HC_REGION_ANSWER if it returns, HC_REGION_ENTERS if somebody enters before that. AGAIN:
 * it is asked once more, since an entry ended. */
enum hc_region_answer hc_region_feed_back(struct hc_region_feed *f, const struct hc_region_log *log, bool again,
                                          uint8_t *entry);
/* The next entry while nobody is inside. */
enum hc_region_answer hc_region_feed_enter(struct hc_region_feed *f, const struct hc_region_log *log, uint8_t *entry);
/* The entry that another function answered with HC_REGION_ENTERS: the region was interrupted. */
enum hc_region_answer hc_region_feed_interrupt(struct hc_region_feed *f, const struct hc_region_log *log,
                                               uint8_t *entry);
/* ENTRY is left; INNER: within another. Compares with the node if it made a check here. */
enum hc_region_answer hc_region_feed_leave(struct hc_region_feed *f, const struct hc_region_log *log,
                                           const struct hc_region_map *map, uint8_t entry, bool inner);

/* Why it is over, or what differs. */
const char *hc_region_feed_text(const struct hc_region_feed *f, const struct hc_region_log *log, char *out,
                                size_t size);

/* ---- inputs and outputs: nearly all of a replay's time, so that their usual case stands here ---- */

/* The unusual ones of hc_region_feed_in and hc_region_feed_load: EXPECTED if it came as expected; else the difference
 * is to LAST. */
enum hc_region_answer hc_region_feed_take(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t expected,
                                          uint32_t last, uint32_t slot, unsigned bits, uint32_t *value);
/* Of hc_region_feed_step. */
enum hc_region_answer hc_region_feed_pass(struct hc_region_feed *f, const struct hc_region_log *log);

static inline uint32_t hc_region_mask(unsigned bits)
{
    return bits == 32 ? 0xffffffff : (1u << bits) - 1;
}

/* A tick, and nothing happens behind it. */
static inline bool hc_region_feed_tick(struct hc_region_feed *f)
{
    bool more = f->ticks > 1;

    f->ticks -= more;
    return more;
}

static inline uint32_t hc_region_last(const uint16_t *last, unsigned bits)
{
    return bits == 32 ? last[0] | (uint32_t)last[1] << 16 : last[0];
}

static inline void hc_region_remember(uint16_t *last, unsigned bits, uint32_t value)
{
    last[0] = (uint16_t)value;
    if (bits == 32)
        last[1] = (uint16_t)(value >> 16);
}

/* An input of BITS bits with a slot; LAST: all predictions. */
static inline enum hc_region_answer hc_region_feed_in(struct hc_region_feed *f, const struct hc_region_log *log,
                                                      uint16_t *last, uint32_t slot, unsigned bits, uint32_t *value)
{
    uint32_t expected = hc_region_last(last + slot, bits);

    if (hc_region_feed_tick(f)) {
        *value = expected;
        return HC_REGION_ANSWER;
    }
    enum hc_region_answer answer = hc_region_feed_take(f, log, expected, expected, slot, bits, value);
    if (answer == HC_REGION_ANSWER)
        hc_region_remember(last + slot, bits, *value);
    return answer;
}

/* Shifts and masks: divisions would take most of a load's time. */
static inline uint32_t hc_region_unit_number(const struct hc_region_map *map, uint32_t start)
{
    return start >> (map->unit == 4 ? 2 : 1);
}

static inline unsigned hc_region_line(const struct hc_region_map *map, uint32_t start)
{
    return hc_region_unit_number(map, start) & (map->cache - 1);
}

/* Of units that share a line; 0 for the first. */
static inline uint32_t hc_region_tag(const struct hc_region_map *map, uint32_t start)
{
    return hc_region_unit_number(map, start) & ~(map->cache - 1);
}

/* What is expected of the unit at START. */
static inline uint32_t hc_region_feed_expected(const struct hc_region_feed *f, const struct hc_region_map *map,
                                               const uint16_t *last, uint32_t slot, uint32_t start)
{
    unsigned line = hc_region_line(map, start);

    return f->line[line].tag == hc_region_tag(map, start) ? f->line[line].unit
                                                          : hc_region_last(last + slot, map->unit * 8);
}

static inline void hc_region_feed_loaded(struct hc_region_feed *f, const struct hc_region_map *map, uint16_t *last,
                                         uint32_t slot, uint32_t start, uint32_t value)
{
    unsigned line = hc_region_line(map, start);

    hc_region_remember(last + slot, map->unit * 8, value);
    f->line[line].tag = hc_region_tag(map, start);
    f->line[line].unit = value;
}

/* The unit (a word of a machine whose words are MAP's) at START, loaded at a place that has SLOT. */
static inline enum hc_region_answer hc_region_feed_load(struct hc_region_feed *f, const struct hc_region_log *log,
                                                        const struct hc_region_map *map, uint16_t *last, uint32_t slot,
                                                        uint32_t start, uint32_t *value)
{
    uint32_t expected = hc_region_feed_expected(f, map, last, slot, start);
    unsigned bits = map->unit * 8;
    enum hc_region_answer answer = HC_REGION_ANSWER;

    if (hc_region_feed_tick(f))
        *value = expected;
    else
        answer = hc_region_feed_take(f, log, expected, hc_region_last(last + slot, bits), slot, bits, value);
    if (answer == HC_REGION_ANSWER)
        hc_region_feed_loaded(f, map, last, slot, start, *value);
    return answer;
}

static inline void hc_region_feed_out(struct hc_region_feed *f, uint32_t value, unsigned bits)
{
    f->hash = hc_region_hash(f->hash, (uint16_t)value);
    if (bits == 32)
        f->hash = hc_region_hash(f->hash, (uint16_t)(value >> 16));
}

/* A register was written. */
static inline void hc_region_feed_write(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at,
                                        uint32_t value, unsigned bits)
{
    hc_region_feed_out(f, at, map->unit * 8);
    hc_region_feed_out(f, value, bits);
}

static inline void hc_region_feed_stored(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at,
                                         uint32_t value, unsigned bytes)
{
    uint32_t start = at & ~(map->unit - 1), tag = hc_region_tag(map, start);
    unsigned line = hc_region_line(map, start), shift = 8 * (at - start);

    if (bytes == map->unit) {
        f->line[line].tag = tag;
        f->line[line].unit = value;
    } else if (f->line[line].tag == tag) {
        uint32_t mask = (uint32_t)(((uint64_t)1 << 8 * bytes) - 1) << shift;
        f->line[line].unit = (f->line[line].unit & ~mask) | (value << shift & mask);
    }
}

/* What was stored; goes out, too. */
static inline void hc_region_feed_store(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at,
                                        uint32_t value, unsigned bytes)
{
    hc_region_feed_write(f, map, at, value, 8 * bytes);
    if (bytes > map->unit) {
        hc_region_feed_stored(f, map, at, value & 0xffff, 2);
        hc_region_feed_stored(f, map, at + 2, value >> 16, 2);
    } else {
        hc_region_feed_stored(f, map, at, value, bytes);
    }
}

/* BYTES bytes that need not be aligned, as one thing that goes out. */
static inline void hc_region_feed_put(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at,
                                      uint32_t value, unsigned bytes)
{
    value &= hc_region_mask(8 * bytes);
    hc_region_feed_write(f, map, at, value, 8 * map->unit);
    if (bytes == map->unit && !(at & (bytes - 1)))
        hc_region_feed_stored(f, map, at, value, bytes);
    else
        for (unsigned i = 0; i < bytes; i++)
            hc_region_feed_stored(f, map, at + i, value >> 8 * i & 0xff, 1);
}

/* Where interrupts may enter, what goes out is a tick, too. */
static inline enum hc_region_answer hc_region_feed_step(struct hc_region_feed *f, const struct hc_region_log *log)
{
    return hc_region_feed_tick(f) ? HC_REGION_ANSWER : hc_region_feed_pass(f, log);
}

#endif
