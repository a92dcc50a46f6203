/* Loops in which neither counter nor hash moves: they write memory, but no register differs from turn to turn.
 *
 *     again: dec &ticks
 *            jnz again
 *
 * No position tells the turns of such a loop apart, and they are not the same: an interrupt could not be replayed.
 * (Where a turn changes nothing at all it does not matter in which of them an interrupt came.)
 *
 * From the head of each loop its ways are followed, into the functions that it calls, as long as nothing counts. Of
 * each register it is known whether it may differ from the turn before: not after it got a constant, nor what such
 * registers have, nor a variable that the loop does not write; nor where a comparison with one of these found it equal,
 * as it is behind a loop that counts to 0. What is not known for certain is taken to differ. */
#ifndef HC_INSTRUMENT_PROOF_STUCK_H
#define HC_INSTRUMENT_PROOF_STUCK_H

#include "code.h"

/* CYCLE: of nodes, are they in a loop without a tick? *OUT gets the nodes that are heads of such loops, *COUNT of them,
 * the caller's to free. False when memory is exhausted. */
bool hc_proof_find_stuck(const struct hc_proof_code *code, const bool *cycle, int **out, size_t *count);

#endif
