#include "net/am.h"

#include "kernel/random.h"
#include "net/lpl.h"

#include <kit.h>
#if AM_NUMBERED || AM_LAMPORT
#include "../../runtime/messages.h"
#endif

enum { FCF_DATA = 0x41, FCF_ACK_REQUEST = 0x20, FCF_SHORT_ADDRESSES = 0x88, TINYOS = 0x3f };

_Static_assert(AM_PAYLOAD_MAX + AM_HEADER + CC2420_FCS <= CC2420_FRAME_MAX, "AM_PAYLOAD_MAX is too great for a frame");
_Static_assert(sizeof(struct am_header) == AM_HEADER + 1, "the header must be as the radio has it");

static struct am_listener *listeners;
static struct am_client *clients; /* those who send, in the order in which they get their turn */
static struct am_message incoming;
static struct cc2420_config config;
static uint8_t next_dsn;

struct am_statistics am_statistics;

static void put_word(uint8_t to[2], uint16_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static uint16_t word(const uint8_t from[2])
{
    return (uint16_t)(from[0] | from[1] << 8);
}

/* ---- sending ---- */

static void send_first(void)
{
    if (clients)
        lpl_send(&clients->message->header.length);
}

static void count(enum csma_result result, bool broadcast)
{
    am_statistics.sent++;
    am_statistics.transmissions = csma_transmissions;
    if (result == CSMA_CONGESTED)
        am_statistics.congested++;
    else if (result == CSMA_NO_ACK)
        am_statistics.unacked++;
    else if (!broadcast)
        am_statistics.acked++;
}

static void sent(enum csma_result result)
{
    struct am_client *c = clients;
    bool broadcast = c->message->destination == AM_BROADCAST;
    count(result, broadcast);
    clients = c->next;
    c->message = NULL;
    send_first();
    c->sent(c, result == CSMA_SENT && !broadcast);
}

static void fill_header(struct am_message *m, uint8_t type)
{
    bool broadcast = m->destination == AM_BROADCAST;
    m->header.length = (uint8_t)(AM_HEADER + m->payload_length + CC2420_FCS);
    m->header.fcf[0] = broadcast ? FCF_DATA : FCF_DATA | FCF_ACK_REQUEST;
    m->header.fcf[1] = FCF_SHORT_ADDRESSES;
    m->header.dsn = next_dsn++;
    put_word(m->header.pan, AM_PAN);
    put_word(m->header.destination, m->destination);
    put_word(m->header.source, m->source);
    m->header.network = TINYOS;
    m->header.type = type;
#if AM_NUMBERED
    m->header.number = hc_message_send(m->source, m->destination);
#endif
#if AM_LAMPORT
    uint32_t clock = hc_lamport_send(m->source);
    put_word(m->header.clock, (uint16_t)clock);
    put_word(m->header.clock + 2, (uint16_t)(clock >> 16));
#endif
}

bool am_send(struct am_client *c, struct am_message *m, uint16_t to, uint8_t length)
{
    if (c->message || length > AM_PAYLOAD_MAX)
        return false;
    m->payload_length = length;
    m->source = node_id;
    m->destination = to;
    fill_header(m, c->type);
    c->message = m;
    c->next = NULL;
    bool alone = !clients;
    struct am_client **last = &clients;
    while (*last)
        last = &(*last)->next;
    *last = c;
    if (alone)
        send_first();
    return true;
}

/* ---- receiving ---- */

static bool is_active_message(const struct am_header *h)
{
    return h->length >= AM_HEADER + CC2420_FCS && (h->fcf[0] & ~FCF_ACK_REQUEST) == FCF_DATA &&
           h->fcf[1] == FCF_SHORT_ADDRESSES && h->network == TINYOS;
}

static void received(const uint8_t *frame, const struct cc2420_footer *footer)
{
    const struct am_header *h = (const struct am_header *)frame;
    if (!is_active_message(h))
        return;
    uint8_t length = (uint8_t)(h->length - AM_HEADER - CC2420_FCS);
    if (length > AM_PAYLOAD_MAX) {
        am_statistics.too_long++;
        return;
    }
    am_statistics.received++;
    am_statistics.duplicates = lpl_duplicates;
    memcpy(&incoming, frame, sizeof *h + length);
    incoming.payload_length = length;
    incoming.source = word(h->source);
    incoming.destination = word(h->destination);
    incoming.footer = *footer;
#if AM_NUMBERED
    hc_message_receive(incoming.source, incoming.destination, incoming.header.number);
#endif
#if AM_LAMPORT
    hc_lamport_receive(incoming.source, word(h->clock) | (uint32_t)word(h->clock + 2) << 16);
#endif
    for (struct am_listener *l = listeners; l; l = l->next)
        if (l->type == incoming.header.type)
            l->received(&incoming);
}

void am_listen(struct am_listener *l)
{
    l->next = listeners;
    listeners = l;
}

/* ---- on and off ---- */

static const struct csma_events events = { .received = received, .sent = sent };

void am_start(void)
{
    static bool initialised;
    if (!initialised) {
        config = (struct cc2420_config){
            .channel = AM_CHANNEL, .power = CC2420_POWER_MAX, .pan = AM_PAN, .address = node_id
        };
        next_dsn = (uint8_t)random16();
        lpl_init(&config, &events);
        initialised = true;
    }
    lpl_start();
}

void am_stop(void)
{
    lpl_stop();
}
