/* Is a replay the recording? Compared with an oracle, instruction by instruction. */
#ifndef HC_REPLAY_VERIFY_H
#define HC_REPLAY_VERIFY_H

#include "oracle.h"
#include "replay.h"

struct hc_verify {
    uint64_t instructions, interrupts, reads; /* that are the same */
    bool differs;
    uint64_t beyond; /* instructions after the log's last event that were compared as well, and the same */
    char text[3000]; /* of a difference: where, and both states; of an end: what ended */
};

/* Now and then while it runs; false ends it. */
typedef bool hc_verify_progress_fn(void *owner, struct hc_replay *r);

/* Replays R as far as it goes, from where it stands, which is the beginning of a segment; O is at that segment. After
 * the last event of a log nothing says where the next one would have come: from there on the replay is compared as long
 * as it is the same, and a difference only means that the log has ended. PROGRESS may be NULL. Returns what stopped the
 * replay; HC_REPLAY_DIVERGED also when it differs from the oracle. */
enum hc_replay_stop hc_verify_run(struct hc_replay *r, struct hc_oracle *o, hc_verify_progress_fn *progress,
                                  void *owner, struct hc_verify *out);

#endif
