/* Sets of labels: which measurements a byte comes from. A set is kept once and has a number, so that the shadow of a
 * byte is one word and the union of two sets is looked up.
 *
 * A set has at most one label of each input: the oldest, which decides how old the value may be. */
#ifndef HC_POWER_LABELS_H
#define HC_POWER_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct hc_label {
    uint32_t input;       /* index */
    uint32_t acquisition; /* instruction */
    uint64_t clock;       /* checkpoints before it */
    uint64_t seen;        /* the clock when the variable that holds it was last read; HC_UNSEEN: it is in none */
    uint64_t time;        /* instructions retired */
    uint64_t cycles;      /* until then */
};
#define HC_UNSEEN UINT64_MAX

enum { HC_NO_LABELS = 0 }; /* the number of the empty set */

struct hc_labels;

struct hc_labels *hc_labels_new(void);
void hc_labels_free(struct hc_labels *l);

uint32_t hc_labels_single(struct hc_labels *l, const struct hc_label *label);
uint32_t hc_labels_union(struct hc_labels *l, uint32_t a, uint32_t b);

/* How many; they are valid until the next set is made. */
size_t hc_labels_get(const struct hc_labels *l, uint32_t set, const struct hc_label **out);

#endif
