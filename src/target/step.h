/* Instructions as steps of a few kinds, for those who follow values and addresses at speed (check/): what is read, what
 * is written, and through which register. Flags are not values here: whoever compares is asked once, with the branch.
 */
#ifndef HC_TARGET_STEP_H
#define HC_TARGET_STEP_H

#include "machine/machine.h"

enum hc_step_kind {
    HC_STEP_NONE, /* no value moves: jumps, no-operations */
    HC_STEP_MOVE,
    HC_STEP_ADD,
    HC_STEP_ADD_CARRY, /* and subtractions with borrow */
    HC_STEP_SUBTRACT,
    HC_STEP_COMPARE, /* as SUBTRACT, nothing is written */
    HC_STEP_TEST,    /* as AND, nothing is written */
    HC_STEP_AND,
    HC_STEP_CLEAR, /* the bits of the source */
    HC_STEP_SET,   /* likewise */
    HC_STEP_XOR,
    HC_STEP_SHIFT_RIGHT, /* by one; what comes in is a copy of the highest bit, */
    HC_STEP_ROTATE,      /* or the carry */
    HC_STEP_SWAP,        /* bytes */
    HC_STEP_EXTEND,      /* the sign of the low byte */
    HC_STEP_PUSH,        /* the source */
    HC_STEP_CALL,        /* what is at the source; SIZE bytes of return address are pushed */
    HC_STEP_RETURN,      /* SIZE bytes are popped */
    HC_STEP_RETURN_FROM_INTERRUPT,
    HC_STEP_JUMP_TO,   /* what is in the source: a computed jump */
    HC_STEP_PUSH_MANY, /* COUNT registers down from the source's, SIZE bytes each */
    HC_STEP_POP_MANY,  /* COUNT registers up from the source's */
    HC_STEP_OTHER,     /* anything else: the destination is made from the source and itself */
    HC_STEP_KINDS,
};

enum hc_step_mode {
    HC_STEP_REGISTER,
    HC_STEP_CONSTANT,
    HC_STEP_INDEXED,   /* memory at the register + value */
    HC_STEP_ABSOLUTE,  /* memory at the value */
    HC_STEP_INDIRECT,  /* memory at the register */
    HC_STEP_INCREMENT, /* likewise; then the register grows by the value */
    HC_STEP_MODES,
};

struct hc_step_operand {
    uint8_t mode; /* enum hc_step_mode */
    uint8_t reg;
    uint32_t value;
    uint32_t word; /* where in the code the value stands, for relocations; 0: nowhere */
};

struct hc_step {
    uint8_t kind; /* enum hc_step_kind */
    uint8_t size; /* bytes: 1, 2, or 4 of an address of more than 16 bits */
    uint8_t count;
    bool decides; /* the instruction behind it is a jump on its outcome */
    uint32_t pc, next;
    struct hc_step_operand source, destination;
};

struct hc_target_steps {
    /* What the instruction at PC does. */
    void (*decode)(struct hc_machine *m, uint32_t pc, struct hc_step *out);
    uint32_t (*address)(uint32_t base, uint32_t index); /* of HC_STEP_INDEXED */
    uint32_t near;                                      /* of bases below it: the sum, modulo it */
    int frame_pointer;                                  /* a register that functions may keep in place of SP */
    int argument;                                       /* of a function: the first */
    int result;
};

#endif
