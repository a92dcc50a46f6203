/* Why an instruction was executed at all: the branch that chose it, the call that led into its function, or the
 * interrupt that entered its handler.
 *
 * An instruction depends on a branch if one way out of the branch always leads to it and another need not (Ferrante,
 * Ottenstein and Warren, 1987), in the machine code of its function. Of those branches the one that was executed last
 * in the same invocation decided. */
#ifndef HC_WHY_CONTROL_H
#define HC_WHY_CONTROL_H

#include "image/image.h"
#include "timeline/timeline.h"

enum hc_control_kind {
    HC_CONTROL_BRANCH,    /* a conditional jump, or a jump through a table */
    HC_CONTROL_CALL,      /* nothing in the function decides: it was called (or jumped to) there */
    HC_CONTROL_INTERRUPT, /* nothing in the handler decides: the interrupt came */
    HC_CONTROL_START,     /* nothing is known of what was before: the beginning of the run */
    HC_CONTROL_UNKNOWN,   /* the search was interrupted, or memory is exhausted */
};

struct hc_control {
    enum hc_control_kind kind;
    uint64_t moment; /* of the branch or call, or of the handler's first instruction */
    uint32_t pc;
    uint32_t to;     /* the instruction that followed it */
    uint32_t called; /* of a call: where it led */
};

/* What led to the instruction at moment AT, which is at PC. The cursor stays. Less than a microsecond for each
 * instruction in between. */
struct hc_control hc_control_of(struct hc_timeline *t, struct hc_image *image, uint64_t at, uint32_t pc);

/* Whether the instruction at PC depends on the branch at BRANCH, of the function from LOW to HIGH (one past its end).
 */
bool hc_control_depends(struct hc_image *image, struct hc_machine *m, uint32_t low, uint32_t high, uint32_t branch,
                        uint32_t pc);

#endif
