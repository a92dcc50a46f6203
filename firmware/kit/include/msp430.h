/* The header of the part that is compiled for, from msp430mcu, and handlers as GCC has them:
 *
 *     void __attribute__((interrupt(TIMERA0_VECTOR))) tick(void) { ... }
 *
 * In those headers a vector is a number of bytes; clang and msp430-elf-gcc count words. */
#ifndef KIT_MSP430_H
#define KIT_MSP430_H

#pragma GCC system_header /* #include_next is no standard C */

/* clang does not know the FR5969. */
#ifdef KIT_FR5969
#include <msp430fr5969.h>
#else
#include_next <msp430.h>
#endif

#ifndef __ASSEMBLER__
#define interrupt(vector) __interrupt__((vector) / 2)
#endif

#endif
