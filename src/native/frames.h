/* Where the compiler puts the locals of the region's functions on the node's stack. The same compiler is asked again,
 * for the state after it has laid out the frames, in LLVM's textual form of machine code. */
#ifndef HC_NATIVE_FRAMES_H
#define HC_NATIVE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

struct hc_frames {
    struct hc_native_frame {
        char *function;
        int size;     /* bytes below the return address */
        bool dynamic; /* it changes while the function runs */
        struct hc_frame_slot {
            unsigned number; /* of the local, "hcn.NUMBER" */
            int offset;      /* from the stack pointer before the call */
        } *slot;
        size_t slots, room;
    } *frame;
    size_t count, room;
};

/* Reads TEXT, which is changed. False on out-of-memory; free in any case. */
bool hc_frames_read(struct hc_frames *frames, char *text);
void hc_frames_free(struct hc_frames *frames);

/* NULL: there is no such function. */
const struct hc_native_frame *hc_frames_find(const struct hc_frames *frames, const char *function);
/* False: the local has no place. */
bool hc_frame_place(const struct hc_native_frame *frame, unsigned number, int *offset);

#endif
