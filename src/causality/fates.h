/* What happened to each message that was sent, as far as the logs decide it. */
#ifndef HC_CAUSALITY_FATES_H
#define HC_CAUSALITY_FATES_H

#include "pairing.h"

enum hc_fate {
    HC_FATE_RECEIVED, /* certainly received at least once */
    HC_FATE_LOST,     /* certainly not received by any node with a log */
    HC_FATE_MAYBE,    /* a receive belongs to it or to another send */
    HC_FATE_UNKNOWN   /* perhaps received where a log is missing */
};

struct hc_fates {
    uint8_t *fate;      /* by event, of sends */
    uint32_t *receives; /* by event, of sends: how many receives are paired with it */
    uint8_t
        *late; /* by event, of paired receives: 1: a later message of its channel came before it; 2: it came before */
};

/* Returns 0 or HC_NETWORK_FULL. */
int hc_fates_make(struct hc_fates *fates, const struct hc_network_history *history, const struct hc_pairing *pairing,
                  const struct hc_pairing_options *options);
void hc_fates_free(struct hc_fates *fates);

#endif
