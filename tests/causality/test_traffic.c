/* Pairing of a million messages: random traffic over channels that lose, reorder and duplicate, with wrap-around, long
 * outages, reboots and purged logs, beside what really happened. No pairing may be wrong. */
#include "../support/skip.h"
#include "causality/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DELAY = 24, NEIGHBOURS = 6 };

/* How bad the network is. Probabilities in 1/1000. */
struct weather {
    const char *name;
    int nodes, messages;
    int loss, duplicates, broadcasts;
    int outages;   /* a link is away for some thousand messages */
    int reboots;   /* in 1/1000000 of steps */
    int purges;    /* of each node's log: how many stretches are thrown away */
    int undecided; /* of receives, at most, in 1/1000 */
};

struct flight {
    uint32_t from, to, counter, due;
    bool broadcast;
};

struct link {
    uint32_t sent, heard; /* counters: the next, and the highest that was received */
    uint32_t away;        /* messages that will be lost */
};

struct network {
    const struct weather *weather;
    uint64_t random;
    struct hc_traffic **events; /* by node */
    uint32_t **truth;           /* counter of each event */
    size_t *count, *room;
    struct link *unicast, *broadcast; /* by node and neighbour */
    uint32_t *next_broadcast;
    struct flight *air;
    size_t flying;
};

static uint32_t draw(struct network *n, uint32_t below)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 7;
    n->random ^= n->random << 17;
    return (uint32_t)((n->random >> 20) % below);
}

static bool happens(struct network *n, int in_1000)
{
    return draw(n, 1000) < (uint32_t)in_1000;
}

static uint32_t neighbour(const struct network *n, uint32_t node, uint32_t which)
{
    static const int steps[NEIGHBOURS] = { 1, 2, 5, -1, -2, -5 };
    int nodes = n->weather->nodes;

    return (uint32_t)(((int)node + steps[which] + nodes) % nodes);
}

static void add(struct network *n, uint32_t node, struct hc_traffic event, uint32_t truth)
{
    if (n->count[node] == n->room[node]) {
        n->room[node] = n->room[node] ? 2 * n->room[node] : 256;
        n->events[node] = realloc(n->events[node], n->room[node] * sizeof **n->events);
        n->truth[node] = realloc(n->truth[node], n->room[node] * sizeof **n->truth);
        assert_true(n->events[node] && n->truth[node]);
    }
    n->truth[node][n->count[node]] = truth;
    n->events[node][n->count[node]++] = event;
}

static void launch(struct network *n, uint32_t from, uint32_t which, struct link *link, uint32_t counter,
                   bool broadcast, uint32_t now)
{
    uint32_t to = neighbour(n, from, which);

    if (!link->away && n->weather->outages && draw(n, 20000) < (uint32_t)n->weather->outages)
        link->away = 1 + draw(n, 4000);
    if (link->away) {
        link->away--;
        return;
    }
    for (int copies = 1 + happens(n, n->weather->duplicates); copies--;)
        if (!happens(n, n->weather->loss))
            n->air[n->flying++] = (struct flight){ from, to, counter, now + 1 + draw(n, DELAY), broadcast };
}

static void send(struct network *n, uint32_t now)
{
    uint32_t from = draw(n, (uint32_t)n->weather->nodes);
    bool broadcast = happens(n, n->weather->broadcasts);
    uint32_t which = draw(n, NEIGHBOURS);
    struct link *link = &n->unicast[from * NEIGHBOURS + which];
    uint32_t counter = broadcast ? n->next_broadcast[from]++ : link->sent++;
    uint16_t to = broadcast ? HC_BROADCAST : (uint16_t)neighbour(n, from, which);

    add(n, from,
        (struct hc_traffic){ .kind = HC_TRAFFIC_SEND, .partner = to, .broadcast = broadcast, .counter = counter },
        counter);
    if (!broadcast)
        launch(n, from, which, link, counter, false, now);
    for (which = 0; broadcast && which < NEIGHBOURS; which++)
        launch(n, from, which, &n->broadcast[from * NEIGHBOURS + which], counter, true, now);
}

