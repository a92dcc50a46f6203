/* The receives of a history by where they came from: for each node and each channel that it hears, its receives in
 * order. */
#ifndef HC_CAUSALITY_RECEIVERS_H
#define HC_CAUSALITY_RECEIVERS_H

#include "pairing.h"

struct hc_receiver {
    uint32_t channel;       /* place in the pairing's channels */
    const uint32_t *events; /* receives */
    size_t count;
    size_t noted; /* for whoever goes through them */
};

struct hc_receivers {
    struct hc_receiver *receivers; /* by node */
    size_t count;
    size_t *first; /* by node, and one more: its first receiver */
    uint32_t *events;
};

/* 0, or HC_HISTORY_FULL. Receives from nodes without a log get their fate here, all others their channel. */
int hc_receivers_make(struct hc_receivers *receivers, struct hc_pairing *pairing, const struct hc_history *history,
                      const struct hc_addresses *addresses);
void hc_receivers_free(struct hc_receivers *receivers);

#endif
