/* Small random programs for an FR5969, in machine code: data and stack in FRAM, a little data in SRAM, loops,
 * subroutines with locals, copies through pointers, a handler of interrupts.
 *
 *     START   stack, ports, CALL #MAIN, and round again      MAIN   two to four loops, RET
 *     bytes and words overlap: all data lies within a few bytes */
#ifndef TESTS_POWER_RANDOM_PROGRAM_H
#define TESTS_POWER_RANDOM_PROGRAM_H

#include "machine/board/launchpad_fr5969.h"

enum {
    RANDOM_START = 0x4400,
    RANDOM_MAIN = 0x4800,
    RANDOM_DATA = 0xc000,
    RANDOM_DATA_BYTES = 12,
    RANDOM_SRAM = 0x1d00,
    RANDOM_SRAM_BYTES = 4,
    RANDOM_STACK = 0xff80,
    RANDOM_STACK_BYTES = 64,
};

/* What else there is in a program. */
enum {
    RANDOM_BRANCHES = 1,   /* that depend on data */
    RANDOM_LEFTOVERS = 4,  /* words are popped of which a byte was pushed: the other one may be of a return address */
    RANDOM_INTERRUPTS = 2, /* raised by the program itself: they come behind the instruction that does */
};

/* A board with program NUMBER, reset. */
struct hc_launchpad *random_program(unsigned number, int features);

/* The flag of the interrupt, which is the only state of a peripheral that changes. */
uint8_t random_flag(struct hc_machine *m);
void random_set_flag(struct hc_machine *m, uint8_t value);

#endif
