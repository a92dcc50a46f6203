/* Collection: every node's messages find their way to a root, over a tree that the nodes build and mend (the frames are
 * those of TinyOS's Collection Tree Protocol, TEP 119, 123 and 124). Words are high byte first.
 *
 *     beacon  AM 0x70   flags | sequence | options | parent 2 | ETX 2
 *     data    AM 0x71   options | hops so far | ETX 2 | origin 2 | sequence | type | payload ...
 *
 *     options: 0x80 pull, "tell me of your way". ETX is in tenths, that of the sender's way to a root.
 *
 * Beacons are sent by a trickle timer, from 128 ms to 512 s. It starts anew with the shortest interval when
 *   - a much better parent is found, or a first one,
 *   - a neighbour pulls, which it does while it has no parent,
 *   - data comes from a node that is no farther from the root than this one: it goes round in a loop.
 * With CTP_FIX also when a neighbour announces a way that is far longer than this node's: it cannot have heard of
 * it, or not often enough to trust it. Without, nodes that were cut off for some seconds and lead each other in circles
 * wait until the others' next beacons, minutes away, have made the links usable again. */
#ifndef NET_CTP_H
#define NET_CTP_H

#include "net/am.h"
#include "net/ctp_routes.h"
#include "net/lpl.h"

#ifndef CTP_FIX
#define CTP_FIX 0 /* a build option */
#endif
#ifndef CTP_BEACON_MIN_MS
/* A broadcast to sleeping neighbours occupies the channel for a whole wake-up interval. */
#define CTP_BEACON_MIN_MS (LPL_INTERVAL ? 8ul * LPL_INTERVAL : 128)
#endif
#ifndef CTP_BEACON_MAX_MS
#define CTP_BEACON_MAX_MS 512000
#endif
#ifndef CTP_QUEUE
#define CTP_QUEUE 16 /* messages */
#endif

enum {
    CTP_AM_BEACON = 0x70,
    CTP_AM_DATA = 0x71,
    CTP_HEADER = 8,
    CTP_PAYLOAD_MAX = AM_PAYLOAD_MAX - CTP_HEADER,
    CTP_TRANSMISSIONS = 30, /* of one message, to one node or to several in turn; then it is dropped */
};

/* At the root, from a task. PAYLOAD is valid during the call. */
typedef void ctp_received_fn(uint16_t origin, uint8_t type, const uint8_t *payload, uint8_t length);

/* After am_start. A node with RECEIVED is a root; NULL: it is not. */
void ctp_start(ctp_received_fn *received);

/* Copies the message. False when it is longer than CTP_PAYLOAD_MAX, or there is no room. */
bool ctp_send(uint8_t type, const void *payload, uint8_t length);

struct ctp_statistics {
    uint16_t parent, etx;         /* of the last time that the route was considered */
    uint16_t originated, refused; /* by ctp_send */
    uint16_t forwarded, received; /* by others' wish; at the root */
    uint16_t duplicates, loops, no_room;
    uint16_t dropped; /* after CTP_TRANSMISSIONS, or too many hops */
    uint16_t beacons, parent_changes;
};

extern struct ctp_statistics ctp_statistics;
extern struct ctp_routes ctp_routes;

#endif
