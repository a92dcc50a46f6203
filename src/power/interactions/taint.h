/* Where a measurement goes: a shadow of every register and every byte of memory that says which labels (labels.h) its
 * value comes from, kept instruction by instruction while a machine runs.
 * How values flow through an instruction is the target's knowledge (target/value_flow.h).
 *
 * DMA carries labels along, interrupts save and restore those of the flags. What control flow alone tells (x = 1 in one
 * branch, 2 in the other) carries no label: the branch itself is a use. */
#ifndef HC_POWER_TAINT_H
#define HC_POWER_TAINT_H

#include "labels.h"
#include "machine/machine.h"

/* Where a value takes effect. */
enum hc_use {
    HC_USE_READ,    /* a variable that holds it is read (told by who watches the variable) */
    HC_USE_BRANCH,  /* a conditional jump, or a jump, call or return to it */
    HC_USE_ADDRESS, /* memory is accessed through it */
    HC_USE_OUTPUT,  /* it is given to a peripheral, or to a function that acts on the environment */
    HC_USES,
};
extern const char *const hc_use_names[HC_USES];

struct hc_taint_ops {
    /* A byte is loaded or stored by the instruction at PC; returns the labels that it then has. */
    uint32_t (*loaded)(void *owner, uint32_t address, uint32_t pc, uint32_t set);
    uint32_t (*stored)(void *owner, uint32_t address, uint32_t pc, uint32_t set);
    void (*used)(void *owner, enum hc_use use, uint32_t pc, uint32_t set);
};

struct hc_taint;

/* From now on, until it is freed. LABELS, OPS must live as long; the machine runs at about a tenth of its speed. */
struct hc_taint *hc_taint_new(struct hc_machine *m, struct hc_labels *labels, const struct hc_taint_ops *ops,
                              void *owner);
void hc_taint_free(struct hc_taint *t);

/* All of a register. */
uint32_t hc_taint_register(const struct hc_taint *t, int reg);
void hc_taint_set_register(struct hc_taint *t, int reg, uint32_t set);
/* Of the flags. */
uint32_t hc_taint_flags(const struct hc_taint *t);
uint32_t hc_taint_byte(const struct hc_taint *t, uint32_t address);

#endif
