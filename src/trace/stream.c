#include "stream.h"

void hc_page_stream_open(struct hc_page_stream *p, const struct hc_log *log, const struct hc_log_segment *segment,
                         enum hc_stream stream, enum hc_lane lane)
{
    *p = (struct hc_page_stream){ log, segment, stream, lane, segment->begin_page, segment->first_page };
}

/* HC_FEED_OK with a length of 0 where the page has nothing of it. */
static enum hc_feed_status open_page(const struct hc_page_stream *p, const struct hc_log_page *page,
                                     const uint8_t **payload, uint8_t *length)
{
    if (p->stream == HC_STREAM_PAPER)
        return hc_log_lane(page, p->lane, payload, length) ? HC_FEED_OK : HC_FEED_DAMAGE;
    *payload = page->payload;
    *length = page->length;
    return HC_FEED_OK;
}

/* The codecs finish a segment before they start the next one: a page of a later segment is the end. */
enum hc_feed_status hc_page_stream_next(struct hc_page_stream *p, const uint8_t **payload, uint8_t *length)
{
    const struct hc_log_page *page;
    size_t pages = hc_log_pages(p->log, &page);

    for (size_t i = p->next; i < pages && page[i].boot == p->segment->boot; p->next = ++i) {
        if (i > p->segment->begin_page && hc_log_missing_before(p->log, i))
            return HC_FEED_DAMAGE;
        if (page[i].stream >= HC_CODEC_STREAMS)
            continue;
        int16_t ahead = (int16_t)(page[i].segment - p->segment->number);
        if (ahead > 0)
            return HC_FEED_END;
        if (ahead == 0 && page[i].stream == p->stream) {
            enum hc_feed_status status = open_page(p, &page[i], payload, length);
            p->page = i;
            p->next = i + 1;
            if (status || *length)
                return status;
        }
    }
    return HC_FEED_END;
}
