/* How many bytes a program receives that come without a pause (firmware/receive.c). */
#ifndef BENCH_RECEIVE_H
#define BENCH_RECEIVE_H

#include "profile.h"

enum { RECEIVE_BYTES = 2000 };

struct reception {
    unsigned received; /* of RECEIVE_BYTES */
    double rate;       /* of the line, baud */
    uint64_t cycles;   /* of a byte on the line */
    struct profile profile;
};

/* Runs the program at PATH on a TelosB. WATCHED: the profile is made, too; the program must be recorded then.
 * 0; or -1 with a sentence in MESSAGE. */
int receive_measure(struct reception *out, const char *path, bool watched, char *message, size_t size);

#endif
