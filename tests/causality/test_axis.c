/* One axis of time: nodes with clocks of their own exchange messages. Where the axis puts an event is at most as far
 * from when it happened as is said, and no effect stands before its cause. */
#include "causality/axis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 7, MESSAGES = 3000, MOST = 4 * MESSAGES };
#define MS INT64_C(1000000)

struct happening {
    int64_t when; /* in truth */
    struct hc_traffic traffic;
};

struct world {
    uint64_t random;
    int64_t offset[NODES];
    double drift[NODES];
    int64_t lost_at[NODES], lost[NODES]; /* where a gap ends, from when on the clock lacks how much */
    struct happening *events[NODES];
    size_t count[NODES];
    uint32_t counter[NODES][NODES];
};

static uint32_t draw(struct world *w, uint32_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)((w->random >> 20) % below);
}

static int64_t clock_at(const struct world *w, int node, int64_t when)
{
    int64_t lost = when >= w->lost_at[node] ? w->lost[node] : 0;

    return (int64_t)((double)when * (1 + w->drift[node])) + w->offset[node] - lost;
}

/* A clock is read only now and then: an event has the time of the last reading, and the next one comes soon. */
static void add(struct world *w, int node, int64_t when, struct hc_traffic t)
{
    int64_t stale = draw(w, 2000) * INT64_C(1000), ahead = draw(w, 3000) * INT64_C(1000);

    if (when < w->lost_at[node] && when > w->lost_at[node] - w->lost[node] - 1000 * MS)
        return;
    t.time = clock_at(w, node, when) - stale;
    t.late_us = (uint32_t)((stale + ahead) / 1000 + 1);
    w->events[node][w->count[node]++] = (struct happening){ when, t };
}

static void exchange(struct world *w, int64_t when)
{
    uint32_t from = draw(w, NODES - 1), to = draw(w, NODES);

    from = draw(w, 4) ? from : 0; /* most have to do with node 0: it is the reference */
    uint32_t counter = w->counter[from][to]++;
    if (from == to)
        return;
    add(w, (int)from, when,
        (struct hc_traffic){ .kind = HC_TRAFFIC_SEND, .partner = (uint16_t)to, .counter = counter });
    add(w, (int)to, when + 1 * MS + draw(w, 20000) * INT64_C(1000),
        (struct hc_traffic){ .kind = HC_TRAFFIC_RECEIVE,
                             .partner = (uint16_t)from,
                             .counter = hc_numbering_number(&hc_numbering_recorder, counter) });
}

static int by_time(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;

    return (x->when > y->when) - (x->when < y->when);
}

static void record(struct world *w, struct hc_network_history *h, int64_t *when, int node)
{
    bool lost = false;
    int64_t last = INT64_MIN;

    qsort(w->events[node], w->count[node], sizeof *w->events[node], by_time);
    assert_int_equal(hc_network_history_add_node(h, (uint16_t)node), 0);
    assert_int_equal(hc_network_history_add_stretch(h, 0, w->offset[node] - 10 * MS), 0);
    for (size_t i = 0; i < w->count[node]; i++) {
        struct hc_traffic t = w->events[node][i].traffic;
        if (!lost && w->events[node][i].when >= w->lost_at[node]) {
            lost = true;
            last = INT64_MIN;
            assert_int_equal(hc_network_history_add_gap(h), 0);
            assert_int_equal(hc_network_history_add_stretch(h, 1, clock_at(w, node, w->lost_at[node])), 0);
        }
        if (t.time < last) { /* a clock that is read goes forwards */
            t.late_us -= t.late_us > (last - t.time) / 1000 ? (uint32_t)((last - t.time) / 1000) : 0;
            t.time = last;
        }
        last = t.time;
        struct hc_network_stretch *stretch = &h->nodes[node].stretches[h->nodes[node].stretch_count - 1];
        if (t.time < stretch->begin)
            t.time = stretch->begin;
        stretch->end = t.time;
        when[h->event_count] = w->events[node][i].when;
        assert_int_equal(hc_network_history_add(h, &t), 0);
    }
}

