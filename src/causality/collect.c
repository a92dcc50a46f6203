#include "collect.h"

#include "../../runtime/message_number.h"
#include "collect_traffic.h"
#include "numbering.h"
#include "replay/message_marks.h"
#include "replay/radio_frames.h"
#include "replay/region/region_map.h"
#include "replay/region/region_messages.h"
#include "trace/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ADDRESS = -1, SEVERAL = -2, FRAMES_KEPT = 8, CONTENT_BYTES = 8 };

struct work {
    struct hc_network_history *history;
    struct hc_replay *replay; /* NULL: of a region, which has no time */
    struct hc_message_marks marks;
    struct hc_region_replay *region;
    struct hc_region_messages region_messages;
    uint64_t checks; /* of the region, when its last message came; */
    size_t proved;   /* all events before this one were there when it had made fewer */
    struct hc_radio_bus bus;
    struct hc_radio_frame frame[FRAMES_KEPT]; /* received last */
    unsigned frames;
    size_t untimed; /* from this event of the history on, no timer has been seen since */
    size_t unsent;  /* all sends of the node before this one have their frames */
    int address;    /* of the node */
    bool full;
    const struct hc_numbering *numbering;
    uint32_t life; /* counts the boots at which power was lost, or may have been: epochs restart then */
    uint16_t boot;
    bool powered; /* power was lost only where the log says so */
    bool reborn;  /* a reset, and no message was sent since */
    bool adrift;  /* a replay diverged: the clock of the next stretch is not reliable */
    struct last { /* by destination: counters ascend, also when the node's count of epochs comes round */
        uint32_t counter;
        bool any;
    } *last;
};

/* ---- events ---- */

static struct hc_network_history_node *node_of(const struct work *w)
{
    return &w->history->nodes[w->history->node_count - 1];
}

static void set_address(struct work *w, uint16_t address)
{
    if (w->address == NO_ADDRESS)
        w->address = address;
    else if (w->address != address)
        w->address = SEVERAL;
}

/* ---- lives ----
 *
 * Epochs go on over resets, and begin with 1 when power was lost. So the first message that is sent after a reset tells
 * which it was. Where that message is not in the log, power may have been lost. */

static void add_lives(struct work *w, uint32_t count)
{
    uint32_t most = UINT32_MAX >> hc_numbering_counter_bits(w->numbering); /* no log reaches over so many boots */

    w->life = w->life + count < most ? w->life + count : most - 1;
}

/* A stretch begins, with segment INDEX. */
static void note_boot(struct work *w, size_t index)
{
    struct hc_replay_segment segment;

    hc_replay_segment(w->replay, index, &segment);
    uint16_t boots = (uint16_t)(segment.boot - w->boot);
    uint32_t unseen = (boots > 1 ? boots - 1u : 0) + w->reborn + (boots && !segment.reset);
    if (unseen && !w->powered) {
        add_lives(w, unseen);
        node_of(w)->reborn = true;
    }
    w->reborn = boots && segment.reset;
    w->boot = segment.boot;
}

static void note_epoch(struct work *w, uint16_t epoch)
{
    if (w->reborn && epoch == 1)
        add_lives(w, 1);
    w->reborn = false;
}

static uint32_t counter_of(struct work *w, const struct hc_message_event *e)
{
    unsigned low = w->numbering->low_bits, bits = hc_numbering_counter_bits(w->numbering);
    uint32_t counter = w->life << bits | (uint32_t)e->epoch << low | (e->number & ((1u << low) - 1));
    struct last *last = &w->last[e->to];

    while (last->any && counter <= last->counter)
        counter += 1u << bits;
    *last = (struct last){ counter, true };
    return counter;
}

/* ---- what the radio says about them ---- */

/* Of the end of the payload. */
static uint32_t content_of(const struct hc_radio_frame *frame, const struct hc_radio_header *header)
{
    uint32_t hash = 2166136261u;
    int first = header->end - CONTENT_BYTES;

    for (int i = first > header->payload ? first : header->payload; i < header->end; i++)
        hash = (hash ^ frame->byte[i]) * 16777619u;
    return hash ? hash : 1;
}

