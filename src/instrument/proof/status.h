/* Which instructions may set GIE in code that was entered with GIE = 0.
 *
 * Handlers run with interrupts off. Code that they share with the program often saves SR, clears GIE, and sets it again
 * only if it was set: in a handler it never is. So values that come from SR are followed through each part, registers
 * only: what is known of one is nothing, that its bit 3 (GIE) is 0, or that it is 0; and branches that are decided by
 * such a value are taken one way. */
#ifndef HC_INSTRUMENT_PROOF_STATUS_H
#define HC_INSTRUMENT_PROOF_STATUS_H

#include "code.h"

/* OUT has a place for each node: true where GIE may become 1 there. False when memory is exhausted. */
bool hc_proof_find_enabling(const struct hc_proof_code *code, bool *out);

#endif
