/* What a report tells of one recording: it is replayed once, with an account. */
#ifndef HC_REPORT_GATHER_H
#define HC_REPORT_GATHER_H

#include "profile/code_map.h"
#include "replay/replay.h"

#include <jansson.h>

struct hc_gathering {
    struct hc_replay *replay;                   /* at its beginning */
    struct hc_code_map *map;                    /* of its image */
    size_t bins;                                /* of values over time: even */
    size_t functions;                           /* at most; of a tree of calls ten times as many */
    size_t text;                                /* of what the node said, at most, in bytes */
    uint32_t uart;                              /* the register in which bytes are sent; 0: not known */
    double nanojoules;                          /* of a cycle; 0: not known */
    bool (*progress)(void *owner, double part); /* true ends it */
    void *owner;
};

/* *OUT: an object with "totals", "machine", "stretches", "series", "functions", "tree", "interrupts", "said",
 * "deepest_stack" (docs/report.md). Returns how the worst stretch ended. *OUT is NULL, and MESSAGE says why, when the
 * log cannot be gone through. */
enum hc_replay_stop hc_gather(const struct hc_gathering *g, json_t **out, struct hc_replay_message *message);

#endif
