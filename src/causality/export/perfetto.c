/* Protocol buffers by hand: Trace.packet = 1; TracePacket: timestamp = 8, trusted_packet_sequence_id = 10, track_event
 * = 11, track_descriptor = 60; TrackEvent: type = 9, track_uuid = 11, name = 23, flow_ids = 47, terminating_flow_ids =
 * 48; TrackDescriptor: uuid = 1, name = 2, parent_uuid = 5. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum track { NODE, MESSAGES, INTERRUPTS, TASKS, RADIO, CPU, TRACKS };
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, BUFFER = 400 };

struct buffer {
    size_t size;
    uint8_t at[BUFFER];
};

static void put_varint(struct buffer *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        b->at[b->size++] = (uint8_t)(value | 0x80);
    b->at[b->size++] = (uint8_t)value;
}

static void put_number(struct buffer *b, unsigned field, uint64_t value)
{
    put_varint(b, field << 3 | VARINT);
    put_varint(b, value);
}

/* flow_ids are of fixed size. */
static void put_fixed(struct buffer *b, unsigned field, uint64_t value)
{
    put_varint(b, field << 3 | FIXED64);
    for (int i = 0; i < 8; i++)
        b->at[b->size++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct buffer *b, unsigned field, const void *bytes, size_t size)
{
    put_varint(b, field << 3 | BYTES);
    put_varint(b, size);
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
}

static void write_packet(FILE *out, const struct buffer *packet)
{
    struct buffer head = { 0 };

    put_varint(&head, 1 << 3 | BYTES);
    put_varint(&head, packet->size);
    fwrite(head.at, 1, head.size, out);
    fwrite(packet->at, 1, packet->size, out);
}

static uint64_t uuid(uint32_t node, enum track track)
{
    return (uint64_t)node * TRACKS + track + 1;
}

static void describe(const struct hc_perfetto *p, uint32_t node, enum track track)
{
    static const char *const names[TRACKS] = { NULL, "messages", "interrupts", "tasks", "radio", "sleep" };
    struct buffer d = { 0 }, packet = { 0 };
    char name[40];

    snprintf(name, sizeof name, "node %u", p->e->history->nodes[node].address);
    put_number(&d, 1, uuid(node, track));
    put_bytes(&d, 2, track == NODE ? name : names[track], strlen(track == NODE ? name : names[track]));
    if (track != NODE)
        put_number(&d, 5, uuid(node, NODE));
    put_bytes(&packet, 60, d.at, d.size);
    put_number(&packet, 10, 1);
    write_packet(p->out, &packet);
}

bool hc_perfetto_begin(struct hc_perfetto *p, const struct hc_export *e, FILE *out)
{
    *p = (struct hc_perfetto){ e, out, calloc(e->history->node_count + 1, 1) };
    for (uint32_t n = 0; p->radio && n < e->history->node_count; n++)
        for (int track = 0; track < TRACKS; track++)
            describe(p, n, (enum track)track);
    return p->radio != NULL;
}

/* FLOW: 0: none; ends with this event if TERMINATES. NAME may be NULL. */
static void write_event(const struct hc_perfetto *p, int64_t time, uint64_t track, int type, const char *name,
                        uint64_t flow, bool terminates)
{
    struct buffer event = { 0 }, packet = { 0 };

    put_number(&event, 9, (uint64_t)type);
    put_number(&event, 11, track);
    if (name)
        put_bytes(&event, 23, name, strlen(name));
    if (flow)
        put_fixed(&event, terminates ? 48 : 47, flow);
    put_number(&packet, 8, (uint64_t)(time + p->e->shift));
    put_number(&packet, 10, 1);
    put_bytes(&packet, 11, event.at, event.size);
    write_packet(p->out, &packet);
}

/* The number of a flow is 1 + the number of its send. That of a broadcast continues from each of its receives. */
static void add_message(const struct hc_perfetto *p, const struct hc_stream_event *s)
{
    const struct hc_traffic *t = &p->e->history->events[s->event];
    const struct hc_pairing_receive *r = &p->e->pairing->receives[s->event];
    bool send = t->kind == HC_TRAFFIC_SEND;
    uint64_t flow = send                   ? (p->e->fates->receives[s->event] ? (uint64_t)s->event + 1 : 0)
                    : r->fate == HC_PAIRED ? (uint64_t)r->send + 1
                                           : 0;
    char name[80];

    if (send && t->broadcast)
        snprintf(name, sizeof name, "send to all");
    else
        snprintf(name, sizeof name, "%s %u", send ? "send to" : "receive from", t->partner);
    if (t->type)
        snprintf(name + strlen(name), 20, ", type 0x%02x", t->type - 1u);
    write_event(p, s->time, uuid(s->node, MESSAGES), INSTANT, name, flow, !send && !t->broadcast);
}

static void set_radio(struct hc_perfetto *p, const struct hc_stream_event *s)
{
    static const char *const names[] = { "off", "idle", "receive", "transmit" };
    uint8_t state = (uint8_t)(s->state + 1);

    if (s->state == HC_RADIO_TRANSMIT) { /* the chip returns to this state when the frame is sent */
        write_event(p, s->time, uuid(s->node, RADIO), INSTANT, names[s->state], 0, false);
        return;
    }
    if (p->radio[s->node] == state)
        return;
    if (p->radio[s->node])
        write_event(p, s->time, uuid(s->node, RADIO), SLICE_END, NULL, 0, false);
    write_event(p, s->time, uuid(s->node, RADIO), SLICE_BEGIN, names[s->state], 0, false);
    p->radio[s->node] = state;
}

void hc_perfetto_add(struct hc_perfetto *p, const struct hc_stream_event *s)
{
    char name[100];

    switch (s->kind) {
    case HC_STREAM_MESSAGE:
        add_message(p, s);
        break;
    case HC_STREAM_FRAME:
        snprintf(name, sizeof name, "frame %s, %d bytes", s->frame.sent ? "to the radio" : "from the radio",
                 s->frame.length);
        write_event(p, s->time, uuid(s->node, MESSAGES), INSTANT, name, 0, false);
        break;
    case HC_STREAM_INTERRUPT:
        snprintf(name, sizeof name, "vector %d", s->vector);
        write_event(p, s->time, uuid(s->node, INTERRUPTS), INSTANT, name, 0, false);
        break;
    case HC_STREAM_SLEEP:
        if (s->begin == INT64_MIN)
            break;
        write_event(p, s->begin, uuid(s->node, CPU), SLICE_BEGIN, "asleep", 0, false);
        write_event(p, s->time, uuid(s->node, CPU), SLICE_END, NULL, 0, false);
        break;
    case HC_STREAM_RADIO:
        set_radio(p, s);
        break;
    case HC_STREAM_TASK_BEGIN:
        snprintf(name, sizeof name, "%s", s->task ? s->task : "task");
        write_event(p, s->time, uuid(s->node, TASKS), SLICE_BEGIN, name, 0, false);
        break;
    case HC_STREAM_TASK_END:
        write_event(p, s->time, uuid(s->node, TASKS), SLICE_END, NULL, 0, false);
    }
}

void hc_perfetto_end(struct hc_perfetto *p)
{
    for (uint32_t n = 0; p->radio && n < p->e->history->node_count; n++)
        if (p->radio[n])
            write_event(p, p->e->axis->end, uuid(n, RADIO), SLICE_END, NULL, 0, false);
    free(p->radio);
}
