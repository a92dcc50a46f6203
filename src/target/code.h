/* A target's machine code, for the proof that positions are unique (instrument/proof) and for the link step. */
#ifndef HC_TARGET_CODE_H
#define HC_TARGET_CODE_H

#include "code_graph.h"
#include "registers/regs.h"

/* What a node does with the stack:
 *
 * - switches: it gives the stack pointer a value that may not belong to the same stack: thread switches, longjmp;
 * - elsewhere: it is a return that does not return to the caller;
 * - hides: something is on the stack above the return address. */
struct hc_code_stack {
    bool switches, elsewhere, hides;
};

/* What the code does that the recorder must know of. */
struct hc_code_facts {
    bool names_information; /* an access, or a constant for one, lies in the part's information memory */
    bool writes_flash;      /* it uses the flash controller */
    uint32_t wide;          /* an instruction on more bits of a register than the recorder saves; 0 if there is none */
    uint32_t vector;        /* an instruction that loads an interrupt vector; 0 if there is none */
};

/* Vectors are contiguous, the reset vector last. */
struct hc_code_vectors {
    uint32_t lowest;     /* of any part */
    uint32_t lowest_few; /* of parts with few */
    uint32_t reset;
    uint32_t nonmaskable, nonmaskable_many; /* the second: also, on parts with many */
};

struct hc_target_code {
    uint32_t addresses; /* one past the highest address of code */
    struct hc_code_vectors vectors;
    const uint8_t *returns; /* machine code that returns from a function that has pushed nothing */
    uint32_t returns_size;
    /* CODE, a call of the tick, becomes as many bytes that only move the counter at COUNT. */
    void (*make_tick_plain)(uint8_t *code, uint32_t count);

    /* Fills in node N of CODE, and creates the nodes to which it leads. */
    void (*decode)(struct hc_code_graph *code, int n);
    /* Whether the word after OPCODE may be the address of a function: in a call, or as a constant. */
    bool (*takes_address)(unsigned opcode);
    /* A constant in the instruction at PC that may be an address; false if there is none. */
    bool (*constant)(const struct hc_code_graph *code, uint32_t pc, uint32_t *value);
    /* Adds to OUT what the instruction at PC does. */
    void (*look)(const struct hc_code_graph *code, uint32_t pc, const struct hc_regs *registers,
                 struct hc_code_facts *out);

    /* OUT has an element for each node. Returns false on out-of-memory, like the next two. */
    bool (*follow_stack)(const struct hc_code_graph *code, struct hc_code_stack *out);
    /* OUT has an element for each node: true if interrupts may be enabled there in code that was entered with
     * interrupts disabled. */
    bool (*find_enabling)(const struct hc_code_graph *code, bool *out);
    /* CYCLE: whether each node is in a loop without a tick. *OUT gets the heads of loops that write memory while no
     * register changes between iterations; *COUNT of them; the caller frees them. */
    bool (*find_stuck)(const struct hc_code_graph *code, const bool *cycle, int **out, size_t *count);
};

#endif
