/* The messages with which a replay ends. Each function sets over, stop and why. */
#ifndef HC_REPLAY_EXPLAIN_H
#define HC_REPLAY_EXPLAIN_H

#include "checkpoint.h"

void hc_explain_end(struct hc_replay *r);
void hc_explain_damage(struct hc_replay *r);
void hc_explain_fault(struct hc_replay *r);
/* FORMAT: what the program did, as a noun phrase. What the log has is the feed's text, or EXPECTED if that is not NULL.
 */
void hc_explain_divergence(struct hc_replay *r, const char *expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A self-check did not agree. */
void hc_explain_self_check(struct hc_replay *r, const struct hc_feed_check *check);
/* The node was reset here. */
void hc_explain_reset(struct hc_replay *r);
/* The checkpoint of the next segment differs from the program's state. */
void hc_explain_checkpoint(struct hc_replay *r, const struct hc_checkpoint_difference *difference);

#endif
