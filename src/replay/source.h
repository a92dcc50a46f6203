/* Where a replay's events come from: the feed of a decoded log (trace/feed.h, whose contracts hold here as well), or
 * memory, where tests have put them. */
#ifndef HC_REPLAY_SOURCE_H
#define HC_REPLAY_SOURCE_H

#include "trace/feed.h"

struct hc_source;

/* As enum hc_feed_status. */
enum hc_source_status {
    HC_SOURCE_OK,
    HC_SOURCE_END,      /* the recording ends here */
    HC_SOURCE_DAMAGE,   /* it goes on, but cannot be read */
    HC_SOURCE_DIVERGED, /* it says that something else comes next */
};

struct hc_source_ops {
    /* The interrupt that comes next while the CPU is awake; NULL: none, or not known yet. Valid until the next call. */
    const struct hc_event *(*interrupt)(struct hc_source *source);
    void (*take_interrupt)(struct hc_source *source);
    /* The CPU sleeps: what wakes it. */
    enum hc_source_status (*wake)(struct hc_source *source, struct hc_event *event);
    enum hc_source_status (*read)(struct hc_source *source, uint16_t site, const uint16_t *base, uint16_t *value);
    /* Memory that hardware wrote and that comes next: taken; anything but HC_SOURCE_OK: there is none. */
    enum hc_source_status (*memory)(struct hc_source *source, uint16_t *address, uint16_t *size, const uint8_t **bytes);
    /* HC_SOURCE_OK while there is more, else why not. */
    enum hc_source_status (*status)(struct hc_source *source);
    /* As hc_feed_check, hc_feed_take_check, hc_feed_taken, hc_feed_reset, hc_feed_rescued; all NULL where the source
     * has none. */
    bool (*check)(struct hc_source *source, struct hc_feed_check *out);
    void (*take_check)(struct hc_source *source);
    uint64_t (*taken)(const struct hc_source *source);
    bool (*reset)(const struct hc_source *source, uint16_t *count);
    bool (*rescued)(const struct hc_source *source);
    const char *(*text)(const struct hc_source *source);
    /* How much of it was used, of how much: bytes or events. */
    void (*progress)(const struct hc_source *source, size_t *used, size_t *all);
    void (*save)(const struct hc_source *source, void *place);
    void (*load)(struct hc_source *source, const void *place);
    void (*close)(struct hc_source *source);
};

struct hc_source {
    const struct hc_source_ops *ops;
    size_t place_size;
    bool ordered; /* one order of all events: each of them sets the position counter to 0 */
};

/* Takes FEED over. NULL when memory is exhausted (FEED is freed then). */
struct hc_source *hc_source_of_feed(struct hc_feed *feed);

#endif