/* Whether FRAME can belong to a message with this NUMBER: that of the frame itself, or one that the kit's stack has
 * before the payload. */
static bool is_of(const struct hc_radio_frame *frame, struct hc_radio_header *header, uint16_t from, uint16_t to,
                  uint8_t number)
{
    return hc_radio_header(frame, header) && header->from == from && header->to == to &&
           (header->type < 0 || header->payload >= header->end || frame->byte[header->payload] == number ||
            header->number == number);
}

static void describe(struct hc_traffic *t, const struct hc_radio_frame *frame, const struct hc_radio_header *header)
{
    t->type = header->type < 0 ? 0 : (uint16_t)(header->type + 1);
    t->content = content_of(frame, header);
}

/* A frame that the program gives to the radio belongs to a send shortly before. */
static void match_sent(struct work *w, const struct hc_radio_frame *frame)
{
    enum { WAITING_MOST = 64 };
    struct hc_network_history *h = w->history;
    struct hc_radio_header header;

    if (h->event_count > WAITING_MOST && w->unsent < h->event_count - WAITING_MOST)
        w->unsent = h->event_count - WAITING_MOST;
    for (size_t i = w->unsent; i < h->event_count && w->address >= 0; i++) {
        struct hc_traffic *t = &h->events[i];
        if (t->kind == HC_TRAFFIC_SEND && !t->content &&
            is_of(frame, &header, (uint16_t)w->address, t->partner,
                  (uint8_t)hc_numbering_number(w->numbering, t->counter))) {
            describe(t, frame, &header);
            return;
        }
    }
}

static void on_frame(void *owner, const struct hc_radio_frame *frame)
{
    struct work *w = owner;

    if (frame->sent)
        match_sent(w, frame);
    else
        w->frame[w->frames++ % FRAMES_KEPT] = *frame;
}

/* The latest of the frames that were received. */
static void match_received(struct work *w, struct hc_traffic *t, const struct hc_message_event *e)
{
    struct hc_radio_header header;

    for (unsigned i = w->frames; i > 0 && i + FRAMES_KEPT > w->frames; i--) {
        const struct hc_radio_frame *frame = &w->frame[(i - 1) % FRAMES_KEPT];
        if (is_of(frame, &header, e->from, e->to, e->number)) {
            describe(t, frame, &header);
            return;
        }
    }
}

/* An event of the log: uses its time for messages before it, and follows the radio's answers. */
static void on_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct work *w = owner;
    struct hc_network_history *h = w->history;

    (void)r;
    if (event->kind == HC_REPLAY_READ)
        hc_radio_bus_answered(&w->bus, event->address, event->value);
    for (; w->untimed < h->event_count; w->untimed++) {
        struct hc_traffic *t = &h->events[w->untimed];
        int64_t late = (int64_t)event->time_us - t->time / 1000;
        if (late <= 0)
            break;
        t->late_us = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
    }
}

static void take(void *owner, const struct hc_message_event *e)
{
    struct work *w = owner;

    if (e->sent)
        note_epoch(w, e->epoch);
    struct hc_traffic event = {
        .time = w->replay ? (int64_t)e->time_us * 1000 : HC_NO_TIME,
        .moment = e->instruction,
        .segment = e->segment,
        .kind = e->sent ? HC_TRAFFIC_SEND : HC_TRAFFIC_RECEIVE,
        .broadcast = e->to == HC_BROADCAST,
        .partner = e->sent ? e->to : e->from,
        .counter = e->sent ? counter_of(w, e) : e->number,
        .late_us = UINT32_MAX,
    };

    if (e->sent || !event.broadcast)
        set_address(w, e->sent ? e->from : e->to);
    if (!e->sent)
        match_received(w, &event, e);
    w->full |= hc_network_history_add(w->history, &event) != 0;
}

/* ---- stretches ---- */

