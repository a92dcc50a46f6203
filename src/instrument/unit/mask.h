/* Which bits of a value are used. */
#ifndef HC_INSTRUMENT_UNIT_MASK_H
#define HC_INSTRUMENT_UNIT_MASK_H

#include "unit_state.h"

/* The bits of NODE's value on which anything depends. */
uint64_t hc_mask_used(const struct hc_ast_node *node);

#endif
