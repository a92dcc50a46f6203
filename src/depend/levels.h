/* Which functions are recorded at a level, and which level comes next: Wang et al. (2011), algorithm 4.1 and the
 * procedure around it. */
#ifndef HC_DEPEND_LEVELS_H
#define HC_DEPEND_LEVELS_H

#include "pfdg.h"

/* What is recorded at LEVEL. Without PATHS (NULL): all functions up to that level. With PATHS, of each function whether
 * it is on an error-hiding path: those, the functions of LEVEL that one edge leads to from them, and the functions that
 * check invariants. CHOSEN gets a bool for each function of the program. Returns how many. */
size_t hc_levels_choose(const struct hc_pfdg *g, int level, const bool *paths, bool *chosen);

/* Whether FUNCTION reads a register of a peripheral again and again until it is as wanted. That takes longer while it
 * is recorded, perhaps for ever. */
bool hc_levels_waits(const struct hc_depend_program *p, uint32_t function);

/* Whether FUNCTION is not recorded at any level: it waits, it takes a variable number of arguments, it is a handler,
 * the program begins there, or it uses assembly, as code does that runs with interrupts off and must be quick. What
 * comes from it is recorded where it comes in. */
bool hc_levels_stays_outside(const struct hc_depend_program *p, uint32_t function);

/* Whether a handler may call one of the functions CHOSEN. */
bool hc_levels_interrupted(const struct hc_points_to *a, const bool *chosen);

/* The error-hiding paths after LEVEL was recorded: canonical paths by functions that EXECUTED says have run, from each
 * of which an edge leads to a function of the slice above LEVEL that has not been recorded. PATHS, a bool for each
 * function, has those of lower levels, and gets these, too. Returns the level to record next, the lowest of those
 * functions'; HC_LEVEL_NONE: the whole slice of what ran has been recorded. *FAILED: memory is exhausted. */
int hc_levels_next(const struct hc_pfdg *g, const struct hc_criterion *c, int level, const bool *recorded,
                   const bool *executed, bool *paths, bool *failed);

#endif
