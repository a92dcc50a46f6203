/* What the border does in replay: the events of the log are applied to the machine. */
#ifndef HC_REPLAY_EVENTS_H
#define HC_REPLAY_EVENTS_H

#include "replay_state.h"

void hc_events_attach(struct hc_replay *r);
/* After the feed or the machine was put elsewhere. */
void hc_events_refresh(struct hc_replay *r);
/* Does all that comes before the next instruction; false when the replay is over. */
bool hc_events_settle(struct hc_replay *r);
/* What the load of the poll routine POLL gives. */
uint16_t hc_events_poll(struct hc_replay *r, const struct hc_border_poll *poll);

#endif
