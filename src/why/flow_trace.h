/* Where a value came from. Part of an execution is run again, instruction by instruction; a shadow stores for each
 * register, flag and byte of memory the loads that its value comes from.
 *
 *     moment FROM                                                  TO
 *        |---- mov &a, r ---- add &b, r ---- ... ---- mov r, &x ---|     x at TO comes from the loads of a and b
 *
 * A mark is a number: 0 for a value that was a constant before; otherwise a node of a graph whose leaves are sources,
 * or instructions that made a value of constants. How values flow through an instruction depends on the CPU
 * (target/value_flow.h). */
#ifndef HC_WHY_FLOW_TRACE_H
#define HC_WHY_FLOW_TRACE_H

#include "timeline/timeline.h"

enum hc_flow_source_kind {
    HC_SOURCE_LOAD,     /* from memory, or from a register of a peripheral */
    HC_SOURCE_READ,     /* from a register of a peripheral; the value comes from the log */
    HC_SOURCE_REGISTER, /* the value of a CPU register at FROM; `address` is its number */
    HC_SOURCE_FLAGS,    /* the flags at FROM */
};

struct hc_flow_source {
    enum hc_flow_source_kind kind;
    uint64_t moment; /* of the instruction that loaded it */
    uint32_t pc;
    uint32_t address;
    uint32_t value;
    uint8_t size;     /* in bytes */
    bool through;     /* another source was loaded from an address that was computed from this one */
    uint32_t under;   /* the mark of the value that was stored there after FROM */
    bool stored;      /* whether one was */
    uint32_t pointer; /* the mark of the address */
};

struct hc_flow_trace;

/* Runs from moment FROM to moment TO; does not move the cursor of T. Returns NULL if it runs out of memory, if FROM is
 * not before TO, or if TO could not be reached (*HOW says why; HOW may be NULL). Takes about a hundredth of a
 * microsecond per instruction and some tens of bytes per load. */
struct hc_flow_trace *hc_flow_trace_new(struct hc_timeline *t, uint64_t from, uint64_t to, enum hc_timeline_stop *how);
void hc_flow_trace_free(struct hc_flow_trace *f);

/* Marks at TO: of SIZE bytes of memory (only those stored after FROM count), of a register, of the flags, and of the
 * values that decided where the last instruction went. */
uint32_t hc_flow_trace_memory(struct hc_flow_trace *f, uint32_t address, uint32_t size);
uint32_t hc_flow_trace_register(struct hc_flow_trace *f, int reg);
uint32_t hc_flow_trace_flags(struct hc_flow_trace *f);
uint32_t hc_flow_trace_branch(struct hc_flow_trace *f);
/* The mark of the address at which the last instruction accessed memory. */
uint32_t hc_flow_trace_pointer(struct hc_flow_trace *f);
/* The moment of the instruction that last stored the byte at ADDRESS. Returns false if none did. */
bool hc_flow_trace_writer(const struct hc_flow_trace *f, uint32_t address, uint64_t *moment);

/* Whether SOURCE is only a place where a value was kept for a while (a stack slot, say), so that its own sources are
 * wanted instead. */
typedef bool hc_flow_rests_fn(void *owner, const struct hc_flow_source *source);

/* Instructions that a value went through, by their addresses; and when, those too that only set a constant: of each
 * instruction the last HC_FLOW_TURNS times, the latest first. What only saves and restores registers has no part in
 * the latter. */
enum { HC_FLOW_VIA = 32, HC_FLOW_TURNS = 3, HC_FLOW_MADE = 64 };
struct hc_flow_made {
    uint64_t moment;
    uint32_t pc;
    bool kept; /* it is a branch that jumped over what would have given the register another value */
};
struct hc_flow_via {
    size_t count;
    uint32_t pc[HC_FLOW_VIA];
    size_t made_count;
    struct hc_flow_made made[HC_FLOW_MADE];
};

/* The sources of MARK, the latest first, at most MAX. Returns how many there are. A source for which RESTS returns true
 * is replaced by the sources of the value that was stored there, if they are known. The instructions on the way are
 * added to VIA. RESTS and VIA may be NULL. */
size_t hc_flow_trace_sources(struct hc_flow_trace *f, uint32_t mark, hc_flow_rests_fn *rests, void *owner,
                             struct hc_flow_source *out, size_t max, struct hc_flow_via *via);

#endif
