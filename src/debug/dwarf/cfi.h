/* Call frame information (.debug_frame): how the caller's registers follow from a function's, at each of its
 * instructions.
 *
 * libdw splits it into entries, but evaluates their instructions only for CPUs whose conventions it knows, which
 * excludes this one. */
#ifndef HC_DEBUG_DWARF_CFI_H
#define HC_DEBUG_DWARF_CFI_H

#include "program.h"

enum hc_cfi_kind {
    HC_CFI_UNSPECIFIED, /* as in the calling convention */
    HC_CFI_SAME,
    HC_CFI_UNDEFINED,
    HC_CFI_SAVED,    /* in memory, OPERAND bytes from the CFA */
    HC_CFI_VALUE,    /* is the CFA plus OPERAND */
    HC_CFI_REGISTER, /* is in register OPERAND */
};

struct hc_cfi_rule {
    enum hc_cfi_kind kind;
    int32_t operand;
};

struct hc_cfi_row {
    int cfa_register; /* the CFA is this one plus the offset; -1: not known */
    int32_t cfa_offset;
    struct hc_cfi_rule rule[HC_DEBUG_REGISTERS];
};

struct hc_cfi;

/* Returns NULL if ELF has none that can be read, or on out-of-memory. ELF must outlive it. */
struct hc_cfi *hc_cfi_new(Elf *elf);
void hc_cfi_free(struct hc_cfi *cfi);

/* The rules at PC; false if there are none or they are damaged. Takes time proportional to the function's prologue and
 * epilogues. */
bool hc_cfi_row_at(const struct hc_cfi *cfi, uint32_t pc, struct hc_cfi_row *out);

#endif
