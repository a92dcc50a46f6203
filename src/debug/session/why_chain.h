/* The answers to `why` as a tree of steps: each step is explained by further steps.
 *
 *     1  storm.unsent = 1048          at storm.c:94: storm.light[filled++] = light;
 *        2  filled in watch = 4           from
 *        3  ADC12MEM0 read: 1048          from: an input, the end of the chain
 *        4  if (busy) at storm.c:88       because
 *
 * Steps are numbered from 1 in the order in which they were found. The numbers do not change. */
#ifndef HC_DEBUG_SESSION_WHY_CHAIN_H
#define HC_DEBUG_SESSION_WHY_CHAIN_H

#include "debug/dwarf/program.h"
#include "image/source.h"
#include "timeline/timeline.h"

#include <stdio.h>

enum hc_why_role {
    HC_WHY_ROOT,    /* the question */
    HC_WHY_FROM,    /* a value from which another was computed */
    HC_WHY_THROUGH, /* the pointer or index that selected a value */
    HC_WHY_BECAUSE, /* what led to the instruction */
};

enum hc_why_subject {
    HC_WHY_VALUE,     /* of memory */
    HC_WHY_REGISTER,  /* of the CPU */
    HC_WHY_DECISION,  /* of a branch */
    HC_WHY_ARRIVAL,   /* at a moment */
    HC_WHY_INPUT,     /* a read of a peripheral's register */
    HC_WHY_INTERRUPT, /* an interrupt */
    HC_WHY_BEGINNING, /* the start of the run */
};

enum { HC_WHY_WHAT = 120, HC_WHY_PLACE_TEXT = 96, HC_WHY_LINE = 160, HC_WHY_VIA = 400 };

struct hc_why_step {
    int parent; /* the step that it explains; 0: none */
    enum hc_why_role role;
    enum hc_why_subject subject;
    uint64_t at; /* the moment at which it was used */
    uint32_t address, size;
    int reg;
    uint32_t asked_pc; /* of the instruction that used it */
    char what[HC_WHY_WHAT];

    /* Valid when it is answered; inputs, interrupts and the start are answered at once. */
    bool answered;
    bool computed;   /* by an instruction, and not by hardware */
    uint64_t moment; /* of the instruction that caused it */
    hc_time time;
    uint32_t pc;
    char place[HC_WHY_PLACE_TEXT]; /* "storm.c:94 keep" */
    char line[HC_WHY_LINE];        /* of the source; "" if it was not found */
    char via[HC_WHY_VIA];          /* source lines on the way to it: "mho.c:44, ctp.c:87" */
    char note[HC_WHY_WHAT];        /* "0 -> 1048", "never written since the start" */
    int first, count;              /* steps that explain it: numbers FIRST to FIRST + COUNT - 1 */
    int like; /* an earlier step of the same instruction and place, such as another iteration of a loop; 0: none */
    int cost; /* distance from the question: values count less than branches, new steps less than repeated ones */
};

struct hc_why_chain;

/* PROGRAM and TIMELINE must outlive it. Returns NULL on out-of-memory. */
struct hc_why_chain *hc_why_chain_new(struct hc_program *program, struct hc_timeline *timeline);
void hc_why_chain_free(struct hc_why_chain *c);

int hc_why_chain_steps(const struct hc_why_chain *c);
/* NUMBER is from 1 to hc_why_chain_steps. Valid until the next question or answer. */
const struct hc_why_step *hc_why_chain_step(const struct hc_why_chain *c, int number);

/* Questions. Each starts a new chain and is its step 1. WHAT is the user's name for it. */
bool hc_why_chain_ask_value(struct hc_why_chain *c, const char *what, uint32_t address, uint32_t size, uint64_t at);
bool hc_why_chain_ask_register(struct hc_why_chain *c, const char *what, int reg, uint64_t at);
bool hc_why_chain_ask_place(struct hc_why_chain *c, uint64_t at);

/* Answers step NUMBER, unless it is answered. Returns HC_TIMELINE_THERE, or why there is no answer (why/why.h). */
enum hc_timeline_stop hc_why_chain_answer(struct hc_why_chain *c, int number);
/* Answers steps until MOST are answered or none is open: those of lowest cost first, then by their numbers. */
enum hc_timeline_stop hc_why_chain_answer_all(struct hc_why_chain *c, int most);

/* Prints step NUMBER and the steps that explain it. */
void hc_why_chain_show(const struct hc_why_chain *c, int number, FILE *out);
/* Draws the whole tree as SVG. Returns false on out-of-memory. */
bool hc_why_chain_draw(const struct hc_why_chain *c, FILE *out);

extern const char *const hc_why_role_names[], *const hc_why_subject_names[];

#endif
