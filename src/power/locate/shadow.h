/* The shadow of non-volatile memory: which instructions have read each byte. A write finds the reads that, executed
 * again, would return another value.
 *
 * One pass over one run. Work is done per byte; an instruction's reads come before its writes.
 *
 * A priori (a checkpoint may be anywhere), for each byte and each instruction that read it:
 *
 *     value, when it was last read with this value, when it was last read with another one
 *
 * A write of w at time t by P makes a pair with each of them: the last time at which it read something else than w is
 * the nearest checkpoint from which it would now read w. d = t - that time, and only the smallest d of each pair is
 * kept: the pair is an anomaly for every execution depth of d at least. Where w is what it read, the store is silent.
 *
 * A posteriori (checkpoints are known), for each byte since the last checkpoint:
 *
 *     untouched ──read──► read, by these instructions, with this value ──write──► read and written
 *         └──────write──► written: safe
 *
 * A write to a byte that was read first makes a pair with each of its readers, whatever the distance; so do further
 * writes. */
#ifndef HC_POWER_SHADOW_H
#define HC_POWER_SHADOW_H

#include "pairs.h"

struct hc_shadow;

/* Of the memory START..END. A-priori: occurrences farther apart than DEPTH, in the unit of PAIRS, are forgotten.
 * A-posteriori: DEPTH is 0. FARTHER: all earlier readings are kept, and told of as farther occurrences; that takes time
 * in proportion to the depth. */
struct hc_shadow *hc_shadow_new(uint32_t start, uint32_t end, uint64_t depth, bool farther, struct hc_pairs *pairs);
void hc_shadow_free(struct hc_shadow *s);

/* One byte within the memory, NOW, which never goes back. */
void hc_shadow_read(struct hc_shadow *s, uint32_t address, uint8_t value, const struct hc_accessor *who,
                    struct hc_instant now);
/* STACK: a pair whose invocations differ is an activation record's. */
void hc_shadow_write(struct hc_shadow *s, uint32_t address, uint8_t value, const struct hc_accessor *who,
                     struct hc_instant now, bool stack);

/* A checkpoint has been completed (a-posteriori); the first window begins at time 0, power-on. */
void hc_shadow_checkpoint(struct hc_shadow *s, uint64_t time);

#endif
