/* A second MSP430/MSP430X, for tests only: written from the family user's guides (SLAU049, SLAU208) as plainly as
 * possible, one field extraction after the other, and sharing no code with src/machine. Slow, no cycles, no interrupts.
 *
 * Where a guide leaves a result undefined this model says so (ref_cpu.undefined), and comparers leave it out. */
#ifndef TESTS_CPU_REFERENCE_H
#define TESTS_CPU_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REF_MEMORY = 1 << 20, REF_WRITES_MAX = 80 };

struct ref_cpu {
    uint32_t r[16];
    bool x; /* MSP430X */
    uint8_t *memory;

    /* of the last step */
    int writes;
    uint32_t written[REF_WRITES_MAX]; /* byte addresses */
    uint16_t undefined_flags;         /* flags that the guide leaves undefined */
};

/* Executes one instruction. False when it is none (nothing has changed then). */
bool ref_step(struct ref_cpu *cpu);

#endif
