/* An exact profile of a run: counts the instructions and cycles of each function, line and interrupt while the machine
 * runs.
 *
 * The sums equal the machine's own counts: each retired instruction counts once, with the cycles since the one before
 * it. The cycles of accepting an interrupt count for its handler. The machine runs at about a tenth of its speed. */
#ifndef HC_PROFILE_PROFILE_H
#define HC_PROFILE_PROFILE_H

#include "contexts.h"
#include "machine/machine.h"

struct hc_profile;

/* Counts from now on. M and IMAGE must outlive it; IMAGE may be NULL. Returns NULL on out-of-memory. */
struct hc_profile *hc_profile_new(struct hc_machine *m, const struct hc_image *image);
void hc_profile_free(struct hc_profile *p);

/* Reports an interrupt that a replay has delivered before the instruction at PC, which its machine does not count. */
void hc_profile_interrupt(struct hc_profile *p, int vector, uint32_t pc);
/* Call after the machine's state was replaced; counting continues from there. */
void hc_profile_restart(struct hc_profile *p);
/* Ends the run and completes the counts. Returns false if memory was exhausted: the profile must not be used. */
bool hc_profile_finish(struct hc_profile *p);

/* The result, valid after the end. */
const struct hc_contexts *hc_profile_contexts(const struct hc_profile *p);
struct hc_cost hc_profile_total(const struct hc_profile *p);
size_t hc_profile_stacks(const struct hc_profile *p);
uint32_t hc_profile_deepest_stack(const struct hc_profile *p);
/* The maximum stack depth in bytes since the last call. */
uint32_t hc_profile_take_deepest(struct hc_profile *p);

#endif
