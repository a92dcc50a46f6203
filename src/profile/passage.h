/* A recording from its first segment to its last: a replay run through each of its stretches (segments between which
 * nothing is missing), with an account of all of them. */
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
    struct hc_replay *replay;   /* at its beginning */
    struct hc_profile *profile; /* of its machine, or NULL */
    bool one_stretch;           /* only that in which it begins */

    /* Each may be NULL. */
    void (*event)(void *owner, const struct hc_replay_event *event);
    void (*stretch)(void *owner, const struct hc_stretch *stretch); /* at its end */
    bool (*progress)(void *owner, double part);                     /* some times a second; true ends it */
    void *owner;
};

/* Returns how the worst stretch ended: HC_REPLAY_END if all was well, HC_REPLAY_REQUEST if it was ended, 0 or an error
 * of hc_replay_restart in *ERROR with MESSAGE. The replay's listener is taken. */
enum hc_replay_stop hc_passage_run(const struct hc_passage *p, int *error, struct hc_replay_message *message);

#endif
