/* Positions: where a machine is in its program, in the recorder's terms, and interrupts at that place. */
#ifndef HC_REPLAY_POSITION_H
#define HC_REPLAY_POSITION_H

#include "machine/machine.h"
#include "recorded/border.h"

/* M's position counter, and the hash of its position as the recorder would compute it (with STATUS as the status
 * register). */
uint32_t hc_position_count(const struct hc_border *border, struct hc_machine *m);
void hc_position_set_count(const struct hc_border *border, struct hc_machine *m, uint32_t count);
uint32_t hc_position_hash_here(struct hc_machine *m, uint16_t status);
/* Whether some value of the word on top of the stack gives HASH. Takes a few milliseconds. Of states with other
 * registers, one in 65,536 has such a value. */
bool hc_position_hash_with_any_top(struct hc_machine *m, uint16_t status, uint32_t hash);

/* Does what the hardware and then the recorder do at an interrupt: pushes the frame and sets PC to the program's
 * handler. The frame holds RETURN_PC and STATUS. */
void hc_position_interrupt(const struct hc_border *border, struct hc_machine *m, int vector, uint32_t return_pc,
                           uint16_t status);

#endif
