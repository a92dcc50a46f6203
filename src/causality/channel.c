#include "channel.h"

#include <stdlib.h>

/* ---- making ---- */

/* A send, to be sorted; or, with HC_NO_EVENT, a channel from which a node received. */
struct key {
    uint32_t sender, event;
    uint16_t destination;
};

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->sender != y->sender)
        return x->sender < y->sender ? -1 : 1;
    if (x->destination != y->destination)
        return x->destination < y->destination ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Returns false if the event belongs to no known channel. */
static bool key_of(struct key *key, const struct hc_network_history *history, const struct hc_addresses *addresses,
                   uint32_t node, uint32_t event)
{
    const struct hc_traffic *traffic = &history->events[event];

    if (traffic->kind == HC_TRAFFIC_SEND) {
        *key = (struct key){ node, event, traffic->partner };
        return true;
    }
    *key = (struct key){ hc_addresses_find(addresses, traffic->partner), HC_NO_EVENT,
                         traffic->broadcast ? HC_BROADCAST : history->nodes[node].address };
    return key->sender != HC_UNKNOWN_NODE;
}

static struct key *sorted_keys(const struct hc_network_history *history, const struct hc_addresses *addresses,
                               size_t *count)
{
    struct key *keys = malloc((history->event_count + 1) * sizeof *keys);

    *count = 0;
    for (uint32_t node = 0; keys && node < history->node_count; node++) {
        uint32_t first = history->nodes[node].first;
        for (uint32_t event = first; event < first + history->nodes[node].count; event++)
            *count += key_of(&keys[*count], history, addresses, node, event);
    }
    if (keys)
        qsort(keys, *count, sizeof *keys, compare);
    return keys;
}

