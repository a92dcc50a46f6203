/* Makes the graph of a program's code: every instruction that its vectors reach. */
#ifndef HC_INSTRUMENT_PROOF_WALK_H
#define HC_INSTRUMENT_PROOF_WALK_H

#include "target/code_graph.h"

/* Fills *CODE, which hc_code_graph_free empties in any case. False when memory is exhausted, or there is no reset
 * vector: then roots is 0. */
bool hc_proof_walk(struct hc_code_graph *code, const struct hc_image *image);

#endif
