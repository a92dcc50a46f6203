#include "position.h"

#include "target/target.h"

uint32_t hc_position_count(const struct hc_border *border, struct hc_machine *m)
{
    return (uint32_t)hc_peek16(m, border->laps) << 16 | hc_peek16(m, border->count);
}

void hc_position_set_count(const struct hc_border *border, struct hc_machine *m, uint32_t count)
{
    hc_poke16(m, border->count, (uint16_t)count);
    hc_poke16(m, border->laps, (uint16_t)(count >> 16));
}

static const struct hc_target_cpu *cpu_of(const struct hc_machine *m)
{
    return hc_target_of_machine(m)->cpu;
}

uint32_t hc_position_hash_here(struct hc_machine *m, uint16_t status)
{
    return cpu_of(m)->position_hash(m, status, hc_peek16(m, hc_register(m, HC_SP)));
}

bool hc_position_hash_with_any_top(struct hc_machine *m, uint16_t status, uint32_t hash)
{
    for (uint32_t top = 0; top <= UINT16_MAX; top++)
        if (cpu_of(m)->position_hash(m, status, top) == hash)
            return true;
    return false;
}

void hc_position_interrupt(const struct hc_border *border, struct hc_machine *m, int vector, uint32_t return_pc,
                           uint16_t status)
{
    cpu_of(m)->interrupt(m, border->link.handler[vector], return_pc, status);
}
