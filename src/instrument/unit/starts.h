/* Statements that start what will wake the CPU. */
#ifndef HC_INSTRUMENT_UNIT_STARTS_H
#define HC_INSTRUMENT_UNIT_STARTS_H

#include "unit_state.h"

/* SLEEP puts the CPU to sleep while interrupts are enabled. If short statements directly before it write registers that
 * the hardware answers, what they start may end, and its handler wake the CPU, before the CPU sleeps: if anything took
 * long in between, nothing would wake it again. Returns the first of them, or SLEEP. */
struct hc_ast_node *hc_starts_before(struct hc_unit *unit, struct hc_ast_node *sleep);

#endif
