/* The recorder of regions on a CPU of 16 or 32 bits of which nothing is known: the program itself keeps interrupts out
 * (--port=generic). With hc_sink_put (--sink=callback) and calls of hc_update that is a whole port. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdint.h>

/* By the program, outside the region: no interrupt that may enter the region comes until hc_port_unlock gets what this
 * returned. Calls may be within each other. */
uint16_t hc_port_lock(void);
void hc_port_unlock(uint16_t before);

static inline uint16_t hc_critical_enter(void)
{
    return hc_port_lock();
}

static inline void hc_critical_leave(uint16_t before)
{
    hc_port_unlock(before);
}

#endif