static void check(const struct world *w, const struct hc_network_history *h, const struct hc_pairing *p,
                  const struct hc_axis *a, const int64_t *when, bool exact)
{
    size_t known = 0, receives = 0;

    for (uint32_t i = 0; i < h->event_count; i++) {
        if (i && p->node_of[i] == p->node_of[i - 1])
            assert_true(a->time[i - 1] < a->time[i]);
        if (h->events[i].kind == HC_TRAFFIC_RECEIVE && p->receives[i].fate == HC_PAIRED) {
            assert_true(a->time[p->receives[i].send] < a->time[i]);
            receives++;
        }
        if (a->spread_us[i] == HC_SPREAD_UNKNOWN || !exact)
            continue;
        known++;
        /* The axis is the reference's clock. */
        int64_t off = a->time[i] - clock_at(w, (int)a->reference, when[i]);
        int64_t allowed = (int64_t)a->spread_us[i] * 1000 + 3 * MS;
        if (off > allowed || off < -allowed)
            fail_msg("event %u of node %u: %lld us off, said to be %u", i, p->node_of[i], (long long)(off) / 1000,
                     a->spread_us[i]);
    }
    assert_true(receives > MESSAGES / 2 && known >= (exact ? h->event_count / 2 : 0));
}

static void run(uint64_t seed, bool gaps, double drift)
{
    struct world w = { .random = seed * 0x9e3779b97f4a7c15u };
    struct hc_network_history h = { 0 };
    struct hc_pairing p;
    struct hc_axis a;
    int64_t *when = malloc(MOST * sizeof *when);

    for (int i = 0; i < NODES; i++) {
        w.events[i] = malloc(MOST * sizeof *w.events[i]);
        w.offset[i] = draw(&w, 100000) * MS;
        w.drift[i] = drift * ((double)draw(&w, 2001) / 1000 - 1);
        w.lost_at[i] = gaps && i ? (50 + draw(&w, 100)) * 1000 * MS : INT64_MAX;
        w.lost[i] = 2000 * MS;
    }
    for (int i = 0; i < MESSAGES; i++)
        exchange(&w, i * 70 * MS);
    for (int i = 0; i < NODES; i++)
        record(&w, &h, when, i);
    assert_int_equal(hc_pairing_make(&p, &h, &hc_pairing_default), 0);
    assert_int_equal(hc_axis_make(&a, &h, &p), 0);
    /* A reference with a gap is another clock after it. What is said rests on clocks that are no worse than assumed. */
    check(&w, &h, &p, &a, when, (!gaps || a.reference == 0) && drift <= a.drift);
    hc_axis_free(&a);
    hc_pairing_free(&p);
    hc_network_history_free(&h);
    for (int i = 0; i < NODES; i++)
        free(w.events[i]);
    free(when);
}

static void test_clocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run(seed, false, 0);
        run(seed, false, 50e-6);
    }
}

static void test_gaps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++)
        run(seed, true, 50e-6);
}

/* A clock that is worse than is assumed at first: the facts contradict each other until that is seen. */
static void test_bad_clocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        run(seed, false, 2000e-6);
}

/* No clocks at all: the order alone is there. */
static void test_no_clocks(void **state)
{
    struct hc_network_history h = { 0 };
    struct hc_pairing p;
    struct hc_axis a;
    struct hc_traffic send = { .time = HC_NO_TIME, .kind = HC_TRAFFIC_SEND, .partner = 2 };
    struct hc_traffic receive = { .time = HC_NO_TIME, .kind = HC_TRAFFIC_RECEIVE, .partner = 1 };

    (void)state;
    hc_network_history_add_node(&h, 2);
    hc_network_history_add(&h, &receive);
    hc_network_history_add_node(&h, 1);
    hc_network_history_add(&h, &send);
    assert_int_equal(hc_pairing_make(&p, &h, &hc_pairing_default), 0);
    assert_int_equal(hc_axis_make(&a, &h, &p), 0);
    assert_true(a.clockless && a.time[1] < a.time[0]);
    assert_true(hc_axis_to_clock(&a, 0, 0) == HC_NO_TIME);
    hc_axis_free(&a);
    hc_pairing_free(&p);
    hc_network_history_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_bad_clocks),
        cmocka_unit_test(test_no_clocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
