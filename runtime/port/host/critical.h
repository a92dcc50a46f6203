/* The recorder on a host, for tests: a node's memory is an array that contains the recorder's RAM, as on the node.
 * Everything that a port for another CPU has to define is here and in part.h. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdint.h>

/* ---- memory ---- */

/* The meaning of 16-bit addresses. On a CPU with wider ones the program's RAM is at some base. */
extern uint8_t hc_host_memory[0x10000];
extern uint16_t hc_host_ram;               /* where the recorder's RAM lies in it */
uint8_t *hc_host_access(uint16_t address); /* the test may let a reset come */

#define __hc_ram (*(struct hc_ram *)(void *)(hc_host_memory + hc_host_ram))
#define HC_MEMORY8(address) (*(volatile uint8_t *)hc_host_access(address))
#define HC_MEMORY16(address) (*(volatile uint16_t *)(void *)hc_host_access(address))
#define HC_BYTES_AT(address) ((uint8_t *)(hc_host_memory + (uint16_t)(address)))
#define HC_ADDRESS(object) ((uint16_t)((const uint8_t *)(const volatile void *)(object) - hc_host_memory))

/* Not in the node's memory: the recorder in assembly has no equivalent. */
extern struct hc_kept hc_host_kept;
#define HC_KEPT hc_host_kept

/* ---- what the link step makes on a node: where it lies in memory ---- */

extern uint16_t hc_host_link, hc_host_sites, hc_host_dump, hc_host_dump_end;

#define __hc_link (*(const volatile struct hc_link *)(void *)(hc_host_memory + hc_host_link))
#define HC_SITES ((const struct hc_site *)(const void *)(hc_host_memory + hc_host_sites))
#define HC_SITE_NUMBER(descriptor) ((uint16_t)((uint16_t)((descriptor) - hc_host_sites) / sizeof(struct hc_site)))
#define HC_DUMP_TABLE ((const uint8_t *)hc_host_memory + hc_host_dump)
#define HC_DUMP_SIZE ((uint16_t)(hc_host_dump_end - hc_host_dump))

#include "../msp430/clocks.h"

/* Memory written before is in memory before anything written after it: a reset may come in between. */
#define hc_barrier() __asm__ volatile("" ::: "memory")

/* ---- interrupts ---- */

/* Interrupts may come now: the test may append to the ring, or count one that came. */
void hc_host_moment(void);
extern uint16_t hc_host_status; /* HC_STATUS_ENABLED or 0 */
#define HC_STATUS_ENABLED 8

static inline uint16_t hc_critical_enter(void)
{
    uint16_t status = hc_host_status;
    hc_host_status = 0;
    return status;
}

static inline void hc_critical_leave(uint16_t status)
{
    hc_host_status = status;
    if (status)
        hc_host_moment();
}

static inline uint16_t hc_status(void)
{
    return hc_host_status;
}

static inline void hc_atomic_add(volatile int16_t *to, uint16_t amount)
{
    *to = (int16_t)(uint16_t)(*to + amount);
    if (hc_host_status)
        hc_host_moment();
}

static inline void hc_atomic_clear(volatile uint16_t *from, uint16_t bits)
{
    *from &= (uint16_t)~bits;
}

static inline void hc_atomic_set(volatile uint16_t *to, uint16_t bits)
{
    *to |= bits;
}

#endif
