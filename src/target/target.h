/* A target: what a family of CPUs is to the tools, as tables of operations and data. Who needs to know of a register,
 * an instruction or a status bit asks here; src/target/NAME is the only place that names one, besides the machine that
 * emulates it and the port of the recorder (runtime/port/NAME).
 *
 *     text.h       instrumented C: how a recorded read, a tick, a poll are written           instrument/unit
 *     assembly.h   inline assembly: what its instructions do                                 instrument/unit
 *     code.h       machine code as a graph, and what is proved of it                         instrument/proof, link
 *     cpu.h        a machine that runs: its status, what its instructions do, interrupts     replay, timeline, debug
 *     unwind.h     frames of functions without debug information                             debug
 *     value_flow.h which bytes a result comes from                                           power
 *     step.h       the same in a few kinds of steps, for those who follow every one          check
 *     flow.h       assembly as compilers write it, and what records a path                   instrument/paths
 *     part.h       microcontrollers: their machines, what differs between them               replay, cli, field
 *
 * A target need not have all of them: NULL says that the tools above cannot do their work for it (yet). */
#ifndef HC_TARGET_TARGET_H
#define HC_TARGET_TARGET_H

#include "assembly.h"
#include "code.h"
#include "cpu.h"
#include "flow.h"
#include "part.h"
#include "step.h"
#include "text.h"
#include "unwind.h"
#include "value_flow.h"

struct hc_target {
    const char *name;               /* "msp430" */
    const char *const *cpus;        /* as descriptions of parts name them: "msp430", "msp430x"; ends with NULL */
    const char *triple;             /* for clang */
    const char *const *gcc_meaning; /* options with which C means to clang what it means to the family's GCC; ends with
                                       NULL; NULL: nobody tried */
    uint32_t addresses;             /* a mask of their bits */
    const char *message_recorder;   /* the same for depths that record messages alone; NULL: there are none */
    const char *region_recorder;    /* for regions */
    const char *recorder;           /* the list of the recorder's sources for it, below runtime/ */
    uint32_t reset_vector;          /* the only vector that the link step changes, of 32 bits; 0: it changes all */
    uint16_t elf_machine;           /* e_machine of its ELF files */
    const struct hc_target_text *text;
    const struct hc_target_assembly *assembly;
    const struct hc_target_code *code;
    const struct hc_target_cpu *cpu;
    const struct hc_target_unwind *unwind;
    const struct hc_target_value_flow *value_flow;
    const struct hc_target_steps *steps;
    const struct hc_target_flow *flow;
    const struct hc_target_part *parts; /* ends with a NULL name */
};

extern const struct hc_target hc_target_msp430, hc_target_armv7m;

/* By the CPU in a part's description; NULL if there is none. */
const struct hc_target *hc_target_of_cpu(const char *cpu);
/* By e_machine; NULL if there is none. */
const struct hc_target *hc_target_of_elf(uint16_t machine);
/* The target of machine M. */
const struct hc_target *hc_target_of_machine(const struct hc_machine *m);
/* At the first instruction of a handler of M: its return address, and the stack pointer after the return. */
void hc_target_interrupted(struct hc_machine *m, uint32_t *pc, uint32_t *sp);
/* Whether nothing can happen any more: no event is pending, and the CPU sleeps or jumps to itself. */
bool hc_target_is_over(struct hc_machine *m);
/* A part of any target, by name; NULL if there is no machine for it. */
const struct hc_target_part *hc_target_part(const char *name);

#endif