/* Whether nothing is missing between the present moment of the replay and the next reset. */
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
    struct hc_replay_place place;

    hc_replay_place(w->replay, &place);
    w->full |= hc_network_history_add_stretch(w->history, place.segment, (int64_t)place.time_us * 1000) != 0;
    if (w->full)
        return HC_COLLECT_FULL;
    node_of(w)->stretches[node_of(w)->stretch_count - 1].adrift = w->adrift;
    w->adrift = false;
    enum hc_replay_stop stop = hc_replay_run(w->replay, UINT64_MAX);
    hc_replay_place(w->replay, &place);
    struct hc_network_stretch *stretch = &node_of(w)->stretches[node_of(w)->stretch_count - 1];
    stretch->end = (int64_t)place.time_us * 1000;
    stretch->moments = place.instruction;
    w->untimed = w->unsent = w->history->event_count; /* times after a gap say nothing about events before it */

    if (stop == HC_REPLAY_END)
        return HC_COLLECT_OK;
    snprintf(message->text, sizeof message->text, "%s", hc_replay_why(w->replay));
    return HC_COLLECT_DIVERGED;
}

/* A replay may diverge some time before it is noticed: keeps only the events up to the last self-check that agreed. */
static void forget_unproved(struct work *w, int address)
{
    struct hc_network_history_node *node = node_of(w);
    struct hc_network_stretch *stretch = &node->stretches[node->stretch_count - 1];
    struct hc_replay_checks checks;

    hc_replay_checks(w->replay, &checks);
    stretch->moments = checks.agreed ? checks.instruction : 0;
    stretch->end = checks.agreed ? (int64_t)checks.time_us * 1000 : stretch->begin;
    if (stretch->end < stretch->begin)
        stretch->end = stretch->begin;
    while (node->count > stretch->at && w->history->events[w->history->event_count - 1].moment > stretch->moments) {
        node->count--;
        w->history->event_count--;
    }
    w->untimed = w->unsent = w->history->event_count;
    w->adrift = true;
    if (w->address == SEVERAL)
        w->address = address;
    memset(w->last, 0, (UINT16_MAX + 1) * sizeof *w->last);
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (w->history->events[i].kind == HC_TRAFFIC_SEND)
            w->last[w->history->events[i].partner] = (struct last){ w->history->events[i].counter, true };
}

/* Whether the recorder lost events when the log ended. */
static bool last_lost_events(const struct hc_replay *replay)
{
    struct hc_replay_segment segment = { 0 };
    size_t n = hc_replay_segments(replay);

    if (n)
        hc_replay_segment(replay, n - 1, &segment);
    return segment.lost_events;
}

static int replay_all(struct work *w, struct hc_replay_message *message)
{
    struct hc_replay_message later;
    struct hc_replay_place place;
    int result = HC_COLLECT_OK;

    hc_replay_place(w->replay, &place);
    if (!is_first_boot(w->replay, place.segment_index))
        add_gap(w);
    for (int next = (int)place.segment_index; next >= 0 && !w->full;) {
        int address = w->address;
        note_boot(w, (size_t)next);
        int one = replay_stretch(w, result ? &later : message);
        if (one == HC_COLLECT_DIVERGED)
            forget_unproved(w, address);
        bool whole = !one && is_whole_to_the_end(w->replay);
        next = hc_replay_next_segment(w->replay);
        if (next < 0 || !whole || !begins_with_reset(w->replay, (size_t)next))
            add_gap(w);
        result = result ? result : one;
        if (next >= 0 && hc_replay_restart(w->replay, (size_t)next, true, result ? &later : message))
            return result ? result : HC_COLLECT_DIVERGED;
    }
    node_of(w)->cut = w->adrift || last_lost_events(w->replay);
    return w->full ? HC_COLLECT_FULL : result;
}

/* ---- regions ---- */

static void take_of_region(void *owner, const struct hc_message_event *e)
{
    struct work *w = owner;
    struct hc_region_state state;

    hc_region_replay_state(w->region, &state);
    if (state.checks != w->checks)
        w->proved = w->history->event_count;
    w->checks = state.checks;
    take(w, e);
}

