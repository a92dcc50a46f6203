/* Which invocation of a function or handler is running. Invocations have serial numbers. They are found by what calls,
 * returns and interrupts do to the stack.
 *
 *     higher addresses
 *     | return address of f | locals of f ... | return address of g | locals of g ... | <- SP
 *       slot of f's frame                       slot of g's frame
 *
 * A return address belongs to the invocation that will use it. Frames below the stack pointer have ended, also after a
 * longjmp. A context is a chain of call sites; each chain has one number. */
#ifndef HC_POWER_FRAMES_H
#define HC_POWER_FRAMES_H

#include "machine/machine.h"
#include "pairs.h"

struct hc_power_frames;

struct hc_power_frames *hc_power_frames_new(struct hc_machine *m);
void hc_power_frames_free(struct hc_power_frames *f);

/* An access to the stack's memory or elsewhere, in order and before anything else is done with it: who it was. TIME:
 * instructions retired. */
struct hc_accessor hc_power_frames_access(struct hc_power_frames *f, const struct hc_access *access, uint64_t time);

/* The running invocation, its pc 0; and its call site, 0 in the first one. */
struct hc_accessor hc_power_frames_current(const struct hc_power_frames *f);
uint32_t hc_power_frames_call_site(const struct hc_power_frames *f);

/* The call sites of CONTEXT, the innermost first; how many there are, of which at most MAX are stored. */
size_t hc_power_frames_context(const struct hc_power_frames *f, uint32_t context, uint32_t *pcs, size_t max);

#endif
