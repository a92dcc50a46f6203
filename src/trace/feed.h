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
    HC_FEED_END,      /* the recording ends here, intentionally or because the node lost power */
    HC_FEED_DAMAGE,   /* the recording continues, but the next part cannot be read */
    HC_FEED_DIVERGED, /* the recording has something else next */
};

/* Where the answers come from: a decoded log (hc_feed_open), or memory that a test has filled. Each operation does what
 * the function of the same name below says; an operation that a feed does not support is NULL. */
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

/* Decodes segment S. LOG and SITES must outlive the feed. Damage within the segment is not an error here: the feed ends
 * with HC_FEED_DAMAGE when it gets there. */
enum hc_log_error hc_feed_open(struct hc_feed **out, const struct hc_log *log, const struct hc_log_segment *s,
                               const struct hc_site_table *sites, struct hc_log_message *message);
void hc_feed_free(struct hc_feed *feed);

/* Whether the order of all events is recorded (HC_ORDERED). */
bool hc_feed_ordered(const struct hc_feed *feed);

/* The next read, of SITE. BASE: the value that FORMAT.md's rule predicts it from, or NULL; used only for reads of class
 * timer. */
enum hc_feed_status hc_feed_read(struct hc_feed *feed, uint16_t site, const uint16_t *base, uint16_t *value);

/* The next interrupt while the CPU is awake, if it comes before any other event (set hindcast) or interrupt (paper);
 * NULL if there is none, or it is not known yet. Valid until the next call. */
const struct hc_event *hc_feed_interrupt(struct hc_feed *feed);
void hc_feed_take_interrupt(struct hc_feed *feed);

/* The CPU sleeps: the interrupt that wakes it. */
enum hc_feed_status hc_feed_wake(struct hc_feed *feed, struct hc_event *event);

/* The next memory that hardware has written; in set hindcast only if it comes before any other event. SIZE bytes at
 * *BYTES, valid until the next such call. */
enum hc_feed_status hc_feed_memory(struct hc_feed *feed, uint16_t *address, uint16_t *size, const uint8_t **bytes);

/* Whether memory comes before any other event (set hindcast only). */
bool hc_feed_has_memory(struct hc_feed *feed);

/* HC_FEED_OK while there is more; otherwise the status that the next call would return. Set paper has an end for each
 * stream: this is that of interrupts. */
enum hc_feed_status hc_feed_status_next(struct hc_feed *feed);

/* A sentence about the last status other than HC_FEED_OK: what was requested, what the recording has, where in the
 * file. Valid until the next call. */
const char *hc_feed_text(const struct hc_feed *feed);

/* ---- self-checks of pages, and what was rescued ---- */

/* The node computed a sum of its state at an hc_update after this many events of the segment, before the next one. */
struct hc_feed_check {
    uint64_t after;
    uint8_t count; /* low byte of the position counter there */
    uint16_t sum;
    uint32_t sequence; /* of the page that has it */
    size_t offset;     /* of that page in the file */
};
/* The next self-check, if it comes before the next event; returns false if there is none, or it is not known yet.
 * Cheap. */
bool hc_feed_check(struct hc_feed *feed, struct hc_feed_check *out);
/* It is over. */
void hc_feed_take_check(struct hc_feed *feed);

/* True after the last event of a segment that was ended by a reset, if the events in RAM were rescued; *COUNT: the
 * position counter at the reset. */
bool hc_feed_reset(const struct hc_feed *feed, uint16_t *count);
/* Whether the next event was rescued, from the code or from the ring. */
bool hc_feed_rescued(const struct hc_feed *feed);

/* Events taken so far, of all kinds; and bytes of the segment's coded pages: consumed, and in total. */
uint64_t hc_feed_taken(const struct hc_feed *feed);
void hc_feed_progress(const struct hc_feed *feed, size_t *consumed, size_t *all);

/* ---- going back: the place in the recording as bytes, for snapshots of a replay ---- */

size_t hc_feed_place_size(const struct hc_feed *feed);
void hc_feed_save(const struct hc_feed *feed, void *place);
void hc_feed_restore(struct hc_feed *feed, const void *place);

#endif
