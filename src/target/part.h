/* Microcontrollers for which there is a machine. The list of a target (src/target/NAME/parts.c) is the one place to add
 * a part; docs/parts.md says what else it takes. */
#ifndef HC_TARGET_PART_H
#define HC_TARGET_PART_H

#include "machine/machine.h"

struct hc_target_part {
    const char *name; /* "msp430f1611" */
    const struct hc_part *machine;
    /* Registers of peripherals in checkpoints (__hc_dump): the unit of distances, and where registers of 8 bits end. */
    uint8_t dump_gap;
    uint32_t dump_bytes_end;
    /* Adds the multiplier to a machine in which the program runs again: a peripheral that no register file can
     * imitate. */
    void (*add_multiplier)(struct hc_machine *m);
};

#endif
