/* A feed: a segment's recording, asked by a replay.
 *
 * The replay asks for the value of each read as it comes to it, and for interrupts; the feed answers from the trace or
 * says why it cannot. What the program determines is not in the trace: which read comes next, and when it goes to
 * sleep. So a trace can be decoded only by replaying it, and questions must come in the order of the program.
 *
 *     hc_feed_open(&feed, log, segment, &sites, &message);
 *     for (;;) {
 *         next = hc_feed_interrupt(feed);          the one that comes before anything else is asked, or NULL
 *         ... run to next's position, to the next recorder call, or to sleep, whichever is first ...
 *         at next's position: hc_feed_take_interrupt(feed), deliver it
 *         at a read:          status = hc_feed_read(feed, site, base, &value)
 *         asleep:             status = hc_feed_wake(feed, &event), deliver it
 *     }
 *
 * With all kinds of events in codec set hindcast the order of events is recorded, and the feed checks it: a read, or
 * sleep, while an interrupt or a block of memory has to come first is HC_FEED_DIVERGED. */
#ifndef HC_TRACE_FEED_H
#define HC_TRACE_FEED_H

#include "log.h"

enum hc_feed_status {
    HC_FEED_OK = 0,
    HC_FEED_END,      /* the recording ends here, as intended or because the node lost its power */
    HC_FEED_DAMAGE,   /* the recording goes on, but what comes next cannot be read */
    HC_FEED_DIVERGED, /* the recording says that something else came next */
};

/* Where the answers come from: a decoded log (hc_feed_open), or memory, where tests have put them. Each operation is
 * what the function of its name below says; of those that a feed has not, NULL, there is nothing to be had. */
struct hc_feed_check;
struct hc_feed;
struct hc_feed_ops {
    void (*free)(struct hc_feed *feed);
    bool (*is_ordered)(const struct hc_feed *feed);
    enum hc_feed_status (*read)(struct hc_feed *feed, uint16_t site, const uint16_t *base, uint16_t *value);
    const struct hc_event *(*interrupt)(struct hc_feed *feed);
    void (*take_interrupt)(struct hc_feed *feed);
    enum hc_feed_status (*wake)(struct hc_feed *feed, struct hc_event *event);
    bool (*has_memory)(struct hc_feed *feed); /* or NULL */
    enum hc_feed_status (*memory)(struct hc_feed *feed, uint16_t *address, uint16_t *size,
                                  const uint8_t **bytes); /* or NULL */
    const struct hc_event *(*mark)(struct hc_feed *feed); /* or NULL */
    void (*take_mark)(struct hc_feed *feed);              /* or NULL */
    enum hc_feed_status (*status)(struct hc_feed *feed);
    const char *(*text)(const struct hc_feed *feed);
    bool (*check)(struct hc_feed *feed, struct hc_feed_check *out); /* or NULL */
    void (*take_check)(struct hc_feed *feed);                       /* or NULL */
    bool (*reset)(const struct hc_feed *feed, uint16_t *count);     /* or NULL */
    bool (*is_rescued)(const struct hc_feed *feed);                 /* or NULL */
    uint64_t (*taken)(const struct hc_feed *feed);                  /* or NULL */
    void (*progress)(const struct hc_feed *feed, size_t *consumed, size_t *all);
    size_t (*place_size)(const struct hc_feed *feed);
    void (*save)(const struct hc_feed *feed, void *place);
    void (*restore)(struct hc_feed *feed, const void *place);
};

struct hc_feed {
    const struct hc_feed_ops *ops;
};

/* Decodes segment S. LOG and SITES must outlive the feed. Damage within the segment is no error here: the feed ends
 * with HC_FEED_DAMAGE when it comes to it. */
enum hc_log_error hc_feed_open(struct hc_feed **out, const struct hc_log *log, const struct hc_log_segment *s,
                               const struct hc_site_table *sites, struct hc_log_message *message);
void hc_feed_free(struct hc_feed *feed);

/* Whether the order of all events is recorded (HC_ORDERED). */
bool hc_feed_ordered(const struct hc_feed *feed);

/* The read of SITE that comes next. BASE: what the rule of FORMAT.md predicts it from, or NULL; only reads of class
 * timer use it. */
enum hc_feed_status hc_feed_read(struct hc_feed *feed, uint16_t site, const uint16_t *base, uint16_t *value);

/* The interrupt that comes next, before any other event (set hindcast) or interrupt (paper), while the CPU is awake;
 * NULL when there is none, or it is not known yet. Valid until the next question. */
const struct hc_event *hc_feed_interrupt(struct hc_feed *feed);
void hc_feed_take_interrupt(struct hc_feed *feed);

/* The CPU sleeps: the interrupt that wakes it. */
enum hc_feed_status hc_feed_wake(struct hc_feed *feed, struct hc_event *event);

/* The memory that hardware has written: in set hindcast if that comes next, before any other event, else the next such
 * block. SIZE bytes at *BYTES, valid until the next such call. */
enum hc_feed_status hc_feed_memory(struct hc_feed *feed, uint16_t *address, uint16_t *size, const uint8_t **bytes);

/* The mark that comes next, before any other event; NULL when there is none. */
const struct hc_event *hc_feed_mark(struct hc_feed *feed);
void hc_feed_take_mark(struct hc_feed *feed);

/* Whether memory comes next, before any other event (set hindcast only). */
bool hc_feed_has_memory(struct hc_feed *feed);

/* HC_FEED_OK while there is more; otherwise what the next question would be answered with. Set paper has an end for
 * each stream: this is that of interrupts. */
enum hc_feed_status hc_feed_status_next(struct hc_feed *feed);

/* A sentence about the last status other than HC_FEED_OK: what was asked, what the recording has, where in the file.
 * Valid until the next call. */
const char *hc_feed_text(const struct hc_feed *feed);

/* ---- self-checks of pages, and what was rescued ---- */

/* The node made a sum of its state at an hc_update after so many events of the segment, before the next one. */
struct hc_feed_check {
    uint64_t after;
    uint8_t count; /* low byte of the position counter there */
    uint16_t sum;
    uint32_t sequence; /* of the page that has it */
    size_t offset;     /* of that page in the file */
};
/* The next one, if it is not behind the next event; false: there is none, or it is not known yet. Costs little. */
bool hc_feed_check(struct hc_feed *feed, struct hc_feed_check *out);
/* It is over. */
void hc_feed_take_check(struct hc_feed *feed);

/* True where the last event of a segment was taken that a reset ended, and what waited in RAM was rescued; *COUNT: the
 * position counter at the reset. */
bool hc_feed_reset(const struct hc_feed *feed, uint16_t *count);
/* Whether the event that is asked for next is one that was rescued, from the code or from the ring. */
bool hc_feed_rescued(const struct hc_feed *feed);

/* Events taken so far, of all kinds; and bytes of the segment's coded pages, consumed and in all. */
uint64_t hc_feed_taken(const struct hc_feed *feed);
void hc_feed_progress(const struct hc_feed *feed, size_t *consumed, size_t *all);

/* ---- going back: the place in the recording as bytes, for snapshots of a replay ---- */

size_t hc_feed_place_size(const struct hc_feed *feed);
void hc_feed_save(const struct hc_feed *feed, void *place);
void hc_feed_restore(struct hc_feed *feed, const void *place);

#endif
