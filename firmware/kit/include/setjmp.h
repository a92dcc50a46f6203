/* C's <setjmp.h>: R4 to R10, the stack pointer and the return address. SR, and so whether interrupts are enabled, stays
 * as it is. */
#ifndef KIT_SETJMP_H
#define KIT_SETJMP_H

typedef unsigned jmp_buf[9];

int setjmp(jmp_buf where) __attribute__((returns_twice));
__attribute__((noreturn)) void longjmp(jmp_buf where, int value);

#endif
