/* Critical sections: code that no interrupt handler may interrupt. They nest.
 *
 *     uint16_t state = critical_enter();
 *     ...
 *     critical_leave(state); */
#ifndef KERNEL_CRITICAL_H
#define KERNEL_CRITICAL_H

#include <kit.h>

static inline uint16_t critical_enter(void)
{
    uint16_t state = kit_status() & GIE;
    kit_disable_interrupts();
    return state;
}

static inline void critical_leave(uint16_t state)
{
    if (state)
        kit_enable_interrupts();
}

#endif
