/* The CPU as the recorder's C code sees it, for the host: no interrupts, and memory that is an array. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdint.h>

extern uint8_t host_memory[0x10000];

static inline uint16_t hc_status(void)
{
    return 0;
}

static inline uint16_t hc_critical_enter(void)
{
    return 0;
}

static inline void hc_critical_leave(uint16_t sr)
{
    (void)sr;
}

static inline void hc_atomic_add(volatile int16_t *to, uint16_t amount)
{
    *to = (int16_t)(*to + amount);
}

static inline void hc_atomic_clear(volatile uint16_t *from, uint16_t bits)
{
    *from &= (uint16_t)~bits;
}

static inline void hc_atomic_set(volatile uint16_t *to, uint16_t bits)
{
    *to |= bits;
}

enum { HOST_SITES = 0x8000 };
#define HC_SITE_AT(address) (__start_hc_sites + ((address) - HOST_SITES) / 4)
#define HC_ADDRESS(object) ((uint16_t)((const uint8_t *)(object) - (const uint8_t *)&__hc_ram + HOST_RECORDER))
enum { HOST_RECORDER = 0x1200, HOST_RECORDER_SIZE = 0x600 };
#define HC_MEMORY8(address) (host_memory[address])
#define HC_MEMORY16(address) ((uint16_t)(host_memory[address] | host_memory[(address) + 1] << 8))

#endif
