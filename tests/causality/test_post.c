/* Messages of emulated nodes that record them, over channels that lose, repeat and reorder them: every pair that the
 * desk makes of the nodes' flash chips is one that happened.
 *
 *   test_post IMAGE [MESSAGES [SEED [purged]]]
 *
 * Nodes run firmware (post.c) with the recorder of depth `messages`, or `all`; the test says which message each of them
 * sends or receives next, and is the air between them: it knows which send a receive belongs to. Counters come round,
 * nodes are reset and lose their supply at any moment, links are out for long, logs are small and come round. */
#include "causality/collect.h"
#include "causality/pairing.h"
#include "machine/board/telosb.h"
#include "machine/device/msp430x1xx/port.h"
#include "runtime/messages.h"
#include "runtime/traffic/layout.h"
#include "runtime/traffic/model.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = 5, FLIGHT = 24, WINDOW = 32, PATIENCE = 60 };

struct event {
    uint64_t counter; /* of a send, or of the message that was received: above 22 bits, the sender's life */
    uint32_t send;    /* of a receive: index in the sender's events */
    uint16_t partner; /* destination or source */
    uint8_t number;
    bool sent, broadcast;
};

struct message { /* on its way */
    uint64_t counter;
    uint32_t send;
    uint16_t from, to;
    uint8_t number;
};

static struct node {
    struct harness h;
    struct event *events;
    uint32_t count, room;
    uint64_t life;
    struct message flight[FLIGHT]; /* to this node */
    int flying;
    uint64_t newest[NODES][2]; /* counter + 1 of what came from them, alone and to all */
    uint64_t out_until[NODES]; /* nothing comes from them before so many messages */
    hc_wire pin[8];            /* of port 6, and its drivers: what it reads, at depth `all` */
    int driver[8];
} nodes[NODES];

static struct {
    const char *image;
    bool all, stack; /* depth; numbers are the radio stack's */
    bool purged; /* logs of depth `all` do not say how often power was lost before they begin: all may be undecided */
    const struct hc_numbering *numbering;
    uint64_t messages, seed, state, sent, received, twice, overtaken, lost;
    uint64_t reboots, outages;
} t = { .messages = 20000, .seed = 1 };

static uint32_t below(uint32_t n)
{
    t.state = t.state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((t.state >> 33) % n);
}

/* ---- the nodes ---- */

static struct event *add(struct node *n)
{
    if (n->count == n->room) {
        n->room = n->room ? 2 * n->room : 1024;
        n->events = realloc(n->events, n->room * sizeof *n->events);
        assert_non_null(n->events);
    }
    return &n->events[n->count++];
}

static void to_next(struct node *n)
{
    harness_run_to(&n->h, "post_next", hc_now(n->h.machine) + PATIENCE * HC_SECOND);
}

/* Past the hook, and on to where it is the next time. */
static void pass(struct node *n)
{
    hc_machine_step(n->h.machine, 1, hc_now(n->h.machine) + HC_SECOND);
    to_next(n);
}

/* BYTE is what the node reads. */
static void show(struct node *n, uint8_t byte)
{
    for (int i = 0; i < 8; i++)
        hc_wire_drive(n->h.machine, n->pin[i], n->driver[i], byte >> i & 1 ? HC_HIGH : HC_LOW);
    pass(n);
}

static void post(struct node *n, uint16_t from, uint16_t to, bool received, uint8_t number)
{
    uint8_t letter[6] = { (uint8_t)from, (uint8_t)(from >> 8), (uint8_t)to, (uint8_t)(to >> 8), received, number };
    uint32_t at = harness_address(&n->h, "letter");

    for (uint32_t i = 0; i < sizeof letter; i++) {
        if (t.all)
            show(n, letter[i]);
        else
            hc_poke(n->h.machine, at + i, letter[i]);
    }
    if (!t.all)
        pass(n);
}

/* The counter of what was sent last, from the marks that a replay will make again. */
static uint64_t marked_counter(const struct node *n)
{
    struct hc_message_mark mark;

    hc_peek_bytes(n->h.machine, harness_address(&n->h, "__hc_message"), (uint8_t *)&mark, sizeof mark);
    uint64_t epoch = n->life << 16 | (uint64_t)(mark.epoch[0] | mark.epoch[1] << 8);
    return epoch << t.numbering->low_bits | (mark.number & ((1u << t.numbering->low_bits) - 1));
}

/* From the recorder's own tables. */
static uint64_t counter_of(const struct node *n, uint8_t number)
{
    struct hc_traffic_channel c;
    uint32_t at = harness_address(&n->h, "__hc_ram") + HC_TRAFFIC_RAM_CHANNELS;

    hc_peek_bytes(n->h.machine, at, (uint8_t *)&c, sizeof c);
    uint64_t next = (uint64_t)(c.round[0] | c.round[1] << 8) << HC_NUMBER_LOW_BITS | c.next / HC_TRAFFIC_ONE;
    uint64_t counter = next - 1;
    assert_int_equal(counter & HC_NUMBER_LOW, number & HC_NUMBER_LOW);
    return n->life << HC_NUMBER_COUNTER_BITS | (counter & ((1u << HC_NUMBER_COUNTER_BITS) - 1));
}

