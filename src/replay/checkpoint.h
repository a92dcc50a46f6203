/* The state in which a segment of a log begins, as the recorder wrote it (FORMAT.md). */
#ifndef HC_REPLAY_CHECKPOINT_H
#define HC_REPLAY_CHECKPOINT_H

#include "replay_state.h"
#include "trace/log.h"

struct hc_checkpoint;

/* HC_REPLAY_BAD when something of it is missing or makes no sense. To be freed. O(pages of the segment). */
int hc_checkpoint_read(struct hc_checkpoint **out, struct hc_replay *r, const struct hc_log *log,
                       const struct hc_log_segment *segment);
void hc_checkpoint_free(struct hc_checkpoint *b);

/* Makes it R's state. After a reset the CPU's registers stay as they are. */
void hc_checkpoint_restore(struct hc_replay *r, const struct hc_checkpoint *b);

/* The first difference between it and R's state. */
struct hc_checkpoint_difference {
    int reg;          /* a CPU register, or -1: memory */
    uint32_t address; /* of memory */
    uint16_t here, there;
};
/* True if there is none. Memory below the stack is nobody's, nor are flags in the SR that hc_update saved; what a DMA
 * channel may have been writing is not compared. */
bool hc_checkpoint_is_state(struct hc_replay *r, const struct hc_checkpoint *b, struct hc_checkpoint_difference *out);

/* R's state is it: memory that a DMA channel may have been writing becomes as it says. */
void hc_checkpoint_adopt(struct hc_replay *r, const struct hc_checkpoint *b);

/* The program wrote VALUE to the register at ADDRESS. */
void hc_replay_dma_control(struct hc_replay *r, uint32_t address, uint16_t value);

#endif
