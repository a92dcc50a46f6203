#include "feed.h"

void hc_feed_free(struct hc_feed *feed)
{
    if (feed)
        feed->ops->free(feed);
}

bool hc_feed_ordered(const struct hc_feed *feed)
{
    return feed->ops->is_ordered(feed);
}

enum hc_feed_status hc_feed_read(struct hc_feed *feed, uint16_t site, const uint16_t *base, uint16_t *value)
{
    return feed->ops->read(feed, site, base, value);
}

const struct hc_event *hc_feed_interrupt(struct hc_feed *feed)
{
    return feed->ops->interrupt(feed);
}

void hc_feed_take_interrupt(struct hc_feed *feed)
{
    feed->ops->take_interrupt(feed);
}

enum hc_feed_status hc_feed_wake(struct hc_feed *feed, struct hc_event *event)
{
    return feed->ops->wake(feed, event);
}

bool hc_feed_has_memory(struct hc_feed *feed)
{
    return feed->ops->has_memory && feed->ops->has_memory(feed);
}

enum hc_feed_status hc_feed_memory(struct hc_feed *feed, uint16_t *address, uint16_t *size, const uint8_t **bytes)
{
    return feed->ops->memory ? feed->ops->memory(feed, address, size, bytes) : HC_FEED_END;
}

enum hc_feed_status hc_feed_status_next(struct hc_feed *feed)
{
    return feed->ops->status(feed);
}

const char *hc_feed_text(const struct hc_feed *feed)
{
    return feed->ops->text(feed);
}

bool hc_feed_check(struct hc_feed *feed, struct hc_feed_check *out)
{
    return feed->ops->check && feed->ops->check(feed, out);
}

void hc_feed_take_check(struct hc_feed *feed)
{
    if (feed->ops->take_check)
        feed->ops->take_check(feed);
}

bool hc_feed_reset(const struct hc_feed *feed, uint16_t *count)
{
    return feed->ops->reset && feed->ops->reset(feed, count);
}

bool hc_feed_rescued(const struct hc_feed *feed)
{
    return feed->ops->is_rescued && feed->ops->is_rescued(feed);
}

uint64_t hc_feed_taken(const struct hc_feed *feed)
{
    return feed->ops->taken ? feed->ops->taken(feed) : 0;
}

void hc_feed_progress(const struct hc_feed *feed, size_t *consumed, size_t *all)
{
    feed->ops->progress(feed, consumed, all);
}

size_t hc_feed_place_size(const struct hc_feed *feed)
{
    return feed->ops->place_size(feed);
}

void hc_feed_save(const struct hc_feed *feed, void *place)
{
    feed->ops->save(feed, place);
}

void hc_feed_restore(struct hc_feed *feed, const void *place)
{
    feed->ops->restore(feed, place);
}
