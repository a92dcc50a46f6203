/* The border during a replay: applies the events of the log to the machine. */
#ifndef HC_REPLAY_EVENTS_H
#define HC_REPLAY_EVENTS_H

#include "replay_state.h"

void hc_events_attach(struct hc_replay *r);
/* Call after the feed or the machine was moved to another place. */
void hc_events_refresh(struct hc_replay *r);
/* Does everything that comes before the next instruction. Returns false when the replay is over. */
bool hc_events_settle(struct hc_replay *r);
/* Returns the value that the load of polling routine POLL gets. */
uint16_t hc_events_poll(struct hc_replay *r, const struct hc_border_poll *poll);

#endif
