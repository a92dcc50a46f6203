/* What the linked program's machine code does that the recorder must know of. */
#ifndef HC_INSTRUMENT_LINK_MACHINE_CODE_H
#define HC_INSTRUMENT_LINK_MACHINE_CODE_H

#include "target/code.h"

struct hc_image;

/* Looks at every instruction that the vectors reach, the recorder's cuts left out. False when memory is exhausted. */
bool hc_machine_code_look(struct hc_code_facts *out, const struct hc_image *image, const struct hc_regs *registers);

#endif
