/* The three situations of Figure 1 of the paper on CADeT. In each, two histories leave the same traces of Lamport's
 * clocks and senders, so that whoever reads them is wrong about one of the two; our numbers tell them apart, and each
 * receive is paired with its send.
 *
 * Clocks are computed here by Lamport's rule. Numbers are those that runtime/messages.h sends. */
#include "causality/pairing.h"

#include "../../runtime/message_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16, P0 = 0, P1 = 1 };

struct trace {
    int entries;
    struct {
        bool sent;
        int node, sender, clock;
    } entry[MOST];
};

static struct run {
    struct hc_traffic event[2][MOST];
    int count[2], clock[2], first[2]; /* first: events before it are purged */
    int message_clock[MOST];
    uint32_t counter[2];
    uint32_t message_counter[MOST];
    struct trace trace[2];
} now;

static void begin(void)
{
    memset(&now, 0, sizeof now);
}

static void add(int node, bool sent, int sender, struct hc_traffic event)
{
    struct trace *t = &now.trace[node];

    t->entry[t->entries].sent = sent;
    t->entry[t->entries].node = node;
    t->entry[t->entries].sender = sender;
    t->entry[t->entries++].clock = now.clock[node];
    now.event[node][now.count[node]++] = event;
}

static void send(int node, int message)
{
    now.message_clock[message] = ++now.clock[node];
    now.message_counter[message] = now.counter[node]++;
    add(node, true, node,
        (struct hc_traffic){ .kind = HC_TRAFFIC_SEND,
                             .partner = (uint16_t)!node,
                             .counter = now.message_counter[message],
                             .time = HC_NO_TIME });
}

static void receive(int node, int message)
{
    uint32_t counter = now.message_counter[message];
    uint8_t number = hc_number(hc_number_gray((uint16_t)(counter / 64)), counter % 64);

    if (now.clock[node] < now.message_clock[message])
        now.clock[node] = now.message_clock[message];
    now.clock[node]++;
    add(node, false, !node,
        (struct hc_traffic){
            .kind = HC_TRAFFIC_RECEIVE, .partner = (uint16_t)!node, .counter = number, .time = HC_NO_TIME });
}

/* What came before is gone: also from the trace. */
static void purge(int node)
{
    now.first[node] = now.count[node];
    now.trace[node].entries = 0;
}

/* A local event: the clock goes on. */
static void pass(int node, int ticks)
{
    now.clock[node] += ticks;
}

/* The counter of the send that the last receive of NODE is paired with. */
static uint32_t paired(int node)
{
    struct hc_network_history history = { 0 };
    struct hc_pairing pairing;
    struct hc_pairing_options options = hc_pairing_default;
    uint32_t last = 0, counter;

    options.tail = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hc_network_history_add_node(&history, (uint16_t)i), 0);
        if (now.first[i])
            assert_int_equal(hc_network_history_add_gap(&history), 0);
        for (int k = now.first[i]; k < now.count[i]; k++) {
            if (i == node && now.event[i][k].kind == HC_TRAFFIC_RECEIVE)
                last = (uint32_t)history.event_count;
            assert_int_equal(hc_network_history_add(&history, &now.event[i][k]), 0);
        }
    }
    assert_int_equal(hc_pairing_make(&pairing, &history, &options), 0);
    assert_int_equal(pairing.receives[last].fate, HC_PAIRED);
    counter = history.events[pairing.receives[last].send].counter;
    hc_pairing_free(&pairing);
    hc_network_history_free(&history);
    return counter;
}

/* Both histories look the same to Lamport's clocks. */
static void assert_same_traces(const struct trace a[2], const struct trace b[2])
{
    for (int node = 0; node < 2; node++) {
        assert_int_equal(a[node].entries, b[node].entries);
        for (int i = 0; i < a[node].entries; i++) {
            assert_int_equal(a[node].entry[i].sent, b[node].entry[i].sent);
            assert_int_equal(a[node].entry[i].sender, b[node].entry[i].sender);
            assert_int_equal(a[node].entry[i].clock, b[node].entry[i].clock);
        }
    }
}

/* ---- (a) in order or not ---- */

static uint32_t reorder(bool overtaken, struct trace out[2])
{
    begin();
    send(P1, 0);
    send(P1, 1);
    pass(P0, 2);
    receive(P0, overtaken ? 1 : 0);
    receive(P0, overtaken ? 0 : 1);
    memcpy(out, now.trace, sizeof now.trace);
    return paired(P0);
}

static void test_reorder(void **state)
{
    struct trace in_order[2], overtaken[2];

    (void)state;
    assert_int_equal(reorder(false, in_order), 1);
    assert_int_equal(reorder(true, overtaken), 0);
    assert_same_traces(in_order, overtaken);
}

/* ---- (b) the first or the second is lost ---- */

static uint32_t lose(int lost, struct trace out[2])
{
    begin();
    send(P1, 0);
    send(P1, 1);
    pass(P0, 3);
    receive(P0, !lost);
    memcpy(out, now.trace, sizeof now.trace);
    return paired(P0);
}

static void test_loss(void **state)
{
    struct trace first[2], second[2];

    (void)state;
    assert_int_equal(lose(0, first), 1);
    assert_int_equal(lose(1, second), 0);
    assert_same_traces(first, second);
}

/* ---- (c) logs are purged, each node's when it is full ---- */

static uint32_t forget(int lost, struct trace out[2])
{
    begin();
    send(P0, 0);
    purge(P0);
    send(P0, 1);
    send(P0, 2);
    receive(P1, 0);
    pass(P1, 4);
    purge(P1);
    receive(P1, lost == 1 ? 2 : 1);
    memcpy(out, now.trace, sizeof now.trace);
    return paired(P1);
}

static void test_purge(void **state)
{
    struct trace first[2], second[2];

    (void)state;
    assert_int_equal(forget(1, first), 2);
    assert_int_equal(forget(2, second), 1);
    assert_same_traces(first, second);
    assert_int_equal(first[P1].entry[0].clock, 7); /* receive event 7 and sends 2 and 3, as in the figure */
    assert_int_equal(first[P0].entry[0].clock, 2);
    assert_int_equal(first[P0].entry[1].clock, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_reorder), cmocka_unit_test(test_loss),
                                        cmocka_unit_test(test_purge) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
