/* What the recorder of regions needs on a Cortex-M: a critical section. PRIMASK keeps all interrupts out but NMI and
 * HardFault, which must not enter the region. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t hc_critical_enter(void)
{
    uint32_t mask;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(mask)::"memory");
    return (uint16_t)mask;
}

static inline void hc_critical_leave(uint16_t mask)
{
    if (!mask)
        __asm__ volatile("cpsie i" ::: "memory");
}

#endif
