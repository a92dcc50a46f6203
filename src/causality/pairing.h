/* Which send each receive belongs to, as far as the logs decide it.
 *
 * Assumptions about the network: a message is received after it was sent. Messages may be lost, any number of them in a
 * row, or received several times. A message may be overtaken, but only by messages of its channel whose counter is less
 * than `window` larger. Logs may have gaps. Nothing else is assumed.
 *
 * Under these assumptions the result is exact. A receive is paired if all histories of the network that fit the logs
 * agree on its send; otherwise the result has the lowest and the highest counter that it has in any of them. One pass
 * in each direction is enough:
 *
 * - All constraints except one are lower bounds of one counter by another (x >= y - window + 1). So the lowest counters
 *   of all receives together are a solution. A forward pass that always takes the first counter that fits finds it.
 *
 * - The other constraint is that no effect precedes its cause. It only becomes weaker when a counter becomes lower,
 *   since an earlier send precedes a later one. So the lowest counters satisfy it, too, and the order that they imply
 *   is certain.
 *
 * - A message cannot have been sent after an event that is certainly an effect of its receive. Raising the counters of
 *   one channel's receives adds edges that end at one node, and a cycle needs only one of them. So these upper bounds
 *   and a backward pass give the highest counters. */
#ifndef HC_CAUSALITY_PAIRING_H
#define HC_CAUSALITY_PAIRING_H

#include "channel.h"

enum hc_pairing_fate {
    HC_PAIRED,      /* `send` is its send */
    HC_UNDECIDED,   /* counters from `low` to `high` are possible, `send` among them if not HC_NO_EVENT */
    HC_UNLOGGED,    /* its send is certainly not in the sender's log */
    HC_FOREIGN,     /* its sender has no log */
    HC_CONTRADICTED /* no message of its sender fits: the logs do not belong together, or an assumption is wrong */
};

/* Of a receive. */
struct hc_pairing_receive {
    uint32_t channel;   /* index into `channels`; UINT32_MAX: there is none */
    uint32_t low, high; /* counters; HC_NO_COUNTER: not known */
    uint32_t send;      /* event */
    uint8_t fate;       /* enum hc_pairing_fate */
};

struct hc_pairing {
    struct hc_channels channels;
    struct hc_pairing_receive *receives; /* by event; entries of sends are not used */
    uint32_t *order;                     /* all events, in an order in which causes certainly precede their effects */
    uint32_t *node_of;                   /* by event */
    size_t counts[HC_CONTRADICTED + 1];  /* receives by fate */
};

struct hc_pairing_options {
    struct hc_numbering numbering;
    uint32_t window; /* at least 1: messages arrive in order */
    uint32_t tail;   /* fewer messages of a channel are missing after the end of a log; HC_NO_TAIL: any number may be */
};

extern const struct hc_pairing_options hc_pairing_default;

/* Returns 0 or HC_NETWORK_FULL. The addresses of HISTORY's nodes must be distinct. Takes O(n log n), and O(n) for each
 * node that receives from channels for which the numbers alone do not decide. */
int hc_pairing_make(struct hc_pairing *pairing, const struct hc_network_history *history,
                    const struct hc_pairing_options *options);
void hc_pairing_free(struct hc_pairing *pairing);

#endif
