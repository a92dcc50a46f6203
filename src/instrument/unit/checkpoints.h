/* Instead of recording: calls of a checkpoint function. */
#ifndef HC_INSTRUMENT_UNIT_CHECKPOINTS_H
#define HC_INSTRUMENT_UNIT_CHECKPOINTS_H

#include "unit_state.h"

/* For the whole unit. */
void hc_checkpoints_place(struct hc_unit *unit);

#endif
