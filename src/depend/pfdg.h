/* The program function dependence graph of an invariant, and the levels of its functions: Wang et al.,
 * "Dependence-based Multi-level Tracing and Replay" (2011), definitions 4.1 to 4.4.
 *
 * Nodes are the functions of a slice. A call edge <f, g>: g calls f. A dependence edge f -> g: f depends on something
 * in g, and one calls the other or a third calls both; any other dependence becomes a chain of edges up the calls to
 * below a closest common ancestor, across, and down. Handlers have no callers: a dependence on one leads straight to
 * it.
 *
 * A canonical path begins at the invariant's function, goes up call edges and then along dependence edges; a function's
 * level is the length of the shortest one to it. */
#ifndef HC_DEPEND_PFDG_H
#define HC_DEPEND_PFDG_H

#include "slice.h"

enum { HC_LEVEL_NONE = -1 };

struct hc_pfdg {
    const struct hc_slice *slice;
    struct hc_function_pair *call; /* from: the function that is called, to: its caller */
    size_t calls, call_room;
    struct hc_function_pair *dependence;
    size_t dependences, dependence_room;
    int *level;     /* of each function of the program; the invariant's is 0 */
    int levels;     /* the highest */
    uint8_t *bound; /* of function F for level N < levels + 1: bit F * (levels + 1) + N */
    /* while it is made */
    struct hc_pfdg_work *work;
    bool failed;
};

/* The graph of slice S for the invariant or function that CRITERION names. False when memory is exhausted. */
bool hc_pfdg_make(struct hc_pfdg *g, const struct hc_slice *s, const struct hc_criterion *criterion);
void hc_pfdg_free(struct hc_pfdg *g);

/* Whether FUNCTION is a boundary function for tracing at LEVEL (definition 4.4). */
bool hc_pfdg_bounds(const struct hc_pfdg *g, uint32_t function, int level);

#endif
