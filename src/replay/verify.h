/* Compares a replay with an oracle, instruction by instruction. */
#ifndef HC_REPLAY_VERIFY_H
#define HC_REPLAY_VERIFY_H

#include "oracle.h"
#include "replay.h"

struct hc_verify {
    uint64_t instructions, interrupts, reads; /* that are the same */
    bool differs;
    uint64_t beyond; /* instructions after the log's last event that were compared and equal */
    char text[3000]; /* of a difference: where, and both states; of an end: its reason */
};

/* Called at intervals; returning false ends the comparison. */
typedef bool hc_verify_progress_fn(void *owner, struct hc_replay *r);

/* Replays R from its present place, the start of a segment, as far as possible; O must be at that segment. After the
 * last event of a log nothing says where the next one came; from there on the replay is compared up to the first
 * difference, which is not an error. PROGRESS may be NULL. Returns what stopped the replay; HC_REPLAY_DIVERGED also if
 * it differs from the oracle. */
enum hc_replay_stop hc_verify_run(struct hc_replay *r, struct hc_oracle *o, hc_verify_progress_fn *progress,
                                  void *owner, struct hc_verify *out);

#endif
