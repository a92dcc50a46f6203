/* The receives of a history by channel: for each node and each channel from which it received, the receives in order.
 */
#ifndef HC_CAUSALITY_RECEIVERS_H
#define HC_CAUSALITY_RECEIVERS_H

#include "pairing.h"

struct hc_receiver {
    uint32_t channel;       /* index into the pairing's channels */
    const uint32_t *events; /* receives */
    size_t count;
    size_t noted; /* for the caller's iteration */
};

struct hc_receivers {
    struct hc_receiver *receivers; /* by node */
    size_t count;
    size_t *first; /* by node, and one more: its first receiver */
    uint32_t *events;
};

/* Sets the channel of each receive. Receives from nodes without a log have none and are foreign. */
void hc_receivers_classify(struct hc_pairing *pairing, const struct hc_network_history *history,
                           const struct hc_addresses *addresses);

/* Groups the receives that have a channel. Returns 0 or HC_NETWORK_FULL. */
int hc_receivers_group(struct hc_receivers *receivers, const struct hc_pairing *pairing,
                       const struct hc_network_history *history);
void hc_receivers_free(struct hc_receivers *receivers);

#endif
