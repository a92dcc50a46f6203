/* What a program does to its environment, and what doing it twice would do.
 *
 * An output is a function, with its first argument, or a peripheral's register, with what is written to it. It acts on
 * a quantity of the environment as its model says; or the environment is a program of the user's (environment.h).
 *
 * Power fails after some actions of a window, P, and they are done again. For each action a, with P before it:
 *
 *     repeated   P a ✕ P a        against P a: if it makes a difference the output behaves as relative (turn by 45
 *                                 degrees), else as absolute (turn to 45 degrees)
 *     partial    P ½a ✕ P a       power failed while a was being done
 *     lost       a ┊ ✕ Q          against a ┊ Q: the checkpoint lies behind it, so it is not done again, but its effect
 *                                 has gone with the supply (an LED)
 *     stale      what it was given was measured before the checkpoint, however long ago that was (inputs.h)
 *
 * What is not as expected is reported once for each place that acts. */
#ifndef HC_POWER_OUTPUTS_H
#define HC_POWER_OUTPUTS_H

#include "environment.h"

enum hc_output_model {
    HC_OUTPUT_SET, /* the quantity becomes the argument */
    HC_OUTPUT_ADD, /* the argument is added */
    HC_OUTPUT_LOG, /* each action is seen: sent, printed, counted */
};

enum hc_output_tag { HC_OUTPUT_UNTAGGED, HC_OUTPUT_ABSOLUTE, HC_OUTPUT_RELATIVE };

enum { HC_OUTPUTS_MAX = 32 }; /* that a run can watch */

struct hc_output {
    const char *name;
    uint32_t entry; /* of a function; or the register's address */
    enum hc_output_model model;
    enum hc_output_tag expected;
    uint32_t register_size; /* 0: it is a function */
    const char *quantity;   /* NULL: one of its own */
    bool lost;              /* with the supply */
};

/* At a place (a call, or an instruction that writes the register), in at least one window: its behaviour. */
struct hc_output_finding {
    size_t output; /* index */
    uint32_t call_site;
    bool relative, partial, lost, stale;
    uint64_t actions; /* how often it acted */
};

struct hc_outputs;

/* OUTPUT and ENVIRONMENT must outlive it; ENVIRONMENT NULL: as the outputs' models say. ANYWHERE: a checkpoint may be
 * before each action. */
struct hc_outputs *hc_outputs_new(const struct hc_output *output, size_t count,
                                  const struct hc_environment *environment, bool anywhere);
void hc_outputs_free(struct hc_outputs *o);

/* STALE: what it is given was measured before the last checkpoint. */
void hc_outputs_act(struct hc_outputs *o, size_t output, int32_t argument, uint32_t call_site, bool stale);
/* A checkpoint has been completed, or the run has ended. */
void hc_outputs_checkpoint(struct hc_outputs *o);

size_t hc_outputs_findings(const struct hc_outputs *o, const struct hc_output_finding **out);

/* Does FINDING contradict what was expected of OUTPUT? */
bool hc_output_is_unexpected(const struct hc_output *output, const struct hc_output_finding *finding);

/* A table of outputs, a line each; the names lie in TEXT, which is changed and must outlive them. Empty lines and what
 * follows a '#' are skipped.
 *
 *     # output   quantity   model   what is expected of it, and whether the supply takes it along
 *     turn       angle      add     absolute
 *     turn_to    angle      set
 *     P1OUT      lights     set     absolute  lost
 *
 * Returns how many, or -1 with "line 3: ..." in MESSAGE. Their addresses are not yet known. */
int hc_outputs_parse(struct hc_output *output, size_t max, char *text, char *message, size_t message_size);

#endif
