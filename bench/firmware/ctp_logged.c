/* The collection tree with a logger by hand at its interface to the radio, in place of net/ctp.c: what `make
 * bench-region` compares regions with. Both write to the UART, by its driver's interrupts:
 *
 *     CTP_LOG=1    text: snprintf, a line for each event
 *     CTP_LOG=2    binary, as the logging layer of TinyOS's CTP: 9 bytes for each event, in serial frames of that
 * system (header of 10 bytes, CRC, flags, bytes that look like flags escaped) */
#define am_send logged_send
#define am_listen logged_listen
#define ctp_send unlogged_send
#define ctp_routes_update logged_update
#include "net/am.h"

/* net/am.h's functions have the names of ours now. */
#include "net/ctp.c"
#undef am_send
#undef am_listen
#undef ctp_send
#undef ctp_routes_update

#include "drivers/uart.h"

#include <stdio.h>

bool am_send(struct am_client *c, struct am_message *m, uint16_t to, uint8_t length);
void am_listen(struct am_listener *l);
bool ctp_send(uint8_t type, const void *payload, uint8_t length);
enum ctp_change ctp_routes_update(struct ctp_routes *r);

enum event { ORIGINATED = 0x21, SENT, ACKED, UNACKED, RECEIVED_DATA, RECEIVED_BEACON, SENT_BEACON, ROUTE };

#if CTP_LOG == 1
static void log_event(enum event event, uint16_t a, uint16_t b, uint16_t c)
{
    static const char *const names[] = { "originated", "sent",   "acked",       "unacked",
                                         "data",       "beacon", "beacon sent", "route" };
    char text[48];
    int length = snprintf(text, sizeof text, "ctp: %s %u %u %u\n", names[event - ORIGINATED], a, b, c);

    uart_write(text, (uint16_t)length);
}
#else
enum { FLAG = 0x7e, ESCAPE = 0x7d, FRAME = 19 };

static uint8_t framed[2 * FRAME + 6];
static uint16_t framed_length, sum;

static void put_escaped(uint8_t byte)
{
    if (byte == FLAG || byte == ESCAPE) {
        framed[framed_length++] = ESCAPE;
        byte ^= 0x20;
    }
    framed[framed_length++] = byte;
}

static void put_summed(uint8_t byte)
{
    sum = (uint16_t)(sum >> 8 | sum << 8) ^ byte;
    sum ^= (sum & 0xff) >> 4;
    sum ^= (uint16_t)(sum << 12);
    sum ^= (uint16_t)((sum & 0xff) << 5);
    put_escaped(byte);
}

static void log_event(enum event event, uint16_t a, uint16_t b, uint16_t c)
{
    static uint16_t number;
    uint8_t frame[FRAME] = { 0x45, 0, 0, 0xff, 0xff, 0, 0, 9, 0x22, 0x16, (uint8_t)event };

    bytes_put16(frame + 11, a);
    bytes_put16(frame + 13, b);
    bytes_put16(frame + 15, c);
    bytes_put16(frame + 17, number++);
    framed_length = 1;
    framed[0] = FLAG;
    sum = 0;
    for (uint8_t i = 0; i < FRAME; i++)
        put_summed(frame[i]);
    put_escaped((uint8_t)sum);
    put_escaped((uint8_t)(sum >> 8));
    framed[framed_length++] = FLAG;
    uart_write(framed, framed_length);
}
#endif

/* ---- what crosses the interface ---- */

static void (*unlogged_sent[2])(struct am_client *c, bool acked); /* data, beacons */
static void (*unlogged_received[2])(const struct am_message *m);

static void logged_sent(struct am_client *c, bool acked)
{
    bool beacon = c->type == CTP_AM_BEACON;

    log_event(acked ? ACKED : UNACKED, c->type, data_message.destination, data_message.payload[SEQUENCE]);
    unlogged_sent[beacon](c, acked);
}

bool logged_send(struct am_client *c, struct am_message *m, uint16_t to, uint8_t length)
{
    bool beacon = c->type == CTP_AM_BEACON;

    if (c->sent != logged_sent) {
        unlogged_sent[beacon] = c->sent;
        c->sent = logged_sent;
    }
    if (beacon)
        log_event(SENT_BEACON, m->payload[1], bytes_get16(m->payload + 3), bytes_get16(m->payload + 5));
    else
        log_event(SENT, bytes_get16(m->payload + ORIGIN), m->payload[SEQUENCE], to);
    return am_send(c, m, to, length);
}

static void logged_beacon(const struct am_message *m)
{
    log_event(RECEIVED_BEACON, m->source, m->payload[1], bytes_get16(m->payload + 5));
    unlogged_received[1](m);
}

static void logged_data(const struct am_message *m)
{
    log_event(RECEIVED_DATA, m->source, bytes_get16(m->payload + ORIGIN), m->payload[SEQUENCE]);
    unlogged_received[0](m);
}

void logged_listen(struct am_listener *l)
{
    bool beacon = l->type == CTP_AM_BEACON;

    unlogged_received[beacon] = l->received;
    l->received = beacon ? logged_beacon : logged_data;
    am_listen(l);
}

bool ctp_send(uint8_t type, const void *payload, uint8_t length)
{
    log_event(ORIGINATED, type, data_sequence, length);
    return unlogged_send(type, payload, length);
}

enum ctp_change logged_update(struct ctp_routes *r)
{
    enum ctp_change change = ctp_routes_update(r);

    log_event(ROUTE, r->parent, ctp_routes_etx(r), change);
    return change;
}
