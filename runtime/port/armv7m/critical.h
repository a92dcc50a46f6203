/* What the recorder's C code needs on an ARMv7-M. So far it records reads only.
 *
 * The recorder uses 16-bit addresses for memory. Here they are offsets in RAM, of which it sees the first 64 KB.
 * Descriptors of sites are in code memory, at addresses that must be below 64 KB. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include "../../site.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

#define HC_RAM_BASE 0x20000000u

#define HC_MEMORY8(address) (*(volatile uint8_t *)(HC_RAM_BASE + (uint16_t)(address)))
#define HC_MEMORY16(address) (*(volatile uint16_t *)(HC_RAM_BASE + (uint16_t)(address)))
#define HC_BYTES_AT(address) ((uint8_t *)(HC_RAM_BASE + (uint16_t)(address)))
#define HC_ADDRESS(object) ((uint16_t)((uintptr_t)(object) - HC_RAM_BASE))

extern const struct hc_site __start_hc_sites[] __attribute__((weak)); /* by the linker */
#define HC_SITES __start_hc_sites
#define HC_SITE_NUMBER(descriptor) ((uint16_t)((const struct hc_site *)(uintptr_t)(descriptor) - __start_hc_sites))

/* A checkpoint holds no registers of peripherals yet. */
#define HC_DUMP_TABLE ((const uint8_t *)0)
#define HC_DUMP_SIZE 0

#define HC_STATUS_ENABLED 1 /* in what hc_critical_enter and hc_status return: interrupts were on */

static inline uint16_t hc_status(void)
{
    uint32_t mask;
    __asm__ volatile("mrs %0, primask" : "=r"(mask));
    return mask & 1 ? 0 : HC_STATUS_ENABLED;
}

static inline uint16_t hc_critical_enter(void)
{
    uint16_t status = hc_status();
    __asm__ volatile("cpsid i" ::: "memory");
    return status;
}

static inline void hc_critical_leave(uint16_t status)
{
    if (status & HC_STATUS_ENABLED)
        __asm__ volatile("cpsie i" ::: "memory");
}

/* Memory written before is in memory before anything written after it: a reset may come in between. */
#define hc_barrier() __asm__ volatile("dmb" ::: "memory")

static inline void hc_atomic_add(volatile int16_t *to, uint16_t amount)
{
    uint16_t status = hc_critical_enter();
    *to = (int16_t)(*to + amount);
    hc_critical_leave(status);
}

static inline void hc_atomic_clear(volatile uint16_t *from, uint16_t bits)
{
    uint16_t status = hc_critical_enter();
    *from &= (uint16_t)~bits;
    hc_critical_leave(status);
}

static inline void hc_atomic_set(volatile uint16_t *to, uint16_t bits)
{
    uint16_t status = hc_critical_enter();
    *to |= bits;
    hc_critical_leave(status);
}

/* ---- the part: its clocks and supply are unknown ---- */

static inline uint16_t hc_reset_cause(void)
{
    return 0;
}

static inline void hc_go_fast(void)
{
}

static inline void hc_go_slow(void)
{
}

static inline void hc_supply_watch(void)
{
}

static inline bool hc_supply_low(void)
{
    return false;
}

static inline uint16_t hc_clock(void)
{
    return HC_NO_CLOCK;
}

#endif
