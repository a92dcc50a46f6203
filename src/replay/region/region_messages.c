#include "region_messages.h"

static enum hc_action tell(void *owner, struct hc_machine *machine, uint32_t pc)
{
    const struct hc_region_messages *m = owner;
    struct hc_message_event event = hc_message_mark_read(machine, m->mark);
    struct hc_region_state state;

    (void)pc;
    hc_region_replay_state(m->replay, &state);
    event.instruction = state.instructions;
    event.segment = m->boot;
    m->call(m->owner, &event);
    return HC_CONTINUE;
}

bool hc_region_messages_listen(struct hc_region_messages *m, struct hc_region_replay *replay,
                               const struct hc_image *image, uint16_t boot, hc_message_event_fn *call, void *owner)
{
    struct hc_symbol mark, function;

    /* What the outside calls, too, has its body under another name. */
    if (!hc_image_symbol(image, "__hc_message", &mark) ||
        (!hc_image_symbol(image, "__hc_message_mark.region", &function) &&
         !hc_image_symbol(image, "__hc_message_mark", &function)))
        return false;
    *m = (struct hc_region_messages){ replay, mark.address, boot, call, owner };
    return hc_hook_pc(hc_region_replay_machine(replay), function.address, tell, m) >= 0;
}
