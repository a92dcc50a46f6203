#include "message_marks.h"

#include "../../runtime/messages.h"

#include <stddef.h>

static uint8_t byte_at(const struct hc_message_marks *marks, size_t offset)
{
    return hc_peek(hc_replay_machine(marks->replay), marks->mark + (uint32_t)offset);
}

static uint16_t word_at(const struct hc_message_marks *marks, size_t offset)
{
    return (uint16_t)(byte_at(marks, offset) | byte_at(marks, offset + 1) << 8);
}

static enum hc_action tell(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hc_message_marks *marks = owner;
    struct hc_replay_place place;

    (void)m;
    (void)pc;
    hc_replay_place(marks->replay, &place);
    struct hc_message_event event = {
        .sent = byte_at(marks, offsetof(struct hc_message_mark, kind)) == HC_MESSAGE_SENT,
        .number = byte_at(marks, offsetof(struct hc_message_mark, number)),
        .from = word_at(marks, offsetof(struct hc_message_mark, from)),
        .to = word_at(marks, offsetof(struct hc_message_mark, to)),
        .epoch = word_at(marks, offsetof(struct hc_message_mark, epoch)),
        .instruction = place.instruction,
        .time_us = place.time_us,
        .segment = place.segment,
    };
    marks->call(marks->owner, &event);
    return HC_CONTINUE;
}

bool hc_message_marks_listen(struct hc_message_marks *marks, struct hc_replay *replay, hc_message_event_fn *call,
                             void *owner)
{
    const struct hc_image *image = hc_replay_image(replay);
    struct hc_symbol mark, function;

    if (!hc_image_symbol(image, "__hc_message", &mark) || !hc_image_symbol(image, "__hc_message_mark", &function))
        return false;
    *marks = (struct hc_message_marks){ replay, mark.address, call, owner };
    return hc_hook_pc(hc_replay_machine(replay), function.address, tell, marks) >= 0;
}
