/* The backward slice: all operations that can have an effect on what is asked about, its criterion.
 *
 * Followed are values, memory by what pointers may point to, branches, and calls: why a function was called at all.
 * What a handler writes and others read (or the reverse) is followed as any other memory, since it may come at any
 * time. Reads of registers of peripherals are inputs, and so are interrupts: nothing is followed there. Sound for
 * programs whose accesses stay within their objects: what can flow into the criterion is in the slice. With a model of
 * the operating system's queues (points_to.h) a task depends on who posted it and not on what else was in the queue. */
#ifndef HC_DEPEND_SLICE_H
#define HC_DEPEND_SLICE_H

#include "points_to.h"

enum hc_criterion_kind { HC_CRITERION_FUNCTION, HC_CRITERION_LINE, HC_CRITERION_VARIABLE };

struct hc_criterion {
    enum hc_criterion_kind kind;
    uint32_t function;    /* that contains it; HC_FUNCTION_NONE for a variable */
    const char *variable; /* its name; all variables of that name are asked about */
    uint16_t file;
    uint32_t line;
};

/* Finds what TEXT names, which must outlive *OUT: the invariant or function of that name, FILE:LINE, or a global
 * variable. False with a message. */
bool hc_criterion_find(struct hc_criterion *out, const struct hc_depend_program *p, const char *text,
                       struct hc_depend_message *message);
/* Whether OBJECT is a variable that is asked about. */
bool hc_criterion_is_of(const struct hc_criterion *c, const struct hc_depend_object *object);

/* Function FROM depends on something in function TO. */
struct hc_function_pair {
    uint32_t from, to;
};

/* Why a function is in a slice: the step by which it was first reached, one of a shortest way from the criterion. */
enum hc_reason_kind {
    HC_REASON_ASKED,   /* it is, or writes, the criterion */
    HC_REASON_VALUE,   /* BY uses a value of it: a result or an argument */
    HC_REASON_MEMORY,  /* it writes what BY reads */
    HC_REASON_CONTROL, /* it decides whether BY is entered, or calls it */
    HC_REASON_HELPER,  /* the compiler calls it for an operation of BY */
};

struct hc_reason {
    enum hc_reason_kind kind;
    uint32_t by;            /* a function; HC_FUNCTION_NONE: none */
    uint32_t line, by_line; /* in it, and in BY; 0: unknown */
    uint32_t memory;        /* what it writes, in points_to's `memory`; HC_NONE: none */
};

struct hc_slice {
    const struct hc_points_to *a;
    bool *function;           /* of each function: whether it has a part in it */
    struct hc_reason *reason; /* of each function in it */
    bool *operation;          /* of each operation of the program */
    struct hc_function_pair *pair;
    size_t pairs;
    size_t count, of; /* functions in it, and reachable ones; handlers are not counted */
    size_t handlers;  /* in it */
    /* while it is computed */
    struct hc_slice_work *work;
    bool failed;
};

/* False when memory is exhausted. Free it in any case. */
bool hc_slice_compute(struct hc_slice *s, const struct hc_points_to *a, const struct hc_criterion *criterion);
void hc_slice_free(struct hc_slice *s);

#endif
