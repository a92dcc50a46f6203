/* An exact account of a run: what each function, line and interrupt took, instruction by instruction, while the machine
 * runs.
 *
 * The sums are the machine's own counts: each instruction that retires is counted once, and the cycles since the one
 * before it with it; those that an interrupt takes to be accepted count for its handler. Costs about nine tenths of the
 * machine's speed. */
#ifndef HC_PROFILE_PROFILE_H
#define HC_PROFILE_PROFILE_H

#include "contexts.h"
#include "machine/machine.h"

struct hc_profile;

/* Counts from now on. M and IMAGE must live longer; IMAGE may be NULL. NULL when memory is exhausted. */
struct hc_profile *hc_profile_new(struct hc_machine *m, const struct hc_image *image);
void hc_profile_free(struct hc_profile *p);

/* An interrupt that a replay has just delivered, before the instruction at PC: its machine does not know of it. */
void hc_profile_interrupt(struct hc_profile *p, int vector, uint32_t pc);
/* The machine was put elsewhere: it goes on from there. */
void hc_profile_restart(struct hc_profile *p);
/* The run is over: counts what is left. False when memory was exhausted on the way: nothing here is to be used. */
bool hc_profile_finish(struct hc_profile *p);

/* What came of it, to be read when it is over. */
const struct hc_contexts *hc_profile_contexts(const struct hc_profile *p);
struct hc_cost hc_profile_total(const struct hc_profile *p);
size_t hc_profile_stacks(const struct hc_profile *p);
uint32_t hc_profile_deepest_stack(const struct hc_profile *p);
/* At any time: the most bytes of a stack since it was last asked. */
uint32_t hc_profile_take_deepest(struct hc_profile *p);

#endif
