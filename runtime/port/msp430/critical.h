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

#define HC_MEMORY8(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define HC_ADDRESS(object) ((uint16_t)(uintptr_t)(object))
#define HC_SITE_AT(address) ((const struct hc_site *)(uintptr_t)(address))
#define HC_MEMORY16(address) (*(volatile uint16_t *)(uintptr_t)(address))

#endif
