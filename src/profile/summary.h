/* A profile by source: functions, lines, interrupts, callers and callees.
 *
 * A function's own cost is that of its lines, also where it is inlined. With callees: everything executed while it is
 * on the stack, without interrupts; an instruction of a recursive function counts once. */
#ifndef HC_PROFILE_SUMMARY_H
#define HC_PROFILE_SUMMARY_H

#include "code_map.h"
#include "profile.h"

#include <stdio.h>

struct hc_summary_function {
    uint32_t function; /* of the map */
    uint64_t calls;    /* where it is inlined: executions of its first instruction, which may be in a loop */
    struct hc_cost self, total;
    uint32_t stack_own, stack_with_callees, stack_depth; /* as hc_profiled_function has them; 0: none of its own */
};

struct hc_summary_line {
    uint32_t function;
    const char *file; /* NULL: not known */
    int line;
    struct hc_cost self;
};

struct hc_summary_interrupt {
    int vector;
    uint32_t function; /* of the map: the vector's */
    uint64_t count;
    struct hc_cost total; /* with all that its handler called */
};

/* A call, or a function that is inlined into another. */
struct hc_summary_edge {
    uint32_t caller, callee;
    const char *file;
    int line;
    uint64_t calls;
    struct hc_cost total;
};

/* A context; inlined functions have contexts of their own. */
struct hc_summary_node {
    uint32_t parent, function; /* [0] is the root: HC_NO_FUNCTION */
    bool inlined;
    const char *call_file; /* of an inlined one, or NULL */
    int call_line;
    uint64_t calls;
    struct hc_cost self, total;
};

struct hc_summary {
    struct hc_code_map *map;
    struct hc_cost total;
    struct hc_summary_function *function; /* of the map's numbers; those without calls and costs are empty */
    size_t functions;
    struct hc_summary_line *line; /* in descending order of cost */
    size_t lines, lines_room;
    struct hc_summary_interrupt *interrupt; /* by vector */
    size_t interrupts, interrupts_room;
    struct hc_summary_edge *edge;
    size_t edges, edges_room;
    struct hc_summary_node *node; /* parents before their children */
    size_t nodes, nodes_room;
};

/* P has ended; MAP must outlive the summary. Returns false on out-of-memory. Call hc_summary_free in either case. */
bool hc_summary_make(struct hc_summary *s, const struct hc_profile *p, struct hc_code_map *map);
void hc_summary_free(struct hc_summary *s);

/* The numbers of functions with a cost, in descending order of their own instructions; free it. Returns NULL on
 * out-of-memory. */
uint32_t *hc_summary_order(const struct hc_summary *s, size_t *count);

/* ---- formats ---- */

enum hc_profile_unit { HC_UNIT_INSTRUCTIONS, HC_UNIT_CYCLES };
extern const char *const hc_profile_unit_names[]; /* ends with NULL */

/* Folded stacks for flame graphs: a line for each context, "main;report;send 1203". */
void hc_summary_write_folded(const struct hc_summary *s, FILE *out, enum hc_profile_unit unit);
/* Callgrind's format, for KCachegrind and callgrind_annotate. COMMAND: the command line to name in it. */
void hc_summary_write_callgrind(const struct hc_summary *s, FILE *out, const char *command);

#endif
