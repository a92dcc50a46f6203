/* The messages that a replayed program sent and received, as it reported them through runtime/messages.h. */
#ifndef HC_REPLAY_MESSAGE_MARKS_H
#define HC_REPLAY_MESSAGE_MARKS_H

#include "replay.h"

struct hc_message_event {
    bool sent;            /* else received */
    uint8_t number;       /* as transmitted */
    uint16_t from, to;    /* addresses; `to` may be 0xffff, broadcast */
    uint16_t epoch;       /* of a send: see runtime/message_number.h and messages_dsn.c */
    uint64_t instruction; /* the moment */
    uint64_t time_us;
    uint16_t segment; /* its number in the log */
};

typedef void hc_message_event_fn(void *owner, const struct hc_message_event *event);

struct hc_message_marks {
    struct hc_replay *replay;
    uint32_t mark; /* address of the bytes */
    hc_message_event_fn *call;
    void *owner;
};

/* What the bytes at MARK say (struct hc_message_mark); moment and time are 0. */
struct hc_message_event hc_message_mark_read(struct hc_machine *m, uint32_t mark);

/* Calls CALL for each message from now on. MARKS must stay at its address while the replay runs. Returns false if the
 * program does not report messages. */
bool hc_message_marks_listen(struct hc_message_marks *marks, struct hc_replay *replay, hc_message_event_fn *call,
                             void *owner);

#endif
