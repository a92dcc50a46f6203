/* Turns decisions into edits, and makes the text of descriptors and map records. */
#ifndef HC_INSTRUMENT_UNIT_EMIT_H
#define HC_INSTRUMENT_UNIT_EMIT_H

#include "unit_state.h"

void hc_emit_decisions(struct hc_unit *unit);
/* Statements: see target/text.h. */
const char *hc_emit_tick(struct hc_unit *unit, bool in_line);
const char *hc_emit_call(struct hc_unit *unit, const char *function);
const char *hc_emit_call_sometimes(struct hc_unit *unit, const char *function, const char *counter, unsigned add);
const char *hc_emit_wake(struct hc_unit *unit, const char *counter);
/* A spelling of the type of NODE's value, without qualifiers. */
const char *hc_emit_type(struct hc_unit *unit, const struct hc_ast_node *node);
/* emit_map.c: the descriptors and records of the whole unit, as C text; in the unit's memory. */
const char *hc_emit_map(struct hc_unit *unit);

#endif
