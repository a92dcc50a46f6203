/* What the recorder of messages asks of a CPU, for a test on the host. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t hc_reset_cause(void)
{
    return 0x11;
}

extern uint16_t test_clock;

static inline bool hc_clock(uint16_t *ticks)
{
    *ticks = test_clock;
    return true;
}

#endif
