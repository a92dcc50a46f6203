/* What every pointer may point to, and which functions every call may call: Andersen's analysis, by fields and
 * contexts.
 *
 * A function is analysed once for each chain of calls that leads to it: an instance. Recursion shares one, and so do
 * functions when there are too many (HC_INSTANCE_NODES).
 *
 *     nodes   | parameters and operations of instance 0 | of instance 1 | ... fields of objects ... | of instance n |
 *
 * A node is a value, or a field of an object: both hold addresses, which are numbers of fields. */
#ifndef HC_DEPEND_POINTS_TO_H
#define HC_DEPEND_POINTS_TO_H

#include "program.h"

enum { HC_INSTANCE_NODES = 400000 };

struct hc_instance {
    uint32_t function;
    uint32_t base;   /* its first node */
    uint32_t parent; /* the instance that called it first; itself: none */
    uint32_t caller; /* the first of a list in `caller`, or HC_NONE */
    uint32_t more;   /* the object of its variable arguments */
};
#define HC_NONE UINT32_MAX

struct hc_caller {
    uint32_t node; /* of the call; the instance belongs to it */
    uint32_t next;
};

struct hc_callee {
    uint32_t instance;
    uint32_t next;
};

/* An object in the analysis: one of the program, or a local one or a block of the heap of an instance. */
struct hc_memory {
    uint32_t layout;
    uint32_t object; /* of the program, or HC_NONE */
    uint32_t node;   /* the operation that makes it, or HC_NONE */
    uint32_t first;  /* node of its first field */
};

struct hc_depend_node {
    uint32_t *to;   /* fields that it may point to, in the order in which they were found */
    uint32_t *hash; /* of them, or NULL while there are few */
    uint32_t count, room, done;
    uint32_t *edge; /* nodes that get all that it gets */
    uint32_t edges, edge_room;
    uint32_t *user; /* operations that do something with what it points to */
    uint32_t users, user_room;
    uint32_t owner;  /* its instance; of a field: its memory */
    uint32_t callee; /* of a call: the first of a list in `callee`, or HC_NONE */
    bool field, queued;
};

/* How an operating system calls functions that are handed to it: by a queue of its own, which hides who asked. */
struct hc_dispatch {
    const char *post;        /* the function that takes them */
    unsigned what, argument; /* which of its arguments are the function and what that gets */
    const char *run;         /* the function that calls them */
    bool within;             /* argument `what` points to a structure that contains both, such as a timer's */
    bool withdraws;          /* the function takes it back: by this alone it is never called */
};

/* A call of a post function. */
struct hc_post {
    uint32_t node, what, argument; /* nodes */
    uint32_t model;
};

/* A function called by a run function. */
struct hc_dispatched {
    uint32_t instance;
    uint32_t model;
};

struct hc_points_to {
    const struct hc_depend_program *p;
    const struct hc_dispatch *model;
    size_t models;
    struct hc_instance *instance;
    size_t instances, instance_room;
    struct hc_caller *caller;
    size_t callers, caller_room;
    struct hc_callee *callee;
    size_t callees, callee_room;
    struct hc_memory *memory;
    size_t memories, memory_room;
    struct hc_depend_node *node;
    size_t nodes, node_room;
    struct hc_post *post;
    size_t posts, post_room;
    struct hc_dispatched *dispatched;
    size_t dispatcheds, dispatched_room;
    uint32_t *shared;    /* of each function: its shared instance, or HC_NONE */
    uint32_t *global;    /* of each object of the program: its memory */
    uint32_t *constant;  /* of each constant address: its node */
    uint64_t *edge_hash; /* all edges, to find one */
    size_t edge_count, edge_room;
    uint32_t *queue;
    size_t queued, queue_room, next_instance;
    bool failed;
};

/* Analyses all that can be reached from the program's roots; sets their `reachable`. MODELS (may be 0) say which queues
 * are looked through. False when memory is exhausted. Free it in any case. */
bool hc_points_to(struct hc_points_to *a, struct hc_depend_program *p, const struct hc_dispatch *model, size_t models);
void hc_points_to_free(struct hc_points_to *a);

/* The node of VALUE as instance I sees it, or HC_NONE for a constant that is no address. */
uint32_t hc_points_to_value(const struct hc_points_to *a, const struct hc_instance *i, int32_t value);

/* The operation that node N of an instance is; NULL: a parameter, *NUMBER. */
const struct hc_operation *hc_points_to_operation(const struct hc_points_to *a, uint32_t node, uint32_t *number);

/* Calls USE for each field of SIZE bytes from FIELD; of all that follow in its object if SIZE is 0. */
typedef void hc_field_fn(void *owner, uint32_t field, uint32_t at);
void hc_points_to_cover(const struct hc_points_to *a, uint32_t field, uint32_t size, hc_field_fn *use, void *owner);

/* Whether POST may have handed over function F to the queue from which D was called. */
bool hc_points_to_posted(const struct hc_points_to *a, const struct hc_post *post, const struct hc_dispatched *d);

/* Of a model with `within`: calls USE for each field of the posted structures from which the run function's call at
 * node CALL gets its operand N (0: the function); for all fields if that is not known. */
void hc_points_to_within(const struct hc_points_to *a, const struct hc_post *post, uint32_t call, uint32_t n,
                         hc_field_fn *use, void *owner);

/* The model whose POST or RUN function has that name, or HC_NONE. */
uint32_t hc_points_to_model(const struct hc_points_to *a, const char *name, bool post);

#endif
