/* Histories from recordings. A log of depth `all` is replayed; calls of the program report its messages. So is one of
 * depth `region`, whose events have no time: their moment is the region's instruction, their segment the boot's place
 * in the log. A log of depth `messages` contains them. */
#ifndef HC_CAUSALITY_COLLECT_H
#define HC_CAUSALITY_COLLECT_H

#include "history.h"
#include "image/image.h"
#include "replay/replay.h"

enum hc_collect_error {
    HC_COLLECT_OK = 0,
    HC_COLLECT_BAD = -1,     /* log and program do not belong together, or the program does not number its messages */
    HC_COLLECT_FULL = -2,    /* out of memory */
    HC_COLLECT_DIVERGED = -3 /* the replay of a part diverged; the rest of that part is missing, as in a gap */
};

struct hc_collect_options {
    int id;          /* its address, unless a message says another; negative: not known */
    bool unnumbered; /* accept programs that do not number their messages: their nodes have stretches but no events */
    bool powered;    /* power was lost only where the log says so, and not before it begins */
    /* Called when the log is open; and, if it is replayed, before anything runs. May be NULL. */
    void (*opened)(void *owner, const struct hc_log *log);
    void (*prepare)(void *owner, struct hc_replay *replay);
    void *owner;
};

/* Adds the node that recorded LOG with program IMAGE. Returns an hc_collect_error, with a MESSAGE unless it is OK. */
int hc_collect(struct hc_network_history *history, struct hc_image *image, const char *log,
               const struct hc_collect_options *options, struct hc_replay_message *message);

#endif
