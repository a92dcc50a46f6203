/* Cuts: power fails after every instruction of the run, and the program goes on by its own means.
 *
 *     power-on ──► start-up ──► main ──► ... ──┬──► end
 *                                              ✕ the supply fails: SRAM, registers and peripherals are lost
 *     power-on ──► start-up ──► whatever the program does to go on ──► ... ──► end     compared with the continuous run
 *
 * Nothing is assumed about checkpoints or tasks. A cut that leaves the same non-volatile memory, and the same outputs
 * done, as the one before it needs no run of its own: everything else is lost. One failure a run. */
#ifndef HC_POWER_CUTS_H
#define HC_POWER_CUTS_H

#include "evaluate.h"

#define HC_NO_PAIR SIZE_MAX

/* Why a cut ends otherwise than the one before it: of the bytes that were written in between, the first that the
 * program reads again, after the failure, before it writes it. */
struct hc_cut_reason {
    bool known;
    uint32_t address;
    uint32_t consumer, producer; /* who reads it then, and who had written it */
    size_t pair;                 /* of those located, if they are one; else HC_NO_PAIR */
};

/* Consecutive cuts with the same kind of effect. */
struct hc_cut {
    uint64_t first, last;          /* instructions executed since power-on */
    uint32_t first_pc, last_pc;    /* those that were executed last then */
    struct hc_evaluated evaluated; /* of the first, */
    struct hc_cut_reason reason;   /* and of that, too */
};

struct hc_cuts {
    struct hc_cut *cut; /* those with an effect, in order */
    size_t count, room;
    uint64_t instructions;       /* of the run, from power-on */
    uint64_t cuts;               /* of these, made */
    uint64_t tried;              /* and run to their ends */
    uint64_t effect[HC_EFFECTS]; /* how many cuts have each */
};

/* Which instructions: every EVERY-th (1: each), or RANDOM ones of them, by SEED. */
struct hc_cuts_choice {
    uint64_t every, random, seed;
};

/* CONFIG as for hc_power_evaluate; its checkpoint function and RESTORE (each may be 0) say what memory is their own, as
 * for hc_power_tear. False when the program does not repeat itself. hc_cuts_free is due. */
bool hc_power_cut(const struct hc_locate_config *config, const struct hc_located *located, uint32_t restore,
                  const struct hc_cuts_choice *choice, struct hc_cuts *out);
void hc_cuts_free(struct hc_cuts *cuts);

/* Cuts that end otherwise than the continuous run. */
uint64_t hc_cuts_wrong(const struct hc_cuts *cuts);

#endif
