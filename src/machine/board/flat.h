/* A bare CPU in a sea of RAM: every address is memory, there are no peripherals. For tests, benchmarks, and compiler
 * output that needs nothing but a CPU. */
#ifndef HC_BOARD_FLAT_H
#define HC_BOARD_FLAT_H

#include "../machine.h"

/* 64 KB for the MSP430, 1 MB for the MSP430X, MCLK at 1 MHz. NULL when memory is exhausted. */
struct hc_machine *hc_flat_new(enum hc_cpu_kind cpu);

#endif
