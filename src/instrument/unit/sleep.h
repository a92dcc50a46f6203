/* What puts the CPU to sleep. */
#ifndef HC_INSTRUMENT_UNIT_SLEEP_H
#define HC_INSTRUMENT_UNIT_SLEEP_H

#include "unit_state.h"

/* Call first, for all functions. */
void hc_sleep_prepare(struct hc_unit *unit);
/* Whether NODE of F, an assembly statement or a call, may put the CPU to sleep. */
bool hc_sleep_at(struct hc_unit *unit, struct hc_ast_function *f, const struct hc_ast_node *node);
/* The statement before NODE that disabled the interrupts which are disabled at NODE. NULL if they are enabled (*DECIDED
 * is true), or if the function alone does not determine it. */
struct hc_ast_node *hc_sleep_switched_off(struct hc_unit *unit, const struct hc_ast_node *node, bool *decided);
/* The function of this unit that NODE calls by its name; NULL: none. */
struct hc_ast_function *hc_sleep_callee(struct hc_unit *unit, const struct hc_ast_node *node);

#endif
