/* What memory a program's checkpoint routine, and the one that goes on from a checkpoint, keep for themselves: buffers,
 * marks, counters. It may end otherwise after a failure, and is not compared.
 *
 * A byte is their own if they write it and nobody else reads or writes it, in the continuous run and in one that goes
 * on from what that run left. A variable of the application that they bring back is not. */
#ifndef HC_POWER_OWN_MEMORY_H
#define HC_POWER_OWN_MEMORY_H

#include "trial.h"

/* CHECKPOINT, RESTORE: their entries; 0: there is none. TRIAL's machine is at the entry of main, and is so afterwards.
 */
void hc_trial_learn_own_memory(struct hc_trial *trial, struct hc_machine *m, uint32_t checkpoint, uint32_t restore);

#endif
