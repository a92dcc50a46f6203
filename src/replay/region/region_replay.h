/* Replays a region in the machine: the node's own ELF, of which only the region's functions run. All that comes over
 * the border comes from the log; what goes out is compared with it.
 *
 * A visit is a call from outside, up to its return. At the end of one the next begins at once: there is nothing in
 * between. The machine may be inspected and hooked; it is run through the execution. */
#ifndef HC_REPLAY_REGION_REGION_REPLAY_H
#define HC_REPLAY_REGION_REGION_REPLAY_H

#include "image/image.h"
#include "timeline/timeline.h"

struct hc_region_replay;

/* BOOT: which one, counted from 0. On failure *OUT is NULL and TEXT has a sentence. IMAGE must outlive it. */
bool hc_region_replay_open(struct hc_region_replay **out, struct hc_image *image, const char *log, size_t boot,
                           char *text, size_t size);
void hc_region_replay_free(struct hc_region_replay *r);

struct hc_machine *hc_region_replay_machine(struct hc_region_replay *r);
/* Sets the initial value of a variable. Before anything runs; false: there is no such variable. */
bool hc_region_replay_set(struct hc_region_replay *r, const char *variable, uint32_t value);

enum hc_region_end_kind {
    HC_REGION_RUNS,
    HC_REGION_ENDED,    /* of the log: `text` says why */
    HC_REGION_DEVIATES, /* what the region did is not what the node's did */
    HC_REGION_FAULTS,   /* the machine could not go on */
};

struct hc_region_state {
    uint64_t visits; /* begun */
    uint64_t instructions;
    uint64_t checks;    /* that agreed */
    size_t boots;       /* in the log */
    size_t bytes, used; /* of the log's code */
    const char *visit;  /* whose entry was called last; NULL: none */
    enum hc_region_end_kind end;
    const char *text;
};
void hc_region_replay_state(struct hc_region_replay *r, struct hc_region_state *out);

/* Runs to the end of the log, or to the first deviation. */
enum hc_region_end_kind hc_region_replay_run(struct hc_region_replay *r);

/* Called at the begin (ENTRY >= 0) and the end (-1) of each call from outside; they may be within each other. */
typedef void hc_region_visit_fn(void *owner, struct hc_region_replay *r, int entry);
void hc_region_replay_listen(struct hc_region_replay *r, hc_region_visit_fn *call, void *owner);

/* For timelines and debuggers. R remains the caller's. NULL on out-of-memory. */
struct hc_execution *hc_region_execution_new(struct hc_region_replay *r);

#endif
