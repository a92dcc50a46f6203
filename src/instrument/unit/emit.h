/* Decisions become edits; descriptors and the records of the map become text. */
#ifndef HC_INSTRUMENT_UNIT_EMIT_H
#define HC_INSTRUMENT_UNIT_EMIT_H

#include "unit_state.h"

void hc_emit_decisions(struct hc_unit *unit);
const char *hc_emit_flags(const struct hc_unit *unit); /* the clobber that says that flags change */
const char *hc_emit_tick(const struct hc_unit *unit, bool in_line);
/* A way to write the type of NODE's value, without qualifiers. */
const char *hc_emit_type(struct hc_unit *unit, const struct hc_node *node);
/* emit_map.c: the descriptors and records of the whole unit, as C text; in the unit's memory. */
const char *hc_emit_map(struct hc_unit *unit);

#endif
