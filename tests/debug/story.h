/* A run written down moment by moment: where the program was, in which activation, with which registers. Who called, or
 * was interrupted, is kept on a stack as calls and returns go by; the debugger keeps no such stack, and must come to
 * the same. */
#ifndef TESTS_DEBUG_STORY_H
#define TESTS_DEBUG_STORY_H

#include "image/image.h"
#include "machine/machine.h"

struct story_row {
    uint32_t pc;
    uint16_t opcode;
    uint16_t reg[16];
    int activation; /* a number of its own for each call and each interrupt */
    int line;       /* 0: none */
    const char *file;
    uint32_t start; /* of the line's piece of code */
    uint64_t interrupts;
};

struct story_activation {
    int caller;     /* -1: none */
    int64_t called; /* the moment of the call; of an interrupt the moment before it */
    int64_t ended;  /* the first moment after it; -1: not yet */
    bool handler;
};

struct story {
    int moments;
    struct story_row *row;
    struct story_activation *activation;
    int activations;
};

/* The next MOMENTS of M, which is afterwards where it was. */
void story_write(struct story *s, struct hc_machine *m, struct hc_image *image, int moments);
void story_free(struct story *s);

#endif
