/* hindcast replay, of an ELF with a region. */
#ifndef HC_CLI_REPLAY_REGION_H
#define HC_CLI_REPLAY_REGION_H

#include "open_timeline.h"

#include <jansson.h>

/* Replays the boots of the log, or the one that OPTIONS names, and prints what came of them. Returns an exit code. */
int hc_replay_region(const struct hc_timeline_options *options, struct hc_image *image, bool json);

/* Of `hindcast replay RUN --all`. */
struct hc_region_nodes {
    int id;                /* of the node whose turn it is */
    uint64_t instructions; /* of all so far */
    json_t *list;          /* gets an object for each node; NULL: lines are printed */
};

/* As hc_replay_region, for one node of a run. */
int hc_replay_region_node(const struct hc_timeline_options *options, struct hc_image *image,
                          struct hc_region_nodes *nodes);

#endif
