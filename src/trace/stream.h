/* What the pages of a segment have of one stream, one after the other, for as long as nothing is missing between them.
 */
#ifndef HC_TRACE_STREAM_H
#define HC_TRACE_STREAM_H

#include "feed.h"

struct hc_page_stream {
    const struct hc_log *log;
    const struct hc_log_segment *segment;
    enum hc_stream stream;
    enum hc_lane lane; /* of pages of set paper */
    size_t page;       /* the one that was given last; at first that with which the segment begins */
    size_t next;       /* where to look for the next one: a commit page may come after events of its segment */
};

void hc_page_stream_open(struct hc_page_stream *p, const struct hc_log *log, const struct hc_log_segment *segment,
                         enum hc_stream stream, enum hc_lane lane);

/* HC_FEED_OK and what the next page has of it; HC_FEED_END after the last one; HC_FEED_DAMAGE where pages are missing
 * that may have been of this stream. */
enum hc_feed_status hc_page_stream_next(struct hc_page_stream *p, const uint8_t **payload, uint8_t *length);

#endif
