#include "message_marks.h"

#include "../../runtime/messages.h"

#include <stddef.h>

static uint16_t word_of(struct hc_machine *m, uint32_t at)
{
    return (uint16_t)(hc_peek(m, at) | hc_peek(m, at + 1) << 8);
}

struct hc_message_event hc_message_mark_read(struct hc_machine *m, uint32_t mark)
{
    return (struct hc_message_event){
        .sent = hc_peek(m, mark + offsetof(struct hc_message_mark, kind)) == HC_MESSAGE_SENT,
        .number = hc_peek(m, mark + offsetof(struct hc_message_mark, number)),
        .from = word_of(m, mark + offsetof(struct hc_message_mark, from)),
        .to = word_of(m, mark + offsetof(struct hc_message_mark, to)),
        .epoch = word_of(m, mark + offsetof(struct hc_message_mark, epoch)),
    };
}

static enum hc_action tell(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hc_message_marks *marks = owner;
    struct hc_message_event event = hc_message_mark_read(m, marks->mark);
    struct hc_replay_place place;

    (void)pc;
    hc_replay_place(marks->replay, &place);
    event.instruction = place.instruction;
    event.time_us = place.time_us;
    event.segment = place.segment;
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
