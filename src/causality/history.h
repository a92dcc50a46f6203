/* What the logs of a network say about messages: for each node, the messages that it sent and received, in its order.
 *
 * A history is filled node by node, from a log of depth `messages` or from a replay. Which send a receive belongs to is
 * found later (pairing.h). */
#ifndef HC_CAUSALITY_HISTORY_H
#define HC_CAUSALITY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HC_BROADCAST 0xffff
#define HC_NO_TIME INT64_MIN

enum hc_traffic_kind { HC_TRAFFIC_SEND, HC_TRAFFIC_RECEIVE };

/* One send or one receive. */
struct hc_traffic {
    int64_t time;     /* by the node's own clock, in ns since the first event of its life; HC_NO_TIME: unknown */
    uint64_t moment;  /* of the node's replay, in instructions since the start of its stretch */
    uint32_t segment; /* its number in the log */
    uint32_t counter; /* send: counter of the channel; receive: the number that was on the air */
    uint32_t late_us; /* it happened at most this much later than `time`; UINT32_MAX: not known */
    uint32_t content; /* a hash of the end of the payload, which forwarding does not change; 0: not known */
    uint16_t partner; /* send: destination, HC_BROADCAST; receive: source */
    uint16_t type;    /* 1 + the type of the active message; 0: not known */
    uint8_t kind;     /* enum hc_traffic_kind */
    bool broadcast;
};

/* Events are missing before event `at` of a node: they were overwritten, lost, or never written. */
struct hc_network_gap {
    uint32_t at; /* index of the node's event; the number of its events: after the last */
};

/* A part of a log that was replayed without a gap. Moments are counted from its start. From one stretch to the next the
 * node's clock advances by the shortest gap that the timers allow. */
struct hc_network_stretch {
    uint32_t at;        /* index of the node's first event in it */
    uint32_t segment;   /* the first one: its number in the log */
    int64_t begin, end; /* by the node's clock */
    uint64_t moments;
    bool adrift; /* the replay before it diverged: its clock may be wrong by any amount, in either direction */
};

struct hc_network_history_node {
    uint16_t address;
    int log;                     /* index of the log among the caller's; -1: not known */
    bool reborn;                 /* it may have lost power where the log does not say so; its numbers begin anew then */
    bool region;                 /* a region was replayed, not the node: it has no frames, and no time */
    bool cut;                    /* more is missing at its end than the events that were still in RAM */
    uint32_t first, count;       /* of its events, in the history's array */
    struct hc_network_gap *gaps; /* ascending */
    size_t gap_count, gap_room;
    struct hc_network_stretch *stretches; /* ascending; none if nothing was replayed */
    size_t stretch_count, stretch_room;
};

/* Where a message's number comes from: a byte that was added to the frame, or the radio stack. */
enum hc_numbers { HC_NUMBERS_ADDED = 1, HC_NUMBERS_STACK = 2 };

struct hc_network_history {
    struct hc_network_history_node *nodes;
    size_t node_count, node_room;
    struct hc_traffic *events; /* of all nodes, node by node */
    size_t event_count, event_room;
    unsigned numbers; /* enum hc_numbers, of all nodes */
};

enum { HC_NETWORK_FULL = -1 }; /* out of memory */

void hc_network_history_free(struct hc_network_history *history);

/* The following return 0, or HC_NETWORK_FULL with nothing changed. Events and gaps belong to the node added last. */
int hc_network_history_add_node(struct hc_network_history *history, uint16_t address);
int hc_network_history_add(struct hc_network_history *history, const struct hc_traffic *event);
int hc_network_history_add_gap(struct hc_network_history *history);
/* Adds a stretch that starts with SEGMENT, at time BEGIN of the node's clock. */
int hc_network_history_add_stretch(struct hc_network_history *history, uint32_t segment, int64_t begin);

/* Removes the node added last. */
void hc_network_history_drop_node(struct hc_network_history *history);

/* Removes all nodes with ADDRESS, and their events. Returns how many nodes. O(n). */
size_t hc_network_history_remove(struct hc_network_history *history, uint16_t address);

/* Nodes by address. */
#define HC_UNKNOWN_NODE UINT32_MAX

struct hc_addresses {
    struct hc_address {
        uint16_t address;
        uint32_t node;
    } *addresses;
    size_t count;
};

/* Returns 0 or HC_NETWORK_FULL. */
int hc_addresses_make(struct hc_addresses *addresses, const struct hc_network_history *history);
void hc_addresses_free(struct hc_addresses *addresses);

/* HC_UNKNOWN_NODE if there is none. O(log nodes). */
uint32_t hc_addresses_find(const struct hc_addresses *addresses, uint16_t address);

/* An address that two nodes have; HC_UNKNOWN_NODE if there is none. */
uint32_t hc_addresses_twice(const struct hc_addresses *addresses);

#endif
