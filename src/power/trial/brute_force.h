/* The brute-force baseline of the paper: every instruction as a checkpoint, every failure within the execution depth
 * after it; or every known checkpoint, and every failure until the next one. The stretch is executed again and all that
 * it left compared. It finds nothing that locate does not, knows less of what it finds, and takes time in proportion to
 * n x depth x depth: to compare with, and to check against. */
#ifndef HC_POWER_BRUTE_FORCE_H
#define HC_POWER_BRUTE_FORCE_H

#include "power/locate/locate.h"

struct hc_brute_forced {
    uint64_t checkpoints, failures; /* tried */
    uint64_t different;             /* failures after which registers or memory differ */
    uint64_t instructions;          /* executed, again and again */
};

/* Checkpoints before FIRST, FIRST + EVERY, FIRST + 2 EVERY ... instructions of main (of known checkpoints, the entry of
 * main among them: every EVERY-th), COUNT of them at most. CONFIG as for hc_power_locate, on a machine of its own;
 * LOCATED says where the stack is. False when main was not reached. */
bool hc_brute_force(const struct hc_locate_config *config, const struct hc_located *located, uint64_t first,
                    uint64_t every, uint64_t count, struct hc_brute_forced *out);

/* Instructions that the whole of it would execute, for a run of N instructions: equation 5 of the paper (DEPTH
 * UINT64_MAX), or the same with failures at most DEPTH instructions after their checkpoint. */
double hc_brute_force_instructions(uint64_t n, uint64_t depth);

#endif
