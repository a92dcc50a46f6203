/* Histories from recordings. Of whole nodes: each log is replayed, and the program's own calls tell of its messages. Of
 * messages alone: the log has them. */
#ifndef HC_CAUSALITY_COLLECT_H
#define HC_CAUSALITY_COLLECT_H

#include "history.h"
#include "image/image.h"
#include "replay/replay.h"

enum hc_collect_error {
    HC_COLLECT_OK = 0,
    HC_COLLECT_BAD = -1,     /* the log or the program does not fit, or numbers no messages */
    HC_COLLECT_FULL = -2,    /* out of memory */
    HC_COLLECT_DIVERGED = -3 /* the replay of a part diverged; the rest of that part lacks, as in a gap */
};

struct hc_collect_options {
    int id;          /* its address if no message tells another; negative: not known */
    bool unnumbered; /* programs that number no messages are taken, too: their nodes have lives and no events */
    /* Told when the log is open, and, where it is replayed, before anything runs; may be NULL. */
    void (*opened)(void *owner, const struct hc_log *log);
    void (*prepare)(void *owner, struct hc_replay *replay);
    void *owner;
};

/* Adds the node whose LOG this is. IMAGE must live for the time of the call. MESSAGE says what is wrong. */
int hc_collect(struct hc_network_history *history, struct hc_image *image, const char *log,
               const struct hc_collect_options *options, struct hc_replay_message *message);

#endif
