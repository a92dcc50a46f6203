/* Where the recorder's cycles go: a machine that runs a recorded program, watched instruction by instruction. */
#ifndef BENCH_PROFILE_H
#define BENCH_PROFILE_H

#include "image/image.h"
#include "machine/machine.h"

enum profile_part {
    PROFILE_PROGRAM,
    PROFILE_COUNTER, /* the position counter */
    PROFILE_READ,
    PROFILE_INTERRUPT,
    PROFILE_UPDATE, /* into the recorder and back */
    PROFILE_ORDER,  /* what is due in an update */
    PROFILE_ENCODE,
    PROFILE_CLOCK,
    PROFILE_CHECK, /* the self-check */
    PROFILE_PAGE,  /* a full page is moved */
    PROFILE_CHECKPOINT,
    PROFILE_CHIP, /* the log, the sink */
    PROFILE_PARTS,
};

struct profile {
    uint64_t cycles[PROFILE_PARTS];
    uint64_t reads, interrupts, updates;
    /* Of the profile itself. */
    int hook;
    uint64_t last;
    uint32_t read, via, update, state;
    uint8_t part[0x8000];       /* enum profile_part, by pc / 2 */
    uint8_t trampoline[0x8000]; /* an interrupt's first instruction */
};

extern const char *const profile_names[PROFILE_PARTS];

/* Watches M, which runs IMAGE, from now on. 0; or -1 when IMAGE lacks a symbol, whose name goes to *MISSING. */
int profile_begin(struct profile *p, struct hc_machine *m, const struct hc_image *image, const char **missing);

void profile_end(struct profile *p, struct hc_machine *m);

/* Cycles of the recorder. */
uint64_t profile_recorder(const struct profile *p);
uint64_t profile_events(const struct profile *p);

#endif
