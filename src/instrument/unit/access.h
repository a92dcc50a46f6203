/* Each access gets a decision: record, skip, refuse. */
#ifndef HC_INSTRUMENT_UNIT_ACCESS_H
#define HC_INSTRUMENT_UNIT_ACCESS_H

#include "unit_state.h"

/* For unit->function. */
void hc_access_decide(struct hc_unit *unit);
struct hc_decision *hc_access_new(struct hc_unit *unit, enum hc_action action, struct hc_node *node,
                                  struct hc_node *lvalue, struct hc_place place);

#endif
