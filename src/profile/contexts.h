/* The costs of a run: a tree of contexts, each a function with its chain of callers, with counts for each of its
 * instructions.
 *
 *     root ── main ── report ── send          the program; a context is known by its parent, its function and the call
 *          └─ [vector 6] ── handler ── ...    an interrupt is a child of the root, wherever it came
 *
 * A context more than HC_CONTEXT_DEEPEST levels below the root, or beyond the limit of HC_CONTEXTS_MOST, is merged into
 * an existing context of the same function (or one that is a child of the root). Sums by function and line stay exact;
 * only the chain of callers is shortened. */
#ifndef HC_PROFILE_CONTEXTS_H
#define HC_PROFILE_CONTEXTS_H

#include "image/image.h"
#include "key_table.h"

enum { HC_CONTEXT_ROOT = 0, HC_CONTEXT_DEEPEST = 200, HC_CONTEXTS_MOST = 50000 };

/* Functions by number: those of the image in the order of their addresses, then code without a name, by where it was
 * first entered. Beyond HC_VECTOR_0 interrupts, by vector. */
enum { HC_VECTOR_0 = 0x1000000, HC_NO_FUNCTION = 0xffffff };

struct hc_cost {
    uint64_t instructions, cycles;
};

struct hc_profiled_function {
    const char *name;   /* NULL: it has none */
    uint32_t low, high; /* high is one past its end; low + 2 when the end is not known */
    /* In bytes, the most: of one invocation itself with its return address; and with all that it called, interrupts
     * not. Below the top of its stack while it ran. */
    uint32_t stack_own, stack_with_callees, stack_depth;
};

struct hc_context_node {
    uint32_t parent, function, call_site; /* call_site: of the call, UINT32_MAX if there was none */
    uint32_t depth;
    uint64_t calls;
    struct hc_cost self;
    struct hc_cost *at; /* of each word of the function, or NULL: nothing yet, or it has no range */
};

struct hc_contexts {
    struct hc_context_node *node; /* [0]: the root */
    size_t nodes, nodes_room;
    struct hc_key_table children; /* by parent, function and call site */
    struct hc_profiled_function *function;
    size_t functions, functions_room, named; /* the first NAMED come from the image */
    bool no_memory;                          /* at some moment: what is here is not whole */
};

/* IMAGE must outlive it; may be NULL. */
void hc_contexts_init(struct hc_contexts *c, const struct hc_image *image);
void hc_contexts_free(struct hc_contexts *c);

/* The function of the image at PC, or HC_NO_FUNCTION. */
uint32_t hc_contexts_function_at(const struct hc_contexts *c, uint32_t pc);
/* A new one, without a name, that begins at PC. */
uint32_t hc_contexts_add_function(struct hc_contexts *c, uint32_t pc);

/* The context of FUNCTION, called at CALL_SITE from PARENT. */
uint32_t hc_contexts_child(struct hc_contexts *c, uint32_t parent, uint32_t function, uint32_t call_site);

/* An instruction at PC in context NODE. */
void hc_contexts_spend(struct hc_contexts *c, uint32_t node, uint32_t pc, uint64_t instructions, uint64_t cycles);

#endif
