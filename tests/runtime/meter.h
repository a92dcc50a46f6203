/* What the recorder does to a program's time, measured from outside. For tests, and for bench-record. */
#ifndef TESTS_RUNTIME_METER_H
#define TESTS_RUNTIME_METER_H

#include "image/image.h"
#include "machine/machine.h"

/* The image at PATH is put into M's memory, and is the caller's. NULL with a sentence in MESSAGE if it cannot be. */
struct hc_image *meter_load(struct hc_machine *m, const char *path, char *message, size_t size);

/* ---- between two places ---- */

struct meter {
    uint64_t most;   /* cycles */
    hc_time longest; /* what passed, interrupts included */
    uint64_t from;
    hc_time since;
    bool runs;
};

/* From each time that M comes to FROM until it next comes to TO. Cycles are exact if meter_exactly was called. */
void meter_between(struct meter *meter, struct hc_machine *m, uint32_t from, uint32_t to);
/* M counts at every instruction, at a tenth of its speed. */
void meter_exactly(struct hc_machine *m);

/* ---- the border ---- */

enum { METER_VECTORS = 64 };

struct meter_border {
    struct meter read, via; /* to the end of the cut */
    struct meter interrupt[METER_VECTORS];
};

/* M runs IMAGE, which is recorded; its vectors lead to the recorder already. False when IMAGE is not recorded. */
bool meter_border(struct meter_border *border, struct hc_machine *m, const struct hc_image *image);
/* Of all vectors, the most cycles from the trampoline to the program's handler. */
uint64_t meter_interrupt(const struct meter_border *border);

/* ---- time ---- */

struct meter_timing {
    hc_time start;      /* from the first reset to the program's first instruction */
    uint64_t off;       /* longest time with interrupts off, but for the last step of a checkpoint: cycles, as these */
    uint64_t last_step; /* the same in that last step */
    uint64_t update;    /* longest update, without the handlers that interrupt it */
    uint32_t off_at;    /* where the time with interrupts off ended */
    uint32_t bytes;     /* of memory in use, but for the stack */
    unsigned late;      /* of firmware/timing.c, its tick of every 5 ms, at most: microseconds */
};

/* Runs IMAGE, which is in M's memory already, for 35 s: over two boots, of which RAM survives the second,
 * and sectors that are erased, and if it is firmware/timing.c checkpoints and a log that is frozen. 0; or -1 with a
 * sentence in MESSAGE. */
int meter_timing(struct meter_timing *out, struct hc_machine *m, struct hc_image *image, char *message, size_t size);

#endif
