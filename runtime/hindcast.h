/* The recorder, as a program sees it. Programs that are not built by `hindcast cc` may include this as well: then the
 * calls become no-ops.
 *
 * hc_update must be called regularly. `hindcast cc` puts calls in, unless --update=manual says that the program has its
 * own: see docs/instrumenting.md. */
#ifndef HINDCAST_H
#define HINDCAST_H

#include <stdint.h>

#ifdef __HINDCAST__

/* Compresses what was recorded and writes pages that are full. A few dozen cycles when there is nothing to do, a few
 * milliseconds when a page is written. Interrupts that were enabled stay so; one that comes makes it return soon, as
 * the program may have something to do now. Not from interrupt handlers, where it does nothing if it interrupts
 * itself. */
void hc_update(void);

/* The same at a moment at which the program has more to do: nothing, unless there is little room left for what may be
 * recorded next. */
void hc_update_later(void);

/* From now on the log keeps what it has: nothing is erased any more, and when there is no room left recording ends.
 * Takes effect at the next hc_update. REASON is written into the log. For good: a frozen log stays frozen until it is
 * erased, over resets too. From anywhere. */
void hc_freeze(uint16_t reason);

/* The next hc_update begins a new segment with a checkpoint: replay can begin there. From anywhere. */
void hc_checkpoint(void);

/* Freezes the log if CONDITION does not hold; the reason is the line. */
#define HC_INVARIANT(condition) ((condition) ? (void)0 : hc_freeze(__LINE__))

#else

static inline void hc_update(void)
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

/* Reasons of the recorder's own, beyond all line numbers that matter. */
enum { HC_FREEZE_COMMAND = 0xfff0 }; /* the base station said so */

#endif
