/* Makes the graph of a program's code: every instruction reachable from its vectors. */
#ifndef HC_INSTRUMENT_PROOF_WALK_H
#define HC_INSTRUMENT_PROOF_WALK_H

#include "target/code_graph.h"

/* Fills *CODE; free it with hc_code_graph_free in any case. Returns false on out-of-memory, or if there is no reset
 * vector: then roots is 0. */
bool hc_proof_walk(struct hc_code_graph *code, const struct hc_image *image);

#endif
