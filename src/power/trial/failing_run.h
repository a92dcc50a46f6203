/* A finding's power failure, tried once so that it can be looked at: where it is, and how the program goes on. */
#ifndef HC_POWER_FAILING_RUN_H
#define HC_POWER_FAILING_RUN_H

#include "failure.h"

struct hc_failing_run {
    uint64_t failure;            /* instructions retired when the supply fails */
    struct hc_statistics lost;   /* of the machine there, */
    struct hc_statistics found;  /* and of the machine that goes on */
    struct hc_snapshot *resumed; /* to be freed */
    uint32_t end;                /* where main returns to */
};

/* The failure by which evaluate tries this occurrence of PAIR. CONFIG as for hc_power_locate, with the machine loaded
 * again and reset; so it is afterwards. False when the program does not repeat itself. */
bool hc_power_failing_run(const struct hc_locate_config *config, const struct hc_located *located,
                          const struct hc_pair *pair, const struct hc_occurrence *occurrence,
                          struct hc_failing_run *out);

#endif
