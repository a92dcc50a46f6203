/* The data of a report about one recording, gathered in one replay with a profile. */
#ifndef HC_REPORT_GATHER_H
#define HC_REPORT_GATHER_H

#include "profile/code_map.h"
#include "replay/replay.h"

#include <jansson.h>

struct hc_gathering {
    struct hc_replay *replay;                   /* at its start */
    struct hc_code_map *map;                    /* of its image */
    size_t bins;                                /* number of intervals for values over time; even */
    size_t functions;                           /* the maximum; the call tree has up to ten times as many nodes */
    size_t text;                                /* maximum size of the UART output, in bytes */
    uint32_t uart;                              /* the UART's transmit register; 0: unknown */
    double nanojoules;                          /* energy of a cycle; 0: unknown */
    bool (*progress)(void *owner, double part); /* true ends it */
    void *owner;
};

/* *OUT: an object with "totals", "machine", "stretches", "series", "functions", "tree", "interrupts", "said",
 * "deepest_stack" (docs/report.md). Returns how the worst stretch ended. *OUT is NULL, with the reason in MESSAGE, if
 * the log cannot be replayed. */
enum hc_replay_stop hc_gather(const struct hc_gathering *g, json_t **out, struct hc_replay_message *message);

#endif
