/* Small functions that need no tick. */
#ifndef HC_INSTRUMENT_UNIT_INLINING_H
#define HC_INSTRUMENT_UNIT_INLINING_H

#include "unit_state.h"

/* For all functions, after accesses have been decided. */
void hc_inlining_decide(struct hc_unit *unit);

#endif
