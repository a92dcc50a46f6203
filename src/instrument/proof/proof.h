/* The proof that positions are unique, made from the machine code of a linked program.
 *
 * A position is (PC, counter). Between two events (a recorded read, an interrupt) the counter only grows, so the same
 * position comes twice only if the program walks from an instruction back to it without passing a tick or an event.
 * The proof looks for such walks in all code that the vectors reach. Calls and returns are matched: a walk may go up
 * into callers, then down into callees; a call is stepped over where the callee can return without a tick. It finds
 *
 *   cycle      loops without a tick, recursion without one
 *   entered    stretches of a function that is left and entered again without a tick (two calls on a straight path)
 *   shared     code that a handler and what it interrupts both run, where the way from there to the handler's return
 * has no tick: after it the interrupted code may go on at that very place indirect   code behind a branch whose targets
 * are not known switched   code from which a change of stacks is reached without a tick, and which is reached again
 * behind it
 *
 * A change of stacks is any write to SP of what is not known to be the same stack (see proof_stack.h): a kernel's
 * switch of threads, longjmp. A return behind it may lead behind any call, where some thread has left off, or to any
 * function whose address is taken, which a new thread begins with; a return from an interrupt to any place at all.
 * Between two changes a walk is one thread's, and calls and returns match. A return that the stack shows not to be its
 * caller's ("push #f; ret") is a branch by address.
 *
 * What it cannot exclude it lists; positions there carry a hash (see runtime/link.h). Where no instruction is listed,
 * no two arrivals of interrupts look the same.
 *
 * Ticks are instructions that add 1 to __hc_count; events are the recorder's cuts. Targets of indirect calls are the
 * functions whose address stands in code or data; jump tables are understood. Code of the recorder between its cuts'
 * labels is not walked. */
#ifndef HC_INSTRUMENT_PROOF_PROOF_H
#define HC_INSTRUMENT_PROOF_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_image;

enum hc_proof_reason { HC_PROOF_CYCLE, HC_PROOF_ENTERED, HC_PROOF_SHARED, HC_PROOF_INDIRECT, HC_PROOF_SWITCHED };
extern const char *const hc_proof_reason_names[5]; /* "cycle", "entered", "shared", "indirect", "switched" */

struct hc_proof_range {
    uint32_t start, end; /* addresses of instructions; end is one past the last */
    uint8_t reason;      /* enum hc_proof_reason */
};

struct hc_proof {
    size_t ranges; /* by address; none overlap */
    struct hc_proof_range *range;
    uint8_t hashed[32];  /* bit (pc >> 8) & 7 of byte pc >> 11: some instruction of the page is listed */
    uint8_t known[32];   /* likewise: some instruction of the page is reachable */
    size_t instructions; /* reachable, and how many of them are listed */
    size_t ambiguous;
    size_t beyond; /* listed above 64 KB, where hashed[] does not reach */
    size_t stuck;  /* loops whose turns not even the hash tells apart (proof_stuck.h), and where they begin */
    uint32_t *stuck_pc;
};

struct hc_proof_message {
    char text[320]; /* one line, without a newline; written only when a call fails */
};

enum hc_proof_error { HC_PROOF_OK = 0, HC_PROOF_BAD = -1, HC_PROOF_NO_MEMORY = -2 };

/* On success *OUT is the caller's, to be freed by hc_proof_free; else NULL. A program without __hc_count has no ticks.
 * Some milliseconds for 48 KB of code. */
int hc_proof_make(struct hc_proof **out, const struct hc_image *image, struct hc_proof_message *message);
void hc_proof_free(struct hc_proof *proof);

/* Is the instruction at PC listed? O(log n). */
bool hc_proof_lists(const struct hc_proof *proof, uint32_t pc, enum hc_proof_reason *reason);

#endif
