/* What `debug` and `print` travel over: the replay of a recording, or an emulated node without one. */
#ifndef HC_CLI_OPEN_TIMELINE_H
#define HC_CLI_OPEN_TIMELINE_H

#include "node.h"
#include "replay/replay.h"
#include "replay/replay_execution.h"

enum { HC_TIMELINE_SETTINGS = 8 };

struct hc_timeline_options {
    const char *image, *log; /* log may be NULL: a TelosB runs the image */
    hc_time limit;           /* of the run without a log; HC_NEVER: none */
    int segment;             /* to begin with; -1: the first */
    uint16_t node_id;
    bool quiet; /* the node's UART is not shown */
    int settings;
    struct {
        const char *name;
        uint32_t value;
    } set[HC_TIMELINE_SETTINGS]; /* variables that were set when the node was installed: its id */
};

struct hc_opened_timeline {
    struct hc_node node;
    struct hc_image *image;
    struct hc_replay *replay;
    struct hc_execution *execution;
    struct hc_timeline *timeline;
};

/* Returns 0, or the exit code after having said on stderr what is wrong; hc_close_timeline is due in either case. */
int hc_open_timeline(struct hc_opened_timeline *t, const struct hc_timeline_options *options);
void hc_close_timeline(struct hc_opened_timeline *t);

#endif
