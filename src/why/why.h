/* Why a variable has its value, and why the program came to a place: one step back along the dependences of an
 * execution.
 *
 *     a question                      its answer
 *     value of memory at a moment     the instruction that wrote it, that instruction's sources, and what led to it
 *     a branch at a moment            the values that decided it, and what led to it
 *     a moment                        what led to it
 *
 * Each source of an answer can be asked about in turn, until inputs are reached: reads of peripherals, interrupts,
 * memory that hardware wrote. Each answer is found by running a part of the execution again; nothing is kept between
 * questions. Sources are exact for registers, flags and bytes of memory: if a value was computed from another, that one
 * is among its sources. */
#ifndef HC_WHY_WHY_H
#define HC_WHY_WHY_H

#include "control.h"
#include "flow_trace.h"

enum { HC_WHY_SOURCES = 48, HC_WHY_CHOICES = 24 };

enum hc_why_kind {
    HC_WHY_WRITTEN,  /* written by the instruction at `moment` */
    HC_WHY_HARDWARE, /* written by DMA or another peripheral, before `moment` */
    HC_WHY_INITIAL,  /* not written since the start of the run */
    HC_WHY_BRANCH,   /* the branch at `moment` was asked for */
    HC_WHY_PLACE,    /* `moment` was asked for */
    HC_WHY_RESTORED, /* restored when power came back */
};

struct hc_why_answer {
    enum hc_why_kind kind;
    uint64_t moment;
    uint32_t pc;
    uint32_t address, size;  /* of what was asked for */
    uint32_t before, value;  /* of the part that the last writing instruction wrote */
    uint32_t written, width; /* address and number of bytes of that part */
    size_t sources, all;     /* how many are here, and how many there are */
    struct hc_flow_source source[HC_WHY_SOURCES];
    struct hc_flow_via via; /* instructions on the way from the sources to the write or the branch */
    bool incomplete;        /* the sources of some registers were not found */
    struct hc_control control;
    /* What led to instructions on the way, constants among them, and not to this one: the branch that chose between two
     * values of a register, say. */
    size_t choices;
    struct hc_control choice[HC_WHY_CHOICES];
};

struct hc_why {
    struct hc_timeline *timeline;
    struct hc_image *image;
    hc_flow_rests_fn *rests; /* see hc_flow_trace_sources; may be NULL */
    void *owner;
};

/* These do not move the cursor. Each returns HC_TIMELINE_THERE, or the reason why there is no answer:
 * HC_TIMELINE_REQUEST (the user ended it), HC_TIMELINE_NO_MEMORY, or what stopped the run. */

/* Why SIZE bytes at ADDRESS have their value at moment AT. */
enum hc_timeline_stop hc_why_value(const struct hc_why *w, uint32_t address, uint32_t size, uint64_t at,
                                   struct hc_why_answer *out);
/* Why register REG of the CPU has its value at moment AT. */
enum hc_timeline_stop hc_why_register(const struct hc_why *w, int reg, uint64_t at, struct hc_why_answer *out);
/* Why the branch at moment AT went where it did; or a call or jump whose target is a value. */
enum hc_timeline_stop hc_why_branch(const struct hc_why *w, uint64_t at, struct hc_why_answer *out);
/* Why the instruction at moment AT is executed. */
enum hc_timeline_stop hc_why_place(const struct hc_why *w, uint64_t at, struct hc_why_answer *out);

#endif
