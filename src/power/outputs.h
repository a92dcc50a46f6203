/* What a program does to its environment, and what doing it twice would do.
 *
 * An output is a function; its first argument acts on a quantity of the environment as its model says. When power fails
 * after some actions of a window, P, they are done again: the environment has seen P P instead of P. If that makes a
 * difference the output behaves as relative (turn by 45 degrees), else as absolute (turn to 45 degrees). Whoever
 * expects the other one is warned, once for each call site. */
#ifndef HC_POWER_OUTPUTS_H
#define HC_POWER_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_output_model {
    HC_OUTPUT_SET, /* the quantity becomes the argument */
    HC_OUTPUT_ADD, /* the argument is added */
    HC_OUTPUT_LOG, /* each action is seen: sent, printed, counted */
};

enum hc_output_tag { HC_OUTPUT_UNTAGGED, HC_OUTPUT_ABSOLUTE, HC_OUTPUT_RELATIVE };

enum { HC_OUTPUTS_MAX = 16 }; /* that a run can watch */

struct hc_output {
    const char *name;
    uint32_t entry;
    enum hc_output_model model;
    enum hc_output_tag expected;
};

/* At a call site, in at least one window: its behaviour. */
struct hc_output_finding {
    size_t output; /* index */
    uint32_t call_site;
    bool relative;
    uint64_t actions; /* how often it was called from there */
};

struct hc_outputs;

/* OUTPUT must outlive it. ANYWHERE: a checkpoint may be before each action. */
struct hc_outputs *hc_outputs_new(const struct hc_output *output, size_t count, bool anywhere);
void hc_outputs_free(struct hc_outputs *o);

void hc_outputs_act(struct hc_outputs *o, size_t output, int16_t argument, uint32_t call_site);
/* A checkpoint has been completed, or the run has ended. */
void hc_outputs_checkpoint(struct hc_outputs *o);

size_t hc_outputs_findings(const struct hc_outputs *o, const struct hc_output_finding **out);

/* Does FINDING contradict what was expected of OUTPUT? */
bool hc_output_is_unexpected(const struct hc_output *output, const struct hc_output_finding *finding);

#endif
