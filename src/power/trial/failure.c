#include "failure.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };

uint32_t hc_power_memory_size(const struct hc_machine *machine)
{
    uint32_t size = 0;

    for (const struct hc_region *r = hc_machine_part(machine)->regions; r->name; r++)
        size = r->end + 1 > size ? r->end + 1 : size;
    return size;
}

/* All memory of the machine as it stands. */
static void copy_memory(struct hc_machine *m, uint8_t *to)
{
    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name; r++)
        if (r->kind == HC_RAM || r->kind == HC_FRAM)
            hc_peek_bytes(m, r->start, to + r->start, r->end - r->start + 1);
}

/* FROM holds memory as the failure left it. */
static void keep_nvm(const struct hc_locate_config *config, const struct hc_located *located, const uint8_t *from)
{
    enum { CHUNK = 256 };
    uint8_t now[CHUNK];

    for (const struct hc_region *r = hc_machine_part(config->machine)->regions; r->name; r++)
        for (uint32_t a = r->start; r->kind == HC_FRAM && a <= r->end; a += CHUNK) {
            uint32_t n = r->end - a + 1 < CHUNK ? r->end - a + 1 : CHUNK;
            hc_peek_bytes(config->machine, a, now, n);
            bool same = !memcmp(now, from + a, n);
            for (uint32_t i = 0; !same && i < n; i++)
                if (now[i] != from[a + i] && hc_located_survives(config, located, a + i))
                    hc_poke(config->machine, a + i, from[a + i]);
        }
}

static bool is_memory(struct hc_machine *m, uint32_t address)
{
    enum hc_region_kind kind = hc_region_kind(m, address);

    return kind == HC_RAM || kind == HC_FRAM;
}

/* Memory and registers as they are now, peripherals as the start-up code leaves them. */
static void reset_peripherals(const struct hc_locate_config *config, uint32_t size)
{
    struct hc_machine *m = config->machine;
    uint32_t r[HC_REGISTERS];
    uint8_t *memory = malloc(size + 1);

    if (!memory)
        abort();
    for (uint32_t a = 0; a < size; a++)
        memory[a] = is_memory(m, a) ? hc_peek(m, a) : 0;
    for (int i = 0; i < HC_REGISTERS; i++)
        r[i] = hc_register(m, i);
    hc_machine_power_off(m, HC_POISON_SEED);
    hc_machine_reset(m, HC_POR);
    hc_power_run_to_main(m, &config->program);
    for (uint32_t a = 0; a < size; a++)
        if (is_memory(m, a) && hc_peek(m, a) != memory[a])
            hc_poke(m, a, memory[a]);
    for (int i = 0; i < HC_REGISTERS; i++)
        hc_set_register(m, i, r[i]);
    free(memory);
}

void hc_power_fail(const struct hc_locate_config *config, const struct hc_located *located,
                   const struct hc_snapshot *checkpoint, uint8_t *scratch)
{
    struct hc_machine *m = config->machine;
    uint32_t size = hc_power_memory_size(m);

    copy_memory(m, scratch);
    if (checkpoint) {
        hc_snapshot_restore(m, checkpoint);
    } else {
        hc_machine_power_off(m, HC_POISON_SEED);
        hc_machine_reset(m, HC_POR);
    }
    if (checkpoint && config->unsaved & HC_UNSAVED_PERIPHERALS)
        reset_peripherals(config, size);
    keep_nvm(config, located, scratch);
    for (uint32_t a = 0; checkpoint && config->unsaved && a < size; a++)
        if (hc_located_is_lost(config, located, a))
            hc_poke(m, a, POISON);
}

uint64_t hc_power_failure_of(const struct hc_pair *pair, const struct hc_occurrence *occurrence)
{
    if (pair->kind == HC_LOST_STATE)
        return occurrence->resumed;
    return occurrence->produced + (pair->producer == HC_BY_DMA);
}
