#include "region_violations.h"

static enum hc_action tell(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hc_region_violations *v = owner;

    (void)m, (void)pc;
    v->call(v->owner);
    return HC_CONTINUE;
}

bool hc_region_violations_listen(struct hc_region_violations *v, struct hc_region_replay *replay,
                                 const struct hc_image *image, hc_region_violation_fn *call, void *owner)
{
    struct hc_symbol stub;

    if (!hc_image_symbol(image, "hc_violated.outside", &stub))
        return false;
    *v = (struct hc_region_violations){ call, owner };
    return hc_hook_pc(hc_region_replay_machine(replay), stub.address, tell, v) >= 0;
}
