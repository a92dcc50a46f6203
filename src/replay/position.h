/* Positions: where a machine is in its program, as the recorder tells it, and interrupts that come there. */
#ifndef HC_REPLAY_POSITION_H
#define HC_REPLAY_POSITION_H

#include "machine/machine.h"
#include "recorded/border.h"

/* The position counter of M, and the hash of the position at which it is, as the recorder would make it (with STATUS
 * instead of the status register). */
uint32_t hc_position_count(const struct hc_border *border, struct hc_machine *m);
void hc_position_set_count(const struct hc_border *border, struct hc_machine *m, uint32_t count);
uint32_t hc_position_hash_here(struct hc_machine *m, uint16_t status);
/* Whether some word on top of the stack leads to HASH. A few milliseconds; of states with other registers one in 65,536
 * has such a word. */
bool hc_position_hash_with_any_top(struct hc_machine *m, uint16_t status, uint32_t hash);

/* What the hardware does for an interrupt, then what the recorder does: the frame is pushed, PC is the program's
 * handler. RETURN_PC and STATUS are what the frame holds. */
void hc_position_interrupt(const struct hc_border *border, struct hc_machine *m, int vector, uint32_t return_pc,
                           uint16_t status);

#endif
