/* Evaluate: what each anomaly does to the program, by really cutting the power.
 *
 *     main ──────► consumer ─────────► producer ✕        the supply fails right after the producer
 *                  │◄── registers, SRAM, peripherals: as the checkpoint before the consumer saved them
 *                  ▼    non-volatile memory: as the failure left it
 *                  consumer ─────────► ... ─────► end    compared with the end of the continuous run
 *
 * Compared are memory, what main returns, and what is done to the environment from the checkpoint on: calls of the
 * outputs that are named, and writes to ports and to the buffers of serial interfaces. That something is done twice is
 * no matter here: see outputs.h.
 *
 * What a pair does may differ from one occurrence to the next, so that each is tried (pairs.h says what one is), and
 * the worst counts. If none does harm and checkpoints may be anywhere, the farther ones are tried as well. Where that
 * would take more than the effort that is granted, as many as it allows are tried, evenly spread over the run. */
#ifndef HC_POWER_EVALUATE_H
#define HC_POWER_EVALUATE_H

#include "power/locate/locate.h"

enum hc_effect {
    HC_EFFECT_UNKNOWN, /* not tried */
    HC_EFFECT_NONE,    /* everything at the end is right */
    HC_EFFECT_VALUE,   /* memory is not: see address; or what main returned */
    HC_EFFECT_OUTPUT,  /* what was done to the environment is not; memory may not be, either */
    HC_EFFECT_CRASH,   /* the machine faulted, or was reset */
    HC_EFFECT_ENDLESS, /* it ran, or slept, for far longer than the continuous run */
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

/* Of all occurrences of a pair that were tried. */
struct hc_verdict {
    struct hc_evaluated worst;    /* later effects of hc_effect are worse; of equals the nearest */
    struct hc_occurrence witness; /* whose it is */
    bool farther;                 /* it is a farther one */
    uint64_t occurrences;         /* that there are: of a silent pair the silent ones */
    uint64_t effects[HC_EFFECTS]; /* how many of those that were tried had which */
    uint64_t farther_occurrences; /* if they had to be looked at */
    uint64_t farther_effects[HC_EFFECTS];
    uint64_t instructions; /* executed to find out */
};

uint64_t hc_verdict_tried(const struct hc_verdict *v);
uint64_t hc_verdict_farther_tried(const struct hc_verdict *v);
/* Each occurrence was tried, the farther ones where they count. */
bool hc_verdict_is_complete(const struct hc_verdict *v);
/* "254 of 256 occurrences: 254 wrong value, 2 harmless": how the trials ended. */
const char *hc_verdict_text(const struct hc_verdict *v, char *out, size_t size);

/* Instructions that may be executed to find out, unless the user says otherwise. */
#define HC_POWER_EFFORT 4000000000u

/* The end of the run that LOCATED comes from must have been HC_LOCATE_DONE. CONFIG as for hc_power_locate, with the
 * machine loaded again and reset; silent pairs are tried as well. EFFORT: instructions, about; each pair is tried once
 * in any case. OUT has an element for each of LOCATED's pairs. False when the program does not repeat itself, and
 * nothing can be said. */
bool hc_power_evaluate(const struct hc_locate_config *config, const struct hc_located *located, uint64_t effort,
                       struct hc_verdict *out);

/* An input that is another one when it is acquired again, and steers a branch: */
struct hc_steered {
    struct hc_evaluated evaluated; /* against the continuous run with that other value from the checkpoint on */
    uint16_t value;                /* the first that was found to make a difference; or the last that was tried */
};

/* The same for LOCATED's steerings. Values of registers are not made up: they stay HC_EFFECT_UNKNOWN. */
bool hc_power_evaluate_steerings(const struct hc_locate_config *config, const struct hc_located *located,
                                 struct hc_steered *out);

#endif
