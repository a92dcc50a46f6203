/* The code of a program as a graph: every instruction reachable from its vectors, divided into parts with one entry
 * each.
 *
 * A part is entered by a call, a vector or a branch from elsewhere, and contains everything reached from there without
 * a call. If two parts would share an instruction, that instruction starts a part of its own, and the others end with a
 * branch to it. A branch to an entry is a call followed by a return ("tail"). */
#ifndef HC_TARGET_CODE_GRAPH_H
#define HC_TARGET_CODE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_image;
struct hc_target;

enum hc_code_node_kind {
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

enum { HC_NO_NODE = -1, HC_CODE_ROOTS = 64 };

struct hc_code_node {
    uint32_t pc;
    uint8_t kind;
    uint8_t length;
    bool tick;     /* executing it changes the counter, or is an event */
    bool enables;  /* switches interrupts on */
    bool restores; /* writes the status register from a register or memory */
    bool saves;    /* reads the status register as a whole */
    bool cut;      /* a range of the recorder's code, as one step */
    bool entry;    /* of a part */
    bool taken;    /* its address occurs in code or data */
    bool calls;    /* of a switch: also function pointers; of a return: it may lead to any of them */
    bool unknown;  /* of a switch: unknown targets */
    int next, target;
    size_t first_target, targets; /* in hc_code_graph.list */
    int part;
};

struct hc_code_root {
    int node;
    bool handler;     /* entered by an interrupt */
    bool nonmaskable; /* even while interrupts are disabled */
    bool resumes;     /* hc_update, after an interrupt that came in it: its status is on the stack */
};

struct hc_code_part {
    int entry;
};

struct hc_code_graph {
    size_t nodes;
    struct hc_code_node *node;
    int *list; /* targets of switches */
    size_t listed;
    size_t parts;
    struct hc_code_part *part;
    int roots;
    struct hc_code_root root[HC_CODE_ROOTS];
    /* of the walk */
    const struct hc_image *image;
    const struct hc_target *target;
    uint32_t addresses; /* of the target: one past the highest */
    int *node_at;       /* by address / 2 */
    size_t node_room, list_room, part_room;
    int *waiting;
    size_t waiting_count, waiting_room;
    uint32_t count_address; /* of __hc_count */
    bool failed;            /* memory is exhausted */
};

/* The bytes that will be executed or read at ADDRESS, including code that is copied to RAM. */
bool hc_code_byte(const struct hc_image *image, uint32_t address, uint8_t *out);
bool hc_code_word(const struct hc_image *image, uint32_t address, uint16_t *out); /* of 16 bits */

/* Makes room for one more element of an array of CODE; returns false, with CODE marked as failed, on out-of-memory. */
bool hc_code_grow(struct hc_code_graph *code, void *array, size_t count, size_t *room, size_t element);
/* The node at PC, created and queued if it is new; HC_NO_NODE on out-of-memory. */
int hc_code_node_at(struct hc_code_graph *code, uint32_t pc);
/* The same, and it is the entry of a part. */
int hc_code_entry_at(struct hc_code_graph *code, uint32_t pc);
/* Adds a target to the switch N. */
void hc_code_add_target(struct hc_code_graph *code, int n, uint32_t pc);

void hc_code_graph_free(struct hc_code_graph *code);

#endif
