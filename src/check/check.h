/* Memory errors of a program that runs in a machine, live or replayed: accesses outside of the object that a pointer is
 * of, use of what has been freed or returned from, values that nobody set, stacks that grow into data.
 *
 * Every register and every word of memory has a shadow: which of its bits nobody set, and of which object it points
 * into (shadow.h). Instructions move shadows as they move values (follow.c), at about a third of the machine's speed.
 * What cannot be told for certain is not reported: docs/check.md says what each kind can and cannot see. */
#ifndef HC_CHECK_CHECK_H
#define HC_CHECK_CHECK_H

#include "debug/dwarf/program.h"
#include "machine/machine.h"

enum hc_check_kind {
    HC_CHECK_BOUNDS,   /* an access outside of the object that the pointer is of */
    HC_CHECK_FREED,    /* a block of the heap is used after it was given back */
    HC_CHECK_FREE,     /* free() of what is no block, or no longer one */
    HC_CHECK_RETURNED, /* a local variable is used after its function has returned */
    HC_CHECK_RETURN,   /* a return address is overwritten */
    HC_CHECK_UNSET,    /* a value that nobody set decides a branch, is an address, or is given to a peripheral */
    HC_CHECK_STACK,    /* the stack grows into data */
    HC_CHECK_KINDS,
};
extern const char *const hc_check_kind_names[HC_CHECK_KINDS]; /* "out of bounds" */

enum { HC_CHECK_NAME = 96, HC_CHECK_CALLERS = 8, HC_CHECK_FINDINGS = 1000 };

/* What is at an address, or a pointer is of. */
struct hc_check_object {
    char name[HC_CHECK_NAME]; /* empty: not known */
    uint32_t start, size;     /* size 0: not known */
};

enum { HC_CHECK_NOWHERE = 0xffffffff, HC_CHECK_OUTSIDE = 0xfffffffe };

struct hc_check_finding {
    enum hc_check_kind kind;
    uint32_t pc;
    uint32_t address, size; /* of the access */
    bool write;
    const char *use;               /* of HC_CHECK_UNSET: "a branch" */
    struct hc_check_object object; /* that the pointer is of; of HC_CHECK_UNSET: that holds the value */
    struct hc_check_object there;  /* what is at the address */
    uint32_t writer;               /* who wrote last what is at the address; or HC_CHECK_NOWHERE, _OUTSIDE (DMA) */
    uint32_t given, taken;         /* of the heap: who allocated and freed the block; 0: not known */
    uint32_t caller[HC_CHECK_CALLERS];
    int callers;
    uint64_t instructions; /* retired before it, the first time */
    uint64_t count;        /* how often it happened at this place */
};

struct hc_check;

/* Follows M, which is loaded and stands before its first instruction, or anywhere in its run (what memory holds then
 * counts as set). PROGRAM has its symbols and debug information, and lives longer. NULL: the machine's CPU is one
 * whose instructions are not known well enough. */
struct hc_check *hc_check_new(struct hc_machine *m, struct hc_program *program);
void hc_check_free(struct hc_check *c);

/* The machine's state was replaced (a snapshot, another segment of a recording): nothing is known of it. */
void hc_check_forget(struct hc_check *c);

/* In the order in which they happened first; each place and kind once. Valid until the machine runs on. */
size_t hc_check_findings(const struct hc_check *c, const struct hc_check_finding **out);
/* Places that were not kept, since there were HC_CHECK_FINDINGS. */
uint64_t hc_check_dropped(const struct hc_check *c);

#endif
