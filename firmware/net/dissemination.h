/* Dissemination: small values that all nodes come to agree on, the newest wins. For commands and settings.
 *
 *     AM 0x60   key 2 | sequence 4 | value ...        words high byte first
 *
 * Each node tells its neighbours what it has by a trickle timer, seldom while all agree. Whoever hears of something
 * newer takes it and passes it on; whoever hears of something older, or of a node that knows nothing (sequence 0),
 * speaks up soon. It needs no routes, and reaches nodes that were cut off as soon as they are heard again.
 *
 *     static void changed(const uint8_t *value) { ... }
 *     static struct dissemination rate = { .key = 1, .length = 2, .changed = changed };
 *     dissemination_add(&rate); ... dissemination_set(&rate, bytes); */
#ifndef NET_DISSEMINATION_H
#define NET_DISSEMINATION_H

#include "kernel/timer.h"
#include "net/am.h"
#include "net/lpl.h"
#include "net/trickle.h"

#ifndef DISSEMINATION_MIN_MS
#define DISSEMINATION_MIN_MS (LPL_INTERVAL > 125 ? 8ul * LPL_INTERVAL : 1000)
#endif
#ifndef DISSEMINATION_MAX_MS
#define DISSEMINATION_MAX_MS 1024000
#endif

enum { DISSEMINATION_AM = 0x60, DISSEMINATION_HEADER = 6, DISSEMINATION_VALUE = 8 };

struct dissemination {
    uint16_t key;
    uint8_t length; /* of the value, up to DISSEMINATION_VALUE */
    /* Another node's value has come. From a task. */
    void (*changed)(const uint8_t *value);

    uint8_t value[DISSEMINATION_VALUE];
    uint32_t sequence; /* a count and, in the low half, who set it; 0: never set */
    struct trickle trickle;
    struct timer timer;
    struct dissemination *next;
};

/* After am_start. All nodes must add the same keys with the same lengths. D stays for ever. */
void dissemination_add(struct dissemination *d);

/* A new value, for all nodes. Does not call d->changed. */
void dissemination_set(struct dissemination *d, const uint8_t *value);

#endif
