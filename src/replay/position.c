#include "position.h"

#include "../runtime/port/msp430/position.h"

uint32_t hc_position_count(const struct hc_border *border, struct hc_machine *m)
{
    return (uint32_t)hc_peek16(m, border->laps) << 16 | hc_peek16(m, border->count);
}

void hc_position_set_count(const struct hc_border *border, struct hc_machine *m, uint32_t count)
{
    hc_poke16(m, border->count, (uint16_t)count);
    hc_poke16(m, border->laps, (uint16_t)(count >> 16));
}

static uint32_t hash_with_top(struct hc_machine *m, uint16_t sr, uint16_t top)
{
    uint16_t registers[12];
    for (int i = 0; i < 12; i++)
        registers[i] = (uint16_t)hc_register(m, 4 + i);
    return hc_position_hash(registers, (uint16_t)hc_register(m, HC_SP), sr, top);
}

uint32_t hc_position_hash_here(struct hc_machine *m, uint16_t sr)
{
    return hash_with_top(m, sr, hc_peek16(m, hc_register(m, HC_SP)));
}

bool hc_position_hash_with_any_top(struct hc_machine *m, uint16_t sr, uint32_t hash)
{
    for (uint32_t top = 0; top <= UINT16_MAX; top++)
        if (hash_with_top(m, sr, (uint16_t)top) == hash)
            return true;
    return false;
}

void hc_position_interrupt(const struct hc_border *border, struct hc_machine *m, int vector, uint32_t return_pc,
                           uint16_t sr)
{
    bool extended = hc_machine_part(m)->cpu == HC_CPU_MSP430X;
    uint32_t sp = hc_register(m, HC_SP);
    hc_poke16(m, sp - 2, (uint16_t)return_pc);
    hc_poke16(m, sp - 4, (uint16_t)(sr | (extended ? return_pc >> 4 & 0xf000 : 0)));
    hc_set_register(m, HC_SP, sp - 4);
    hc_set_register(m, HC_SR, extended ? sr & HC_SR_SCG0 : 0);
    hc_set_register(m, HC_PC, border->link.handler[vector]);
}