/* Keeps only what happened before the last check that agreed. */
static void forget_after_check(struct work *w, const struct hc_region_state *state, int address)
{
    if (state->checks != w->checks)
        w->proved = w->history->event_count;
    node_of(w)->count -= (uint32_t)(w->history->event_count - w->proved);
    w->history->event_count = w->proved;
    w->adrift = true;
    if (w->address == SEVERAL)
        w->address = address;
}

/* A node whose log goes on with another boot was reset, and may have lost power meanwhile. */
static void note_reset(struct work *w)
{
    if (!w->powered) {
        add_lives(w, 1);
        node_of(w)->reborn = true;
    }
    w->reborn = true;
}

static int replay_region_boot(struct work *w, struct hc_image *image, const char *log, size_t boot, size_t *boots,
                              struct hc_replay_message *message)
{
    struct hc_region_state state;
    int result = HC_COLLECT_OK, address = w->address;

    if (!hc_region_replay_open(&w->region, image, log, boot, message->text, sizeof message->text))
        return HC_COLLECT_BAD;
    w->checks = 0;
    w->proved = w->history->event_count;
    w->full |= hc_network_history_add_stretch(w->history, (uint32_t)boot, 0) != 0;
    hc_region_messages_listen(&w->region_messages, w->region, image, (uint16_t)boot, take_of_region, w);
    hc_region_replay_run(w->region);
    hc_region_replay_state(w->region, &state);
    *boots = state.boots;
    node_of(w)->stretches[node_of(w)->stretch_count - 1].moments = state.instructions;
    if (state.end != HC_REGION_ENDED) {
        snprintf(message->text, sizeof message->text, "%s", state.text);
        forget_after_check(w, &state, address);
        result = HC_COLLECT_DIVERGED;
    }
    hc_region_replay_free(w->region);
    return result;
}

/* The end of a boot's log was in RAM when it ended. */
static int replay_region(struct work *w, struct hc_image *image, const char *log, struct hc_replay_message *message)
{
    struct hc_replay_message later;
    int result = HC_COLLECT_OK;
    size_t boots = 1;

    for (size_t boot = 0; boot < boots && !w->full && result != HC_COLLECT_BAD; boot++) {
        if (boot)
            note_reset(w);
        int one = replay_region_boot(w, image, log, boot, &boots, result ? &later : message);
        add_gap(w);
        result = result ? result : one;
    }
    node_of(w)->cut = w->adrift;
    if (result || node_of(w)->count)
        return w->full ? HC_COLLECT_FULL : result;
    snprintf(message->text, sizeof message->text,
             "%s: no message in this log of a region; are runtime/messages.c and the functions that call it inside "
             "(--region=messages.c)?",
             log);
    return HC_COLLECT_BAD;
}

/* ---- the node ---- */

static int name_node(struct work *w, const char *log, int id, struct hc_replay_message *message)
{
    if (w->address == NO_ADDRESS && id >= 0)
        w->address = id;
    if (w->address >= 0) {
        w->history->nodes[w->history->node_count - 1].address = (uint16_t)w->address;
        return HC_COLLECT_OK;
    }
    snprintf(message->text, sizeof message->text, "%s: %s", log,
             w->address == NO_ADDRESS ? "no message was sent or received: the node's address is not known"
                                      : "the node had several addresses");
    return HC_COLLECT_BAD;
}

static int refuse_unnumbered(const struct hc_image *image, struct hc_replay_message *message)
{
    snprintf(message->text, sizeof message->text,
             "%s: this program does not number its messages; call hc_message_send and hc_message_receive in its radio "
             "stack (runtime/messages.h)",
             hc_image_name(image));
    return HC_COLLECT_BAD;
}

static int begin_node(struct work *w, const struct hc_image *image, const struct hc_collect_options *options)
{
    struct hc_symbol sent;
    bool stack = hc_image_symbol(image, "hc_message_sent", &sent);

    if (hc_network_history_add_node(w->history, 0))
        return HC_COLLECT_FULL;
    w->numbering = stack ? &hc_numbering_stack : &hc_numbering_recorder;
    w->history->numbers |= stack ? HC_NUMBERS_STACK : HC_NUMBERS_ADDED;
    w->powered = options->powered;
    w->untimed = w->unsent = w->history->event_count;
    return HC_COLLECT_OK;
}

