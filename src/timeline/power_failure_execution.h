/* A machine whose supply fails once, as an execution. The failure is a moment of its own:
 *
 *     ── #F-1 ────────► #F ───────────────► #F+1 ─────────►
 *        executes its   all that will be    where the machine
 *        instruction    done has been done  goes on
 *
 * Instructions, interrupts and time go on counting. It is over when the program comes to its end, or has had enough
 * instructions. */
#ifndef HC_TIMELINE_POWER_FAILURE_EXECUTION_H
#define HC_TIMELINE_POWER_FAILURE_EXECUTION_H

#include "timeline.h"

struct hc_power_failure_execution {
    struct hc_machine *machine;        /* at its beginning */
    uint64_t failure;                  /* F: the number of instructions retired when the supply fails */
    struct hc_moment lost;             /* of the machine there, */
    const struct hc_snapshot *resumed; /* how it goes on, */
    struct hc_moment found;            /* and the machine's moment then, which counts as F + 1 */
    uint64_t checkpoint;               /* the moment at which it continues; 0: power-on */
    uint32_t end;                      /* of the program: an instruction that is not executed; 0: none */
    uint64_t limit;                    /* instructions */
};

/* Everything PLAN points to must outlive it. Returns NULL on out-of-memory. */
struct hc_execution *hc_power_failure_execution_new(const struct hc_power_failure_execution *plan);

#endif
