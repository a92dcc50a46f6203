#include "violations.h"

#include <string.h>

static const char prefix[] = "hc_invariant_";

static uint16_t word_at(const struct hc_violations *v, uint32_t address)
{
    struct hc_machine *m = hc_replay_machine(v->replay);

    return (uint16_t)(hc_peek(m, address) | hc_peek(m, address + 1) << 8);
}

static const char *name_of(const struct hc_violations *v, uint32_t invariant)
{
    struct hc_symbol symbol;

    if (!hc_image_data_at(hc_replay_image(v->replay), invariant, &symbol))
        return "an invariant";
    return strncmp(symbol.name, prefix, sizeof prefix - 1) ? symbol.name : symbol.name + sizeof prefix - 1;
}

static enum hc_action tell(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hc_violations *v = owner;
    struct hc_replay_place place;
    uint32_t invariant = word_at(v, v->mark);

    (void)m, (void)pc;
    hc_replay_place(v->replay, &place);
    struct hc_violation violation = { .name = name_of(v, invariant),
                                      .line = word_at(v, invariant),
                                      .instruction = place.instruction,
                                      .time_us = place.time_us,
                                      .segment = place.segment };
    v->call(v->owner, &violation);
    return HC_CONTINUE;
}

bool hc_violations_listen(struct hc_violations *v, struct hc_replay *replay, hc_violation_fn *call, void *owner)
{
    const struct hc_image *image = hc_replay_image(replay);
    struct hc_symbol mark, function;

    if (!hc_image_symbol(image, "hc_violation_of", &mark) || !hc_image_symbol(image, "hc_violation_mark", &function))
        return false;
    *v = (struct hc_violations){ replay, mark.address, call, owner };
    return hc_hook_pc(hc_replay_machine(replay), function.address, tell, v) >= 0;
}
