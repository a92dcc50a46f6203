/* What a log of depth `messages` says: the sends and receives of a node, in its order (FORMAT.md, "Messages"). */
#ifndef HC_TRACE_TRAFFIC_H
#define HC_TRACE_TRAFFIC_H

#include "log.h"

enum hc_traffic_event_kind {
    HC_TRAFFIC_EVENT_SENT,
    HC_TRAFFIC_EVENT_RECEIVED,
    HC_TRAFFIC_EVENT_RESET,      /* the node was reset; nothing is missing */
    HC_TRAFFIC_EVENT_GAP,        /* events are missing here, or may be */
    HC_TRAFFIC_EVENT_PATH,       /* of depth messages+paths: a number, in an order of their own */
    HC_TRAFFIC_EVENT_PATHS_LOST, /* paths are missing here */
};

struct hc_traffic_event {
    enum hc_traffic_event_kind kind;
    uint16_t boot, segment; /* of the page */
    bool broadcast;
    uint16_t self;    /* the node's address; 0xffff: not known yet */
    uint16_t partner; /* destination or source; 0xffff for a broadcast that was sent */
    uint8_t number;   /* as it was on the air */
    uint16_t epoch;   /* of a send: runtime/message_number.h */
    uint16_t cause;   /* of a reset: flags */
    uint16_t path;    /* of a path: runtime/traffic/path_map.h */
    bool damage;      /* of a gap: the log is damaged, or was not written whole */
    char why[80];     /* of a gap: a sentence without a period */
};

typedef void hc_traffic_fn(void *owner, const struct hc_traffic_event *event);

/* Whether LOG has pages of this depth. */
bool hc_traffic_is(const struct hc_log *log);

/* Calls FN for each event, in the node's order. A log that begins after the node did, or that ends with what waited in
 * RAM, has a gap there. Damage costs the rest of its segment. */
void hc_traffic_read(const struct hc_log *log, hc_traffic_fn *fn, void *owner);

/* The check that stands behind these bytes, a page's header or a piece. */
uint8_t hc_traffic_check_of(const uint8_t *bytes, size_t size);

/* The pieces of a page of this stream: the length of those that are whole, from PAYLOAD on; AVAILABLE bytes are there,
 * and the page's header lies before them. */
uint8_t hc_traffic_pieces(const uint8_t *payload, size_t available);

#endif
