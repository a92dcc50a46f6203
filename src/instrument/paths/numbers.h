/* Numbers for the paths of a function (Ball and Larus, "Efficient path profiling", 1996).
 *
 * A graph of blocks is cut into stretches. A stretch begins at the function's entry, behind a call, or where an edge
 * was cut; it ends at a call, a return, or a cut edge. Without the cut edges the graph has no cycle, so that a stretch
 * has finitely many paths, and the values of the edges on each sum up to a number of its own, from 0 to paths - 1. All
 * stretches of a function share one space of numbers: each block that begins one has a first number.
 *
 * Edges are cut where they lead back (to a block that is being visited in depth-first order: irreducible loops are no
 * exception), and where a block would have more than HC_PATHS_MOST paths. */
#ifndef HC_INSTRUMENT_PATHS_NUMBERS_H
#define HC_INSTRUMENT_PATHS_NUMBERS_H

#include "../runtime/traffic/path_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_PATHS_MOST = 256, HC_PATHS_BLOCKS = 0x7fff, HC_NO_BLOCK = -1 };

struct hc_path_block {
    enum hc_path_end end;
    int next;       /* where a stretch goes on behind the call that ends here; HC_NO_BLOCK */
    bool certain;   /* of such a call: what it leads to is recorded, too, up to its return */
    bool begins;    /* a stretch begins here, by one of the following or by a cut edge: */
    bool may_rest;  /* it need not be recorded if it has one path */
    bool rests;     /* it is not */
    bool recorded;  /* a stretch that is recorded comes by */
    bool reached;   /* by any */
    unsigned paths; /* from here to all ends */
    unsigned first; /* number of the stretch that begins here */
};

struct hc_path_edge {
    int from, to;
    unsigned dear; /* how much code an instruction on it needs; the dearest of a block has value 0 */
    unsigned value;
    bool cut;
};

struct hc_path_numbers {
    struct hc_path_block *block;
    size_t blocks;
    struct hc_path_edge *edge;
    size_t edges;
    unsigned total; /* numbers in all */
    unsigned entry; /* number of the stretch that begins at the entry: block 0's own, if no edge leads there */
};

/* Block 0 is the entry; ENTRY_RESTS: it need not be recorded if it has one path. Fills in the results. False on
 * out-of-memory. */
bool hc_path_numbers_assign(struct hc_path_numbers *n, bool entry_rests);

#endif
