/* Self-checks: each page of a log has a sum of the node's state. */
#ifndef HC_REPLAY_SELF_CHECK_H
#define HC_REPLAY_SELF_CHECK_H

#include "replay_state.h"

void hc_self_check_begin(struct hc_replay *r); /* a segment begins */
/* Called in hc_update. */
void hc_self_check_update(struct hc_replay *r);
/* Called before an event is taken or a segment ends. Returns false, with the replay over, if a self-check should have
 * agreed before. */
bool hc_self_check_over(struct hc_replay *r);

#endif
