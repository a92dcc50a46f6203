/* A channel: all messages of one node to one destination, or all its broadcasts, by their counters.
 *
 *     counters   0 ...... 17 | 18 19 20 21 | 22 ...... 40 | 41 42 43 | 44 ...
 *                 unlogged        logged        never         logged    unlogged
 *
 * The counters of a channel increase over all of the sender's boots. A counter that was skipped (at a reset, or because
 * the sender's table had dropped the destination) belongs to no message, unless the sender's log has a gap there. */
#ifndef HC_CAUSALITY_CHANNEL_H
#define HC_CAUSALITY_CHANNEL_H

#include "history.h"
#include "numbering.h"

#define HC_NO_COUNTER UINT32_MAX
#define HC_NO_EVENT UINT32_MAX

/* A range of counters that a message can have. */
struct hc_span {
    uint32_t first, end; /* counters */
    uint32_t send; /* if logged: the index of the first in the channel's `sends`; the others follow. Else HC_NO_EVENT */
    uint32_t gap;  /* if unlogged: the sender's event before which they were sent */
};

struct hc_channel {
    uint32_t sender;      /* node */
    uint16_t destination; /* or HC_BROADCAST */
    uint32_t *sends;      /* events, by counter */
    size_t send_count;
    struct hc_span *spans; /* ascending */
    size_t span_count;
};

struct hc_channels {
    struct hc_channel *channels; /* by sender and destination */
    size_t count;
    uint32_t *sends; /* the arrays that the channels point into */
    struct hc_span *spans;
    uint32_t tail;
};

/* No limit: numbers repeat after that many counters. */
#define HC_NO_TAIL (1u << 22)

/* All channels on which a message was sent or received. TAIL: messages missing after the end of a log have counters
 * less than TAIL above the last logged one, if there is one. Returns 0 or HC_NETWORK_FULL. O(n log n). */
int hc_channels_make(struct hc_channels *channels, const struct hc_network_history *history,
                     const struct hc_addresses *addresses, uint32_t tail);
void hc_channels_free(struct hc_channels *channels);

/* Returns NULL if no message was sent or received on that channel. */
const struct hc_channel *hc_channels_find(const struct hc_channels *channels, uint32_t sender, uint16_t destination);

/* The smallest counter, at least FROM, that a message with NUMBER can have; the largest, at most UP_TO. HC_NO_COUNTER
 * if there is none. */
uint32_t hc_channel_first(const struct hc_channel *channel, const struct hc_numbering *numbering, uint32_t number,
                          uint32_t from);
uint32_t hc_channel_last(const struct hc_channel *channel, const struct hc_numbering *numbering, uint32_t number,
                         uint32_t up_to);

/* The same for logged messages only. */
uint32_t hc_channel_first_logged(const struct hc_channel *channel, const struct hc_numbering *numbering,
                                 uint32_t number, uint32_t from);

/* The event that sent the message with COUNTER; HC_NO_EVENT: it is not in the log. */
uint32_t hc_channel_event(const struct hc_channel *channel, uint32_t counter);

/* The last event of the sender that certainly happened before the message with COUNTER was sent, or sent it;
 * HC_NO_EVENT: none. */
uint32_t hc_channel_cause(const struct hc_channel *channel, const struct hc_network_history *history, uint32_t counter);

/* The largest counter of the messages that were sent before event EVENT of the sender (an index within the node);
 * HC_NO_COUNTER: there is none. */
uint32_t hc_channel_before(const struct hc_channel *channel, const struct hc_network_history *history, uint32_t event);

#endif
