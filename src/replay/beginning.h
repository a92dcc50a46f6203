/* The state in which a segment of a log begins, as the recorder wrote it (docs/trace.md). */
#ifndef HC_REPLAY_BEGINNING_H
#define HC_REPLAY_BEGINNING_H

#include "internal.h"
#include "trace/log.h"

struct hc_beginning;

/* HC_REPLAY_BAD when something of it is missing or makes no sense. To be freed. O(pages of the segment). */
int hc_beginning_read(struct hc_beginning **out, struct hc_replay *r, const struct hc_log *log,
                      const struct hc_log_segment *segment);
void hc_beginning_free(struct hc_beginning *b);

/* Makes it R's state. After a reset the CPU's registers stay as they are. */
void hc_beginning_restore(struct hc_replay *r, const struct hc_beginning *b);

/* The first difference between it and R's state. */
struct hc_beginning_difference {
    int reg;          /* a CPU register, or -1: memory */
    uint32_t address; /* of memory */
    uint16_t here, there;
};
/* True if there is none. Memory below the stack is nobody's, nor are flags in the SR that hc_update saved; what a DMA
 * channel may have been writing is not compared. */
bool hc_beginning_is_state(struct hc_replay *r, const struct hc_beginning *b, struct hc_beginning_difference *out);

/* R's state is it: memory that a DMA channel may have been writing becomes as it says. */
void hc_beginning_adopt(struct hc_replay *r, const struct hc_beginning *b);

#endif
