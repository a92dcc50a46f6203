/* hindcast replay, of an ELF with a region. */
#ifndef HC_CLI_REPLAY_REGION_H
#define HC_CLI_REPLAY_REGION_H

#include "open_timeline.h"

/* Replays the boots of the log, or the one that OPTIONS names, and prints what came of them. Returns an exit code. */
int hc_replay_region(const struct hc_timeline_options *options, struct hc_image *image, bool json);

#endif
