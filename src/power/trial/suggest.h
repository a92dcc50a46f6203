/* Where further checkpoints would remove the anomalies of known ones: found by trying.
 *
 * The program is run with its own checkpoints and those found so far; of the pairs that remain, the instruction that
 * deceives the most others gets a checkpoint just before it; and so on, until only those are left that no checkpoint
 * can part: an instruction that reads and writes the same byte (ADD #1, &x), and a call that changes the heap. The last
 * run is the proof. */
#ifndef HC_POWER_SUGGEST_H
#define HC_POWER_SUGGEST_H

#include "power/locate/locate.h"

enum { HC_SUGGESTIONS_MAX = 64 }; /* beside those that are there */

struct hc_suggestion {
    size_t count, given;    /* the first ones are CONFIG's own */
    uint32_t *before;       /* instructions */
    bool enough;            /* the rest are pairs of an instruction with itself */
    uint64_t checkpoints;   /* how many the run then makes */
    struct hc_located rest; /* of the last run */
};

/* FRESH makes a machine as hc_power_locate wants it, and DONE takes it back; both are called with OWNER. CONFIG's
 * machine, depth and checkpoint do not matter. False when a run did not end. hc_suggestion_free is due in any case. */
typedef struct hc_machine *hc_fresh_fn(void *owner);
typedef void hc_done_fn(void *owner, struct hc_machine *machine);
bool hc_power_suggest(const struct hc_locate_config *config, hc_fresh_fn *fresh, hc_done_fn *done, void *owner,
                      struct hc_suggestion *out);
void hc_suggestion_free(struct hc_suggestion *s);

#endif
