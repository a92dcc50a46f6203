/* One stream, one packet: a header with magic number and stream, then events. Each event is
 *
 *     id (1 byte) | time (8) | node (2) | what the kind has, all little-endian and unaligned */
#include "export.h"

static const char metadata_text[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "trace {\n    major = 1;\n    minor = 8;\n    byte_order = le;\n"
    "    packet.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n"
    "clock {\n    name = axis;\n    freq = 1000000000;\n    offset = 0;\n};\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.axis.value; } := time_t;\n"
    "stream {\n    id = 0;\n"
    "    event.header := struct { uint8_t id; time_t timestamp; };\n"
    "    event.context := struct { uint16_t node; };\n};\n"
    "event { name = \"send\"; id = 0; stream_id = 0; fields := struct { uint32_t number; uint16_t to; uint8_t fate; "
    "uint16_t "
    "receives; }; };\n"
    "event { name = \"receive\"; id = 1; stream_id = 0; fields := struct { uint32_t number; uint16_t from; int32_t "
    "send; }; "
    "};\n"
    "event { name = \"frame\"; id = 2; stream_id = 0; fields := struct { uint8_t sent; uint8_t length; uint8_t "
    "bytes[length]; }; };\n"
    "event { name = \"interrupt\"; id = 3; stream_id = 0; fields := struct { uint8_t vector; }; };\n"
    "event { name = \"awake\"; id = 4; stream_id = 0; fields := struct { uint64_t slept; }; };\n"
    "event { name = \"radio\"; id = 5; stream_id = 0; fields := struct { enum : uint8_t { off, idle, receive, transmit "
    "} "
    "state; }; };\n"
    "event { name = \"task_begin\"; id = 6; stream_id = 0; };\n"
    "event { name = \"task_end\"; id = 7; stream_id = 0; };\n";

enum { SEND, RECEIVE, FRAME, INTERRUPT, AWAKE, RADIO, TASK_BEGIN, TASK_END };

static void put(FILE *out, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        putc((int)(value >> 8 * i & 0xff), out);
}

void hc_ctf_begin(const struct hc_export *e, FILE *metadata, FILE *stream)
{
    (void)e;
    fputs(metadata_text, metadata);
    put(stream, 0xc1fc1fc1, 4);
    put(stream, 0, 4);
}

static void put_header(const struct hc_export *e, FILE *out, int id, const struct hc_stream_event *s)
{
    put(out, (uint64_t)id, 1);
    put(out, (uint64_t)(s->time + e->shift), 8);
    put(out, e->history->nodes[s->node].address, 2);
}

static void add_message(const struct hc_export *e, FILE *out, const struct hc_stream_event *s)
{
    const struct hc_traffic *t = &e->history->events[s->event];
    const struct hc_pairing_receive *r = &e->pairing->receives[s->event];
    bool send = t->kind == HC_TRAFFIC_SEND;

    put_header(e, out, send ? SEND : RECEIVE, s);
    put(out, s->event, 4);
    put(out, t->partner, 2);
    if (send) {
        put(out, e->fates->fate[s->event], 1);
        put(out, e->fates->receives[s->event], 2);
    } else {
        put(out, r->fate == HC_PAIRED ? r->send : UINT32_MAX, 4);
    }
}

static void add_frame(const struct hc_export *e, FILE *out, const struct hc_stream_event *s)
{
    put_header(e, out, FRAME, s);
    put(out, s->frame.sent, 1);
    put(out, (uint64_t)s->frame.present, 1);
    fwrite(s->frame.byte, 1, (size_t)s->frame.present, out);
}

void hc_ctf_add(const struct hc_export *e, FILE *out, const struct hc_stream_event *s)
{
    switch (s->kind) {
    case HC_STREAM_MESSAGE:
        add_message(e, out, s);
        break;
    case HC_STREAM_FRAME:
        add_frame(e, out, s);
        break;
    case HC_STREAM_INTERRUPT:
        put_header(e, out, INTERRUPT, s);
        put(out, (uint64_t)s->vector, 1);
        break;
    case HC_STREAM_SLEEP:
        put_header(e, out, AWAKE, s);
        put(out, s->begin == INT64_MIN ? 0 : (uint64_t)(s->time - s->begin), 8);
        break;
    case HC_STREAM_RADIO:
        put_header(e, out, RADIO, s);
        put(out, s->state, 1);
        break;
    default:
        put_header(e, out, s->kind == HC_STREAM_TASK_BEGIN ? TASK_BEGIN : TASK_END, s);
    }
}
