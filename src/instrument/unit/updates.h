/* Calls of the recorder. */
#ifndef HC_INSTRUMENT_UNIT_UPDATES_H
#define HC_INSTRUMENT_UNIT_UPDATES_H

#include "unit_state.h"

/* For all functions, after accesses have been decided. */
void hc_updates_place(struct hc_unit *unit);

#endif
