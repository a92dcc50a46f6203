/* The code of a program as a graph: every instruction that its vectors reach, cut into parts with one entry each.
 *
 * A part is what a call, a vector or a branch from elsewhere enters, with all that is reached from there without a
 * call. Where two parts would run into the same instruction, that instruction begins a part of its own, and the others
 * end with a branch to it: a branch to an entry is a call and a return in one ("tail"). */
#ifndef HC_INSTRUMENT_PROOF_CODE_H
#define HC_INSTRUMENT_PROOF_CODE_H

#include "recorded/link_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_image;

enum hc_proof_node_kind {
    HC_NODE_STEP,          /* to `next` */
    HC_NODE_JUMP,          /* to `next` or `target` */
    HC_NODE_GOTO,          /* to `target` */
    HC_NODE_SWITCH,        /* to one of `targets`; if `calls`, to a function whose address is taken */
    HC_NODE_CALL,          /* of `target`, then to `next` */
    HC_NODE_CALL_INDIRECT, /* of a function whose address is taken, then to `next` */
    HC_NODE_RETURN,
    HC_NODE_RETURN_INTERRUPT,
    HC_NODE_STOP, /* no instruction, or none that the image holds */
};

enum { HC_NO_NODE = -1, HC_PROOF_ROOTS = 64 };

struct hc_proof_node {
    uint32_t pc;
    uint8_t kind;
    uint8_t length;
    bool tick;     /* executing it moves the counter, or is an event */
    bool enables;  /* sets GIE */
    bool restores; /* writes SR from a register or memory */
    bool saves;    /* reads SR as a whole */
    bool cut;      /* a stretch of the recorder's, as one step */
    bool entry;    /* of a part */
    bool taken;    /* its address stands in code or data */
    bool calls;    /* of a switch: also function pointers; of a return: it may lead to any of them */
    bool unknown;  /* of a switch: targets that nobody knows */
    int next, target;
    size_t first_target, targets; /* in hc_proof_code.list */
    int part;
};

struct hc_proof_root {
    int node;
    bool handler;     /* entered by an interrupt */
    bool nonmaskable; /* even with GIE = 0 */
    bool resumes;     /* hc_update, behind an interrupt that came in it: its SR lies on the stack */
};

struct hc_proof_part {
    int entry;
};

struct hc_proof_code {
    size_t nodes;
    struct hc_proof_node *node;
    int *list; /* targets of switches */
    size_t listed;
    size_t parts;
    struct hc_proof_part *part;
    int roots;
    struct hc_proof_root root[HC_PROOF_ROOTS];
    /* of the walk */
    const struct hc_image *image;
    struct hc_link_table link; /* without vectors where the program has none */
    int *node_at;              /* by address / 2 */
    size_t node_room, list_room, part_room;
    int *waiting;
    size_t waiting_count, waiting_room;
    uint32_t count_address; /* of __hc_count */
    bool failed;            /* memory is exhausted */
};

/* Fills *CODE, which hc_proof_code_free empties in any case. False when memory is exhausted or there is no reset
 * vector: then roots is 0. */
bool hc_proof_walk(struct hc_proof_code *code, const struct hc_image *image);
void hc_proof_code_free(struct hc_proof_code *code);

/* The instruction at PC; false if the image holds none. */
struct hc_instruction;
bool hc_proof_decode(const struct hc_proof_code *code, uint32_t pc, struct hc_instruction *out);

#endif
