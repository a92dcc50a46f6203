/* Nine nodes that record, a link that is cut and mended, and a node that is reset: the messages that replays of their
 * logs tell of are those that happened, and each receive is paired with the send that it really belongs to.
 *
 * What happened is known from the emulated nodes: every send and receive as it comes. A message is on its way for far
 * less time than 64 others take, so the send of a receive is the last one before it with that number. */
#include "../field/network.h"
#include "causality/collect.h"
#include "causality/pairing.h"
#include "machine/board/telosb.h"
#include "runtime/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = 9, MOST = 20000 };

struct event {
    int node;
    uint16_t from, to;
    uint8_t number;
    bool sent;
    int send; /* of a receive: its send, -1: none */
};

/* mho-numbered; mho-numbered-region, which records its network stack; mho-messages, which records its messages and
 * nothing else; stacks in others' styles, in the same ways,
 * or -dsn, by the frames' own numbers. */
static const char *firmware;

static struct truth {
    struct network network;
    uint32_t mark;
    struct event event[MOST];
    int count;
    int of_node[NODES][MOST], counts[NODES];
    int real[MOST]; /* by event of the history: which it was */
} truth;

/* ---- what happens ---- */

static int send_of(const struct event *receive)
{
    for (int i = truth.count; i--;) {
        const struct event *e = &truth.event[i];
        if (e->sent && e->from == receive->from && e->to == receive->to && e->number == receive->number)
            return i;
    }
    return -1;
}

static void add(int node, struct event e)
{
    assert_true(truth.count < MOST);
    e.node = node;
    e.send = e.sent ? -1 : send_of(&e);
    assert_true(e.sent || e.send >= 0);
    truth.event[truth.count] = e;
    truth.of_node[node][truth.counts[node]++] = truth.count++;
}

static enum hc_action note(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_message_mark mark;

    (void)pc;
    hc_peek_bytes(m, truth.mark, (uint8_t *)&mark, sizeof mark);
    add((int)(intptr_t)owner, (struct event){ .from = (uint16_t)(mark.from[0] | mark.from[1] << 8),
                                              .to = (uint16_t)(mark.to[0] | mark.to[1] << 8),
                                              .number = mark.number,
                                              .sent = mark.kind == HC_MESSAGE_SENT });
    return HC_CONTINUE;
}

/* ---- without marks: the calls themselves ---- */

enum { SP = 1, FIRST_ARGUMENT = 12 };

static enum hc_action note_receive(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)pc;
    add((int)(intptr_t)owner, (struct event){ .from = (uint16_t)hc_register(m, FIRST_ARGUMENT),
                                              .to = (uint16_t)hc_register(m, FIRST_ARGUMENT + 1),
                                              .number = (uint8_t)hc_register(m, FIRST_ARGUMENT + 2) });
    return HC_CONTINUE;
}

static struct call {
    uint16_t from, to;
    uint32_t back; /* where it returns to, which has a hook */
} calls[NODES];

/* The call is over: the number is known. */
static enum hc_action note_sent(void *owner, struct hc_machine *m, uint32_t pc)
{
    int node = (int)(intptr_t)owner;

    (void)pc;
    add(node, (struct event){ .from = calls[node].from,
                              .to = calls[node].to,
                              .number = (uint8_t)hc_register(m, FIRST_ARGUMENT),
                              .sent = true });
    return HC_CONTINUE;
}

static enum hc_action note_send(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct call *call = &calls[(intptr_t)owner];
    uint8_t back[2];

    (void)pc;
    hc_peek_bytes(m, hc_register(m, SP), back, sizeof back);
    call->from = (uint16_t)hc_register(m, FIRST_ARGUMENT);
    call->to = (uint16_t)hc_register(m, FIRST_ARGUMENT + 1);
    if (!call->back)
        hc_hook_pc(m, back[0] | (uint32_t)back[1] << 8, note_sent, owner);
    call->back = back[0] | (uint32_t)back[1] << 8;
    return HC_CONTINUE;
}

static void listen(int node)
{
    struct hc_machine *m = hc_world_board(truth.network.world, node)->machine;
    struct hc_symbol mark, send, receive;

    if (hc_image_symbol(truth.network.image, "__hc_message", &mark)) {
        assert_true(hc_image_symbol(truth.network.image, "__hc_message_mark", &send) ||
                    hc_image_symbol(truth.network.image, "__hc_message_mark.region", &send));
        truth.mark = mark.address;
        hc_hook_pc(m, send.address, note, (void *)(intptr_t)node);
        return;
    }
    assert_true(hc_image_symbol(truth.network.image, "hc_message_send", &send));
    assert_true(hc_image_symbol(truth.network.image, "hc_message_receive", &receive));
    hc_hook_pc(m, send.address, note_send, (void *)(intptr_t)node);
    hc_hook_pc(m, receive.address, note_receive, (void *)(intptr_t)node);
}

