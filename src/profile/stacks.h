/* Who runs: the program followed from instruction to instruction over calls, returns and interrupts, on any number of
 * stacks.
 *
 *     higher addresses
 *     | return address of f | locals of f ... | return address of g | locals of g ... | <- the stack pointer
 *       slot of f's frame                       slot of g's frame
 *
 * The rules, each of which leaves every instruction attributed to the function whose code it is:
 *
 * - A call makes a frame, and so does an interrupt. Frames below the stack pointer are over, however that came about: a
 *   return, a longjmp.
 * - Code of another function without a call is a tail call: it has the caller of the one before it.
 * - The stack pointer set to where another stack was left is a switch of threads; a return through a place that no call
 *   made, after it was set to somewhere lower, begins a new thread.
 * - An interrupt belongs to nobody: its context is a child of the root.
 * - A part of the program that was left out (the recorder's, in a replay) ends its frame. */
#ifndef HC_PROFILE_STACKS_H
#define HC_PROFILE_STACKS_H

#include "contexts.h"
#include "machine/machine.h"

struct hc_stacks;

/* M stands before its first instruction, or anywhere: TOP is where the program's stack begins, 0 if that is not known.
 * Counts calls and stacks in CONTEXTS, which must live longer. NULL when memory is exhausted. */
struct hc_stacks *hc_stacks_new(struct hc_machine *m, struct hc_contexts *contexts, uint32_t top);
void hc_stacks_free(struct hc_stacks *s);

/* The instruction at PC has been executed; returns its context. */
uint32_t hc_stacks_retired(struct hc_stacks *s, uint32_t pc);
/* An interrupt was accepted before the instruction at PC: the stack has its frame, and its handler is next. */
void hc_stacks_interrupt(struct hc_stacks *s, int vector, uint32_t pc);
/* The program begins anew: a reset, or another part of a log. */
void hc_stacks_restart(struct hc_stacks *s);

/* Frames that are still there count, too. The end. */
void hc_stacks_finish(struct hc_stacks *s);

/* How many stacks there were at once, and the most that one of them had in use, in bytes. */
size_t hc_stacks_count(const struct hc_stacks *s);
uint32_t hc_stacks_deepest(const struct hc_stacks *s);
/* The same since it was last asked. */
uint32_t hc_stacks_take_deepest(struct hc_stacks *s);

#endif
