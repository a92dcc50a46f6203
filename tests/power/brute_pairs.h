/* Pairs as a test finds them by itself: nothing here is shared with the analysis. */
#ifndef TESTS_POWER_BRUTE_PAIRS_H
#define TESTS_POWER_BRUTE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct brute_pair {
    uint32_t consumer, producer;
    uint64_t distance; /* the smallest */
};

struct brute_pairs {
    struct brute_pair *pair;
    size_t count, room;
};

static inline struct brute_pair *brute_pairs_find(const struct brute_pairs *p, uint32_t consumer, uint32_t producer)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->pair[i].consumer == consumer && p->pair[i].producer == producer)
            return &p->pair[i];
    return NULL;
}

static inline void brute_pairs_add(struct brute_pairs *p, uint32_t consumer, uint32_t producer, uint64_t distance)
{
    struct brute_pair *known = brute_pairs_find(p, consumer, producer);

    if (known) {
        known->distance = distance < known->distance ? distance : known->distance;
        return;
    }
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->pair = realloc(p->pair, p->room * sizeof *p->pair);
    }
    p->pair[p->count++] = (struct brute_pair){ consumer, producer, distance };
}

static inline void brute_pairs_free(struct brute_pairs *p)
{
    free(p->pair);
    *p = (struct brute_pairs){ 0 };
}

/* One occurrence of a pair: which steps of the run consume and produce. */
struct brute_occurrence {
    uint32_t consumer, producer;
    int consumed, produced;
    int resumed; /* step that is executed first after the failure */
    bool nearest;
};

struct brute_occurrences {
    struct brute_occurrence *at;
    size_t count, room;
};

/* Each once; one that is the nearest for some byte is. */
static inline void brute_occurrences_add(struct brute_occurrences *o, struct brute_occurrence one)
{
    for (size_t i = o->count; i-- > 0 && o->at[i].produced == one.produced;)
        if (o->at[i].consumer == one.consumer && o->at[i].producer == one.producer &&
            o->at[i].consumed == one.consumed) {
            o->at[i].nearest |= one.nearest;
            return;
        }
    if (o->count == o->room) {
        o->room = o->room ? 2 * o->room : 256;
        o->at = realloc(o->at, o->room * sizeof *o->at);
    }
    o->at[o->count++] = one;
}

static inline void brute_occurrences_free(struct brute_occurrences *o)
{
    free(o->at);
    *o = (struct brute_occurrences){ 0 };
}

#endif
