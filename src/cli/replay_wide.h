/* hindcast replay of a region of a 32-bit CPU: as a program of this computer. */
#ifndef HC_CLI_REPLAY_WIDE_H
#define HC_CLI_REPLAY_WIDE_H

#include "open_timeline.h"

struct hc_wide_options {
    const char *keep; /* the folder that keeps the programs; NULL: nobody wants them */
    bool no_checks;   /* without AddressSanitizer */
    bool json;        /* what they say as a list on stdout, as of 16-bit CPUs */
};

/* Whether IMAGE has such a region. */
bool hc_replay_is_wide(const struct hc_image *image);
/* Replays all boots of the log, or the one that OPTIONS name. Returns an exit code. */
int hc_replay_wide(const struct hc_timeline_options *options, const struct hc_image *image,
                   const struct hc_wide_options *wide);

#endif
