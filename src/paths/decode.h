/* From numbers of paths to what the program executed.
 *
 * Each number is a stretch of one function. Which stretches follow each other is known from the map: what is behind a
 * call comes when its function has returned. So the decoder keeps a stack of functions that are under way. A stretch
 * that begins an interrupt handler may come at any place; when the handler has returned, what it interrupted goes on.
 *
 *     frames   main . task . send      read_radio . copy
 *              \__ interrupted ___/    \_ a handler __/
 *
 * A stretch that fits nowhere shows that the program went in a way of which nothing is recorded: a handler or a
 * function that was not compiled for it, a switch of threads, longjmp, or a loss. It is told (HC_PATHS_EVENT_STRANGE),
 * and decoding goes on from there. */
#ifndef HC_PATHS_DECODE_H
#define HC_PATHS_DECODE_H

#include "recorded/path_map.h"
#include "trace/traffic.h"

enum hc_paths_kind {
    HC_PATHS_EVENT_STRETCH,
    HC_PATHS_EVENT_MESSAGE, /* sent or received */
    HC_PATHS_EVENT_RESET,
    HC_PATHS_EVENT_LOST,    /* paths are missing here */
    HC_PATHS_EVENT_LEFT,    /* functions above were left without return: longjmp */
    HC_PATHS_EVENT_STRANGE, /* what follows does not fit what was before */
};

struct hc_paths_event {
    enum hc_paths_kind kind;
    uint16_t boot, segment;
    /* of a stretch: */
    unsigned run;   /* number of the handler's run that it belongs to; 0: none, or not known from its beginning */
    unsigned level; /* handlers that are under way, one in the other */
    unsigned depth; /* callers of the function in this handler, or in the program */
    bool enters;    /* it is the function's first */
    bool returns;   /* and its last */
    bool certain;   /* it was not recorded: nothing else could follow */
    const struct hc_path_function *function;
    const uint16_t *blocks;
    size_t count;
    /* of a message, NULL if it is missing: */
    const struct hc_traffic_event *message;
    size_t place;  /* of that message among all of the log */
    char why[100]; /* of lost, strange */
};

typedef void hc_paths_fn(void *owner, const struct hc_paths_event *event);

/* Tells all that LOG has, in the node's order, messages among paths. False on out-of-memory. */
bool hc_paths_read(const struct hc_path_map *map, const struct hc_log *log, hc_paths_fn *fn, void *owner);

/* Whether LOG was recorded by the program IMAGE. */
bool hc_paths_fit(const struct hc_image *image, const struct hc_log *log);

/* Tells what COUNT numbers say; messages among them are missing. */
bool hc_paths_decode(const struct hc_path_map *map, const uint16_t *numbers, size_t count, hc_paths_fn *fn,
                     void *owner);

#endif
