/* What a program's code does with its stack, instruction by instruction.
 *
 * SP is followed from each entry, where it is 0, and so are copies of it in registers. Three things are looked for:
 *
 *   switches   instructions that give SP a value which is not known to lie in the same stack: kernels that change
 *              threads, longjmp. What is loaded from memory is another stack; a frame pointer is not.
 *   elsewhere  returns that do not return to the caller: SP is not where the call left it, or the return address was
 *              written ("push #f; ret")
 *   hides      something lies on the stack above the return address */
#ifndef HC_INSTRUMENT_PROOF_STACK_H
#define HC_INSTRUMENT_PROOF_STACK_H

#include "code.h"

/* Of a node. */
struct hc_proof_stack {
    bool switches, elsewhere, hides;
};

/* OUT has a place for each node. False when memory is exhausted. */
bool hc_proof_follow_stack(const struct hc_proof_code *code, struct hc_proof_stack *out);

#endif