/* Which neighbour TO is to FROM. */
static uint32_t which_is(const struct network *n, uint32_t from, uint32_t to)
{
    uint32_t which = 0;

    while (neighbour(n, from, which) != to)
        which++;
    return which;
}

static void arrive(struct network *n, const struct flight *f)
{
    struct link *link = &(f->broadcast ? n->broadcast : n->unicast)[f->from * NEIGHBOURS + which_is(n, f->from, f->to)];

    if (link->heard >= f->counter + hc_pairing_default.window)
        return; /* too late */
    if (f->counter > link->heard)
        link->heard = f->counter;
    add(n, f->to,
        (struct hc_traffic){ .kind = HC_TRAFFIC_RECEIVE,
                             .partner = (uint16_t)f->from,
                             .broadcast = f->broadcast,
                             .counter = hc_numbering_number(&hc_pairing_default.numbering, f->counter) },
        f->counter);
}

static void land(struct network *n, uint32_t now)
{
    for (size_t i = 0; i < n->flying;) {
        if (n->air[i].due > now) {
            i++;
            continue;
        }
        struct flight f = n->air[i];
        n->air[i] = n->air[--n->flying];
        arrive(n, &f);
    }
}

/* Counters go on at the next 64 * 256: a node knows how often it was started, not what it had sent. */
static void reboot(struct network *n)
{
    uint32_t node = draw(n, (uint32_t)n->weather->nodes);

    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        struct link *link = &n->unicast[node * NEIGHBOURS + i];
        link->sent = (link->sent | (64 * 256 - 1)) + 1;
    }
    n->next_broadcast[node] = (n->next_broadcast[node] | (64 * 256 - 1)) + 1;
}

static void run(struct network *n)
{
    for (uint32_t now = 0; now < (uint32_t)n->weather->messages; now++) {
        send(n, now);
        land(n, now);
        if (draw(n, 1000000) < (uint32_t)n->weather->reboots)
            reboot(n);
    }
}

/* ---- what is left of the logs ---- */

/* Some stretches of a node's log are thrown away, its beginning among them. */
static void record(struct network *n, struct hc_network_history *history, uint32_t *truth, uint32_t node)
{
    size_t count = n->count[node], purged = (size_t)n->weather->purges, length = count / (4 * (purged + 1));
    bool gone = false;

    assert_int_equal(hc_network_history_add_node(history, (uint16_t)node), 0);
    for (size_t i = 0; i < count; i++) {
        bool was_gone = gone;
        gone = purged && i % (count / purged) < length;
        if (gone)
            continue;
        if (was_gone)
            assert_int_equal(hc_network_history_add_gap(history), 0);
        truth[history->event_count] = n->truth[node][i];
        assert_int_equal(hc_network_history_add(history, &n->events[node][i]), 0);
    }
    if (purged)
        assert_int_equal(hc_network_history_add_gap(history), 0);
}

static void check(const struct hc_network_history *history, const struct hc_pairing *p, const uint32_t *truth)
{
    for (uint32_t event = 0; event < history->event_count; event++) {
        const struct hc_pairing_receive *r = &p->receives[event];
        if (history->events[event].kind != HC_TRAFFIC_RECEIVE)
            continue;
        if (r->fate == HC_PAIRED && (history->events[r->send].counter != truth[event] ||
                                     history->nodes[p->node_of[r->send]].address != history->events[event].partner))
            fail_msg("event %u: paired with counter %u, truth %u", event, history->events[r->send].counter,
                     truth[event]);
        if (r->low > truth[event] || r->high < truth[event])
            fail_msg("event %u: counters %u to %u, truth %u, fate %d", event, r->low, r->high, truth[event], r->fate);
    }
}

/* Causes come before effects. */
static void check_order(const struct hc_network_history *history, const struct hc_pairing *p)
{
    uint32_t *place = malloc(history->event_count * sizeof *place);

    assert_non_null(place);
    for (uint32_t i = 0; i < history->event_count; i++)
        place[p->order[i]] = i;
    for (uint32_t event = 0; event < history->event_count; event++) {
        if (event && p->node_of[event] == p->node_of[event - 1])
            assert_true(place[event - 1] < place[event]);
        if (history->events[event].kind == HC_TRAFFIC_RECEIVE && p->receives[event].fate == HC_PAIRED)
            assert_true(place[p->receives[event].send] < place[event]);
    }
    free(place);
}

