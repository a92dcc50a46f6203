/* hindcast replay --native. */
#ifndef HC_CLI_REPLAY_NATIVE_H
#define HC_CLI_REPLAY_NATIVE_H

#include "open_timeline.h"

struct hc_native_options {
    const char *keep; /* a directory for the program and a script for gdb; NULL: they are deleted */
    bool here;        /* in this process, for a debugger */
    bool no_checks, json;
};

/* Replays the boots of the log, or the one that OPTIONS names, on the host, and prints what came of them. Returns an
 * exit code. */
int hc_replay_native(const struct hc_timeline_options *options, struct hc_image *image,
                     const struct hc_native_options *native);

#endif
