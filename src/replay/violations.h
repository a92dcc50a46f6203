/* Invariants that a replayed program violated, as it comes by them again: see runtime/invariants.h. */
#ifndef HC_REPLAY_VIOLATIONS_H
#define HC_REPLAY_VIOLATIONS_H

#include "replay.h"

struct hc_violation {
    const char *name;     /* of the invariant; lives as long as the image */
    uint16_t line;        /* of its definition */
    uint64_t instruction; /* the moment */
    uint64_t time_us;
    uint16_t segment; /* its number in the log */
};

typedef void hc_violation_fn(void *owner, const struct hc_violation *violation);

struct hc_violations {
    struct hc_replay *replay;
    uint32_t mark; /* address of the pointer to the invariant */
    hc_violation_fn *call;
    void *owner;
};

/* Calls CALL for each violation from now on. V must stay at its address while the replay runs. Returns false if the
 * program has no invariants with names. */
bool hc_violations_listen(struct hc_violations *v, struct hc_replay *replay, hc_violation_fn *call, void *owner);

#endif
