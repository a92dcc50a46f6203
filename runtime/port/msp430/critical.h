/* What the recorder's C code needs of the CPU. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdint.h>

static inline uint16_t hc_status(void)
{
    uint16_t sr;
    __asm__ volatile("mov r2, %0" : "=r"(sr));
    return sr;
}

static inline uint16_t hc_critical_enter(void)
{
    uint16_t sr;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(sr)::"memory");
    return sr;
}

static inline void hc_critical_leave(uint16_t sr)
{
    __asm__ volatile("nop\n\tmov %0, r2\n\tnop" ::"r"(sr) : "memory");
}

/* Left, by a bit: compilers need nine instructions. */
static inline uint16_t hc_rotated(uint16_t x)
{
    __asm__("add %0, %0\n\taddc #0, %0" : "+r"(x));
    return x;
}
#define HC_ROTATED(x) hc_rotated(x)

/* Memory written before is in memory before anything written after it: a reset may come in between. */
#define hc_barrier() __asm__ volatile("" ::: "memory")

/* In one instruction. */
static inline void hc_atomic_add(volatile int16_t *to, uint16_t amount)
{
    __asm__ volatile("add %1, 0(%0)" ::"r"(to), "r"(amount) : "memory");
}

static inline void hc_atomic_clear(volatile uint16_t *from, uint16_t bits)
{
    __asm__ volatile("bic %1, 0(%0)" ::"r"(from), "r"(bits) : "memory");
}

static inline void hc_atomic_set(volatile uint16_t *to, uint16_t bits)
{
    __asm__ volatile("bis %1, 0(%0)" ::"r"(to), "r"(bits) : "memory");
}

/* Registers that handlers may write too. */
static inline void hc_atomic_set8(uint16_t address, uint8_t bits)
{
    __asm__ volatile("bis.b %1, 0(%0)" ::"r"(address), "r"(bits) : "memory");
}

static inline void hc_atomic_clear8(uint16_t address, uint8_t bits)
{
    __asm__ volatile("bic.b %1, 0(%0)" ::"r"(address), "r"(bits) : "memory");
}

static inline void hc_atomic_flip8(uint16_t address, uint8_t bits)
{
    __asm__ volatile("xor.b %1, 0(%0)" ::"r"(address), "r"(bits) : "memory");
}

#define HC_MEMORY8(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define HC_ADDRESS(object) ((uint16_t)(uintptr_t)(object))
#define HC_BYTES_AT(address) ((uint8_t *)(uintptr_t)(address))
#define HC_MEMORY16(address) (*(volatile uint16_t *)(uintptr_t)(address))

#include "clocks.h"

/* What the link step makes: the reads that are recorded, a descriptor being an address; registers of peripherals. */
extern const uint8_t __hc_dump[], __hc_dump_end[];
#define HC_SITES __start_hc_sites
#define HC_SITE_NUMBER(descriptor) ((uint16_t)((const struct hc_site *)(uintptr_t)(descriptor) - __start_hc_sites))
#define HC_DUMP_TABLE __hc_dump
#define HC_DUMP_SIZE ((uint16_t)(__hc_dump_end - __hc_dump))

#define HC_STATUS_ENABLED 8 /* in what hc_critical_enter and hc_status return: interrupts were on */

#endif
