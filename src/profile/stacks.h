/* Follows which function runs, instruction by instruction, through calls, returns and interrupts, on any number of
 * stacks.
 *
 *     higher addresses
 *     | return address of f | locals of f ... | return address of g | locals of g ... | <- the stack pointer
 *       slot of f's frame                       slot of g's frame
 *
 * The rules; under each of them an instruction counts for the function that contains it:
 *
 * - A call makes a frame, and so does an interrupt. A frame below the stack pointer has ended, by a return or a
 *   longjmp.
 * - A jump into another function is a tail call: the new function has the caller of the old one.
 * - Setting the stack pointer to where another stack was left is a switch of threads. A return through an address that
 *   no call pushed, after the stack pointer was set to a lower value, starts a new thread.
 * - The context of an interrupt is a child of the root.
 * - Code that a replay does not execute (the recorder's) ends its frame. */
#ifndef HC_PROFILE_STACKS_H
#define HC_PROFILE_STACKS_H

#include "contexts.h"
#include "machine/machine.h"

struct hc_stacks;

/* Starts at M's present instruction. TOP: where the program's stack starts, 0 if unknown. Counts calls and stacks in
 * CONTEXTS, which must outlive it. Returns NULL on out-of-memory. */
struct hc_stacks *hc_stacks_new(struct hc_machine *m, struct hc_contexts *contexts, uint32_t top);
void hc_stacks_free(struct hc_stacks *s);

/* The instruction at PC has been executed; returns its context. */
uint32_t hc_stacks_retired(struct hc_stacks *s, uint32_t pc);
/* Reports that an interrupt was accepted before the instruction at PC: its frame is on the stack, and its handler is
 * next. */
void hc_stacks_interrupt(struct hc_stacks *s, int vector, uint32_t pc);
/* Reports that the program restarts: after a reset, or in another part of a log. */
void hc_stacks_restart(struct hc_stacks *s);

/* Ends the run; frames that have not returned are counted. */
void hc_stacks_finish(struct hc_stacks *s);

/* The maximum number of stacks at a time, and the maximum depth of one of them in bytes. */
size_t hc_stacks_count(const struct hc_stacks *s);
uint32_t hc_stacks_deepest(const struct hc_stacks *s);
/* The same since the last call. */
uint32_t hc_stacks_take_deepest(struct hc_stacks *s);

#endif
