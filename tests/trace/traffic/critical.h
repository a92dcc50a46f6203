/* What the recorder of messages asks of a CPU, for a test on the host. */
#ifndef HC_CRITICAL_H
#define HC_CRITICAL_H

#include <stdint.h>

static inline uint16_t hc_reset_cause(void)
{
    return 0x11;
}

/* The test's clock is all the memory that the recorder of messages reads by address. */
#define HC_NO_CLOCK 0xfffe
#define HC_MEMORY16(address) (test_memory[address])

extern uint16_t test_memory[1];

static inline uint16_t hc_clock(void)
{
    return 0;
}

#endif
