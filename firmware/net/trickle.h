/* Trickle: when to tell the neighbours, seldom while all agree and often while something is new.
 *
 *     |<------ interval ------>|<------------------ twice that ------------------>|
 *     |            . say it .  |                         .       say it        .  |
 *
 * In the second half of each interval, at a random moment, one speaks (unless enough others have said the same). Each
 * interval is twice as long as the one before, up to a maximum; something new brings it back to the minimum.
 *
 * Pure arithmetic: the caller owns the timer, and gives random numbers. Times are in the caller's unit. */
#ifndef NET_TRICKLE_H
#define NET_TRICKLE_H

#include <stdbool.h>
#include <stdint.h>

struct trickle {
    uint32_t minimum, maximum; /* of the interval; the minimum is at least 2 */
    uint8_t enough;            /* times heard in an interval that make speaking needless; 0: speak always */

    uint32_t interval;
    uint32_t moment; /* within the interval */
    bool moment_passed;
    uint8_t heard; /* in this interval */
};

/* Begins with the shortest interval. All three return what to set the timer to. RANDOM is any number. */
uint32_t trickle_start(struct trickle *t, uint32_t random);

/* The timer has fired. *SPEAK: now is the time to say it. */
uint32_t trickle_fired(struct trickle *t, uint32_t random, bool *speak);

/* Something is new. Returns 0, and the timer is to be left alone, when the interval is the shortest anyway: whoever
 * hears of something new all the time would never come to speak otherwise. */
uint32_t trickle_reset(struct trickle *t, uint32_t random);

/* Somebody has said the same. */
void trickle_heard(struct trickle *t);

#endif
