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

/* The code of boot number INDEX (counted from 0, in the log's order); *BOOTS: how many there are. False with a
 * sentence: none, of another build, another kind of log, memory. Free `code`. */
bool hc_region_log_read(struct hc_region_log *out, const struct hc_log *log, const struct hc_region_map *map,
                        size_t index, size_t *boots, char *text, size_t size);

struct hc_region_feed {
    size_t at;      /* in the code: the next byte, of which */
    unsigned bits;  /* are left of the one before it */
    uint32_t ticks; /* before the record that is next */
    bool escape;    /* which may come anywhere: */
    uint8_t kind;   /* enum hc_region_escape */
    bool over;      /* there is none */
    bool full;      /* it came behind 65,535 ticks */
    uint16_t hash;
    uint8_t context; /* as on the node (runtime/region/record.h) */
    uint8_t visits, inner;
    uint64_t checks;
    struct hc_region_groups groups;
    uint8_t next[256];
    uint32_t tag[HC_REGION_CACHE_MAX], unit[HC_REGION_CACHE_MAX];
};

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log);

/* An input of BITS bits with a slot; LAST: all predictions. */
enum hc_region_answer hc_region_feed_in(struct hc_region_feed *f, const struct hc_region_log *log, uint16_t *last,
                                        uint32_t slot, unsigned bits, uint32_t *value);
/* The unit (a word of a machine whose words are MAP's) at START, loaded at a place that has SLOT. */
enum hc_region_answer hc_region_feed_load(struct hc_region_feed *f, const struct hc_region_log *log,
                                          const struct hc_region_map *map, uint16_t *last, uint32_t slot,
                                          uint32_t start, uint32_t *value);
/* What was stored; goes out, too. */
void hc_region_feed_store(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bytes);
/* BYTES bytes that need not be aligned, as one thing that goes out. */
void hc_region_feed_put(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                        unsigned bytes);
void hc_region_feed_out(struct hc_region_feed *f, uint32_t value, unsigned bits);
/* A register was written. */
void hc_region_feed_write(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bits);
/* Where interrupts may enter, what goes out is a tick, too. */
enum hc_region_answer hc_region_feed_step(struct hc_region_feed *f, const struct hc_region_log *log);
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

#endif
