/* What was measured, and whether power may have failed between the measurement and its use.
 *
 * An input is a function (what it returns), a peripheral's register (what is read from it) or a variable (what is
 * stored in it). From there its value is followed through registers and memory (taint.h) to its uses: each read of
 * memory that holds it; where it stays in registers, a branch, an address, something that acts on the environment. That
 * a function gives a register back to its caller, by POP, is no use.
 *
 *     acquired ──── window ────┊ checkpoint ┊──── window ──── used       long-term: as old as the failure was long
 *     acquired ──── window ──── used                                     most-recent: after a failure it is acquired
 *                                                                        again
 *
 * The checkpoint clock tells the two apart. With checkpoints anywhere every use is long-term. A use that
 * is not as expected is reported once for each instruction.
 *
 * A value that is acquired again after a failure may differ. If it decides a branch, and non-volatile memory was
 * written after the branch, then memory may hold the writes of both sides: this is called a steering, and evaluate
 * tries it. */
#ifndef HC_POWER_INPUTS_H
#define HC_POWER_INPUTS_H

#include "taint.h"
#include "values.h"

enum { HC_INPUTS_MAX = 16 }; /* that a run can watch */

enum hc_input_kind { HC_INPUT_VARIABLE, HC_INPUT_FUNCTION, HC_INPUT_REGISTER };

struct hc_power_input {
    const char *name;
    uint32_t address, size; /* of a function: its entry */
    bool long_term;         /* expected; else most-recent */
    bool untagged;          /* nothing is expected */
    enum hc_input_kind kind;
    const struct hc_input_values *values; /* of a function: what it returns; NULL: what the program measures */
};

/* A use that is not as expected. */
struct hc_input_finding {
    size_t input; /* index */
    enum hc_use kind;
    uint32_t use;         /* instruction */
    uint32_t acquisition; /* the one that stored what was used */
    uint64_t count;
    uint64_t checkpoints; /* between the two, at most; with checkpoints anywhere: 0 */
    uint64_t last;        /* time of the last one: the bytes of a word are one use */
};

/* A branch that depends on an input of the same window, and a write to non-volatile memory behind it: of each branch
 * the first that was met. */
struct hc_steering {
    size_t input;
    uint32_t acquisition, branch, write; /* instructions */
    uint64_t resumed;                    /* instructions retired when the window began: see hc_occurrence */
    uint64_t acquired, branched, produced;
};

struct hc_power_inputs;

/* INPUT must outlive it. DEPTH: with checkpoints anywhere, how many instructions, or cycles, may be lost; 0: they are
 * known. */
struct hc_power_inputs *hc_power_inputs_new(const struct hc_power_input *input, size_t count, uint64_t depth,
                                            bool in_cycles);
void hc_power_inputs_free(struct hc_power_inputs *i);

/* Watches MACHINE until it is detached; without one the caller tells of everything. */
void hc_power_inputs_attach(struct hc_power_inputs *i, struct hc_machine *machine);
void hc_power_inputs_detach(struct hc_power_inputs *i);

/* The labels of a value with SET, when it becomes INPUT's; and what is known of its use. */
uint32_t hc_power_inputs_acquired(struct hc_power_inputs *i, size_t input, uint32_t pc, uint32_t set);
uint32_t hc_power_inputs_read(struct hc_power_inputs *i, size_t input, uint32_t pc, uint32_t set);
void hc_power_inputs_used(struct hc_power_inputs *i, enum hc_use use, uint32_t pc, uint32_t set);

/* The call at PC gives its first argument to a function that acts on the environment. True: what it gives was measured
 * before the last checkpoint. */
bool hc_power_inputs_given(struct hc_power_inputs *i, uint32_t pc);
/* Non-volatile memory was written. */
void hc_power_inputs_nvm_written(struct hc_power_inputs *i, uint32_t pc);
/* A checkpoint has been completed at TIME. */
void hc_power_inputs_checkpoint(struct hc_power_inputs *i, uint64_t time);
/* What the checkpoint function does with values is no use of theirs. */
void hc_power_inputs_pause(struct hc_power_inputs *i, bool pause);

size_t hc_power_inputs_findings(const struct hc_power_inputs *i, const struct hc_input_finding **out);
size_t hc_power_inputs_steerings(const struct hc_power_inputs *i, const struct hc_steering **out);

#endif
