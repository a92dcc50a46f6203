/* What is at an address, in the words of the source. */
#ifndef HC_DEBUG_DWARF_NAME_ADDRESS_H
#define HC_DEBUG_DWARF_NAME_ADDRESS_H

#include "machine/machine.h"
#include "program.h"

/* "table[3].next", "old in swap", "the return address of swap": a variable, or something in one of M's frames. Returns
 * false if the debug information does not tell. */
bool hc_name_address(struct hc_program *p, struct hc_machine *m, uint32_t address, char *out, size_t size);

#endif
