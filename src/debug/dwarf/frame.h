/* Frames: who called whom, and what the callers' registers were.
 *
 * Call frame information tells, where the compiler wrote it. Assembly has none: there the function's instructions up to
 * the present one are gone through, and what is found where the return address should be must be behind a call. Failing
 * that the stack is searched for such an address, and the frame is marked as unsure. Handlers are known by their return
 * instruction: compilers describe their frames as a function's, but the status lies where the return address would. */
#ifndef HC_DEBUG_DWARF_FRAME_H
#define HC_DEBUG_DWARF_FRAME_H

#include "context.h"
#include "machine/machine.h"

enum { HC_FRAMES_MAX = 64 };

struct hc_frame {
    struct hc_context context; /* to evaluate in */
    uint32_t pc;               /* the next instruction of the frame */
    const char *function;      /* NULL: not known */
    const char *file;          /* NULL: not known */
    int line;
    bool inlined; /* into the next frame: it has no stack of its own */
    bool handler; /* of an interrupt: the next frame was interrupted */
    bool unsure;  /* the stack was searched for it */
};

/* The frames of M, innermost first. Returns how many, at most MAX. */
int hc_frames(struct hc_program *p, struct hc_machine *m, struct hc_frame *out, int max);

/* Whether the frame is of the recorder, by its name and file. */
bool hc_frame_is_recorder(const struct hc_frame *f);

/* Only the innermost physical frame's context, with its CFA: cheap. */
void hc_frame_here(struct hc_program *p, struct hc_machine *m, struct hc_context *out);

/* The stack pointer as it will be when the function at PC has returned to its caller, and where that is. False when not
 * known. */
bool hc_frame_return(struct hc_program *p, struct hc_machine *m, uint32_t *pc, uint32_t *sp);

#endif
