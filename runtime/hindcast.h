/* The recorder's interface for programs. Programs built without `hindcast cc` may include it as well: then the calls
 * become no-ops.
 *
 * hc_update must be called regularly. `hindcast cc` inserts calls, unless --update=manual says that the program has its
 * own: see docs/instrumenting.md. */
#ifndef HINDCAST_H
#define HINDCAST_H

#include <stdint.h>

#ifdef __HINDCAST__

/* Compresses recorded events and writes full pages. Takes a few dozen cycles if there is nothing to do, a few
 * milliseconds if a page is written. Interrupts that were enabled stay enabled; after an interrupt it returns soon,
 * because the program may have work to do. Do not call it from interrupt handlers; there it does nothing if it
 * interrupted itself. */
void hc_update(void);

/* For a program that is about to sleep: like hc_update, but goes on as long as there is something to do and no
 * interrupt comes (and only if interrupts are enabled). `hindcast cc` inserts this before sleep. */
void hc_update_idle(void);

/* For places where the program has more to do: like hc_update, but does nothing unless little room is left in the ring.
 */
void hc_update_later(void);

/* Freezes the log: nothing is erased any more, and recording ends when the log is full. Takes effect at the next
 * hc_update. REASON is written into the log. A frozen log stays frozen, also across resets, until it is erased. May be
 * called from anywhere. */
void hc_freeze(uint16_t reason);

/* The next hc_update starts a new segment with a checkpoint, from which a replay can start. May be called from
 * anywhere. */
void hc_checkpoint(void);

/* Freezes the log if CONDITION is false; the reason is the line number. invariants.h has ones with names. */
#define HC_INVARIANT(condition) ((condition) ? (void)0 : hc_freeze(__LINE__))

#else

static inline void hc_update(void)
{
}
static inline void hc_update_idle(void)
{
}
static inline void hc_update_later(void)
{
}
static inline void hc_freeze(uint16_t reason)
{
    (void)reason;
}
static inline void hc_checkpoint(void)
{
}
#define HC_INVARIANT(condition) ((void)0)

#endif

/* Which functions --region=HC_REGION records: one that has HC_REGION before it, and all between HC_REGION_PUSH and
 * HC_REGION_POP, each on a line of its own. */
#if defined __clang__ || defined __HINDCAST__
#define HC_REGION __attribute__((annotate("HC_REGION")))
#define HC_REGION_PUSH _Pragma("clang attribute push(__attribute__((annotate(\"HC_REGION\"))), apply_to = function)")
#define HC_REGION_POP _Pragma("clang attribute pop")
#else
#define HC_REGION
#define HC_REGION_PUSH
#define HC_REGION_POP
#endif

/* In a function of a region: SIZE bytes of memory at FROM, which others wrote, are going to be read. A region's log has
 * them now, each predicted from what was at its place in the buffer before: it becomes smaller where the code reads
 * them in a loop. What they are is read from memory; so a wrong SIZE makes the log larger, and never wrong. Anywhere
 * else it does nothing. */
#define HC_IN(from, size) __hc_in(from, size)
static inline void __hc_in(const void *from, uintptr_t size)
{
    (void)from;
    (void)size;
}

/* The recorder's own reasons, above all realistic line numbers. */
enum { HC_FREEZE_COMMAND = 0xfff0 }; /* the base station said so */

#include "invariants.h"

#endif
