/* The CPU of a running machine, for replays, timelines and debuggers. */
#ifndef HC_TARGET_CPU_H
#define HC_TARGET_CPU_H

#include "machine/machine.h"

struct hc_cpu_register {
    const char *name;        /* "r1" */
    const char *alternative; /* "sp"; NULL: none */
    const char *generic;     /* its role for LLDB: "pc", "sp", "fp", "flags"; NULL: none */
};

/* What the hardware pushes for an interrupt. */
struct hc_cpu_frame {
    uint32_t size;       /* in bytes */
    uint32_t status, pc; /* their offsets from the stack pointer */
};

/* Bits of the status register. */
struct hc_cpu_status {
    uint32_t carry, zero, negative, overflow, flags; /* the last: all four */
    uint32_t interrupts_on, asleep;
    const char *const *names; /* from bit 0; ends with NULL */
};

/* Where a polling routine loads, and the distances of its backward jump and the code after it. */
struct hc_cpu_poll {
    int size; /* of the load */
    uint32_t jump, after;
};

enum { HC_CPU_TEXT = 160, HC_CPU_LONGEST = 8 /* bytes of an instruction */ };

/* Writes what is known of ADDRESS ("main+0x12") to OUT; returns false if nothing is. CODE: it is jumped to or called.
 */
typedef bool hc_cpu_symbol_fn(void *owner, uint32_t address, bool code, char *out, size_t size);

struct hc_target_cpu {
    /* Registers by number. PC is HC_PC and the stack pointer HC_SP on every machine. */
    const struct hc_cpu_register *registers; /* HC_REGISTERS of them */
    uint32_t without_state;                  /* one bit for each: registers without a value of their own */
    int status_register;
    int first_general;     /* from here to the last */
    int last_self_checked; /* the registers from first_general to this one are included in the sums of self-checks */
    int argument, second;  /* of the recorder's entry points; the first also has their result */
    int result;            /* of a C function: from this one */
    struct hc_cpu_status status;
    struct hc_cpu_frame frame;
    const char *architecture; /* as GDB calls it */

    /* Of M's part: bytes of a register, addresses. */
    int (*register_bytes)(const struct hc_machine *m);
    uint32_t (*address_space)(const struct hc_machine *m);

    /* Whether the instruction at PC loads from ADDRESS only to change the value there. The registers must be as before
     * it. */
    bool (*modifies)(struct hc_machine *m, uint32_t pc, uint32_t address);
    /* The bits loaded from ADDRESS by the instruction at PC on which anything depends. Likewise. */
    uint32_t (*used)(struct hc_machine *m, uint32_t pc, uint32_t address);
    enum hc_flags_use (*flags_use)(struct hc_machine *m, uint32_t pc, int *reg);
    /* The register in which the instruction at PC leaves a result; -1: none. */
    int (*result_of)(struct hc_machine *m, uint32_t pc);
    /* The register to which the instruction at PC gives a value; -1: none. Not one that it only compares, saves or
     * restores. */
    int (*sets)(struct hc_machine *m, uint32_t pc);
    /* A bit for each register that would have been given a value between the conditional jump at PC and TO, a little
     * further on, where it jumped; 0 if it is none. */
    uint32_t (*skipped)(struct hc_machine *m, uint32_t pc, uint32_t to);
    /* Whether the instruction at PC is a jump to itself. */
    bool (*is_halt)(struct hc_machine *m, uint32_t pc);

    /* The hash of a position, as the recorder computes it: of the registers, STATUS, and the word TOP on the stack. */
    uint32_t (*position_hash)(struct hc_machine *m, uint32_t status, uint32_t top);
    /* Does what the hardware does for an interrupt at RETURN_PC with STATUS; PC becomes HANDLER. */
    void (*interrupt)(struct hc_machine *m, uint32_t handler, uint32_t return_pc, uint32_t status);
    /* Whether VECTOR of VECTORS comes even while interrupts are disabled. */
    bool (*is_nonmaskable)(const struct hc_machine *m, int vector, int vectors);
    /* Whether CODE, 16 bits of a polling routine, is its load. */
    bool (*is_poll_load)(uint32_t code, struct hc_cpu_poll *out);

    /* The instruction at PC as text; returns its length in bytes, 0 if it is invalid. SYMBOL may be NULL. */
    int (*disassemble)(struct hc_machine *m, uint32_t pc, hc_cpu_symbol_fn *symbol, void *owner, char out[HC_CPU_TEXT]);
    /* What the undefined instruction at PC is on another CPU of the family, as a sentence; false: unknown. */
    bool (*explain_undefined)(struct hc_machine *m, uint32_t pc, char *out, size_t size);
};

#endif
