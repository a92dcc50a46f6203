/* Evaluate: what each anomaly does to the program, by really cutting the power.
 *
 *     main ──────► consumer ─────────► producer ✕        the supply fails right after the witness's producer
 *                  │◄── registers, SRAM, peripherals: as the checkpoint before the consumer saved them
 *                  ▼    non-volatile memory: as the failure left it
 *                  consumer ─────────► ... ─────► end    compared with the end of the continuous run
 *
 * One run from main to each consumer, in order of time, and one to the end for each pair. */
#ifndef HC_POWER_EVALUATE_H
#define HC_POWER_EVALUATE_H

#include "locate.h"

enum hc_effect {
    HC_EFFECT_UNKNOWN, /* not tried */
    HC_EFFECT_NONE,    /* memory at the end is right */
    HC_EFFECT_VALUE,   /* it is not: see address */
    HC_EFFECT_CRASH,   /* the machine faulted, or was reset */
    HC_EFFECT_ENDLESS, /* it ran for far longer than the continuous run */
    HC_EFFECTS,
};
extern const char *const hc_effect_names[HC_EFFECTS];

struct hc_evaluated {
    enum hc_effect effect;
    uint32_t address;     /* of HC_EFFECT_VALUE: the first byte that differs, */
    uint8_t is, should;   /* what it is and should be; */
    uint32_t bytes_wrong; /* and how many do */
    char fault[120];      /* of HC_EFFECT_CRASH */
};

/* The end of the run that LOCATED comes from must have been HC_LOCATE_DONE. CONFIG as for hc_power_locate, with the
 * machine loaded again and reset; silent pairs are tried as well. OUT has an element for each of LOCATED's pairs. False
 * when the program does not repeat itself, and nothing can be said. */
bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located,
                       struct hc_evaluated *out);

#endif
