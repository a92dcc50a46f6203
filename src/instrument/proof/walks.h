/* The graphs of a program's walks without a tick, for proof.c, which has them, and ticks.c. */
#ifndef HC_INSTRUMENT_PROOF_WALKS_H
#define HC_INSTRUMENT_PROOF_WALKS_H

#include "proof.h"
#include "target/code.h"
#include "walk.h"

struct edge {
    int to, next;
};

struct graph {
    int *first; /* edge of each node, or -1 */
    struct edge *edge;
    size_t edges, room;
};

struct proof {
    struct hc_code_graph code;
    size_t size; /* of the graphs: instructions, exits, two for calls by address, two for changes of stacks */
    struct graph up, down, up_reversed, across;
    struct hc_code_stack *stack_use; /* of instructions */
    bool switches;                   /* stacks are changed somewhere */
    bool *leaves;                    /* of parts: changes stacks, or calls what does: may return to anywhere */
    bool *transparent;               /* of parts: may return without a tick */
    uint64_t *context;               /* of parts: roots that reach it */
    int8_t *reason;                  /* of instructions; -1: unique */
    int *stuck;                      /* instructions */
    size_t stuck_count;
    int *stack;
    uint8_t *mark;
    bool failed;
};

/* After hc_proof_walk has filled `code`. False when memory is exhausted; hc_walks_free is for any case. */
bool hc_walks_make_room(struct proof *p);
void hc_walks_free(struct proof *p);

/* Where stacks are changed. Once, before the next one. */
void hc_walks_follow_stack(struct proof *p);
/* Makes the graphs, and lists in `reason` what may be walked for ever without a tick; in `transparent` the parts that
 * may be passed without one. May be called again when ticks have changed. */
void hc_walks_find_endless(struct proof *p);

/* Whether a walk from N comes back to it without a tick and without leaving its part for good. After the last one, from
 * which ticks may have been added since. */
bool hc_walks_in_loop(struct proof *p, int n);

/* Puts N on the stack, which has DEPTH of them, unless it is marked; and marks it. */
void hc_walks_push(struct proof *p, size_t *depth, int n);

#endif
