/* A replay as an execution that a timeline goes to and fro over. */
#ifndef HC_REPLAY_REPLAY_EXECUTION_H
#define HC_REPLAY_REPLAY_EXECUTION_H

#include "replay.h"
#include "timeline/timeline.h"

/* REPLAY stays the caller's. NULL when memory is exhausted; to be freed with hc_execution_free. */
struct hc_execution *hc_replay_execution_new(struct hc_replay *replay);

#endif
