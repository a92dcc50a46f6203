/* Loops that read until two reads agree. */
#ifndef HC_INSTRUMENT_UNIT_STABLE_H
#define HC_INSTRUMENT_UNIT_STABLE_H

#include "unit_state.h"

/* For unit->function, before hc_access_decide. */
void hc_stable_decide(struct hc_unit *unit);

#endif
