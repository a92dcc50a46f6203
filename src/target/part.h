/* Microcontrollers with a machine. A target's list (src/target/NAME/parts.c) is the one place to add a part;
 * docs/parts.md says what else is needed. */
#ifndef HC_TARGET_PART_H
#define HC_TARGET_PART_H

#include "machine/machine.h"

struct hc_target_part {
    const char *name; /* "msp430f1611" */
    const struct hc_part *machine;
    /* Peripheral registers in checkpoints (__hc_dump): the unit of distances, and the end of the 8-bit registers. */
    uint8_t dump_gap;
    uint32_t dump_bytes_end;
    /* Adds the multiplier to a replaying machine: a peripheral that a register file cannot imitate. */
    void (*add_multiplier)(struct hc_machine *m);
};

#endif
