/* The bases that timer reads are relative to, and the time that follows from them. */
#ifndef HC_REPLAY_TIMERS_H
#define HC_REPLAY_TIMERS_H

#include "replay_state.h"

/* The value that the next read of the timer at ADDRESS is relative to; NULL: its last read. */
const uint16_t *hc_timers_base(struct hc_replay *r, uint32_t address);
void hc_timers_forget(struct hc_replay *r); /* a segment begins */
/* Call when a segment starts after a gap; BEFORE: the state before the gap. SAME_BOOT: the timers kept running. */
void hc_timers_go_on(struct hc_replay *r, const struct hc_replay_state *before, bool same_boot);
void hc_timers_interrupt(struct hc_replay *r, int vector);
/* A read at SITE gave VALUE. Where only some bits of a counter were recorded, no time follows from them. */
void hc_timers_read(struct hc_replay *r, uint32_t address, const struct hc_site *site, uint16_t value);

#endif
