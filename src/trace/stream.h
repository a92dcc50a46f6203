/* A segment's pages of one stream, one after the other, up to the first gap. */
#ifndef HC_TRACE_STREAM_H
#define HC_TRACE_STREAM_H

#include "feed.h"

struct hc_page_stream {
    const struct hc_log *log;
    const struct hc_log_segment *segment;
    enum hc_stream stream;
    enum hc_lane lane; /* of pages of set paper */
    size_t page;       /* the page that was returned last; initially the one with which the segment starts */
    size_t next;       /* where to look for the next one: a commit page may come after events of its segment */
};

void hc_page_stream_open(struct hc_page_stream *p, const struct hc_log *log, const struct hc_log_segment *segment,
                         enum hc_stream stream, enum hc_lane lane);

/* Returns HC_FEED_OK and the next page's part of the stream; HC_FEED_END after the last one; HC_FEED_DAMAGE if pages
 * are missing that may have belonged to this stream. */
enum hc_feed_status hc_page_stream_next(struct hc_page_stream *p, const uint8_t **payload, uint8_t *length);

#endif
