/* Where a variable may still hold what it was initialised with: as far as a way from a root of the program leads
 * without passing an operation that writes it for sure. Ways go by blocks and calls; what a called function writes does
 * not count behind the call. */
#ifndef HC_DEPEND_BEGINNING_H
#define HC_DEPEND_BEGINNING_H

#include "points_to.h"

enum { HC_BEGINNING_FIELDS = 256 }; /* that are looked at: of others it may be everywhere */

struct hc_beginning {
    const struct hc_points_to *a;
    uint8_t **seen; /* of each field that was asked about: a bit for each node */
    uint32_t field[HC_BEGINNING_FIELDS];
    size_t fields;
    bool failed; /* memory is exhausted */
};

/* Whether the operation at NODE may find FIELD, a node of points_to.h, as it was at the beginning. */
bool hc_beginning_is_seen(struct hc_beginning *b, uint32_t node, uint32_t field);
void hc_beginning_free(struct hc_beginning *b);

#endif
