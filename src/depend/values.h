/* Which numbers the program's values can be, as far as a few constants say so, and what is never executed therefore.
 *
 * A build option such as an interval of 0 leaves branches that no run takes. Followed are integers of up to 32 bits:
 * each node (points_to.h) has the set of all its values if that is small, through computations, calls and the fields of
 * static variables. Not followed, and so any number: local objects, variables that other units or assembly can name,
 * volatile reads, blocks of memory that are copied or filled, and what hardware or assembly was given the address of.
 * The order of writes is not followed: a field has all values that are ever written to it, and its first one where that
 * may still be there (beginning.h). */
#ifndef HC_DEPEND_VALUES_H
#define HC_DEPEND_VALUES_H

#include "beginning.h"

enum { HC_VALUES_FEW = 4 };

struct hc_value_set {
    uint8_t count; /* 0: no value has been found yet */
    bool any;
    uint32_t value[HC_VALUES_FEW];
};

struct hc_values {
    const struct hc_points_to *a;
    struct hc_value_set *of;    /* of each node; of a field: what is written to it */
    struct hc_value_set *first; /* of each field: what it is initialised with */
    struct hc_beginning beginning;
    uint32_t *first_block; /* of each instance, in `lives` */
    bool *lives;           /* of each block of each instance: it may be executed */
    bool changed;          /* in this round */
};

/* Computes them. False when memory is exhausted. Free it in any case. */
bool hc_values_compute(struct hc_values *v, const struct hc_points_to *a);
void hc_values_free(struct hc_values *v);

/* Whether BLOCK of INSTANCE may be executed. */
bool hc_values_lives(const struct hc_values *v, uint32_t instance, uint32_t block);
/* Whether the operation at NODE, or the instance whose parameter it is, may be executed. */
bool hc_values_node_lives(const struct hc_values *v, uint32_t node);
/* Whether control may go from block FROM of INSTANCE to its block TO, which follows it. */
bool hc_values_goes(const struct hc_values *v, uint32_t instance, uint32_t from, uint32_t to);

#endif
