/* The state at the start of a segment, as the recorder wrote it (FORMAT.md). */
#ifndef HC_REPLAY_CHECKPOINT_H
#define HC_REPLAY_CHECKPOINT_H

#include "replay_state.h"
#include "trace/log.h"

struct hc_checkpoint;

/* Returns HC_REPLAY_BAD if a part is missing or invalid. Free the result. O(pages of the segment). */
int hc_checkpoint_read(struct hc_checkpoint **out, struct hc_replay *r, const struct hc_log *log,
                       const struct hc_log_segment *segment);
void hc_checkpoint_free(struct hc_checkpoint *b);

/* Loads it into R. After a reset the CPU's registers are not changed. */
void hc_checkpoint_restore(struct hc_replay *r, const struct hc_checkpoint *b);

/* The first difference between the checkpoint and R's state. */
struct hc_checkpoint_difference {
    int reg;          /* a CPU register; -1: memory */
    uint32_t address; /* of memory */
    uint16_t here, there;
};
/* Returns true if there is no difference. Not compared: memory below the stack pointer, the flags in the SR that
 * hc_update saved, and memory that a DMA channel may have been writing. */
bool hc_checkpoint_is_state(struct hc_replay *r, const struct hc_checkpoint *b, struct hc_checkpoint_difference *out);

/* Copies the memory that a DMA channel may have been writing from the checkpoint into R. */
void hc_checkpoint_adopt(struct hc_replay *r, const struct hc_checkpoint *b);

/* Called when the program has written VALUE to the register at ADDRESS. */
void hc_replay_dma_control(struct hc_replay *r, uint32_t address, uint16_t value);

#endif
