/* The events of a network as one stream, sorted by their time on the axis: messages from the history, everything else
 * from replays that run side by side. Each node's replay runs some thousand instructions ahead and waits, so memory
 * does not grow with the length of a run. */
#ifndef HC_CAUSALITY_EXPORT_STREAM_H
#define HC_CAUSALITY_EXPORT_STREAM_H

#include "../axis.h"
#include "replay/radio_frames.h"
#include "replay/replay.h"

enum hc_stream_kind {
    HC_STREAM_MESSAGE,    /* `event` of the history */
    HC_STREAM_FRAME,      /* between the CPU and the radio chip */
    HC_STREAM_INTERRUPT,  /* `vector` */
    HC_STREAM_SLEEP,      /* ends now; it started at `begin` or earlier */
    HC_STREAM_RADIO,      /* the program changed the radio chip's state to `state` */
    HC_STREAM_TASK_BEGIN, /* a task of the kernel: the function `task` */
    HC_STREAM_TASK_END,
};

enum hc_stream_radio { HC_RADIO_OFF, HC_RADIO_IDLE, HC_RADIO_RECEIVE, HC_RADIO_TRANSMIT };

struct hc_stream_event {
    int64_t time; /* on the axis, ns */
    int64_t begin;
    enum hc_stream_kind kind;
    uint32_t node; /* of the history */
    uint32_t event;
    int vector;
    enum hc_stream_radio state;
    const char *task; /* valid as long as the node's image; NULL: its name is not known */
    struct hc_radio_frame frame;
};

struct hc_stream_config {
    const struct hc_network_history *history;
    const struct hc_axis *axis;
    bool replays; /* false: messages only */
    /* Opens the recording `log` of a node. The stream frees *OUT with hc_replay_free; whatever the replay uses must
     * outlive the stream. Returns false, after a message, to leave the node out. */
    bool (*open)(void *owner, int log, struct hc_replay **out);
    /* Called for each event, in order of time. */
    void (*tell)(void *owner, const struct hc_stream_event *event);
    void *owner;
};

/* Returns 0 or HC_NETWORK_FULL. */
int hc_stream_run(const struct hc_stream_config *config);

#endif
