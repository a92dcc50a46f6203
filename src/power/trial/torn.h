/* Torn checkpoints: power fails within the checkpoint routine itself.
 *
 * Here nothing is pretended: the routine is the program's own, and so is what its start-up code does to go on. At
 * several calls of the routine, after each of its instructions that changed non-volatile memory:
 *
 *     main ────► checkpoint() ──┬──────────► return
 *                               ✕ the supply fails: SRAM, registers and peripherals are lost
 *     reset ──► start-up, restore() ──► ... ──► end      compared with the continuous run
 *
 * A routine is safe if every failure within it ends as one before its first instruction does. Memory that is the
 * routines' own (own_memory.h) is not compared; nor is, where CONFIG says what is versioned, what is not. */
#ifndef HC_POWER_TORN_H
#define HC_POWER_TORN_H

#include "evaluate.h"

/* Consecutive instructions of one call after which a failure has the same kind of effect. */
struct hc_tear {
    uint32_t call_site;
    unsigned call;                 /* of those from there, from 1 */
    uint32_t from, to;             /* instructions of the routine that have been executed; 0: none */
    uint32_t first, last;          /* those that were executed last then; of FROM 0: the routine's entry */
    struct hc_evaluated evaluated; /* of the first */
    bool otherwise; /* one of them ends otherwise than a failure before the routine: worse, or elsewhere */
};

struct hc_torn {
    struct hc_tear *tear;
    size_t count, room;
    unsigned calls;    /* that were tried */
    uint64_t failures; /* and moments of them */
};

/* CONFIG as for hc_power_evaluate, with its checkpoint function; RESTORE: entry of the function that goes on from a
 * checkpoint, or 0. False when the program does not repeat itself. hc_torn_free is due. */
bool hc_power_tear(const struct hc_locate_config *config, const struct hc_located *located, uint32_t restore,
                   struct hc_torn *out);
void hc_torn_free(struct hc_torn *torn);

/* How many cycles pass from power-on until the program goes on behind its last checkpoint, by its own means: measured
 * at the first call of the routine. CONFIG as above. 0: it does not come back there. */
uint64_t hc_power_resume_cycles(const struct hc_locate_config *config);

/* A failure within the routine has an effect that one before it has not. */
bool hc_tear_breaks(const struct hc_tear *tear);
size_t hc_torn_broken(const struct hc_torn *torn);

#endif
