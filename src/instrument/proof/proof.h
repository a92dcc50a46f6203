/* Proves from the machine code of a linked program that positions are unique.
 *
 * A position is (PC, counter). Between two events (recorded reads, interrupts) the counter only increases, so a
 * position occurs twice only if the program can get from an instruction back to it without a tick or an event. The
 * proof searches for such paths in all code reachable from the vectors. Calls and returns are matched: a path may lead
 * up into callers, then down into callees; it steps over a call if the callee can return without a tick. It finds
 *
 * - cycle: loops and recursion without a tick;
 * - entered: parts of a function that returns and is called again without a tick (two calls on a straight path);
 * - shared: code used by both a handler and the code that it interrupts, without a tick between there and the handler's
 *   return; the interrupted code may continue at the same instruction;
 * - indirect: code after a branch with unknown targets;
 * - switched: code that reaches a change of stacks without a tick, and can be reached again after it.
 *
 * A change of stacks is a write to SP of a value that may not belong to the same stack (target/msp430/stack.c): a
 * kernel's thread switch, longjmp. A return after it may lead to the instruction after any call, where some thread has
 * stopped, or to any function whose address is taken, where a new thread starts; a return from an interrupt may lead
 * anywhere. Between two changes a path belongs to one thread, and calls and returns match. A return that does not
 * return to its caller ("push #f; ret") is treated as a computed branch.
 *
 * Every instruction whose positions may not be unique is listed; positions there include a hash (runtime/link.h). At
 * all other instructions no two arrivals of interrupts have the same position.
 *
 * A tick is an instruction that adds 1 to __hc_count; events are the recorder's cuts. The targets of an indirect call
 * are all functions whose address occurs in code or data; jump tables are followed. Code inside the recorder's cuts is
 * not part of any path. */
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
    size_t stuck;  /* loops whose iterations have equal hashes (target/msp430/stuck.c), and their heads */
    uint32_t *stuck_pc;
};

struct hc_proof_message {
    char text[320]; /* one line, without a newline; written only when a call fails */
};

enum hc_proof_error { HC_PROOF_OK = 0, HC_PROOF_BAD = -1, HC_PROOF_NO_MEMORY = -2 };

/* On success the caller owns *OUT and frees it with hc_proof_free; otherwise it is NULL. A program without __hc_count
 * has no ticks. Takes some milliseconds for 48 KB of code. */
int hc_proof_make(struct hc_proof **out, const struct hc_image *image, struct hc_proof_message *message);
void hc_proof_free(struct hc_proof *proof);

/* Calls of the function at TICK, which moves the counter and looks whether it has to begin again, that may become
 * instructions which only move it: every walk that has no end passes one that looks, or an event, and between two of
 * these there are fewer than 2^15 that do not. *OUT gets their COUNT addresses and is the caller's to free. False when
 * memory is exhausted. */
bool hc_proof_plain_ticks(uint32_t **out, size_t *count, const struct hc_image *image, uint32_t tick);

/* Whether the instruction at PC is listed. O(log n). */
bool hc_proof_lists(const struct hc_proof *proof, uint32_t pc, enum hc_proof_reason *reason);

#endif
