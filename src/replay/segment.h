/* Segments of a log, and the transition of a replay from one to the next. */
#ifndef HC_REPLAY_SEGMENT_H
#define HC_REPLAY_SEGMENT_H

#include "replay_state.h"

/* How the current boot ended; NULL: unknown. */
struct hc_log_boot;
const struct hc_log_boot *hc_segments_boot(const struct hc_replay *r);
/* Called in hc_update. Returns true if the segment's events are used up and the next one starts here. */
bool hc_segments_cross(struct hc_replay *r);
/* Whether another segment follows the current one without a gap. */
bool hc_segments_more(const struct hc_replay *r);
uint16_t hc_segments_number(const struct hc_replay *r);
void hc_segments_select(struct hc_replay *r, size_t index); /* after a restore: the feed of that segment */
void hc_segments_free(struct hc_segments *segments);

#endif
