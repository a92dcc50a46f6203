/* Evaluate: what each anomaly does to the program, by really cutting the power.
 *
 *     main ──────► consumer ─────────► producer ✕        the supply fails right after the witness's producer
 *                  │◄── registers, SRAM, peripherals: as the checkpoint before the consumer saved them
 *                  ▼    non-volatile memory: as the failure left it
 *                  consumer ─────────► ... ─────► end    compared with the end of the continuous run
 *
 * One run from main to each consumer, in order of time, and one to the end for each pair. Compared are memory, what
 * main returns, and what is done to the environment from the checkpoint on: calls of the outputs that are named, and
 * writes to ports and to the buffers of serial interfaces. That something is done twice is no matter here: see
 * outputs.h. */
#ifndef HC_POWER_EVALUATE_H
#define HC_POWER_EVALUATE_H

#include "power/locate/locate.h"

enum hc_effect {
    HC_EFFECT_UNKNOWN, /* not tried */
    HC_EFFECT_NONE,    /* everything at the end is right */
    HC_EFFECT_VALUE,   /* memory is not: see address; or what main returned */
    HC_EFFECT_OUTPUT,  /* what was done to the environment is not; memory may not be, either */
    HC_EFFECT_CRASH,   /* the machine faulted, or was reset */
    HC_EFFECT_ENDLESS, /* it ran for far longer than the continuous run */
    HC_EFFECTS,
};
extern const char *const hc_effect_names[HC_EFFECTS];

struct hc_evaluated {
    enum hc_effect effect;
    uint32_t bytes_wrong; /* of memory, */
    uint32_t address;     /* the first of them, */
    uint8_t is, should;   /* what it is and should be */
    bool result_wrong;    /* main returned RESULT_IS instead of RESULT_SHOULD */
    uint16_t result_is, result_should;
    struct hc_wrong_output { /* the first of them; NULL: there is none (any more) */
        const char *is, *should;
        int32_t argument_is, argument_should;
    } output;
    char fault[120];       /* of HC_EFFECT_CRASH */
    uint64_t instructions; /* executed to find out, from the checkpoint on */
};

/* "counter at 0xc000 is 0x02 and should be 0x01, 2 bytes in all", or what else is wrong; "" when nothing is. NAME: of
 * the variable at the address. */
const char *hc_effect_text(const struct hc_evaluated *e, const char *name, char *out, size_t size);

/* The end of the run that LOCATED comes from must have been HC_LOCATE_DONE. CONFIG as for hc_power_locate, with the
 * machine loaded again and reset; silent pairs are tried as well. OUT has an element for each of LOCATED's pairs. False
 * when the program does not repeat itself, and nothing can be said. */
bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located,
                       struct hc_evaluated *out);

/* An input that is another one when it is acquired again, and steers a branch: */
struct hc_steered {
    struct hc_evaluated evaluated; /* against the continuous run with that other value from the checkpoint on */
    uint16_t value;                /* the first that was found to make a difference; or the last that was tried */
};

/* The same for LOCATED's steerings. Values of registers are not made up: they stay HC_EFFECT_UNKNOWN. */
bool hc_power_evaluate_steerings(const struct hc_locate_config *config, const struct hc_located *located,
                                 struct hc_steered *out);

#endif
