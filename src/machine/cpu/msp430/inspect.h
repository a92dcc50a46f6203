/* What an instruction would do, for those who watch a machine. */
#ifndef HC_MACHINE_CPU_MSP430_INSPECT_H
#define HC_MACHINE_CPU_MSP430_INSPECT_H

#include "machine/machine.h"

/* Whether the instruction at PC loads from ADDRESS only to change what is there: BIS, XOR, ADD ... with that
 * destination, or a rotation of it. With the registers as before the instruction. */
bool hc_msp430_modifies(struct hc_machine *m, uint32_t pc, uint32_t address);

/* The bits of what the instruction at PC loads from ADDRESS on which anything depends: those that BIT, AND and BIC look
 * at, all for others. With the registers as before the instruction. */
uint32_t hc_msp430_used(struct hc_machine *m, uint32_t pc, uint32_t address);

/* What the instruction at PC does with C, Z, N and V. */
enum hc_flags_use hc_msp430_flags(struct hc_machine *m, uint32_t pc, int *reg);

/* The register that the instruction at PC leaves a result in; -1 if none. */
int hc_msp430_result(struct hc_machine *m, uint32_t pc);

/* The register to which the instruction at PC gives a value; -1 if none: unlike hc_msp430_result, CMP and BIT have
 * none, nor what only saves and restores. */
int hc_msp430_sets(struct hc_machine *m, uint32_t pc);

/* A bit for each register that would have been given a value between the conditional jump at PC and TO, which it jumped
 * to; 0 if it is no such jump, or a far one. */
uint32_t hc_msp430_skipped(struct hc_machine *m, uint32_t pc, uint32_t to);

#endif