static void start(struct node *n, int id)
{
    struct hc_telosb_config config = { .node_id = (uint16_t)id, .seed = t.seed * NODES + (uint64_t)id };
    struct hc_telosb *board = hc_telosb_new(&config, NULL);

    assert_non_null(board);
    memset(n, 0, sizeof *n);
    n->h = (struct harness){ .board = board, .machine = board->machine };
    n->h.image = harness_fill(board->machine, t.image);
    for (int i = 0; i < 8; i++) {
        n->pin[i] = hc_port_pin(board->chip.ports, 6, i);
        n->driver[i] = hc_wire_driver(board->machine, n->pin[i]);
    }
    struct hc_symbol symbol;
    t.all = hc_image_symbol(n->h.image, "__hc_message", &symbol);
    t.stack = hc_image_symbol(n->h.image, "hc_message_sent", &symbol);
    t.numbering = t.stack ? &hc_numbering_stack : &hc_numbering_recorder;
    hc_machine_reset(board->machine, HC_POR);
    to_next(n);
}

/* In the middle of something, or between two letters. */
static void reboot(struct node *n)
{
    bool power = below(4) == 0;

    t.reboots++;
    if (power)
        hc_machine_power_off(n->h.machine, below(1000));
    n->life += power;
    hc_machine_reset(n->h.machine, power ? HC_POR : HC_PUC);
    to_next(n);
}

/* ---- the air ---- */

static void fly(struct node *to, int from, const struct message *m)
{
    if (below(100) < 12 || t.sent < to->out_until[from] || to->flying == FLIGHT) {
        t.lost++;
        return;
    }
    to->flight[to->flying++] = *m;
    if (below(100) < 5 && to->flying < FLIGHT) {
        to->flight[to->flying++] = *m;
        t.twice++;
    }
}

static void send(int from)
{
    struct node *n = &nodes[from];
    uint16_t to = below(3) ? (uint16_t)((from + 1 + (int)below(NODES - 1)) % NODES) : HC_MESSAGE_TO_ALL;
    struct event *e = add(n);

    post(n, (uint16_t)from, to, false, 0);
    uint8_t number = (uint8_t)harness_get8(&n->h, "letter", 5);
    *e = (struct event){ .counter = t.all ? marked_counter(n) : counter_of(n, number),
                         .partner = to,
                         .number = number,
                         .sent = true,
                         .broadcast = to == HC_MESSAGE_TO_ALL };
    t.sent++;
    struct message m = { e->counter, n->count - 1, (uint16_t)from, to, number };
    for (int i = 0; i < NODES; i++)
        if (i != from && (to == i || to == HC_MESSAGE_TO_ALL))
            fly(&nodes[i], from, &m);
}

/* One of those on their way, not always the oldest. One that too many have overtaken is lost. */
static void receive(int to)
{
    struct node *n = &nodes[to];
    int which = below(3) ? 0 : (int)below((uint32_t)n->flying);
    struct message m = n->flight[which];
    uint64_t *newest = &n->newest[m.from][m.to == HC_MESSAGE_TO_ALL];

    memmove(&n->flight[which], &n->flight[which + 1], (size_t)(--n->flying - which) * sizeof m);
    if (*newest && m.counter + WINDOW < *newest) {
        t.lost++;
        return;
    }
    t.overtaken += m.counter + 1 < *newest;
    *newest = m.counter + 1 > *newest ? m.counter + 1 : *newest;
    *add(n) = (struct event){ .counter = m.counter,
                              .send = m.send,
                              .partner = m.from,
                              .number = m.number,
                              .broadcast = m.to == HC_MESSAGE_TO_ALL };
    post(n, m.from, m.to, true, m.number);
    t.received++;
}

static void live(void)
{
    t.state = t.seed * 7919 + 1;
    for (int i = 0; i < NODES; i++)
        start(&nodes[i], i);
    while (t.sent < t.messages) {
        int who = (int)below(NODES);
        if (nodes[who].flying > (int)below(8))
            receive(who);
        else
            send(who);
        if (below(4000) == 0)
            reboot(&nodes[below(NODES)]);
        if (below(3000) == 0) {
            nodes[below(NODES)].out_until[below(NODES)] = t.sent + below(2000);
            t.outages++;
        }
    }
}

/* ---- what the logs say ---- */

static void collect(struct hc_network_history *history)
{
    char path[] = "/tmp/hindcast-post-XXXXXX", text[200];
    struct hc_replay_message message;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < NODES; i++) {
        if (hc_m25p80_save_file(nodes[i].h.board->flash, path, text, sizeof text))
            fail_msg("%s", text);
        if (hc_collect(history, nodes[i].h.image, path, &(struct hc_collect_options){ .id = -1 }, &message))
            fail_msg("node %d: %s", i, message.text);
        assert_int_equal(history->nodes[i].address, i);
    }
    unlink(path);
}

