/* Variables that are registers. */
#ifndef HC_INSTRUMENT_UNIT_OBJECTS_H
#define HC_INSTRUMENT_UNIT_OBJECTS_H

#include "unit_state.h"

/* The address of the register that DECLARATION names; false if it is a variable in memory. */
bool hc_object_register(struct hc_unit *unit, CXCursor declaration, uint32_t *address);
/* Call first: notes that this unit defines DECLARATION, perhaps tentatively, so that its name alone does not make it a
 * register. */
void hc_object_define(struct hc_unit *unit, CXCursor declaration);
/* For a constant pointer with an initialiser: its tree. NULL otherwise. */
struct hc_ast_node *hc_object_value(struct hc_unit *unit, CXCursor declaration);

#endif
