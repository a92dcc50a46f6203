#include "collect_traffic.h"

#include "../../runtime/message_number.h"
#include "../../runtime/traffic/model.h"
#include "recorded/names.h"
#include "trace/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ADDRESS = -1, SEVERAL = -2 };

struct work {
    struct hc_network_history *history;
    uint64_t moment;
    int address;
    bool full;
    struct last { /* by destination: counters ascend, also when the node's count of epochs comes round */
        uint32_t counter;
        bool any;
    } *last;
};

static uint32_t ascending(struct work *w, const struct hc_traffic_event *e)
{
    uint32_t counter = (uint32_t)e->epoch << HC_NUMBER_LOW_BITS | (e->number & HC_NUMBER_LOW);
    struct last *last = &w->last[e->partner];

    while (last->any && counter <= last->counter)
        counter += 1u << HC_NUMBER_COUNTER_BITS;
    *last = (struct last){ counter, true };
    return counter;
}

static void note_address(struct work *w, uint16_t self)
{
    if (self == HC_BROADCAST)
        return;
    if (w->address == NO_ADDRESS)
        w->address = self;
    else if (w->address != self)
        w->address = SEVERAL;
}

static void take(void *owner, const struct hc_traffic_event *e)
{
    struct work *w = owner;

    if (e->kind == HC_TRAFFIC_EVENT_GAP)
        w->full |= hc_network_history_add_gap(w->history) != 0;
    if (e->kind != HC_TRAFFIC_EVENT_SENT && e->kind != HC_TRAFFIC_EVENT_RECEIVED)
        return;
    bool sent = e->kind == HC_TRAFFIC_EVENT_SENT;
    struct hc_traffic event = {
        .time = HC_NO_TIME,
        .moment = w->moment++,
        .segment = e->segment,
        .kind = sent ? HC_TRAFFIC_SEND : HC_TRAFFIC_RECEIVE,
        .broadcast = e->broadcast,
        .partner = e->partner,
        .counter = sent ? ascending(w, e) : e->number,
        .late_us = UINT32_MAX,
    };
    note_address(w, e->self);
    w->full |= hc_network_history_add(w->history, &event) != 0;
}

bool hc_collect_traffic_is(const struct hc_image *image, const struct hc_log *log)
{
    uint32_t address;

    return hc_traffic_is(log) || hc_recorder_address(image, HC_SYMBOL_TRAFFIC, &address);
}

static bool is_of(const struct hc_image *image, const struct hc_log *log)
{
    const struct hc_log_segment *segments;
    size_t count = hc_log_segments(log, &segments);
    uint32_t address;
    const uint8_t *begin = hc_recorder_address(image, HC_SYMBOL_TRAFFIC, &address)
                               ? hc_image_bytes(image, address, sizeof(struct hc_traffic_begin))
                               : NULL;

    for (size_t i = 0; begin && i < count; i++)
        if (segments[i].messages &&
            memcmp(segments[i].build, begin + offsetof(struct hc_traffic_begin, build), sizeof segments[i].build) != 0)
            return false;
    return begin;
}

static int collect(struct work *w, const struct hc_log *log, int id, struct hc_replay_message *message)
{
    if (hc_network_history_add_node(w->history, 0))
        return HC_COLLECT_FULL;
    w->history->numbers |= HC_NUMBERS_ADDED;
    hc_traffic_read(log, take, w);
    if (w->address == NO_ADDRESS && id >= 0)
        w->address = id;
    if (!w->full && w->address >= 0) {
        w->history->nodes[w->history->node_count - 1].address = (uint16_t)w->address;
        return HC_COLLECT_OK;
    }
    snprintf(message->text, sizeof message->text, "%s: %s", hc_log_name(log),
             w->address == SEVERAL ? "the node had several addresses"
                                   : "no message was sent, or received by this node alone: its address is not known");
    hc_network_history_drop_node(w->history);
    return w->full ? HC_COLLECT_FULL : HC_COLLECT_BAD;
}

int hc_collect_traffic(struct hc_network_history *history, const struct hc_image *image, const struct hc_log *log,
                       const struct hc_collect_options *options, struct hc_replay_message *message)
{
    struct work w = { .history = history, .address = NO_ADDRESS, .last = calloc(UINT16_MAX + 1, sizeof *w.last) };
    int result = HC_COLLECT_FULL;

    if (w.last && (!hc_traffic_is(log) || !is_of(image, log))) {
        snprintf(message->text, sizeof message->text, "was not recorded by %s: give the program that was on the node",
                 hc_image_name(image));
        result = HC_COLLECT_BAD;
    } else if (w.last) {
        if (options->opened)
            options->opened(options->owner, log);
        result = collect(&w, log, options->id, message);
    }
    free(w.last);
    return result;
}
