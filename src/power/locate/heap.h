/* Blocks of the heap, by what malloc, calloc, realloc and free did to them. A block that is used and later freed, moved
 * or given out again is a memory-map anomaly: executed again, the use finds the heap as it was left later. A call alone
 * is a pair with itself: free and realloc would act twice on one block, malloc would leak one.
 *
 * A-priori the distance counts, as in shadow.h. A-posteriori uses before the last checkpoint are forgotten, and a block
 * that was given out after it is exempt: executed again, its allocation comes first. */
#ifndef HC_POWER_HEAP_H
#define HC_POWER_HEAP_H

#include "pairs.h"

struct hc_heap;

/* DEPTH as for hc_shadow_new, FARTHER too. */
struct hc_heap *hc_heap_new(uint64_t depth, bool farther, struct hc_pairs *pairs);
void hc_heap_free(struct hc_heap *h);

/* An instruction touches ADDRESS, which may be in no block. */
void hc_heap_access(struct hc_heap *h, uint32_t address, const struct hc_accessor *who, struct hc_instant now);

/* WHO (the call, from ENTERED to NOW) was given a block; gives one back. A block that is not known is of no interest.
 */
void hc_heap_given(struct hc_heap *h, uint32_t address, uint32_t size, const struct hc_accessor *who,
                   struct hc_instant entered, struct hc_instant now);
void hc_heap_taken(struct hc_heap *h, uint32_t address, const struct hc_accessor *who, struct hc_instant entered,
                   struct hc_instant now);

void hc_heap_checkpoint(struct hc_heap *h, uint64_t time);

/* The block of ADDRESS, live or dead: false if it never was in one. */
bool hc_heap_block_at(const struct hc_heap *h, uint32_t address, uint32_t *start, uint32_t *size);

#endif
