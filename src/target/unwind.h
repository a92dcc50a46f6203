/* What a function's instructions do to its stack: for frames without debug information, or with wrong information. */
#ifndef HC_TARGET_UNWIND_H
#define HC_TARGET_UNWIND_H

#include "machine/machine.h"

struct hc_stack_change {
    int pushed;                  /* bytes; negative: taken off */
    int saved, saved_last;       /* registers that are pushed, two bytes each: the first, down to the last; -1: none */
    int restored, restored_last; /* registers that are popped: the first, up to the last; -1: none */
    bool shortens;               /* it only removes bytes from the stack */
    bool leaves;                 /* a jump: the code after it is entered from elsewhere */
    bool branches;               /* to `target`, perhaps outside the function */
    uint32_t target;
};

struct hc_target_unwind {
    int first_saved, last_saved;          /* registers that belong to the caller */
    uint32_t shortest_call, longest_call; /* in bytes */
    uint32_t addresses;                   /* a mask of their bits */

    void (*stack_change)(struct hc_machine *m, uint32_t pc, struct hc_stack_change *out);
    /* PC and status of the interrupted code, from the hardware's frame. */
    void (*interrupted)(uint32_t status_word, uint32_t pc_word, uint32_t *status, uint32_t *pc);
    /* The size of a return address that call frame information places OFFSET below the CFA. */
    uint32_t (*return_bytes)(const struct hc_machine *m, int offset);
};

#endif
