/* A target's inline assembly, for the instrumenter, which does not rewrite it. */
#ifndef HC_TARGET_ASSEMBLY_H
#define HC_TARGET_ASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

/* What an instruction does with an operand. */
enum hc_operand_effect { HC_OPERAND_READS, HC_OPERAND_WRITES, HC_OPERAND_CHANGES };

/* What an instruction does to its last operand if that is the status register. */
enum hc_status_effect {
    HC_STATUS_NONE,
    HC_STATUS_SETS,   /* the bits of its source */
    HC_STATUS_MOVES,  /* becomes its source */
    HC_STATUS_CLEARS, /* the bits of its source */
    HC_STATUS_KEEPS,  /* the bits of its source, and clears others */
    HC_STATUS_ZEROES, /* has no source */
};

/* Mnemonics are in lower case, without size suffixes. */
struct hc_target_assembly {
    bool (*is_register)(const char *name);
    bool (*is_stack_pointer)(const char *name); /* NAME begins with it */
    bool (*is_status)(const char *name);
    enum hc_operand_effect (*effect)(const char *mnemonic, int operand, int operands);
    bool (*transfers_control)(const char *mnemonic);
    bool (*is_move)(const char *mnemonic);
    enum hc_status_effect (*status_effect)(const char *mnemonic);
    /* Whether it enables or disables all interrupts by itself. */
    bool (*switches_interrupts)(const char *mnemonic, bool *on);

    uint32_t interrupts_on; /* a bit of the status register */
    uint32_t asleep;        /* likewise */
};

#endif
