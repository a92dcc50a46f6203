/* What the benches of F1xx devices share: a register below 0x100 has 8 bits, others 16. */
#ifndef TESTS_MACHINE_F1XX_BUS_H
#define TESTS_MACHINE_F1XX_BUS_H

#include "bench.h"

static inline void set(struct bench *b, uint32_t address, uint16_t value)
{
    hc_bus_write(b->m, address, value, address < 0x100 ? 1 : 2);
}

static inline uint16_t get(struct bench *b, uint32_t address)
{
    return hc_bus_read(b->m, address, address < 0x100 ? 1 : 2);
}

#endif
