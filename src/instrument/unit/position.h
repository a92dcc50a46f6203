/* Where the position counter is incremented. */
#ifndef HC_INSTRUMENT_UNIT_POSITION_H
#define HC_INSTRUMENT_UNIT_POSITION_H

#include "unit_state.h"

void hc_position_prepare(struct hc_unit *unit); /* which functions have a tick at their entry */
void hc_position_emit(struct hc_unit *unit);    /* for unit->function */
/* Inserts TEXT, statements, at the start of STATEMENT, which becomes a block if it is not one. */
void hc_position_before(struct hc_unit *unit, const struct hc_ast_node *statement, const char *text);
/* One past the `;` or `}` that ends a statement. */
uint32_t hc_statement_end(const struct hc_unit *unit, const struct hc_ast_node *statement);

#endif