static void judge(struct network *n)
{
    struct hc_network_history history = { 0 };
    struct hc_pairing pairing;
    size_t events = 0, receives = 0;

    for (int i = 0; i < n->weather->nodes; i++)
        events += n->count[i];
    uint32_t *truth = malloc(events * sizeof *truth);
    for (uint32_t i = 0; i < (uint32_t)n->weather->nodes; i++)
        record(n, &history, truth, i);
    assert_int_equal(hc_pairing_make(&pairing, &history, &hc_pairing_default), 0);
    for (int fate = 0; fate <= HC_CONTRADICTED; fate++)
        receives += pairing.counts[fate];
    print_message("%-9s %7zu receives: %zu paired, %zu undecided, %zu not in the sender's log\n", n->weather->name,
                  receives, pairing.counts[HC_PAIRED], pairing.counts[HC_UNDECIDED], pairing.counts[HC_UNLOGGED]);
    check(&history, &pairing, truth);
    check_order(&history, &pairing);
    assert_int_equal(pairing.counts[HC_CONTRADICTED] + pairing.counts[HC_FOREIGN], 0);
    assert_true(pairing.counts[HC_UNDECIDED] * 1000 <= receives * (size_t)n->weather->undecided);
    hc_pairing_free(&pairing);
    hc_network_history_free(&history);
    free(truth);
}

static void start(struct network *n, const struct weather *weather)
{
    size_t nodes = (size_t)weather->nodes, links = nodes * NEIGHBOURS;

    *n = (struct network){ .weather = weather, .random = 0x9e3779b97f4a7c15u };
    n->events = calloc(nodes, sizeof *n->events);
    n->truth = calloc(nodes, sizeof *n->truth);
    n->count = calloc(nodes, sizeof *n->count);
    n->room = calloc(nodes, sizeof *n->room);
    n->unicast = calloc(links, sizeof *n->unicast);
    n->broadcast = calloc(links, sizeof *n->broadcast);
    n->next_broadcast = calloc(nodes, sizeof *n->next_broadcast);
    n->air = calloc(DELAY * 2 * NEIGHBOURS + 64, sizeof *n->air);
    assert_true(n->events && n->truth && n->count && n->room && n->unicast && n->broadcast && n->next_broadcast &&
                n->air);
}

static void stop(struct network *n)
{
    for (int i = 0; i < n->weather->nodes; i++) {
        free(n->events[i]);
        free(n->truth[i]);
    }
    free(n->events);
    free(n->truth);
    free(n->count);
    free(n->room);
    free(n->unicast);
    free(n->broadcast);
    free(n->next_broadcast);
    free(n->air);
}

static const struct weather weathers[] = {
    { "fair", 20, 200000, 20, 5, 200, 0, 0, 0, 0 },        { "lossy", 20, 200000, 300, 20, 300, 0, 0, 0, 0 },
    { "outages", 20, 200000, 100, 20, 300, 10, 0, 0, 10 }, { "reboots", 20, 200000, 100, 20, 300, 4, 100, 0, 20 },
    { "purges", 20, 200000, 100, 20, 300, 4, 100, 3, 60 },
};

static void test_weathers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof weathers / sizeof *weathers; i++) {
        struct weather weather = weathers[i];
        struct network n;
        if (getenv("HINDCAST_SMALL"))
            weather.messages /= 20;
        start(&n, &weather);
        run(&n);
        judge(&n);
        stop(&n);
    }
}

/* A thousand nodes. */
static void test_large(void **state)
{
    static const struct weather large = { "large", 1000, 1000000, 200, 10, 100, 4, 100, 1, 100 };
    struct network n;

    (void)state;
    if (getenv("HINDCAST_SMALL"))
        SKIP_BECAUSE("a thousand nodes take too long under sanitizers (HINDCAST_SMALL)");
    start(&n, &large);
    run(&n);
    judge(&n);
    stop(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weathers),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
