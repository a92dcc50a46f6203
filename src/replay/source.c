#include "source.h"

#include <stdlib.h>

struct fed {
    struct hc_source base;
    struct hc_feed *feed;
};

static struct hc_feed *feed_of(const struct hc_source *source)
{
    return ((const struct fed *)source)->feed;
}

static enum hc_source_status translated(enum hc_feed_status status)
{
    switch (status) {
    case HC_FEED_OK:
        return HC_SOURCE_OK;
    case HC_FEED_END:
        return HC_SOURCE_END;
    case HC_FEED_DAMAGE:
        return HC_SOURCE_DAMAGE;
    default:
        return HC_SOURCE_DIVERGED;
    }
}

static const struct hc_event *interrupt(struct hc_source *source)
{
    while (hc_feed_mark(feed_of(source)))
        hc_feed_take_mark(feed_of(source));
    return hc_feed_interrupt(feed_of(source));
}

static void take_interrupt(struct hc_source *source)
{
    hc_feed_take_interrupt(feed_of(source));
}

static enum hc_source_status wake(struct hc_source *source, struct hc_event *event)
{
    return translated(hc_feed_wake(feed_of(source), event));
}

static enum hc_source_status read(struct hc_source *source, uint16_t site, const uint16_t *base, uint16_t *value)
{
    return translated(hc_feed_read(feed_of(source), site, base, value));
}

static enum hc_source_status memory(struct hc_source *source, uint16_t *address, uint16_t *size, const uint8_t **bytes)
{
    if (!hc_feed_has_memory(feed_of(source)))
        return HC_SOURCE_END;
    return translated(hc_feed_memory(feed_of(source), address, size, bytes));
}

static enum hc_source_status status(struct hc_source *source)
{
    return translated(hc_feed_status_next(feed_of(source)));
}

static bool check(struct hc_source *source, struct hc_feed_check *out)
{
    return hc_feed_check(feed_of(source), out);
}

static void take_check(struct hc_source *source)
{
    hc_feed_take_check(feed_of(source));
}

static uint64_t taken(const struct hc_source *source)
{
    return hc_feed_taken(feed_of(source));
}

static bool reset(const struct hc_source *source, uint16_t *count)
{
    return hc_feed_reset(feed_of(source), count);
}

static bool rescued(const struct hc_source *source)
{
    return hc_feed_rescued(feed_of(source));
}

static const char *text(const struct hc_source *source)
{
    return hc_feed_text(feed_of(source));
}

static void progress(const struct hc_source *source, size_t *used, size_t *all)
{
    hc_feed_progress(feed_of(source), used, all);
}

static void save(const struct hc_source *source, void *place)
{
    hc_feed_save(feed_of(source), place);
}

static void load(struct hc_source *source, const void *place)
{
    hc_feed_restore(feed_of(source), place);
}

static void close(struct hc_source *source)
{
    hc_feed_free(feed_of(source));
    free(source);
}

static const struct hc_source_ops ops = {
    .interrupt = interrupt,
    .take_interrupt = take_interrupt,
    .wake = wake,
    .read = read,
    .memory = memory,
    .status = status,
    .check = check,
    .take_check = take_check,
    .taken = taken,
    .reset = reset,
    .rescued = rescued,
    .text = text,
    .progress = progress,
    .save = save,
    .load = load,
    .close = close,
};

struct hc_source *hc_source_of_feed(struct hc_feed *feed)
{
    struct fed *fed = calloc(1, sizeof *fed);
    if (!fed) {
        hc_feed_free(feed);
        return NULL;
    }
    fed->base.ops = &ops;
    fed->base.place_size = hc_feed_place_size(feed);
    fed->base.ordered = hc_feed_ordered(feed);
    fed->feed = feed;
    return &fed->base;
}
