/* The recorder of messages, compiled for the host, and the reader of its logs: random traffic with losses, duplicates,
 * late messages, more partners than there is room for, resets at any moment between two calls, losses of power in the
 * middle of writing, a log that comes round, a sink that is busy. What the log says is what happened, event by event;
 * where events are missing it says so.
 *
 *   test_traffic_log [FIRST COUNT] */
#define __HINDCAST__ 1
#define __HINDCAST_MESSAGES__ 1
#define HC_LOG_START 0x1000
#define HC_LOG_END 0x9000
#define HC_LOG_SECTOR 0x1000
#define HC_FLUSH 10
#include "trace/traffic.h"

#include "../../runtime/traffic/record.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 60000, CAUSE = 0x11 };

uint16_t test_memory[1];

static struct {
    uint64_t state;
    uint8_t flash[HC_LOG_END];
    bool busy, refuses;
    int power; /* bytes that can still be written before power is lost; negative: any number */
    struct hc_traffic_event event[MOST];
    int count;
    int at; /* of the truth, while comparing */
    bool gap;
    struct hc_traffic_event run[MOST];
    int run_count, matched, gaps;
    unsigned seed;
} t;

static uint32_t below(uint32_t n)
{
    t.state = t.state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((t.state >> 33) % n);
}

/* ---- the sink ---- */

bool hc_port_may_write(bool urgent)
{
    (void)urgent;
    return !t.refuses;
}

bool hc_piece_open(uint8_t kept[HC_SINK_KEPT])
{
    (void)kept;
    return !t.busy;
}

bool hc_piece_close(const uint8_t kept[HC_SINK_KEPT])
{
    (void)kept;
    return !t.busy;
}

void hc_piece_erase(uint16_t page)
{
    assert_true(page % (HC_LOG_SECTOR / 256) == 0 && page * 256u >= HC_LOG_START && page * 256u < HC_LOG_END);
    memset(t.flash + page * 256, 0xff, HC_LOG_SECTOR);
    t.busy = below(4) == 0;
}

static void program(uint32_t at, uint8_t byte)
{
    if (t.power == 0)
        return;
    t.power -= t.power > 0;
    t.flash[at] &= byte;
}

void hc_piece_write(uint16_t page, uint8_t offset, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    uint32_t at = page * 256u + offset;
    uint8_t piece[HC_PAGE_SIZE] = { head };

    assert_true(offset + size + 2 <= 256 && at >= HC_LOG_START && at < HC_LOG_END);
    memcpy(piece + 1, bytes, size);
    piece[size + 1] = hc_traffic_check_of(piece, (size_t)size + 1);
    for (int i = 0; i < size + 2; i++)
        program(at++, piece[i]);
}

void hc_piece_read(uint16_t page, uint8_t *bytes, uint8_t size)
{
    memcpy(bytes, t.flash + page * 256, size);
}

/* ---- what happens ---- */

static struct hc_traffic_event *happen(enum hc_traffic_event_kind kind)
{
    assert_true(t.count < MOST);
    struct hc_traffic_event *e = &t.event[t.count++];
    *e = (struct hc_traffic_event){ .kind = kind };
    return e;
}

static struct {
    uint16_t epoch;
    uint8_t n;
} peers[64][2]; /* what they send to this node, and to all */

static void receive(int partners)
{
    unsigned from = below((uint32_t)partners), all = below(2), loss = below(20);
    struct hc_traffic_event *e = happen(HC_TRAFFIC_EVENT_RECEIVED);
    unsigned late = below(30) == 0 ? below(5) : 0;
    uint32_t counter;

    if (loss == 0)
        peers[from][all].n += below(100);
    if (loss == 1)
        peers[from][all].epoch += (uint16_t)below(70);
    counter = (uint32_t)peers[from][all].epoch * 64 + peers[from][all].n++ - late;
    e->broadcast = all;
    e->partner = (uint16_t)(100 + from * 300);
    e->number = hc_number(hc_number_gray((uint16_t)(counter / 64)), counter % 64);
    hc_message_receive(e->partner, all ? HC_MESSAGE_TO_ALL : 7, e->number);
}

static void send(int partners)
{
    struct hc_traffic_event *e = happen(HC_TRAFFIC_EVENT_SENT);

    e->broadcast = below(3) == 0;
    e->partner = e->broadcast ? HC_MESSAGE_TO_ALL : (uint16_t)(100 + below((uint32_t)partners) * 300);
    e->number = hc_message_send(7, e->partner);
}

static void reset(void)
{
    started = false;
    t.busy = false;
    if (below(4)) {
        happen(HC_TRAFFIC_EVENT_RESET);
        return;
    }
    for (size_t i = 0; i < sizeof ram; i++)
        ((uint8_t *)&ram)[i] = (uint8_t)below(256);
    t.power = -1;
    happen(HC_TRAFFIC_EVENT_GAP);
}

static void live(uint64_t seed, int events)
{
    t.state = seed * 7919;
    t.busy = t.refuses = false;
    test_memory[0] = 0;
    int partners = (int)below(3) ? 4 : 40, lossless = below(2);
    t.count = 0;
    t.power = -1;
    memset(t.flash, 0xff, sizeof t.flash);
    memset(peers, 0, sizeof peers);
    memset(&ram, 0xa5, sizeof ram);
    started = false;
    for (int i = 0; i < events; i++) {
        t.refuses = !lossless && below(20) == 0;
        t.busy = t.busy && below(3);
        test_memory[0] += (uint16_t)below(3000);
        below(3) ? receive(partners) : send(partners);
        if (lossless || below(3))
            hc_update();
        hc_update_later();
        if (below(400) == 0 && t.power < 0)
            t.power = (int)below(60);
        if (t.power == 0 || (!lossless && below(300) == 0)) {
            if (t.power >= 0) { /* power is lost */
                memset(&ram, (int)below(256), sizeof ram);
                t.power = -1;
                started = t.busy = false;
                happen(HC_TRAFFIC_EVENT_GAP);
            } else {
                reset();
            }
        }
    }
}

