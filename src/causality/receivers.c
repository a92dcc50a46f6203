#include "receivers.h"

#include <stdlib.h>

static uint32_t find_channel(const struct hc_pairing *pairing, const struct hc_network_history *history,
                             uint32_t sender, uint32_t event)
{
    uint32_t receiver = pairing->node_of[event];
    uint16_t destination = history->events[event].broadcast ? HC_BROADCAST : history->nodes[receiver].address;

    return (uint32_t)(hc_channels_find(&pairing->channels, sender, destination) - pairing->channels.channels);
}

static void classify(struct hc_pairing *pairing, const struct hc_network_history *history,
                     const struct hc_addresses *addresses, uint32_t event)
{
    uint32_t sender = hc_addresses_find(addresses, history->events[event].partner);
    struct hc_pairing_receive *receive = &pairing->receives[event];

    *receive = (struct hc_pairing_receive){ UINT32_MAX, HC_NO_COUNTER, HC_NO_COUNTER, HC_NO_EVENT, HC_FOREIGN };
    if (sender != HC_UNKNOWN_NODE)
        receive->channel = find_channel(pairing, history, sender, event);
}

struct key {
    uint32_t node, channel, event;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static size_t sorted_keys(struct key *keys, const struct hc_pairing *pairing, const struct hc_network_history *history)
{
    size_t count = 0;

    for (uint32_t event = 0; event < history->event_count; event++)
        if (history->events[event].kind == HC_TRAFFIC_RECEIVE && pairing->receives[event].channel != UINT32_MAX)
            keys[count++] = (struct key){ pairing->node_of[event], pairing->receives[event].channel, event };
    qsort(keys, count, sizeof *keys, compare_keys);
    return count;
}

static void group(struct hc_receivers *to, const struct key *keys, size_t count, size_t nodes)
{
    size_t node = 0;

    for (size_t i = 0; i < count; i++) {
        to->events[i] = keys[i].event;
        if (i && keys[i].node == keys[i - 1].node && keys[i].channel == keys[i - 1].channel) {
            to->receivers[to->count - 1].count++;
            continue;
        }
        while (node <= keys[i].node)
            to->first[node++] = to->count;
        to->receivers[to->count++] = (struct hc_receiver){ keys[i].channel, to->events + i, 1, 0 };
    }
    while (node <= nodes)
        to->first[node++] = to->count;
}

void hc_receivers_classify(struct hc_pairing *pairing, const struct hc_network_history *history,
                           const struct hc_addresses *addresses)
{
    for (uint32_t event = 0; event < history->event_count; event++)
        if (history->events[event].kind == HC_TRAFFIC_RECEIVE)
            classify(pairing, history, addresses, event);
}

int hc_receivers_group(struct hc_receivers *receivers, const struct hc_pairing *pairing,
                       const struct hc_network_history *history)
{
    size_t room = history->event_count + 1;
    struct key *keys = malloc(room * sizeof *keys);

    *receivers = (struct hc_receivers){
        .receivers = malloc(room * sizeof *receivers->receivers),
        .first = malloc((history->node_count + 1) * sizeof *receivers->first),
        .events = malloc(room * sizeof *receivers->events),
    };
    bool fits = keys && receivers->receivers && receivers->first && receivers->events;
    if (fits)
        group(receivers, keys, sorted_keys(keys, pairing, history), history->node_count);
    free(keys);
    return fits ? 0 : HC_NETWORK_FULL;
}

void hc_receivers_free(struct hc_receivers *receivers)
{
    free(receivers->receivers);
    free(receivers->first);
    free(receivers->events);
    *receivers = (struct hc_receivers){ 0 };
}
