/* Logs that are not of one network: of another run, or of another node with that address.
 *
 * Two nodes are apart if too much of what one received from the other fits nothing that the other sent: then what does
 * fit does so by chance. In a pairing of many nodes the innocent may be blamed, too. So each two are paired with
 * nothing but their two logs in view first; only if none are apart then, the pairing of all counts. */
#ifndef HC_CAUSALITY_APART_H
#define HC_CAUSALITY_APART_H

#include "pairing.h"

/* A node to be left out, and what says so: RECEIVER received `all` messages from SENDER, of which `strange` fit
 * nothing. One of them is the node. */
struct hc_apart {
    uint16_t node, sender, receiver; /* addresses */
    uint32_t all, strange;
};

/* The nodes without which no two are apart, the worst ones first, so that those remain of which more belong together:
 * by pairings of two. If there are none, the one without which PAIRING, of all of HISTORY, would be best. MIXED: some
 * were found before. Then, or as soon as two are apart, a single message that fits nothing is too much. Returns 0 or
 * HC_NETWORK_FULL. *FOUND is to be freed. Takes a pairing for each two nodes that talk. */
int hc_apart_find(struct hc_apart **found, size_t *count, const struct hc_network_history *history,
                  const struct hc_pairing *pairing, const struct hc_pairing_options *options, bool mixed);

#endif