static int end_node(struct work *w, const char *log, int id, int result, struct hc_replay_message *message)
{
    struct hc_replay_message no_address;
    int named = result == HC_COLLECT_BAD ? result : name_node(w, log, id, result ? &no_address : message);

    if (named)
        hc_network_history_drop_node(w->history);
    return result == HC_COLLECT_DIVERGED && named ? HC_COLLECT_BAD : result ? result : named;
}

static int collect(struct work *w, const char *log, const struct hc_collect_options *options,
                   struct hc_replay_message *message)
{
    if (!hc_message_marks_listen(&w->marks, w->replay, take, w) && !options->unnumbered)
        return refuse_unnumbered(hc_replay_image(w->replay), message);
    if (begin_node(w, hc_replay_image(w->replay), options))
        return HC_COLLECT_FULL;
    hc_radio_bus_hook(&w->bus, hc_replay_machine(w->replay));
    hc_replay_listen(w->replay, on_event, w);
    return end_node(w, log, options->id, replay_all(w, message), message);
}

static int collect_region(struct work *w, struct hc_image *image, const char *log,
                          const struct hc_collect_options *options, struct hc_replay_message *message)
{
    struct hc_log *opened;
    struct hc_log_message problem;
    struct hc_symbol mark;

    if (!hc_image_symbol(image, "__hc_message", &mark))
        return refuse_unnumbered(image, message);
    if (hc_log_open_file(&opened, log, &problem)) {
        snprintf(message->text, sizeof message->text, "%s", problem.text);
        return HC_COLLECT_BAD;
    }
    if (options->opened)
        options->opened(options->owner, opened);
    hc_log_free(opened);
    if (begin_node(w, image, options))
        return HC_COLLECT_FULL;
    w->history->nodes[w->history->node_count - 1].region = true;
    return end_node(w, log, options->id, replay_region(w, image, log, message), message);
}

/* Reads a log of depth `messages`, without a replay. Returns false if LOG is to be replayed. */
static bool collect_without_replay(struct hc_network_history *history, const struct hc_image *image, const char *log,
                                   const struct hc_collect_options *options, struct hc_replay_message *message,
                                   int *result)
{
    struct hc_log *opened;
    struct hc_log_message problem;

    if (hc_log_open_file(&opened, log, &problem) != HC_LOG_OK) {
        snprintf(message->text, sizeof message->text, "%s", problem.text);
        *result = HC_COLLECT_BAD;
        return true;
    }
    bool is = !hc_region_map_is(image) && hc_collect_traffic_is(image, opened);
    if (is)
        *result = hc_collect_traffic(history, image, opened, options, message);
    hc_log_free(opened);
    return is;
}

int hc_collect(struct hc_network_history *history, struct hc_image *image, const char *log,
               const struct hc_collect_options *options, struct hc_replay_message *message)
{
    int without_replay;

    if (collect_without_replay(history, image, log, options, message, &without_replay))
        return without_replay;
    struct work w = { .history = history, .address = NO_ADDRESS, .last = calloc(UINT16_MAX + 1, sizeof *w.last) };
    w.bus = (struct hc_radio_bus){ .call = on_frame, .owner = &w };
    int result = HC_COLLECT_FULL;

    if (w.last && hc_region_map_is(image)) {
        result = collect_region(&w, image, log, options, message);
    } else if (w.last && hc_replay_open(&w.replay, image, log, -1, message) == HC_REPLAY_OK) {
        const struct hc_log_segment *first;
        if (options->opened)
            options->opened(options->owner, hc_replay_log(w.replay, &first));
        if (options->prepare)
            options->prepare(options->owner, w.replay);
        result = collect(&w, log, options, message);
        hc_replay_free(w.replay);
    } else if (w.last) {
        result = HC_COLLECT_BAD;
    }
    free(w.last);
    return result;
}
