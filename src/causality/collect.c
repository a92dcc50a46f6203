#include "collect.h"

#include "../../runtime/message_number.h"
#include "replay/message_marks.h"

#include <stdio.h>
#include <stdlib.h>

enum { NO_ADDRESS = -1, SEVERAL = -2 };

struct work {
    struct hc_network_history *history;
    struct hc_replay *replay;
    struct hc_message_marks marks;
    int address; /* of the node */
    bool full;
    struct last { /* by destination: what keeps counters ascending when the node's count of epochs begins anew */
        uint32_t counter;
        bool any;
    } *last;
};

/* ---- events ---- */

static void set_address(struct work *w, uint16_t address)
{
    if (w->address == NO_ADDRESS)
        w->address = address;
    else if (w->address != address)
        w->address = SEVERAL;
}

/* Counters are known modulo 2^22. Those of a destination ascend. */
static uint32_t ascending(struct work *w, uint16_t to, uint32_t counter)
{
    struct last *last = &w->last[to];

    while (last->any && counter <= last->counter)
        counter += 1u << HC_NUMBER_COUNTER_BITS;
    *last = (struct last){ counter, true };
    return counter;
}

static void take(void *owner, const struct hc_message_event *e)
{
    struct work *w = owner;
    uint32_t counter = (uint32_t)e->epoch << HC_NUMBER_LOW_BITS | (e->number & HC_NUMBER_LOW);
    struct hc_traffic event = {
        .time = (int64_t)e->time_us * 1000,
        .moment = e->instruction,
        .segment = (uint32_t)e->segment,
        .kind = e->sent ? HC_TRAFFIC_SEND : HC_TRAFFIC_RECEIVE,
        .broadcast = e->to == HC_BROADCAST,
        .partner = e->sent ? e->to : e->from,
        .counter = e->sent ? ascending(w, e->to, counter) : e->number,
    };

    if (e->sent || !event.broadcast)
        set_address(w, e->sent ? e->from : e->to);
    w->full |= hc_network_history_add(w->history, &event) != 0;
}

/* ---- stretches ---- */

/* Nothing is missing between where the replay stands and the reset that follows. */
static bool is_whole_to_the_end(const struct hc_replay *replay)
{
    struct hc_replay_life life;

    return hc_replay_life(replay, &life) && life.rescued && life.reached;
}

static bool begins_with_reset(const struct hc_replay *replay, size_t index)
{
    struct hc_replay_segment segment;

    hc_replay_segment(replay, index, &segment);
    return segment.reset;
}

static bool is_first_boot(const struct hc_replay *replay, size_t index)
{
    struct hc_replay_segment segment;

    hc_replay_segment(replay, index, &segment);
    return segment.reset && segment.boot == 0;
}

static void add_gap(struct work *w)
{
    w->full |= hc_network_history_add_gap(w->history) != 0;
}

static int replay_stretch(struct work *w, struct hc_replay_message *message)
{
    enum hc_replay_stop stop = hc_replay_run(w->replay, UINT64_MAX);

    if (stop == HC_REPLAY_END)
        return HC_COLLECT_OK;
    snprintf(message->text, sizeof message->text, "%s", hc_replay_why(w->replay));
    return HC_COLLECT_DIVERGED;
}

static int replay_all(struct work *w, struct hc_replay_message *message)
{
    struct hc_replay_place place;
    int result = HC_COLLECT_OK;

    hc_replay_place(w->replay, &place);
    if (!is_first_boot(w->replay, place.segment_index))
        add_gap(w);
    for (int next = (int)place.segment_index; next >= 0 && !result;) {
        result = replay_stretch(w, message);
        bool whole = is_whole_to_the_end(w->replay);
        next = hc_replay_next_segment(w->replay);
        if (next < 0 || !whole || !begins_with_reset(w->replay, (size_t)next))
            add_gap(w);
        if (next >= 0 && !result && hc_replay_restart(w->replay, (size_t)next, true, message))
            result = HC_COLLECT_BAD;
    }
    return w->full ? HC_COLLECT_FULL : result;
}

/* ---- the node ---- */

static int name_node(struct work *w, const char *log, struct hc_replay_message *message)
{
    if (w->address >= 0) {
        w->history->nodes[w->history->node_count - 1].address = (uint16_t)w->address;
        return HC_COLLECT_OK;
    }
    snprintf(message->text, sizeof message->text, "%s: %s", log,
             w->address == NO_ADDRESS ? "no message was sent or received: the node's address is not known"
                                      : "the node had several addresses");
    return HC_COLLECT_BAD;
}

static int collect(struct work *w, const char *log, struct hc_replay_message *message)
{
    if (!hc_message_marks_listen(&w->marks, w->replay, take, w)) {
        snprintf(
            message->text, sizeof message->text,
            "%s: this program does not number its messages; call hc_message_send and hc_message_receive in its radio "
            "stack (runtime/messages.h)",
            hc_image_name(hc_replay_image(w->replay)));
        return HC_COLLECT_BAD;
    }
    if (hc_network_history_add_node(w->history, 0))
        return HC_COLLECT_FULL;
    int result = replay_all(w, message);
    struct hc_replay_message no_address;
    int named = name_node(w, log, result ? &no_address : message);
    if (named)
        hc_network_history_drop_node(w->history);
    return result == HC_COLLECT_DIVERGED && named ? HC_COLLECT_BAD : result ? result : named;
}

int hc_collect(struct hc_network_history *history, struct hc_image *image, const char *log,
               struct hc_replay_message *message)
{
    struct work w = { .history = history, .address = NO_ADDRESS, .last = calloc(UINT16_MAX + 1, sizeof *w.last) };
    int result = HC_COLLECT_FULL;

    if (w.last && hc_replay_open(&w.replay, image, log, -1, message) == HC_REPLAY_OK) {
        result = collect(&w, log, message);
        hc_replay_free(w.replay);
    } else if (w.last) {
        result = HC_COLLECT_BAD;
    }
    free(w.last);
    return result;
}