static void run(void)
{
    network_start(&truth.network, firmware, NODES);
    network_grid(&truth.network, 3, 20000);
    network_cut(&truth.network, 0, 1, 20 * HC_SECOND, 40 * HC_SECOND);
    for (int i = 0; i < NODES; i++)
        listen(i);
    network_run(&truth.network, 35 * HC_SECOND);
    hc_machine_reset(hc_world_board(truth.network.world, 4)->machine, HC_PUC);
    network_run(&truth.network, 90 * HC_SECOND);
}

/* ---- what the logs say ---- */

static void collect(struct hc_network_history *history)
{
    char path[] = "/tmp/hindcast-network-XXXXXX", text[200];
    struct hc_replay_message message;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < NODES; i++) {
        if (hc_m25p80_save_file(hc_world_board(truth.network.world, i)->flash, path, text, sizeof text))
            fail_msg("%s", text);
        if (hc_collect(history, truth.network.image, path, &(struct hc_collect_options){ .id = -1 }, &message))
            fail_msg("node %d: %s", i, message.text);
        assert_int_equal(history->nodes[i].address, i);
    }
    unlink(path);
}

static bool same(const struct hc_traffic *t, const struct event *e)
{
    return (t->kind == HC_TRAFFIC_SEND) == e->sent && t->partner == (e->sent ? e->to : e->from) &&
           (e->sent || t->counter == e->number);
}

static bool is_gap(const struct hc_network_history_node *node, uint32_t at)
{
    for (size_t i = 0; i < node->gap_count; i++)
        if (node->gaps[i].at == at)
            return true;
    return false;
}

/* Behind a gap the log goes on where so many events happened as it says. */
static int after_gap(const struct hc_network_history *history, int node, uint32_t at, int place)
{
    enum { ENOUGH = 12 };
    const struct hc_network_history_node *n = &history->nodes[node];

    for (;; place++) {
        uint32_t i = 0;
        while (i < ENOUGH && at + i < n->count && place + (int)i < truth.counts[node] &&
               same(&history->events[n->first + at + i], &truth.event[truth.of_node[node][place + (int)i]]))
            i++;
        if (i == ENOUGH || at + i == n->count)
            return place;
        assert_true(place < truth.counts[node]);
    }
}

/* Which of the events that happened is each event of the history. */
static void place_all(const struct hc_network_history *history)
{
    for (int node = 0; node < NODES; node++) {
        const struct hc_network_history_node *n = &history->nodes[node];
        int place = 0;
        for (uint32_t i = 0; i < n->count; i++) {
            if (is_gap(n, i))
                place = after_gap(history, node, i, place);
            assert_true(place < truth.counts[node]);
            truth.real[n->first + i] = truth.of_node[node][place++];
        }
    }
}

static void compare(const struct hc_network_history *history, const struct hc_pairing *pairing)
{
    int paired = 0;

    assert_true(history->event_count < MOST);
    place_all(history);
    for (uint32_t i = 0; i < history->event_count; i++) {
        const struct hc_traffic *t = &history->events[i];
        const struct event *e = &truth.event[truth.real[i]];
        const struct hc_pairing_receive *r = &pairing->receives[i];
        assert_true(same(t, e));
        if (e->sent)
            continue;
        assert_true(r->fate != HC_CONTRADICTED && r->fate != HC_FOREIGN);
        if (r->fate == HC_PAIRED)
            assert_int_equal(truth.real[r->send], e->send);
        paired += r->fate == HC_PAIRED;
    }
    print_message(
        "%d messages happened, %zu are in the logs; %d receives paired rightly, %zu undecided, %zu not in the log\n",
        truth.count, history->event_count, paired, pairing->counts[HC_UNDECIDED], pairing->counts[HC_UNLOGGED]);
    assert_true(paired > 1000);
    assert_true((int)history->event_count > truth.count * 8 / 10);
}

static void test_network(void **state)
{
    struct hc_network_history history = { 0 };
    struct hc_pairing_options options = hc_pairing_default;
    struct hc_pairing pairing;

    (void)state;
    run();
    collect(&history);
    assert_int_equal(history.numbers, strstr(firmware, "-dsn") ? HC_NUMBERS_STACK : HC_NUMBERS_ADDED);
    if (history.numbers == HC_NUMBERS_STACK)
        options.numbering = hc_numbering_stack;
    assert_int_equal(hc_pairing_make(&pairing, &history, &options), 0);
    compare(&history, &pairing);
    hc_pairing_free(&pairing);
    hc_network_history_free(&history);
    network_stop(&truth.network);
}

/* test_network FIRMWARE */
int main(int argc, char **argv)
{
    firmware = argc > 1 ? argv[1] : "mho-numbered";
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_network) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
