/* Where a value came from: a stretch of an execution, run again instruction by instruction with a shadow that says
 * which loads each register, flag and byte of memory comes from.
 *
 *     moment FROM                                                        TO
 *        |---- mov &a, r ---- add &b, r ---- ... ---- mov r, &x ---------|        x at TO comes from the loads of a and
 * b
 *
 * A mark is a number: 0 for what comes from constants alone, or a node of a graph whose leaves are sources. How values
 * flow through an instruction is the target's knowledge (target/value_flow.h). */
#ifndef HC_WHY_FLOW_TRACE_H
#define HC_WHY_FLOW_TRACE_H

#include "timeline/timeline.h"

enum hc_flow_source_kind {
    HC_SOURCE_LOAD,     /* from memory, or from a register of a peripheral */
    HC_SOURCE_READ,     /* from a register of a peripheral, of which the log told the value */
    HC_SOURCE_REGISTER, /* what a register of the CPU held at FROM; `address` is its number */
    HC_SOURCE_FLAGS,    /* what the flags were at FROM */
};

struct hc_flow_source {
    enum hc_flow_source_kind kind;
    uint64_t moment; /* of the instruction that loaded it */
    uint32_t pc;
    uint32_t address;
    uint32_t value;
    uint8_t size;     /* in bytes */
    bool through;     /* another source was loaded from an address that was made of this one */
    uint32_t under;   /* the mark of what was stored there within the stretch */
    bool stored;      /* whether anything was */
    uint32_t pointer; /* the mark of the address */
};

struct hc_flow_trace;

/* Runs from moment FROM to moment TO; the cursor of T stays. NULL when memory is exhausted, when FROM is not before TO,
 * or when the stretch could not be run to its end (*HOW tells; it may be NULL). About a hundredth of a microsecond an
 * instruction, and some tens of bytes a load. */
struct hc_flow_trace *hc_flow_trace_new(struct hc_timeline *t, uint64_t from, uint64_t to, enum hc_timeline_stop *how);
void hc_flow_trace_free(struct hc_flow_trace *f);

/* Marks at TO: of SIZE bytes of memory (those that the stretch has stored), a register, the flags; of what decided
 * where the last instruction went. */
uint32_t hc_flow_trace_memory(struct hc_flow_trace *f, uint32_t address, uint32_t size);
uint32_t hc_flow_trace_register(struct hc_flow_trace *f, int reg);
uint32_t hc_flow_trace_flags(struct hc_flow_trace *f);
uint32_t hc_flow_trace_branch(struct hc_flow_trace *f);
/* Of the address at which the last instruction accessed memory. */
uint32_t hc_flow_trace_pointer(struct hc_flow_trace *f);
/* The moment of the instruction that last stored the byte at ADDRESS; false: none did. */
bool hc_flow_trace_writer(const struct hc_flow_trace *f, uint32_t address, uint64_t *moment);

/* Whether SOURCE is only a place that a value rested in, to be looked through. */
typedef bool hc_flow_rests_fn(void *owner, const struct hc_flow_source *source);

/* Instructions that a value went through, by their addresses. */
enum { HC_FLOW_VIA = 32 };
struct hc_flow_via {
    size_t count;
    uint32_t pc[HC_FLOW_VIA];
};

/* The sources of MARK, the latest first, at most MAX; returns how many there are. What RESTS (or NULL) says of is
 * replaced by what was stored there, if that is known. Adds to VIA (or NULL) the instructions on the way. */
size_t hc_flow_trace_sources(struct hc_flow_trace *f, uint32_t mark, hc_flow_rests_fn *rests, void *owner,
                             struct hc_flow_source *out, size_t max, struct hc_flow_via *via);

#endif
