#include "failure.h"

enum { POISON_SEED = 1, POISON = 0xa5 };

uint32_t hc_power_memory_size(const struct hc_machine *machine)
{
    uint32_t size = 0;

    for (const struct hc_region *r = hc_machine_part(machine)->regions; r->name; r++)
        size = r->end + 1 > size ? r->end + 1 : size;
    return size;
}

static void copy_nvm(struct hc_machine *m, uint8_t *to, uint32_t size)
{
    for (uint32_t a = 0; a < size; a++)
        if (hc_region_kind(m, a) == HC_FRAM)
            to[a] = hc_peek(m, a);
}

static void keep_nvm(struct hc_machine *m, const uint8_t *from, uint32_t size)
{
    for (uint32_t a = 0; a < size; a++)
        if (hc_region_kind(m, a) == HC_FRAM && hc_peek(m, a) != from[a])
            hc_poke(m, a, from[a]);
}

void hc_power_fail(const struct hc_locate_config *config, const struct hc_located *located,
                   const struct hc_snapshot *checkpoint, uint8_t *scratch)
{
    struct hc_machine *m = config->machine;
    uint32_t size = hc_power_memory_size(m);

    copy_nvm(m, scratch, size);
    if (checkpoint) {
        hc_snapshot_restore(m, checkpoint);
    } else {
        hc_machine_power_off(m, POISON_SEED);
        hc_machine_reset(m, HC_POR);
    }
    keep_nvm(m, scratch, size);
    for (uint32_t a = 0; config->unsaved && a < size; a++)
        if (hc_located_is_lost(config, located, a))
            hc_poke(m, a, POISON);
}

uint64_t hc_power_failure_of(const struct hc_pair *pair)
{
    return pair->kind == HC_LOST_STATE ? pair->witness.resumed : pair->witness.produced;
}
