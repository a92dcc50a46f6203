/* The messages that a replayed region sent and received, as it reported them through runtime/messages.h. */
#ifndef HC_REPLAY_REGION_REGION_MESSAGES_H
#define HC_REPLAY_REGION_REGION_MESSAGES_H

#include "region_replay.h"
#include "replay/message_marks.h"

struct hc_region_messages {
    struct hc_region_replay *replay;
    uint32_t mark; /* address of the bytes */
    uint16_t boot;
    hc_message_event_fn *call;
    void *owner;
};

/* Calls CALL for each message of boot number BOOT from now on, without a time. M must stay at its address while the
 * replay runs. Returns false if the program does not report messages. A program that reports them outside of the region
 * is not noticed: nothing comes. */
bool hc_region_messages_listen(struct hc_region_messages *m, struct hc_region_replay *replay,
                               const struct hc_image *image, uint16_t boot, hc_message_event_fn *call, void *owner);

#endif
