/* The run that a command works on: the replay of a recording, or an emulated node if no recording is given. The
 * options that all such commands share are here. */
#ifndef HC_CLI_OPEN_TIMELINE_H
#define HC_CLI_OPEN_TIMELINE_H

#include "node.h"
#include "replay/region/region_replay.h"
#include "replay/replay.h"
#include "replay/replay_execution.h"

#include <argp.h>

enum { HC_SETTINGS_MAX = 16 };

struct hc_timeline_options {
    const char *image, *log; /* log NULL: an emulated TelosB runs the image */
    hc_time limit;           /* of the run without a log; HC_NEVER: none */
    int segment;             /* where to start; -1: at the first */
    uint16_t node_id;
    enum hc_run_board board; /* of the run without a log */
    bool quiet;              /* do not show the node's UART */
    size_t memory;           /* for checkpoints of the timeline; 0: as hc_timeline_new has it */
    int settings;
    struct {
        char name[64];
        uint32_t value;
    } set[HC_SETTINGS_MAX];              /* variables that were set when the node was installed, such as its id */
    struct hc_message_buffer *messages;  /* NULL: stderr */
    struct hc_timed_inputs *timed_input; /* what a node without a log hears; hc_close_timeline frees it */
};

/* Shared options, as children of the commands' parsers; their input is a struct hc_timeline_options.
 * hc_recording_argp: --segment, --set. hc_timeline_argp: these, and --seconds, --node-id and --uart-at for a run
 * without a log. */
extern const struct argp hc_recording_argp, hc_timeline_argp;

/* Takes an argument as IMAGE, then as LOG; a third one is a usage error. */
void hc_take_file(struct hc_timeline_options *options, const char *argument, struct argp_state *state);

struct hc_opened_timeline {
    struct hc_node node;
    struct hc_image *image;
    struct hc_replay *replay;
    struct hc_region_replay *region; /* instead, of a log of a region */
    struct hc_execution *execution;
    struct hc_timeline *timeline;
    struct hc_timed_inputs *timed_input; /* NULL: a recording, or a node without a UART */
    bool damaged;                        /* a part of the log is missing or contradicts itself: hc_tell_damage */
    struct hc_progress *progress;        /* makes way for the node's output; NULL: nothing is told */
};

/* Loads the image and opens the log at the segment that OPTIONS names, with its settings. Returns 0, or the exit code
 * after a message. Free *IMAGE and *REPLAY in either case. */
int hc_open_recording(struct hc_image **image, struct hc_replay **replay, const struct hc_timeline_options *options);

/* The same for an image with a region (hc_region_map_is), which is loaded already. */
int hc_open_region(struct hc_region_replay **region, struct hc_image *image, const struct hc_timeline_options *options);

/* Opens the recording, or the emulated node, and warns of damage in the log: what hc_open_timeline does, without a
 * timeline. For commands that run forwards only. */
int hc_open_run(struct hc_opened_timeline *t, const struct hc_timeline_options *options);

/* Opens the recording, or the emulated node, and a timeline over it; warns of damage in the log. Returns 0, or the exit
 * code after a message. Call hc_close_timeline in either case. */
int hc_open_timeline(struct hc_opened_timeline *t, const struct hc_timeline_options *options);
void hc_close_timeline(struct hc_opened_timeline *t);

/* For hc_debugger_set_uart, with the opened timeline of a live node as OWNER. */
bool hc_timeline_send(void *owner, const char *text, char *problem, size_t size);

#endif
