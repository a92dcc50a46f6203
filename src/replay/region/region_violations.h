/* Invariants that a replayed region violated. The function that counts them is outside: its stub tells. */
#ifndef HC_REPLAY_REGION_REGION_VIOLATIONS_H
#define HC_REPLAY_REGION_REGION_VIOLATIONS_H

#include "region_replay.h"

typedef void hc_region_violation_fn(void *owner);

struct hc_region_violations {
    hc_region_violation_fn *call;
    void *owner;
};

/* Calls CALL for each violation from now on. V must stay at its address while the replay runs. False: no invariant is
 * checked in the region. */
bool hc_region_violations_listen(struct hc_region_violations *v, struct hc_region_replay *replay,
                                 const struct hc_image *image, hc_region_violation_fn *call, void *owner);

#endif
