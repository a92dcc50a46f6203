/* Frames: the call stack, and the callers' registers.
 *
 * They come from call frame information, if the compiler wrote it. Assembly has none; there the function's instructions
 * up to the present one are analysed, and the return address found must follow a call. If that fails, the stack is
 * searched for such an address, and the frame is marked as unsure. Handlers are recognised by their return instruction:
 * compilers describe their frames like a function's, but the saved status is where the return address would be. */
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
    bool unsure;  /* found by searching the stack */
};

/* The frames of M, innermost first. Returns how many, at most MAX. */
int hc_frames(struct hc_program *p, struct hc_machine *m, struct hc_frame *out, int max);

/* Whether the frame belongs to the recorder, by its name and file. */
bool hc_frame_is_recorder(const struct hc_frame *f);

/* Only the context of the innermost physical frame, with its CFA; cheap. */
void hc_frame_here(struct hc_program *p, struct hc_machine *m, struct hc_context *out);

/* The stack pointer after the function at PC has returned to its caller, and the return address. Returns false if
 * unknown. */
bool hc_frame_return(struct hc_program *p, struct hc_machine *m, uint32_t *pc, uint32_t *sp);

#endif
