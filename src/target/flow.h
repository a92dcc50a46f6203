/* Assembly text as compilers write it: what an instruction does to the flow of control and to the flags, and the
 * instructions that record a path (instrument/paths). */
#ifndef HC_TARGET_FLOW_H
#define HC_TARGET_FLOW_H

#include <stdbool.h>
#include <stdio.h>

enum hc_route_kind {
    HC_ROUTE_STEP,
    HC_ROUTE_JUMP,          /* to `target` */
    HC_ROUTE_BRANCH,        /* to `target`, or on */
    HC_ROUTE_TABLE,         /* to one of the addresses in the table `target` */
    HC_ROUTE_CALL,          /* of `target` */
    HC_ROUTE_CALL_INDIRECT, /* of what a pointer says */
    HC_ROUTE_RETURN,
    HC_ROUTE_RETURN_INTERRUPT,
    HC_ROUTE_ANYWHERE, /* to where a register or memory says */
};

enum { HC_ROUTE_NAME = 200 };

struct hc_route {
    enum hc_route_kind kind;
    char target[HC_ROUTE_NAME];
    char loaded[HC_ROUTE_NAME]; /* the table from which it loads a word into register `into`; empty if it does not */
    char into[8];               /* likewise; of a jump to anywhere: the register that says where */
    char named[HC_ROUTE_NAME];  /* a label whose address is an operand; empty if there is none */
    bool needs_flags;           /* reads one, or may */
    bool sets_flags;            /* all of them, whatever they were */
    bool near;                  /* of a jump or branch: reaches `reach` bytes and no more */
    int size;                   /* bytes at most */
};

struct hc_target_flow {
    int reach; /* of near jumps, to either side: bytes, with some to spare */
    /* TEXT: one instruction, without label and comment. */
    void (*read)(const char *text, struct hc_route *out);
    /* A function that the compiler calls by itself and that calls nothing of the program. */
    bool (*is_helper)(const char *name);
    /* Lines. The sum of a path is VALUE, which the link step finds at LABEL to change it; VALUE more; jumps. */
    void (*set)(FILE *to, const char *label, unsigned value);
    void (*add)(FILE *to, unsigned value, bool keep_flags);
    void (*call)(FILE *to, const char *function);
    void (*jump)(FILE *to, const char *label);
    /* To LABEL if BRANCH, an instruction of that kind, would not go to its target. */
    void (*branch_unless)(FILE *to, const char *branch, const char *label);
};

#endif
