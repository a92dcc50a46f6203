/* Why a value is what it is, and why the program came where it is: one step back along the dependences of an execution.
 *
 *     a question                      its answer
 *     value of memory at a moment     the instruction that wrote it; what went into that; what led to that instruction
 *     a branch at a moment            what decided it; what led to it
 *     a moment                        what led to it
 *
 * Each source of an answer is a question in turn, until inputs are reached: reads of peripherals, interrupts, what
 * hardware wrote. Everything is found by running stretches of the execution again; nothing is kept between questions.
 * Exact for registers, flags and bytes of memory: a value that went into another is among its sources. */
#ifndef HC_WHY_WHY_H
#define HC_WHY_WHY_H

#include "control.h"
#include "flow_trace.h"

enum { HC_WHY_SOURCES = 48 };

enum hc_why_kind {
    HC_WHY_WRITTEN,  /* by the instruction at `moment` */
    HC_WHY_HARDWARE, /* by DMA or another peripheral, before `moment` */
    HC_WHY_INITIAL,  /* not since the beginning of the run */
    HC_WHY_BRANCH,   /* the instruction at `moment` is the branch that was asked for */
    HC_WHY_PLACE,    /* `moment` is the one that was asked for */
    HC_WHY_RESTORED, /* it was given its value when power came back */
};

struct hc_why_answer {
    enum hc_why_kind kind;
    uint64_t moment;
    uint32_t pc;
    uint32_t address, size;  /* of what was asked for */
    uint32_t before, value;  /* of what was written, as far as one instruction did it */
    uint32_t written, width; /* address and bytes of that */
    size_t sources, all;     /* how many are here, and how many there are */
    struct hc_flow_source source[HC_WHY_SOURCES];
    struct hc_flow_via via; /* instructions on the way from the sources to the write or the branch */
    bool incomplete;        /* what some registers held could not be followed to where they got it */
    struct hc_control control;
};

struct hc_why {
    struct hc_timeline *timeline;
    struct hc_image *image;
    hc_flow_rests_fn *rests; /* see hc_flow_trace_sources; NULL: nothing does */
    void *owner;
};

/* Each leaves the cursor where it is and returns HC_TIMELINE_THERE, or why there is no answer: HC_TIMELINE_REQUEST (the
 * user ended it), HC_TIMELINE_NO_MEMORY, or what stopped the run. */

/* Of SIZE bytes at ADDRESS, as they are at moment AT. */
enum hc_timeline_stop hc_why_value(const struct hc_why *w, uint32_t address, uint32_t size, uint64_t at,
                                   struct hc_why_answer *out);
/* Of register REG of the CPU at moment AT. */
enum hc_timeline_stop hc_why_register(const struct hc_why *w, int reg, uint64_t at, struct hc_why_answer *out);
/* Of the instruction at moment AT, which branches, calls or jumps by a value. */
enum hc_timeline_stop hc_why_branch(const struct hc_why *w, uint64_t at, struct hc_why_answer *out);
/* Of moment AT. */
enum hc_timeline_stop hc_why_place(const struct hc_why *w, uint64_t at, struct hc_why_answer *out);

#endif
