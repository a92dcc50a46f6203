/* What the linked program's machine code does that the recorder must know of. */
#ifndef HC_INSTRUMENT_LINK_MACHINE_CODE_H
#define HC_INSTRUMENT_LINK_MACHINE_CODE_H

#include "registers/regs.h"

struct hc_image;

struct hc_machine_code {
    bool names_information; /* an access, or a constant for one, lies in the part's information memory */
    bool writes_flash;      /* it uses the flash controller */
    uint32_t wide;          /* an instruction on 20 bits of a register; 0 if there is none */
    uint32_t vector;        /* one that loads an interrupt vector, not that of the reset; 0 if there is none */
};

/* Looks at every instruction that the vectors reach, the recorder's cuts left out. False when memory is exhausted. */
bool hc_machine_code_look(struct hc_machine_code *out, const struct hc_image *image, const struct hc_regs *registers);

#endif
