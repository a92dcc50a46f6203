/* The event queue: a heap of events that re-arm themselves.
 *
 * An event is made once, when its device is attached, and gets a small number; arming, moving and cancelling it costs
 * O(log n) and allocates nothing. Events of equal time fire in the order in which they were armed. What changes while
 * the machine runs (struct hc_queue_state) holds no pointers: a snapshot copies it as it is. */
#ifndef HC_MACHINE_EVENT_H
#define HC_MACHINE_EVENT_H

#include "time.h"

#include <stdbool.h>
#include <stddef.h>

enum { HC_EVENTS_MAX = 96 };

typedef uint16_t hc_event;

/* Called at its time; returns the time of its next call, or HC_NEVER. A call to hc_event_arm on itself from within is
 * overridden by the returned value. */
typedef hc_time hc_event_fn(void *owner, hc_time now);

struct hc_queue_entry {
    hc_time time;
    uint64_t order; /* arming sequence: breaks ties */
    hc_event event;
};

struct hc_queue_state {
    uint64_t next_order;
    uint16_t armed;
    struct hc_queue_entry heap[HC_EVENTS_MAX];
    int16_t place[HC_EVENTS_MAX]; /* index into heap, or -1 */
};

struct hc_queue {
    struct hc_queue_state s;
    uint16_t made;
    struct {
        const char *name;
        hc_event_fn *call;
        void *owner;
    } events[HC_EVENTS_MAX];
};

void hc_queue_init(struct hc_queue *q);

/* NAME must outlive the queue. More than HC_EVENTS_MAX events are a programming error (assert). */
hc_event hc_event_new(struct hc_queue *q, const char *name, hc_event_fn *call, void *owner);

/* (Re-)arms; HC_NEVER cancels. */
void hc_event_arm(struct hc_queue *q, hc_event e, hc_time at);
void hc_event_cancel(struct hc_queue *q, hc_event e);

/* HC_NEVER when not armed. */
hc_time hc_event_time(const struct hc_queue *q, hc_event e);

static inline hc_time hc_queue_next(const struct hc_queue *q)
{
    return q->s.armed ? q->s.heap[0].time : HC_NEVER;
}

/* Fires the earliest event (there must be one) and re-arms it as it asks. */
void hc_queue_fire(struct hc_queue *q);

#endif
