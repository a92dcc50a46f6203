/* What `debug` and `print` travel over: the replay of a recording, or an emulated node without one. */
#ifndef HC_CLI_TRAVEL_H
#define HC_CLI_TRAVEL_H

#include "node.h"
#include "replay/replay.h"
#include "replay/timeline.h"

struct hc_travel_options {
    const char *image, *log; /* log may be NULL: a TelosB runs the image */
    hc_time limit;           /* of the run without a log; HC_NEVER: none */
    int segment;             /* to begin with; -1: the first */
    uint16_t node_id;
    bool quiet; /* the node's UART is not shown */
};

struct hc_traveller {
    struct hc_node node;
    struct hc_image *image;
    struct hc_replay *replay;
    struct hc_course *course;
    struct hc_timeline *timeline;
};

/* Returns 0, or the exit code after having said on stderr what is wrong; hc_traveller_close is due in either case. */
int hc_traveller_open(struct hc_traveller *t, const struct hc_travel_options *options);
void hc_traveller_close(struct hc_traveller *t);

#endif
