/* Finds memory errors of a program that runs in a machine, live or replayed: accesses outside of the object that a
 * pointer points into, use of freed blocks and of local variables of functions that have returned, uninitialised
 * values, stacks that grow into data.
 *
 * Every register and every word of memory has a shadow: its uninitialised bits, and the object that it points into
 * (shadow.h). Instructions move shadows as they move values (follow.c), at about a third of the machine's speed.
 * Uncertain errors are not reported: docs/check.md says what each kind can and cannot find. */
#ifndef HC_CHECK_CHECK_H
#define HC_CHECK_CHECK_H

#include "debug/dwarf/program.h"
#include "machine/machine.h"

enum hc_check_kind {
    HC_CHECK_BOUNDS,   /* an access outside of the object that the pointer points into */
    HC_CHECK_FREED,    /* a heap block is used after it was freed */
    HC_CHECK_FREE,     /* free() of something that is not an allocated block */
    HC_CHECK_RETURNED, /* a local variable is used after its function has returned */
    HC_CHECK_RETURN,   /* a return address is overwritten */
    HC_CHECK_UNSET,    /* an uninitialised value decides a branch, is used as an address, or goes to a peripheral */
    HC_CHECK_STACK,    /* the stack grows into data */
    HC_CHECK_KINDS,
};
extern const char *const hc_check_kind_names[HC_CHECK_KINDS]; /* "out of bounds" */

enum { HC_CHECK_NAME = 96, HC_CHECK_CALLERS = 8, HC_CHECK_FINDINGS = 1000 };

/* An object: at an address, or the one that a pointer points into. */
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
    struct hc_check_object object; /* the pointer's; of HC_CHECK_UNSET: the one that holds the value */
    struct hc_check_object there;  /* the one at the address */
    uint32_t writer;       /* the instruction that last wrote to the address; or HC_CHECK_NOWHERE, _OUTSIDE (DMA) */
    uint32_t given, taken; /* of the heap: the instructions that allocated and freed the block; 0: not known */
    uint32_t caller[HC_CHECK_CALLERS];
    int callers;
    uint64_t instructions; /* executed before it first happened */
    uint64_t count;        /* how often it happened at this place */
};

struct hc_check;

/* Starts checking M, which is loaded and at its first instruction, or anywhere in its run (then all its memory counts
 * as initialised). PROGRAM provides symbols and debug information and must outlive the result. Returns NULL if this CPU
 * cannot be checked. */
struct hc_check *hc_check_new(struct hc_machine *m, struct hc_program *program);
void hc_check_free(struct hc_check *c);

/* Forgets all shadows. Call it when the machine's state was replaced by a snapshot or another segment of a recording.
 */
void hc_check_forget(struct hc_check *c);

/* The border of a region was crossed: what is outside has written what it likes. Forgets all shadows; from now on
 * uninitialised values are not reported, since memory that the log fills would count as that. */
void hc_check_cross(struct hc_check *c);

/* Findings in the order in which they first happened, one for each place and kind. Valid until the machine runs again.
 */
size_t hc_check_findings(const struct hc_check *c, const struct hc_check_finding **out);
/* The number of findings that were dropped because there were HC_CHECK_FINDINGS already. */
uint64_t hc_check_dropped(const struct hc_check *c);

#endif
