/* What inline assembly touches. */
#ifndef HC_INSTRUMENT_UNIT_ASSEMBLY_H
#define HC_INSTRUMENT_UNIT_ASSEMBLY_H

#include "unit_state.h"

void hc_assembly_check(struct hc_unit *unit, const struct hc_ast_node *statement);
void hc_assembly_check_outside(struct hc_unit *unit, CXSourceLocation location, uint32_t begin, uint32_t end);
/* What an inline assembly statement does to the status register. */
struct hc_status_change {
    uint32_t bits;                        /* constants that are set */
    const struct hc_ast_node *expression; /* other bits that are set; NULL: none */
    bool enables, disables;               /* interrupts, in the end */
};
struct hc_status_change hc_assembly_status(struct hc_unit *unit, const struct hc_ast_node *statement);

#endif
