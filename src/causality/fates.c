#include "fates.h"

#include "receivers.h"

#include <stdlib.h>

struct work {
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    const struct hc_pairing_options *options;
    struct hc_fates *to;
};

/* ---- receives ---- */

static void count_receive(struct work *w, uint32_t event)
{
    const struct hc_pairing_receive *r = &w->pairing->receives[event];
    const struct hc_channel *channel = &w->pairing->channels.channels[r->channel];
    uint32_t number = w->history->events[event].counter;

    if (r->fate == HC_PAIRED)
        w->to->receives[r->send]++;
    if (r->fate != HC_UNDECIDED)
        return;
    for (uint32_t at = r->low; at != HC_NO_COUNTER && at <= r->high; at++) {
        at = hc_channel_first_logged(channel, &w->options->numbering, number, at);
        if (at == HC_NO_COUNTER || at > r->high)
            return;
        w->to->fate[hc_channel_event(channel, at)] = HC_FATE_MAYBE;
    }
}

/* Whether it was overtaken by a later message, or received before. */
static void judge_order(struct work *w, const struct hc_receiver *r)
{
    uint32_t highest = 0;
    bool any = false;

    for (size_t i = 0; i < r->count; i++) {
        const struct hc_pairing_receive *receive = &w->pairing->receives[r->events[i]];
        if (receive->fate != HC_PAIRED)
            continue;
        bool again = false;
        for (size_t k = i; k-- && !again;) {
            const struct hc_pairing_receive *before = &w->pairing->receives[r->events[k]];
            again = before->fate == HC_PAIRED && before->low == receive->low;
            if (before->fate == HC_PAIRED && before->low + w->options->window <= receive->low)
                break;
        }
        w->to->late[r->events[i]] = again ? 2 : any && receive->low < highest;
        if (!any || receive->low > highest)
            highest = receive->low;
        any = true;
    }
}

/* ---- sends ---- */

static uint32_t high_from(const struct work *w, const struct hc_receiver *r, uint32_t gap)
{
    uint32_t first = w->history->nodes[w->pairing->node_of[r->events[0]]].first, lowest = HC_NO_COUNTER;

    for (size_t i = r->count; i && r->events[i - 1] - first >= gap; i--) {
        uint32_t high = w->pairing->receives[r->events[i - 1]].high;
        lowest = high < lowest ? high : lowest;
    }
    return lowest;
}

static uint32_t low_before(const struct work *w, const struct hc_receiver *r, uint32_t gap)
{
    uint32_t first = w->history->nodes[w->pairing->node_of[r->events[0]]].first, highest = 0;

    for (size_t i = 0; i < r->count && r->events[i] - first < gap; i++) {
        uint32_t low = w->pairing->receives[r->events[i]].low;
        highest = low != HC_NO_COUNTER && low > highest ? low : highest;
    }
    return highest;
}

/* Records that messages of CHANNEL with counters from FIRST to LAST may have been received in a gap of their receiver's
 * log. */
static void may_be_in_gap(struct work *w, const struct hc_channel *channel, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < channel->send_count; i++) {
        uint32_t send = channel->sends[i], counter = w->history->events[send].counter;
        if (counter >= first && counter <= last && w->to->fate[send] == HC_FATE_LOST)
            w->to->fate[send] = HC_FATE_UNKNOWN;
    }
}

static void use_gaps(struct work *w, const struct hc_channel *channel, const struct hc_network_history_node *receiver,
                     const struct hc_receiver *r)
{
    uint32_t window = w->options->window;

    for (size_t i = 0; i < receiver->gap_count; i++) {
        uint32_t high = r ? high_from(w, r, receiver->gaps[i].at) : HC_NO_COUNTER;
        uint32_t low = r ? low_before(w, r, receiver->gaps[i].at) : 0;
        may_be_in_gap(w, channel, low >= window ? low - window + 1 : 0,
                      high >= HC_NO_COUNTER - window ? HC_NO_COUNTER : high + window - 1);
    }
}

static const struct hc_receiver *receiver_of(const struct hc_receivers *receivers, uint32_t node, uint32_t channel)
{
    for (size_t i = receivers->first[node]; i < receivers->first[node + 1]; i++)
        if (receivers->receivers[i].channel == channel)
            return &receivers->receivers[i];
    return NULL;
}

static void use_gaps_of_all(struct work *w, const struct hc_receivers *receivers, const struct hc_addresses *addresses)
{
    for (uint32_t c = 0; c < w->pairing->channels.count; c++) {
        const struct hc_channel *channel = &w->pairing->channels.channels[c];
        bool broadcast = channel->destination == HC_BROADCAST;
        uint32_t node = broadcast ? HC_UNKNOWN_NODE : hc_addresses_find(addresses, channel->destination);
        if (!broadcast && node == HC_UNKNOWN_NODE) {
            may_be_in_gap(w, channel, 0, HC_NO_COUNTER);
            continue;
        }
        for (uint32_t n = broadcast ? 0 : node; n < (broadcast ? w->history->node_count : (size_t)node + 1); n++)
            if (n != channel->sender)
                use_gaps(w, channel, &w->history->nodes[n], receiver_of(receivers, n, c));
    }
}

static void judge(struct work *w, const struct hc_receivers *receivers, const struct hc_addresses *addresses)
{
    for (size_t i = 0; i < w->history->event_count; i++)
        w->to->fate[i] = HC_FATE_LOST;
    for (uint32_t event = 0; event < w->history->event_count; event++)
        if (w->history->events[event].kind == HC_TRAFFIC_RECEIVE && w->pairing->receives[event].channel != UINT32_MAX)
            count_receive(w, event);
    for (size_t i = 0; i < receivers->count; i++)
        judge_order(w, &receivers->receivers[i]);
    use_gaps_of_all(w, receivers, addresses);
    for (size_t i = 0; i < w->history->event_count; i++)
        if (w->to->receives[i])
            w->to->fate[i] = HC_FATE_RECEIVED;
}

int hc_fates_make(struct hc_fates *fates, const struct hc_network_history *history, const struct hc_pairing *pairing,
                  const struct hc_pairing_options *options)
{
    size_t room = history->event_count + 1;
    struct work w = { .history = history, .pairing = pairing, .options = options, .to = fates };
    struct hc_receivers receivers = { 0 };
    struct hc_addresses addresses = { 0 };

    *fates = (struct hc_fates){
        .fate = malloc(room),
        .receives = calloc(room, sizeof *fates->receives),
        .late = calloc(room, 1),
    };
    bool fits = fates->fate && fates->receives && fates->late && !hc_addresses_make(&addresses, history) &&
                !hc_receivers_group(&receivers, pairing, history);
    if (fits)
        judge(&w, &receivers, &addresses);
    else
        hc_fates_free(fates);
    hc_receivers_free(&receivers);
    hc_addresses_free(&addresses);
    return fits ? 0 : HC_NETWORK_FULL;
}

void hc_fates_free(struct hc_fates *fates)
{
    free(fates->fate);
    free(fates->receives);
    free(fates->late);
    *fates = (struct hc_fates){ 0 };
}
