#include "event.h"

#include <assert.h>

void hc_queue_init(struct hc_queue *q)
{
    q->made = 0;
    q->s.armed = 0;
    q->s.next_order = 0;
    for (int i = 0; i < HC_EVENTS_MAX; i++)
        q->s.place[i] = -1;
}

hc_event hc_event_new(struct hc_queue *q, const char *name, hc_event_fn *call, void *owner)
{
    assert(q->made < HC_EVENTS_MAX);
    hc_event e = q->made++;
    q->events[e].name = name;
    q->events[e].call = call;
    q->events[e].owner = owner;
    return e;
}

static bool before(const struct hc_queue_entry *a, const struct hc_queue_entry *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void put(struct hc_queue_state *s, int at, struct hc_queue_entry entry)
{
    s->heap[at] = entry;
    s->place[entry.event] = (int16_t)at;
}

static void sift(struct hc_queue_state *s, int at, struct hc_queue_entry entry)
{
    while (at > 0 && before(&entry, &s->heap[(at - 1) / 2])) {
        put(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->armed)
            break;
        if (child + 1 < s->armed && before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!before(&s->heap[child], &entry))
            break;
        put(s, at, s->heap[child]);
        at = child;
    }
    put(s, at, entry);
}

void hc_event_cancel(struct hc_queue *q, hc_event e)
{
    struct hc_queue_state *s = &q->s;
    int at = s->place[e];
    if (at < 0)
        return;
    s->place[e] = -1;
    s->armed--;
    if (at != s->armed)
        sift(s, at, s->heap[s->armed]);
}

void hc_event_arm(struct hc_queue *q, hc_event e, hc_time time)
{
    struct hc_queue_state *s = &q->s;
    if (time == HC_NEVER) {
        hc_event_cancel(q, e);
        return;
    }
    int at = s->place[e];
    if (at < 0)
        at = s->armed++;
    sift(s, at, (struct hc_queue_entry){ .time = time, .order = s->next_order++, .event = e });
}

hc_time hc_event_time(const struct hc_queue *q, hc_event e)
{
    int at = q->s.place[e];
    return at < 0 ? HC_NEVER : q->s.heap[at].time;
}

void hc_queue_fire(struct hc_queue *q)
{
    struct hc_queue_entry first = q->s.heap[0];
    hc_event_cancel(q, first.event);
    hc_time next = q->events[first.event].call(q->events[first.event].owner, first.time);
    hc_event_arm(q, first.event, next);
}
