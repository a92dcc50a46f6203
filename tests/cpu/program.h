/* Random programs for a peer that can only run and dump memory: straight-line code in which every tested instruction is
 * followed by moves that log what it changed (SR, registers, memory). A whole run is then compared by comparing memory.
 *
 *     0x0200  data      random; what memory operands refer to
 *     0x0a00  stack     SP starts in its middle
 *     0x0c00  log       a word for each logged value, 0x5aa5 where nothing was logged
 *     0x5000  code      ends with a jump to PROGRAM_END
 *     0xffc0  PROGRAM_END: jmp $
 *     0xfffe  reset vector
 *
 * The reference model executes the program while it is made: the generator knows every register's value and points
 * memory operands into the data, and the model's memory at the end is what the guide expects. */
#ifndef TESTS_CPU_PROGRAM_H
#define TESTS_CPU_PROGRAM_H

#include "reference.h"

enum {
    PROGRAM_DATA = 0x0200,
    PROGRAM_STACK = 0x0a00,
    PROGRAM_LOG = 0x0c00,
    PROGRAM_CODE = 0x5000,
    PROGRAM_END = 0xffc0,
    PROGRAM_SPACE = 0x10000,
    PROGRAM_LOG_WORDS = (PROGRAM_CODE - PROGRAM_LOG) / 2,
};

/* What the peer does otherwise than the guide. Instructions to which one of these applies are not put into programs:
 * the lockstep test checks them. */
enum peer_exception {
    PEER_ODD_READ,
    PEER_BYTE_POP,
    PEER_PUSH_BYTE,
    PEER_PUSH_STACK,
    PEER_DADD_OVERFLOW,
    PEER_DADD_DIGITS,
    PEER_STATUS_BITS,
    PEER_ODD_STACK,
    PEER_EXCEPTIONS,
};
extern const char *const peer_exception_reasons[PEER_EXCEPTIONS];

struct program {
    uint8_t image[PROGRAM_SPACE];       /* before the run */
    uint8_t memory[PROGRAM_SPACE];      /* after it */
    int tested;                         /* instructions under test */
    uint32_t log_pc[PROGRAM_LOG_WORDS]; /* the instruction that a log word belongs to */
    uint64_t excepted[PEER_EXCEPTIONS]; /* candidates that were left out; added to */
};

/* The same seed gives the same program. */
void program_make(struct program *p, uint64_t seed);

#endif
