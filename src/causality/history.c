#include "history.h"

#include "../support/grow.h"

#include <stdlib.h>

void hc_network_history_free(struct hc_network_history *history)
{
    for (size_t i = 0; i < history->node_count; i++) {
        free(history->nodes[i].gaps);
        free(history->nodes[i].stretches);
    }
    free(history->nodes);
    free(history->events);
    *history = (struct hc_network_history){ 0 };
}

int hc_network_history_add_node(struct hc_network_history *history, uint16_t address)
{
    if (!hc_grow(&history->nodes, history->node_count, &history->node_room, sizeof *history->nodes))
        return HC_NETWORK_FULL;
    history->nodes[history->node_count++] = (struct hc_network_history_node){
        .address = address,
        .log = -1,
        .first = (uint32_t)history->event_count,
    };
    return 0;
}

int hc_network_history_add(struct hc_network_history *history, const struct hc_traffic *event)
{
    if (!hc_grow(&history->events, history->event_count, &history->event_room, sizeof *history->events))
        return HC_NETWORK_FULL;
    history->events[history->event_count++] = *event;
    history->nodes[history->node_count - 1].count++;
    return 0;
}

int hc_network_history_add_gap(struct hc_network_history *history)
{
    struct hc_network_history_node *node = &history->nodes[history->node_count - 1];

    if (node->gap_count && node->gaps[node->gap_count - 1].at == node->count)
        return 0;
    if (!hc_grow(&node->gaps, node->gap_count, &node->gap_room, sizeof *node->gaps))
        return HC_NETWORK_FULL;
    node->gaps[node->gap_count++] = (struct hc_network_gap){ node->count };
    return 0;
}

int hc_network_history_add_stretch(struct hc_network_history *history, uint32_t segment, int64_t begin)
{
    struct hc_network_history_node *node = &history->nodes[history->node_count - 1];

    if (!hc_grow(&node->stretches, node->stretch_count, &node->stretch_room, sizeof *node->stretches))
        return HC_NETWORK_FULL;
    node->stretches[node->stretch_count++] =
        (struct hc_network_stretch){ .at = node->count, .segment = segment, .begin = begin, .end = begin };
    return 0;
}

void hc_network_history_drop_node(struct hc_network_history *history)
{
    struct hc_network_history_node *node = &history->nodes[--history->node_count];

    history->event_count = node->first;
    free(node->gaps);
    free(node->stretches);
}

size_t hc_network_history_remove(struct hc_network_history *history, uint16_t address)
{
    size_t kept = 0, events = 0, all = history->node_count;

    for (size_t i = 0; i < all; i++) {
        struct hc_network_history_node *node = &history->nodes[i];
        if (node->address == address) {
            free(node->gaps);
            free(node->stretches);
            continue;
        }
        memmove(history->events + events, history->events + node->first, node->count * sizeof *history->events);
        node->first = (uint32_t)events;
        events += node->count;
        history->nodes[kept++] = *node;
    }
    history->node_count = kept;
    history->event_count = events;
    return all - kept;
}

static int compare(const void *a, const void *b)
{
    const struct hc_address *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

int hc_addresses_make(struct hc_addresses *addresses, const struct hc_network_history *history)
{
    addresses->addresses = malloc((history->node_count + 1) * sizeof *addresses->addresses);
    addresses->count = history->node_count;
    if (!addresses->addresses)
        return HC_NETWORK_FULL;
    for (uint32_t n = 0; n < history->node_count; n++)
        addresses->addresses[n] = (struct hc_address){ history->nodes[n].address, n };
    qsort(addresses->addresses, addresses->count, sizeof *addresses->addresses, compare);
    return 0;
}

void hc_addresses_free(struct hc_addresses *addresses)
{
    free(addresses->addresses);
    *addresses = (struct hc_addresses){ 0 };
}

uint32_t hc_addresses_find(const struct hc_addresses *addresses, uint16_t address)
{
    struct hc_address key = { .address = address };
    const struct hc_address *found =
        bsearch(&key, addresses->addresses, addresses->count, sizeof *addresses->addresses, compare);

    return found ? found->node : HC_UNKNOWN_NODE;
}

uint32_t hc_addresses_twice(const struct hc_addresses *addresses)
{
    for (size_t i = 1; i < addresses->count; i++)
        if (addresses->addresses[i].address == addresses->addresses[i - 1].address)
            return addresses->addresses[i].address;
    return HC_UNKNOWN_NODE;
}
