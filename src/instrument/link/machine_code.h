/* What the linked program's machine code does that matters to the recorder. */
#ifndef HC_INSTRUMENT_LINK_MACHINE_CODE_H
#define HC_INSTRUMENT_LINK_MACHINE_CODE_H

#include "target/code.h"

struct hc_image;

/* Examines every instruction reachable from the vectors, except the recorder's cuts. Returns false on out-of-memory. */
bool hc_machine_code_look(struct hc_code_facts *out, const struct hc_image *image, const struct hc_regs *registers);

#endif
