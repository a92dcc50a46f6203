/* What a command follows that runs one node forwards from its start: `IMAGE [LOG]`, or `RUN --node N`. */
#ifndef HC_CLI_ONE_NODE_H
#define HC_CLI_ONE_NODE_H

#include "open_timeline.h"
#include "run_directory.h"

struct hc_one_node {
    struct hc_timeline_options timeline;
    int node;                        /* of a run directory; -1: not given */
    struct hc_recordings recordings; /* of the run directory; empty if none was named */
};

/* The defaults: a run of 60 s that does not show the node's UART. */
#define HC_ONE_NODE                                                                                    \
    {                                                                                                  \
        .node = -1, .timeline = {.segment = -1, .limit = 60 * HC_SECOND, .node_id = 1, .quiet = true } \
    }

/* Files and options, as a child of the command's parser; its input is a struct hc_one_node. Includes
 * hc_timeline_argp. */
extern const struct argp hc_one_node_argp;

/* Replaces the run directory, if one was named, by the files of its node. Returns 0, or the exit code after a message.
 * Call hc_one_node_free in either case. */
int hc_one_node_choose(struct hc_one_node *one);
void hc_one_node_free(struct hc_one_node *one);

/* Runs M up to LIMIT, or until the program ends, stops or faults. Calls PROGRESS 32 times per emulated second with the
 * part that is done, 0 to 1. */
enum hc_stop hc_run_to_limit(struct hc_machine *m, hc_time limit, void (*progress)(void *owner, double part),
                             void *owner);

#endif
