/* Which send each receive belongs to, as far as the logs decide it.
 *
 * What is assumed of the network, and nothing else: a message may get lost, any number of them in a row; it may be
 * received several times; it may be overtaken, but only by messages of its channel whose counter is less than `window`
 * larger; it is received after it was sent. Logs may have gaps.
 *
 * Under these assumptions the result is exact. A receive is paired if all histories of the network that fit the logs
 * agree on its send; otherwise the lowest and the highest counter that it has in any of them are given. Why one pass
 * each way suffices:
 *
 * - All constraints but one are lower bounds of one counter by another (x >= y - window + 1), so that the lowest
 * counters of all receives together are a solution, found by going forwards and taking the first that fits.
 * - The remaining one, that no effect precedes its cause, only gets weaker when a counter gets lower, since an earlier
 * send precedes a later one. So the lowest counters satisfy it, too, and the order that they imply is certain.
 * - A receive cannot have been sent behind an event that is certainly its effect. Raising receives of one channel adds
 * edges that end at one node, of which any cycle needs only one. So these upper bounds, and going backwards, give the
 * highest counters. */
#ifndef HC_CAUSALITY_PAIRING_H
#define HC_CAUSALITY_PAIRING_H

#include "channel.h"

enum hc_pairing_fate {
    HC_PAIRED,      /* `send` is its send */
    HC_UNDECIDED,   /* counters from `low` to `high` are possible, `send` among them if not HC_NO_EVENT */
    HC_UNLOGGED,    /* its send is not in the sender's log, for sure */
    HC_FOREIGN,     /* no log of its sender */
    HC_CONTRADICTED /* nothing that its sender sent fits: the logs do not belong together, or an assumption fails */
};

/* Of a receive. */
struct hc_pairing_receive {
    uint32_t channel;   /* place in `channels`; UINT32_MAX: there is none */
    uint32_t low, high; /* counters; HC_NO_COUNTER: not known */
    uint32_t send;      /* event */
    uint8_t fate;       /* enum hc_pairing_fate */
};

struct hc_pairing {
    struct hc_channels channels;
    struct hc_pairing_receive *receives; /* by event; those of sends mean nothing */
    uint32_t *order;                     /* all events: an order in which causes precede their effects, for sure */
    uint32_t *node_of;                   /* by event */
    size_t counts[HC_CONTRADICTED + 1];  /* receives by fate */
};

struct hc_pairing_options {
    struct hc_numbering numbering;
    uint32_t window; /* at least 1: messages arrive in order */
    uint32_t tail;   /* fewer messages of a channel lack behind the end of a log; HC_NO_TAIL: any number may */
};

extern const struct hc_pairing_options hc_pairing_default;

/* 0, or HC_NETWORK_FULL. Addresses of HISTORY's nodes are distinct. Time O(n log n), and O(n) for each node that
 * receives from channels that numbers alone do not decide. */
int hc_pairing_make(struct hc_pairing *pairing, const struct hc_network_history *history,
                    const struct hc_pairing_options *options);
void hc_pairing_free(struct hc_pairing *pairing);

#endif