static bool same(const struct hc_traffic *a, const struct event *b)
{
    if ((a->kind == HC_TRAFFIC_SEND) != b->sent || a->broadcast != b->broadcast || a->partner != b->partner)
        return false;
    if (!b->sent)
        return a->counter == b->number;
    return ((a->counter ^ b->counter) & ((1u << hc_numbering_counter_bits(t.numbering)) - 1)) == 0;
}

/* COUNT events of the log without a gap between them happened so, from AT on or later; returns where. */
static uint32_t find(const struct node *n, const struct hc_traffic *run, uint32_t count, uint32_t at)
{
    for (; at + count <= n->count; at++) {
        uint32_t i = 0;
        while (i < count && same(&run[i], &n->events[at + i]))
            i++;
        if (i == count)
            return at;
    }
    fail_msg("%u events of a log did not happen (seed %llu)", count, (unsigned long long)t.seed);
    return 0;
}

/* A stretch without a send, or a short one, may have happened at several places. */
static bool is_placed(const struct hc_traffic *run, uint32_t count)
{
    uint32_t sends = 0;

    for (uint32_t i = 0; i < count; i++)
        sends += run[i].kind == HC_TRAFFIC_SEND;
    return sends && count >= 4;
}

enum { UNPLACED = UINT32_MAX };

/* By event of the history: which event of its node that was. */
static uint32_t *place(const struct hc_network_history *history)
{
    uint32_t *places = malloc((history->event_count + 1) * sizeof *places);

    assert_non_null(places);
    for (uint32_t k = 0; k < history->node_count; k++) {
        const struct hc_network_history_node *h = &history->nodes[k];
        uint32_t at = 0, first = 0;
        for (size_t gap = 0; gap <= h->gap_count; gap++) {
            uint32_t end = gap < h->gap_count ? h->gaps[gap].at : h->count, count = end - first;
            const struct hc_traffic *run = &history->events[h->first + first];
            bool placed = count && is_placed(run, count);
            if (placed)
                at = find(&nodes[k], run, count, at);
            for (uint32_t i = 0; i < count; i++)
                places[h->first + first + i] = placed ? at + i : UNPLACED;
            at += placed ? count : 0;
            first = end;
        }
    }
    return places;
}

static void compare(const struct hc_network_history *history, const struct hc_pairing *pairing)
{
    uint32_t *places = place(history);
    size_t paired = 0, wrong = 0, unplaced = 0, contradicted = 0;

    for (uint32_t i = 0; i < history->event_count; i++) {
        const struct hc_pairing_receive *r = &pairing->receives[i];
        unplaced += places[i] == UNPLACED;
        if (history->events[i].kind == HC_TRAFFIC_SEND || places[i] == UNPLACED)
            continue;
        assert_true(r->fate != HC_FOREIGN);
        contradicted += r->fate == HC_CONTRADICTED;
        if (r->fate != HC_PAIRED || places[r->send] == UNPLACED)
            continue;
        const struct event *e = &nodes[pairing->node_of[i]].events[places[i]];
        paired++;
        wrong += places[r->send] != e->send || pairing->node_of[r->send] != e->partner;
    }
    print_message(
        "%llu messages sent, %llu received: %llu lost, %llu twice, %llu overtaken; %llu resets, %llu outages\n",
        (unsigned long long)t.sent, (unsigned long long)t.received, (unsigned long long)t.lost,
        (unsigned long long)t.twice, (unsigned long long)t.overtaken, (unsigned long long)t.reboots,
        (unsigned long long)t.outages);
    print_message(
        "%zu events are in the logs, %zu in stretches too short to say which; %zu receives paired, %zu wrong, %zu "
        "fit nothing, %zu undecided, %zu whose send is in no log\n",
        history->event_count, unplaced, paired, wrong, contradicted, pairing->counts[HC_UNDECIDED],
        pairing->counts[HC_UNLOGGED]);
    assert_int_equal(wrong, 0);
    assert_int_equal(contradicted, 0);
    assert_true((paired > t.received / 20 || t.purged) && unplaced < history->event_count / 50 + 100);
    free(places);
}

static void test_post(void **state)
{
    struct hc_network_history history = { 0 };
    struct hc_pairing_options options = hc_pairing_default;
    struct hc_pairing pairing;

    (void)state;
    live();
    options.numbering = *t.numbering;
    collect(&history);
    assert_int_equal(hc_pairing_make(&pairing, &history, &options), 0);
    compare(&history, &pairing);
    hc_pairing_free(&pairing);
    hc_network_history_free(&history);
    for (int i = 0; i < NODES; i++) {
        harness_stop(&nodes[i].h);
        free(nodes[i].events);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_post) };

    t.image = argc > 1 ? argv[1] : "post.elf";
    if (argc > 2)
        t.messages = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        t.seed = strtoull(argv[3], NULL, 10);
    t.purged = argc > 4;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
