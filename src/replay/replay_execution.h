/* A replay as an execution for a timeline. */
#ifndef HC_REPLAY_REPLAY_EXECUTION_H
#define HC_REPLAY_REPLAY_EXECUTION_H

#include "replay.h"
#include "timeline/timeline.h"

/* REPLAY remains the caller's. Returns NULL on out-of-memory. Free with hc_execution_free. */
struct hc_execution *hc_replay_execution_new(struct hc_replay *replay);

#endif
