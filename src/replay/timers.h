/* What reads of timers are relative to, and what time it is by them. */
#ifndef HC_REPLAY_TIMERS_H
#define HC_REPLAY_TIMERS_H

#include "replay_state.h"

/* The value that the next read of the timer that ADDRESS belongs to is relative to; NULL: to its last read. */
const uint16_t *hc_timers_base(struct hc_replay *r, uint32_t address);
void hc_timers_forget(struct hc_replay *r); /* a segment begins */
/* A segment begins after a gap, and before it all was as BEFORE says. SAME_BOOT: timers went on. */
void hc_timers_go_on(struct hc_replay *r, const struct hc_replay_state *before, bool same_boot);
void hc_timers_interrupt(struct hc_replay *r, int vector);
void hc_timers_read(struct hc_replay *r, uint32_t address, int class, uint16_t value);

#endif
