/* The state in which a segment of a log begins, as the recorder wrote it (docs/trace.md). */
#ifndef HC_REPLAY_BEGINNING_H
#define HC_REPLAY_BEGINNING_H

#include "internal.h"
#include "trace/log.h"

struct hc_beginning;

/* HC_REPLAY_BAD when something of it is missing. To be freed. O(pages of the log). */
int hc_beginning_read(struct hc_beginning **out, struct hc_replay *r, const struct hc_log *log,
                      const struct hc_log_segment *segment);
void hc_beginning_free(struct hc_beginning *b);

/* Makes it R's state. After a reset the CPU's registers stay as they are. */
void hc_beginning_restore(struct hc_replay *r, struct hc_beginning *b);

/* Whether the program's registers and memory are as it says. Memory below the stack is nobody's, nor are flags in the
 * SR that hc_update saved. */
bool hc_beginning_is_state(struct hc_replay *r, const struct hc_beginning *b);

#endif
