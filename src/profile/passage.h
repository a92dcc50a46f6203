/* Runs a replay through a whole recording, stretch by stretch (segments between which nothing is missing), with one
 * profile of all of them. */
#ifndef HC_PROFILE_PASSAGE_H
#define HC_PROFILE_PASSAGE_H

#include "profile.h"
#include "replay/replay.h"

struct hc_stretch {
    size_t first_segment, last_segment; /* indexes */
    uint64_t instructions, cycles;      /* the machine's own counts */
    uint64_t interrupts, reads;
    uint64_t from_us, until_us;
    enum hc_replay_stop stop;
    struct hc_replay_checks checks;
    const char *why; /* as hc_replay_why; valid until the next stretch */
};

struct hc_passage {
    struct hc_replay *replay;   /* at its start */
    struct hc_profile *profile; /* of its machine, or NULL */
    bool one_stretch;           /* only the stretch at which the replay is */

    /* Each may be NULL. */
    void (*event)(void *owner, const struct hc_replay_event *event);
    void (*stretch)(void *owner, const struct hc_stretch *stretch); /* at its end */
    bool (*progress)(void *owner, double part); /* called several times a second; returning true ends it */
    void *owner;
};

/* Returns how the worst stretch ended: HC_REPLAY_END for success, HC_REPLAY_REQUEST if PROGRESS ended it. *ERROR: 0, or
 * an error of hc_replay_restart with its MESSAGE. Uses the replay's listener. */
enum hc_replay_stop hc_passage_run(const struct hc_passage *p, int *error, struct hc_replay_message *message);

#endif
