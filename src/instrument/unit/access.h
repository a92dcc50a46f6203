/* Decides for each access whether to record, skip or refuse it. */
#ifndef HC_INSTRUMENT_UNIT_ACCESS_H
#define HC_INSTRUMENT_UNIT_ACCESS_H

#include "unit_state.h"

/* For unit->function. */
void hc_access_decide(struct hc_unit *unit);
struct hc_decision *hc_access_new(struct hc_unit *unit, enum hc_decision_kind action, struct hc_ast_node *node,
                                  struct hc_ast_node *lvalue, struct hc_lvalue_place place);

#endif
