/* Machine code of a target, for the proof that positions are unique (instrument/proof) and for the link step. */
#ifndef HC_TARGET_CODE_H
#define HC_TARGET_CODE_H

#include "code_graph.h"
#include "registers/regs.h"

/* What a program's code does with its stack, of a node:
 *
 *   switches   it gives the stack pointer a value which is not known to lie in the same stack: kernels that change
 *              threads, longjmp
 *   elsewhere  it is a return that does not return to the caller
 *   hides      something lies on the stack above the return address */
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

/* Vectors lie in a row, the reset vector last. */
struct hc_code_vectors {
    uint32_t lowest;     /* of any part */
    uint32_t lowest_few; /* of parts with few */
    uint32_t reset;
    uint32_t nonmaskable, nonmaskable_many; /* the second: of parts with many, also */
};

struct hc_target_code {
    uint32_t addresses; /* one past the highest of code */
    struct hc_code_vectors vectors;
    const uint8_t *returns; /* machine code that returns from a function that has pushed nothing */
    uint32_t returns_size;

    /* Fills in what node N of CODE is, and makes the nodes to which it leads. */
    void (*decode)(struct hc_code_graph *code, int n);
    /* Whether the word behind OPCODE may be the address of a function: in a call, or as a constant. */
    bool (*takes_address)(unsigned opcode);
    /* A constant in the instruction at PC that may be an address; false if there is none. */
    bool (*constant)(const struct hc_code_graph *code, uint32_t pc, uint32_t *value);
    /* Adds to OUT what the instruction at PC does. */
    void (*look)(const struct hc_code_graph *code, uint32_t pc, const struct hc_regs *registers,
                 struct hc_code_facts *out);

    /* OUT has a place for each node. False when memory is exhausted, as the next two. */
    bool (*follow_stack)(const struct hc_code_graph *code, struct hc_code_stack *out);
    /* OUT has a place for each node: true where interrupts may be switched on in code that was entered while they were
     * off. */
    bool (*find_enabling)(const struct hc_code_graph *code, bool *out);
    /* CYCLE: of nodes, are they in a loop without a tick? *OUT gets the nodes that are heads of loops which write
     * memory, while no register differs from turn to turn; *COUNT of them, the caller's to free. */
    bool (*find_stuck)(const struct hc_code_graph *code, const bool *cycle, int **out, size_t *count);
};

#endif
