/* Why an instruction was executed: the branch that chose it, the call of its function, or the interrupt that entered
 * its handler.
 *
 * An instruction depends on a branch of its function if one successor of the branch always leads to the instruction and
 * another one need not (control dependence: Ferrante, Ottenstein and Warren, 1987). The answer is the branch of that
 * kind that was executed last in the same invocation. */
#ifndef HC_WHY_CONTROL_H
#define HC_WHY_CONTROL_H

#include "image/image.h"
#include "timeline/timeline.h"

enum hc_control_kind {
    HC_CONTROL_BRANCH,    /* a conditional jump, or a jump through a table */
    HC_CONTROL_CALL,      /* no branch of the function: the call of the function, or a jump to it */
    HC_CONTROL_INTERRUPT, /* no branch of the handler: the interrupt */
    HC_CONTROL_START,     /* the start of the run: nothing before it is known */
    HC_CONTROL_UNKNOWN,   /* the search was interrupted, or ran out of memory */
};

struct hc_control {
    enum hc_control_kind kind;
    uint64_t moment; /* of the branch or call, or of the handler's first instruction */
    uint32_t pc;
    uint32_t to;     /* the instruction that followed it */
    uint32_t called; /* of a call: its target */
    bool by_value;   /* of a call: the target was a value */
};

/* What led to the instruction at moment AT, whose address is PC. Does not move the cursor. Takes less than a
 * microsecond for each instruction in between. */
struct hc_control hc_control_of(struct hc_timeline *t, struct hc_image *image, uint64_t at, uint32_t pc);

#endif