/* ---- what the log says ---- */

static bool same(const struct hc_traffic_event *a, const struct hc_traffic_event *b)
{
    return a->kind == b->kind && (a->kind >= HC_TRAFFIC_EVENT_RESET ||
                                  (a->broadcast == b->broadcast && a->partner == b->partner && a->number == b->number));
}

static bool fits(int at)
{
    for (int i = 0; i < t.run_count; i++)
        if (!same(&t.run[i], &t.event[at + i]))
            return false;
    return true;
}

/* What the log has without a gap happened without a gap, behind what it has before it. */
static void match_run(void)
{
    while (t.gap && t.at + t.run_count <= t.count && !fits(t.at))
        t.at++;
    if (t.at + t.run_count > t.count || !fits(t.at))
        fail_msg("seed %u: %d events up to gap %d of the log did not happen", t.seed, t.run_count, t.gaps);
    t.at += t.run_count;
    t.matched += t.run_count;
    t.run_count = 0;
}

static void compare(void *owner, const struct hc_traffic_event *e)
{
    (void)owner;
    if (e->kind == HC_TRAFFIC_EVENT_GAP) {
        match_run();
        t.gap = true;
        t.gaps++;
        return;
    }
    if (e->kind == HC_TRAFFIC_EVENT_RESET)
        assert_int_equal(e->cause, CAUSE);
    else if (e->self != HC_MESSAGE_TO_ALL)
        assert_int_equal(e->self, 7);
    t.run[t.run_count++] = *e;
}

static void check(uint64_t seed, bool all)
{
    struct hc_log_message message;
    struct hc_log *log;

    t.at = t.matched = t.gaps = t.run_count = 0;
    t.gap = !all; /* power may have been lost before anything was written: nobody can tell */
    if (hc_log_open_memory(&log, "log", t.flash + HC_LOG_START, sizeof t.flash - HC_LOG_START, &message) != HC_LOG_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, message.text);
    hc_traffic_read(log, compare, NULL);
    assert_true(t.gap && !t.run_count); /* the end waits in RAM */
    hc_log_free(log);
    if (all)
        assert_true(t.matched > t.count * 9 / 10);
}

static unsigned first = 1, lives = 300;

/* A log that is large enough, a sink that is always ready: everything is there but the end. */
static void test_whole(void **state)
{
    (void)state;
    t.state = 99;
    t.count = 0;
    t.power = -1;
    memset(t.flash, 0xff, sizeof t.flash);
    memset(&ram, 0, sizeof ram);
    started = false;
    hc_update();
    for (int i = 0; i < 3000; i++) {
        t.busy = false;
        below(3) ? receive(8) : send(8);
        hc_update();
        if (i % 500 == 499) {
            started = false;
            happen(HC_TRAFFIC_EVENT_RESET);
        }
    }
    check(0, true);
    assert_int_equal(t.gaps, 1);
    assert_true(t.at > t.count - 60);
}

/* The code that tests/format/messages works out by hand. */
static void test_vector(void **state)
{
    static const uint8_t code[] = { 0x00, 0x3f, 0x73, 0x97, 0xdb, 0xc0 };

    (void)state;
    begin_life();
    started = true;
    for (int i = 0; i < 3; i++)
        hc_message_send(7, HC_MESSAGE_TO_ALL);
    pad();
    assert_int_equal(ram.fill, sizeof code);
    assert_memory_equal(ram.code, code, sizeof code);
}

/* After hc_freeze nothing that was written is erased, however much comes. */
static void test_freeze(void **state)
{
    static uint8_t before[HC_LOG_END];

    (void)state;
    t.state = 5;
    t.count = 0;
    t.power = -1;
    t.busy = t.refuses = false;
    memset(t.flash, 0xff, sizeof t.flash);
    memset(&ram, 0, sizeof ram);
    started = false;
    for (int i = 0; i < 40000; i++) {
        t.count = 0;
        t.busy = false;
        if (i == 20000) {
            hc_freeze(1);
            memcpy(before, t.flash, sizeof before);
        }
        below(3) ? receive(40) : send(40);
        hc_update();
    }
    for (size_t i = HC_LOG_START; i < HC_LOG_END; i++)
        if (before[i] != 0xff)
            assert_int_equal(t.flash[i], before[i]);
    assert_memory_not_equal(t.flash, before, sizeof before); /* it went on where there was room */
}

static void test_random(void **state)
{
    long events = 0, matched = 0;

    (void)state;
    for (unsigned seed = first; seed < first + lives; seed++) {
        t.seed = seed;
        live(seed, 200 + (int)(seed % 17) * 300);
        check(seed, false);
        events += t.count;
        matched += t.matched;
    }
    print_message("%ld events happened, %ld are in the logs\n", events, matched);
    assert_true(matched > events / 4); /* logs come round, and power is lost often */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_vector), cmocka_unit_test(test_whole),
                                        cmocka_unit_test(test_freeze), cmocka_unit_test(test_random) };

    if (argc > 2) {
        first = (unsigned)atoi(argv[1]);
        lives = (unsigned)atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
