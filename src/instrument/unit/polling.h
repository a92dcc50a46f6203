/* Loops that wait for a bit. */
#ifndef HC_INSTRUMENT_UNIT_POLLING_H
#define HC_INSTRUMENT_UNIT_POLLING_H

#include "unit_state.h"

/* Whether LOOP only waits for a bit of a register; if so, decides its access. */
bool hc_polling_decide(struct hc_unit *unit, struct hc_ast_node *loop);

#endif
