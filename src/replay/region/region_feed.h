/* The log of a region at the desk: the same expectations as on the node (runtime/region/model.h), and the inputs that
 * follow from them and the log. Plain data but for the code: a copy of the struct and of `last` is a snapshot. */
#ifndef HC_REPLAY_REGION_REGION_FEED_H
#define HC_REPLAY_REGION_REGION_FEED_H

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
    size_t at;      /* in the code: behind the record that is next */
    uint32_t ticks; /* before it */
    uint8_t kind;   /* enum hc_region_record, of the record that is next */
    bool over;      /* there is none */
    bool full;      /* it came behind 65,535 ticks */
    uint16_t hash;
    uint8_t entry; /* the last one from outside, and one */
    uint64_t checks;
    uint8_t next[256];
    uint32_t tag[HC_REGION_CACHE_MAX], unit[HC_REGION_CACHE_MAX];
};

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log);

/* An input of BITS bits of which LAST, an entry of the predictions, is expected. */
enum hc_region_answer hc_region_feed_in(struct hc_region_feed *f, const struct hc_region_log *log, uint16_t *last,
                                        unsigned bits, uint32_t *value);
/* BYTES at AT, of a machine whose words are MAP's; *WORD: the whole word that holds them, *START: where. */
enum hc_region_answer hc_region_feed_load(struct hc_region_feed *f, const struct hc_region_log *log,
                                          const struct hc_region_map *map, uint32_t start, uint32_t *value);
/* What was stored; goes out, too. */
void hc_region_feed_store(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bytes);
void hc_region_feed_out(struct hc_region_feed *f, uint32_t value, unsigned bits);
/* A register was written. */
void hc_region_feed_write(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bits);
/* Where interrupts may enter, what goes out is a tick, too. */
enum hc_region_answer hc_region_feed_step(struct hc_region_feed *f, const struct hc_region_log *log);
/* A call to the outside returns, or somebody enters before that. */
enum hc_region_answer hc_region_feed_back(struct hc_region_feed *f, const struct hc_region_log *log);
/* The next entry. IDLE: nobody is inside. */
enum hc_region_answer hc_region_feed_enter(struct hc_region_feed *f, const struct hc_region_log *log, bool idle,
                                           uint8_t *entry);
/* Compares with the node if it made a check here: at the end of a visit, in a call to the outside. */
enum hc_region_answer hc_region_feed_check(struct hc_region_feed *f, const struct hc_region_log *log);

/* Why it is over, or what differs. */
const char *hc_region_feed_text(const struct hc_region_feed *f, const struct hc_region_log *log, char *out,
                                size_t size);

#endif
