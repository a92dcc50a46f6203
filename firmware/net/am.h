/* Active messages: a frame carries a type, and goes to whoever listens to that type.
 *
 *     length | FCF 2 | DSN | PAN 2 | destination 2 | source 2 | 0x3f | type | (number) | payload ... | FCS 2 (by the
 * radio) 0x41 0x88 (0x61 0x88 with an acknowledgement asked for); words are little endian
 *
 * A client sends one message at a time; the clients of a node take turns. Unicast messages are acknowledged by the
 * receiver's radio and repeated when no acknowledgement comes (as lpl.h and csma.h say); what arrives twice is
 * delivered once.
 *
 *     static void received(const struct am_message *m) { ... m->payload, m->payload_length ... }
 *     static struct am_listener listener = { .type = 6, .received = received };
 *     static void sent(struct am_client *c, bool acked) { ... }
 *     static struct am_client client = { .type = 6, .sent = sent };
 *     static struct am_message message;
 *
 *     am_start(); am_listen(&listener); ... am_send(&client, &message, AM_BROADCAST, 4); */
#ifndef NET_AM_H
#define NET_AM_H

#include "drivers/board.h"
#include "drivers/cc2420.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef AM_PAYLOAD_MAX
#define AM_PAYLOAD_MAX 48 /* a build option, up to 114 */
#endif
#ifndef AM_CHANNEL
#define AM_CHANNEL 26
#endif
#ifndef AM_NUMBERED /* 1: frames carry a number by which `hindcast order` finds the send of each receive */
#define AM_NUMBERED 0
#endif
#ifndef AM_LAMPORT /* 1: frames carry a logical clock: the yardstick of `make bench-messages` */
#define AM_LAMPORT 0
#endif
#ifndef AM_PAN
#define AM_PAN 0x0022
#endif

enum { AM_BROADCAST = 0xffff, AM_HEADER = 11 + AM_NUMBERED + 4 * AM_LAMPORT /* MPDU bytes before the payload */ };

/* As the radio has it. */
struct am_header {
    uint8_t length; /* of what follows, with the two bytes of FCS */
    uint8_t fcf[2];
    uint8_t dsn;
    uint8_t pan[2], destination[2], source[2];
    uint8_t network; /* 0x3f: a TinyOS frame */
    uint8_t type;
#if AM_NUMBERED
    uint8_t number; /* runtime/messages.h */
#endif
#if AM_LAMPORT
    uint8_t clock[4];
#endif
};

struct am_message {
    struct am_header header;
    uint8_t payload[AM_PAYLOAD_MAX];

    /* ---- not sent ---- */
    uint8_t payload_length;
    uint16_t source, destination;
    struct cc2420_footer footer; /* of a received message */
};

struct am_client {
    uint8_t type;
    /* After the last try; ACKED is false for broadcasts. The message is the client's again. May send. */
    void (*sent)(struct am_client *c, bool acked);
    void *context; /* the client's own */

    struct am_message *message; /* while sending, else NULL */
    struct am_client *next;
};

struct am_listener {
    uint8_t type;
    /* From a task; M is valid during the call. */
    void (*received)(const struct am_message *m);

    struct am_listener *next;
};

/* Starts the radio (and keeps it on, or wakes it periodically: lpl.h). After board_start. */
void am_start(void);

/* Radio off; messages to be sent wait for the next am_start. */
void am_stop(void);

void am_listen(struct am_listener *l);

/* Sends the first LENGTH bytes of M->payload to node TO. M belongs to the stack until c->sent. False when C is still
 * sending, or LENGTH too great. */
bool am_send(struct am_client *c, struct am_message *m, uint16_t to, uint8_t length);

static inline bool am_sending(const struct am_client *c)
{
    return c->message != 0;
}

/* Since boot. */
struct am_statistics {
    uint16_t sent, acked, unacked, congested; /* messages */
    uint16_t transmissions;                   /* frames, repetitions included */
    uint16_t received, duplicates, too_long;
};

extern struct am_statistics am_statistics;

#endif
