/* A feed: a segment's recording, asked by a replay.
 *
 * The replay asks for the value of each read as it comes to it, and for the next interrupt after each event; the feed
 * answers from the trace or says why it cannot. It never guesses.
 *
 *     hc_feed_open(&feed, log, segment, &sites, &message);
 *     while (...) {
 *         next = hc_feed_interrupt(feed);          the one to be delivered next, if it is known already
 *         ... run to the next recorder call or to next's position ...
 *         hc_feed_take_interrupt(feed);            delivered
 *         status = hc_feed_read(feed, site, base, &value);
 *     }
 *
 * With all kinds of events in codec set hindcast the order of events is recorded, and the feed checks it: the next
 * interrupt is known only when every event before it was taken, and a read in its place is HC_FEED_DIVERGED. */
#ifndef HC_TRACE_FEED_H
#define HC_TRACE_FEED_H

#include "log.h"

enum hc_feed_status {
    HC_FEED_OK = 0,
    HC_FEED_END,      /* the recording ends here, as intended or because the node lost its power */
    HC_FEED_DAMAGE,   /* the recording goes on, but what comes next cannot be read */
    HC_FEED_DIVERGED, /* the recording says that something else came next */
};

struct hc_feed;

/* Decodes segment S. LOG and SITES must outlive the feed. Damage within the segment is no error here: the feed ends
 * with HC_FEED_DAMAGE when it comes to it. */
enum hc_log_error hc_feed_open(struct hc_feed **out, const struct hc_log *log, const struct hc_log_segment *s,
                               const struct hc_site_table *sites, struct hc_log_message *message);
/* The same over events in order that the caller has made (all kinds in one order): for tests. */
enum hc_log_error hc_feed_open_events(struct hc_feed **out, const struct hc_events *events,
                                      const struct hc_site_table *sites);
void hc_feed_free(struct hc_feed *feed);

/* Whether the order of all events is recorded (HC_ORDERED). */
bool hc_feed_ordered(const struct hc_feed *feed);

/* The read of SITE that comes next. BASE: what the rule of docs/trace.md predicts it from, or NULL; only reads of class
 * timer use it. */
enum hc_feed_status hc_feed_read(struct hc_feed *feed, uint16_t site, const uint16_t *base, uint16_t *value);

/* The next interrupt; NULL when the recording has none next (see hc_feed_status_next for why). Valid until taken. */
const struct hc_event *hc_feed_interrupt(const struct hc_feed *feed);
void hc_feed_take_interrupt(struct hc_feed *feed);

/* The memory that hardware has written, if that comes next (ordered), or the next such block (not ordered). SIZE bytes
 * at *BYTES, valid as long as the feed. */
enum hc_feed_status hc_feed_memory(struct hc_feed *feed, uint16_t *address, uint16_t *size, const uint8_t **bytes);

/* The next mark if it comes next; NULL otherwise. */
const struct hc_event *hc_feed_mark(const struct hc_feed *feed);
void hc_feed_take_mark(struct hc_feed *feed);

/* Ordered: whether any event is left, HC_FEED_OK, or why not. Not ordered: of interrupts. */
enum hc_feed_status hc_feed_status_next(const struct hc_feed *feed);

/* A sentence about the last status other than HC_FEED_OK: what was asked, what the recording has, where in the file.
 * Valid until the next call. */
const char *hc_feed_text(const struct hc_feed *feed);

/* Events taken so far, of all kinds; and how many there are. */
uint64_t hc_feed_taken(const struct hc_feed *feed);
uint64_t hc_feed_total(const struct hc_feed *feed);

/* ---- going back: the place in the recording as bytes, for snapshots of a replay ---- */

size_t hc_feed_place_size(const struct hc_feed *feed);
void hc_feed_save(const struct hc_feed *feed, void *place);
void hc_feed_restore(struct hc_feed *feed, const void *place);

#endif
