/* Self-checks: each page of a log has a sum of what the node had. */
#ifndef HC_REPLAY_SELF_CHECK_H
#define HC_REPLAY_SELF_CHECK_H

#include "replay_state.h"

void hc_self_check_begin(struct hc_replay *r); /* a segment begins */
/* The program is in hc_update. */
void hc_self_check_update(struct hc_replay *r);
/* An event is to be taken, or a segment ends: false, and the replay is over, if a self-check should have agreed before.
 */
bool hc_self_check_over(struct hc_replay *r);

#endif
