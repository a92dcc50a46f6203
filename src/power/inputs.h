/* Variables that hold what was measured, and whether power may have failed between the measurement and its use.
 *
 * A value that is used in the window in which it was acquired is most-recent: no failure came in between, or it was
 * acquired again. One that is used behind a checkpoint may be as old as the failure was long: long-term. With
 * checkpoints anywhere every use is long-term. Whoever expects the other one is warned, once for each instruction that
 * uses it. */
#ifndef HC_POWER_INPUTS_H
#define HC_POWER_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_INPUTS_MAX = 16 }; /* that a run can watch */

struct hc_input {
    const char *name;
    uint32_t address, size;
    bool long_term; /* expected; else most-recent */
};

/* A use that is not as expected. */
struct hc_input_finding {
    size_t input;         /* index */
    uint32_t use;         /* instruction */
    uint32_t acquisition; /* the one that stored what was used */
    uint64_t count;
    uint64_t checkpoints; /* between the two, at most; with checkpoints anywhere: 0 */
};

struct hc_inputs;

/* INPUT must outlive it. ANYWHERE: checkpoints may be. */
struct hc_inputs *hc_inputs_new(const struct hc_input *input, size_t count, bool anywhere);
void hc_power_inputs_free(struct hc_inputs *i);

void hc_inputs_acquired(struct hc_inputs *i, size_t input, uint32_t pc);
void hc_inputs_used(struct hc_inputs *i, size_t input, uint32_t pc);
void hc_inputs_checkpoint(struct hc_inputs *i);

size_t hc_inputs_findings(const struct hc_inputs *i, const struct hc_input_finding **out);

#endif
