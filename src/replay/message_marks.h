/* The messages that a replayed program sent and received: what it said to runtime/messages.h. */
#ifndef HC_REPLAY_MESSAGE_MARKS_H
#define HC_REPLAY_MESSAGE_MARKS_H

#include "replay.h"

struct hc_message_event {
    bool sent;            /* else received */
    uint8_t number;       /* as it was on the air */
    uint16_t from, to;    /* addresses; `to` may be 0xffff, broadcast */
    uint16_t epoch;       /* of a send: see runtime/message_number.h */
    uint64_t instruction; /* the moment */
    uint64_t time_us;
    size_t segment; /* of the log, by its place there */
};

typedef void hc_message_event_fn(void *owner, const struct hc_message_event *event);

struct hc_message_marks {
    struct hc_replay *replay;
    uint32_t mark; /* address of the bytes */
    hc_message_event_fn *call;
    void *owner;
};

/* From now on CALL is told of each message. MARKS must stay where it is as long as the replay runs. False: the program
 * has no such calls. */
bool hc_message_marks_listen(struct hc_message_marks *marks, struct hc_replay *replay, hc_message_event_fn *call,
                             void *owner);

#endif
