/* Where an lvalue is: in a register, in memory, or known only at run time. */
#ifndef HC_INSTRUMENT_UNIT_PLACE_H
#define HC_INSTRUMENT_UNIT_PLACE_H

#include "unit_state.h"

struct hc_lvalue_place hc_place_of(struct hc_unit *unit, const struct hc_ast_node *lvalue);
/* Where a pointer's value points to. */
struct hc_lvalue_place hc_place_pointed(struct hc_unit *unit, const struct hc_ast_node *pointer);

#endif
