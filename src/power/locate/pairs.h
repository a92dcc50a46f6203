/* What the analysis finds: pairs of instructions. After a power failure the consumer, executed again, meets what the
 * producer left. A pair is kept once, with its nearest occurrence as the witness.
 *
 * An occurrence is an execution of the producer with the last execution of the consumer before it that read something
 * else than what is written. With checkpoints anywhere, earlier executions of the consumer may be led back to as well:
 * these are farther occurrences, which are told of on request and not counted. */
#ifndef HC_POWER_PAIRS_H
#define HC_POWER_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_anomaly {
    HC_DATA_ACCESS,       /* a byte is read, then written */
    HC_ACTIVATION_RECORD, /* the same on the stack, by different invocations */
    HC_MEMORY_MAP,        /* a block is used, then freed, moved, or given out again */
    HC_LOST_STATE,        /* volatile memory is written, then read behind a checkpoint that did not save it */
    HC_ANOMALIES,
};
extern const char *const hc_anomaly_names[HC_ANOMALIES];

/* Instead of an instruction's address. */
#define HC_BY_DMA 0xffffffffu
#define HC_BY_INTERRUPT 0xfffffffeu /* the hardware saves PC and SR */

/* How far a run has come: instructions retired, the present one included, and their cycles. */
struct hc_instant {
    uint64_t time, cycles;
};

/* Who accesses: the instruction, the invocation (a serial number), and how it was reached (see frames.h). */
struct hc_accessor {
    uint32_t pc, frame, context;
};

struct hc_occurrence {
    uint64_t consumed, produced; /* instructions retired until then, that one included */
    uint64_t cycles;             /* from the one to the other, from end to end */
    uint64_t resumed;            /* and at the checkpoint from which the consumer is executed again; 0: at power-on */
    uint32_t address;
    uint8_t read, written;
    bool leak; /* of a call that is a pair with itself: executed again it is given another block */
    uint32_t consumer_context, producer_context;
};

#define HC_NO_DISTANCE UINT64_MAX
enum { HC_RECENT = 8 }; /* bytes of the widest access, twice: silent and not */

struct hc_pair {
    enum hc_anomaly kind;
    uint32_t consumer, producer;
    uint64_t distance;            /* smallest: an anomaly if a run of that many instructions, or cycles, may be lost */
    uint64_t silent_distance;     /* smallest of those where the value stays the same: harmless */
    uint64_t count, silent_count; /* of occurrences within the largest depth */
    struct hc_occurrence witness; /* of the smallest distance; of the silent one if there is no other */
    struct hc_recent {            /* those met last: the bytes of a word are one occurrence, */
        uint64_t consumed, produced;
        bool silent; /* if each of them is */
    } recent[HC_RECENT];
    unsigned recents;
};

/* Told of each occurrence: the pair's index, and which of its occurrences it is, silent ones apart, from 0. One that
 * was silent may turn out not to be: then it comes again. FARTHER: it is none that counts, and N is 0. */
typedef void hc_occurred_fn(void *owner, size_t pair, const struct hc_occurrence *occurrence, bool silent, bool farther,
                            uint64_t n);

struct hc_pairs {
    struct hc_pair *pair;
    size_t count, room;
    uint32_t *slot; /* hash table: index + 1 */
    size_t slots;
    bool in_cycles;           /* distances are, else in instructions */
    hc_occurred_fn *occurred; /* or NULL */
    const uint64_t *farther;  /* of each pair: not 0 if its farther occurrences are to be told of; or NULL: of none */
    void *owner;
};

/* All zero is empty. Memory that is exhausted aborts: an analysis has nothing to give up. */
void hc_pairs_free(struct hc_pairs *p);

void hc_pairs_add(struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer, bool silent,
                  const struct hc_occurrence *occurrence);

/* Are they? Only of pairs that have been added. */
bool hc_pairs_want_farther(const struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer);
/* An earlier consumer of such a pair. */
void hc_pairs_add_farther(struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer,
                          const struct hc_occurrence *occurrence);

/* NULL when there is none. */
const struct hc_pair *hc_pairs_find(const struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer,
                                    uint32_t producer);

#endif