/* The first gap of NODE after event FROM (an index within the node), up to event TO; HC_NO_EVENT if there is none. */
static uint32_t gap_between(const struct hc_network_history_node *node, int64_t from, uint32_t to)
{
    size_t low = 0, high = node->gap_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (node->gaps[middle].at <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < node->gap_count && node->gaps[low].at <= to ? node->gaps[low].at : HC_NO_EVENT;
}

static void add_unlogged(struct hc_channel *channel, uint32_t first, uint32_t end, uint32_t gap)
{
    if (gap != HC_NO_EVENT && first < end)
        channel->spans[channel->span_count++] = (struct hc_span){ first, end, HC_NO_EVENT, gap };
}

static void add_logged(struct hc_channel *channel, uint32_t counter, uint32_t send)
{
    struct hc_span *last = channel->span_count ? &channel->spans[channel->span_count - 1] : NULL;

    if (last && last->send != HC_NO_EVENT && last->end == counter)
        last->end++;
    else
        channel->spans[channel->span_count++] = (struct hc_span){ counter, counter + 1, send, HC_NO_EVENT };
}

static void make_spans(struct hc_channel *channel, const struct hc_network_history *history, uint32_t tail)
{
    const struct hc_network_history_node *node = &history->nodes[channel->sender];
    int64_t before = -1; /* event */
    uint32_t next = 0;   /* counter */

    for (uint32_t i = 0; i < channel->send_count; i++) {
        uint32_t event = channel->sends[i] - node->first;
        uint32_t counter = history->events[channel->sends[i]].counter;
        add_unlogged(channel, next, counter, gap_between(node, before, event));
        add_logged(channel, counter, i);
        before = event;
        next = counter + 1;
    }
    uint32_t gap = gap_between(node, before, node->count);
    /* If the first counter is not known, the last missing one has no bound. */
    bool bounded = gap == node->count && channel->send_count && !node->cut;
    add_unlogged(channel, next, next + (bounded ? tail : HC_NO_TAIL), gap);
}

static bool same_channel(const struct key *a, const struct key *b)
{
    return a->sender == b->sender && a->destination == b->destination;
}

static void make_one(struct hc_channels *to, const struct hc_network_history *history, const struct key *keys,
                     size_t count, size_t at, size_t spans)
{
    struct hc_channel *channel = &to->channels[to->count++];

    *channel = (struct hc_channel){
        .sender = keys->sender,
        .destination = keys->destination,
        .sends = to->sends + at,
        .send_count = count,
        .spans = to->spans + spans,
    };
    for (size_t i = 0; i < count; i++)
        channel->sends[i] = keys[i].event;
    while (channel->send_count && channel->sends[channel->send_count - 1] == HC_NO_EVENT)
        channel->send_count--;
    make_spans(channel, history, to->tail);
}

static void make_all(struct hc_channels *to, const struct hc_network_history *history, const struct key *keys,
                     size_t count)
{
    size_t spans = 0, end;

    for (size_t at = 0; at < count; at = end) {
        for (end = at + 1; end < count && same_channel(&keys[at], &keys[end]); end++)
            ;
        make_one(to, history, keys + at, end - at, at, spans);
        spans += to->channels[to->count - 1].span_count;
    }
}

int hc_channels_make(struct hc_channels *channels, const struct hc_network_history *history,
                     const struct hc_addresses *addresses, uint32_t tail)
{
    size_t count;
    struct key *keys = sorted_keys(history, addresses, &count);

    *channels = (struct hc_channels){
        .tail = tail,
        .channels = malloc((count + 1) * sizeof *channels->channels),
        .sends = malloc((count + 1) * sizeof *channels->sends),
        .spans = malloc((3 * count + 1) * sizeof *channels->spans),
    };
    bool fits = keys && channels->channels && channels->sends && channels->spans;
    if (fits)
        make_all(channels, history, keys, count);
    else
        hc_channels_free(channels);
    free(keys);
    return fits ? 0 : HC_NETWORK_FULL;
}

void hc_channels_free(struct hc_channels *channels)
{
    free(channels->channels);
    free(channels->sends);
    free(channels->spans);
    *channels = (struct hc_channels){ 0 };
}

/* ---- looking ---- */

const struct hc_channel *hc_channels_find(const struct hc_channels *channels, uint32_t sender, uint16_t destination)
{
    size_t low = 0, high = channels->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct hc_channel *c = &channels->channels[middle];
        if (c->sender == sender && c->destination == destination)
            return c;
        if (c->sender < sender || (c->sender == sender && c->destination < destination))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The first span that ends after COUNTER. */
static size_t span_at(const struct hc_channel *channel, uint32_t counter)
{
    size_t low = 0, high = channel->span_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (channel->spans[middle].end <= counter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t first_of(const struct hc_channel *channel, const struct hc_numbering *numbering, uint32_t number,
                         uint32_t from, bool logged)
{
    for (size_t i = span_at(channel, from); i < channel->span_count; i++) {
        const struct hc_span *span = &channel->spans[i];
        if (logged && span->send == HC_NO_EVENT)
            continue;
        uint32_t first = from > span->first ? from : span->first;
        uint32_t found = hc_numbering_first(numbering, number, first, span->end);
        if (found != span->end)
            return found;
    }
    return HC_NO_COUNTER;
}

uint32_t hc_channel_first(const struct hc_channel *channel, const struct hc_numbering *numbering, uint32_t number,
                          uint32_t from)
{
    return first_of(channel, numbering, number, from, false);
}

uint32_t hc_channel_first_logged(const struct hc_channel *channel, const struct hc_numbering *numbering,
                                 uint32_t number, uint32_t from)
{
    return first_of(channel, numbering, number, from, true);
}

uint32_t hc_channel_last(const struct hc_channel *channel, const struct hc_numbering *numbering, uint32_t number,
                         uint32_t up_to)
{
    size_t i = span_at(channel, up_to);

    for (i += i < channel->span_count; i--;) {
        const struct hc_span *span = &channel->spans[i];
        uint32_t end = up_to < span->end ? up_to + 1 : span->end;
        uint32_t found = hc_numbering_last(numbering, number, span->first, end);
        if (found != end)
            return found;
    }
    return HC_NO_COUNTER;
}

uint32_t hc_channel_event(const struct hc_channel *channel, uint32_t counter)
{
    size_t i = span_at(channel, counter);

    if (i == channel->span_count || counter < channel->spans[i].first || channel->spans[i].send == HC_NO_EVENT)
        return HC_NO_EVENT;
    return channel->sends[channel->spans[i].send + (counter - channel->spans[i].first)];
}

uint32_t hc_channel_cause(const struct hc_channel *channel, const struct hc_network_history *history, uint32_t counter)
{
    const struct hc_span *span = &channel->spans[span_at(channel, counter)];

    if (span->send != HC_NO_EVENT)
        return channel->sends[span->send + (counter - span->first)];
    return span->gap ? history->nodes[channel->sender].first + span->gap - 1 : HC_NO_EVENT;
}

static bool sent_before(const struct hc_channel *channel, const struct hc_network_history *history,
                        const struct hc_span *span, uint32_t event)
{
    if (span->send == HC_NO_EVENT)
        return span->gap <= event;
    return channel->sends[span->send] - history->nodes[channel->sender].first < event;
}

/* The counter of the last message of a logged span that was sent before EVENT, as its first one was. */
static uint32_t last_sent_before(const struct hc_channel *channel, const struct hc_network_history *history,
                                 const struct hc_span *span, uint32_t event)
{
    uint32_t low = 0, high = span->end - span->first;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (channel->sends[span->send + middle] - history->nodes[channel->sender].first < event)
            low = middle;
        else
            high = middle;
    }
    return span->first + low;
}

uint32_t hc_channel_before(const struct hc_channel *channel, const struct hc_network_history *history, uint32_t event)
{
    size_t low = 0, high = channel->span_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sent_before(channel, history, &channel->spans[middle], event))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return HC_NO_COUNTER;
    const struct hc_span *span = &channel->spans[low - 1];
    return span->send == HC_NO_EVENT ? span->end - 1 : last_sent_before(channel, history, span, event);
}
