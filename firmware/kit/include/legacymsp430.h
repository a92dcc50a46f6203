/* The names of the first ports of GCC: interrupt(TIMERA0_VECTOR) tick(void) { ... } */
#ifndef KIT_LEGACYMSP430_H
#define KIT_LEGACYMSP430_H

#include <msp430.h>

#undef interrupt
#define interrupt(vector) void __attribute__((__interrupt__((vector) / 2)))

#define eint() __eint()
#define dint() __dint()

/* clang has no such handlers, and there is no way to make one of a word in front of it. */
#ifdef __clang__
#define wakeup _Pragma("GCC error \"wakeup: clang has no such attribute; call LPM4_EXIT in the handler instead\"")
#define critical \
    _Pragma("GCC error \"critical: clang has no such attribute; call __dint() and __set_interrupt_state()\"")
#else
#define wakeup __attribute__((wakeup))
#define critical __attribute__((critical))
#endif

#endif
