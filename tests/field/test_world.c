/* Many nodes in one world: the same on any number of threads, and what links, power and time do to them. */
#include "field/decibel.h"
#include "field/world.h"
#include "support/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 4 };

/* Nodes of `count`, which broadcast counters, METRES apart in a line. */
static struct hc_world *count_world(int threads, int nodes, int metres)
{
    struct hc_world_config config = { .medium = hc_medium_indoors, .threads = threads };
    struct hc_world *world = hc_world_new(&config, nodes);
    assert_non_null(world);
    for (int i = 0; i < nodes; i++) {
        struct hc_telosb_config node = { .node_id = (uint16_t)(i + 1), .seed = (uint64_t)i + 1 };
        struct hc_telosb *board = hc_telosb_new(&node, hc_world_code(world));
        assert_non_null(board);
        hc_image_free(harness_fill(board->machine, HARNESS_APPS "/count.elf"));
        hc_hash_start(board->machine);
        int at = hc_world_add(world, board, hc_ms(7 * (unsigned)i));
        hc_medium_place(hc_world_medium(world), at, 1000 * metres * i, 0, 0);
    }
    return world;
}

static uint64_t received(struct hc_world *world, int node)
{
    struct hc_medium_statistics s;
    hc_medium_statistics(hc_world_medium(world), node, &s);
    return s.bytes_received;
}

static uint64_t sent(struct hc_world *world, int node)
{
    struct hc_medium_statistics s;
    hc_medium_statistics(hc_world_medium(world), node, &s);
    return s.bytes_sent;
}

/* ---- determinism ---- */

static void hashes(struct hc_world *world, uint64_t out[NODES])
{
    for (int i = 0; i < NODES; i++)
        out[i] = hc_hash_value(hc_world_board(world, i)->machine);
}

static void runs_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t first[NODES];
    for (int threads = 1; threads <= 3; threads++) {
        struct hc_world *world = count_world(threads, NODES, 2);
        uint64_t hash[NODES];
        assert_int_equal(hc_world_run(world, 10 * HC_SECOND), HC_WORLD_TIME);
        hashes(world, hash);
        if (threads == 1)
            for (int i = 0; i < NODES; i++)
                first[i] = hash[i];
        assert_memory_equal(hash, first, sizeof hash);
        assert_true(received(world, 0) > 0);
        hc_world_free(world);
    }
}

/* Two pairs, a kilometre apart. Where BRIDGED, somebody without a radio is told of both: one island, and nothing else
 * that could differ. The first pair comes to the second after five seconds. */
static void come_together(void *owner, struct hc_world *world, hc_time at)
{
    (void)owner;
    (void)at;
    for (int i = 0; i < 2; i++)
        hc_medium_place(hc_world_medium(world), i, 1000000 + 2000 * i, 3000, 0);
}

static void run_two_pairs(int threads, bool bridged, uint64_t hash[NODES], uint64_t heard[2])
{
    struct hc_world *world = count_world(threads, NODES + 1, 2);
    struct hc_medium *medium = hc_world_medium(world);
    hc_world_power_off(world, NODES);
    for (int i = 0; i <= NODES; i++) {
        hc_medium_place(medium, i, (i < 2 ? 0 : 1000000) + 2000 * (i % 2), i == NODES ? -5000000 : 0, 0);
        if (bridged && i < NODES)
            hc_medium_link(medium, i, NODES, -5000);
    }
    hc_world_at(world, 5 * HC_SECOND, come_together, NULL);
    assert_int_equal(hc_world_run(world, 4 * HC_SECOND), HC_WORLD_TIME);
    assert_int_equal(hc_medium_islands(medium), bridged ? 1 : 3);
    heard[0] = received(world, 0);
    assert_int_equal(hc_world_run(world, 10 * HC_SECOND), HC_WORLD_TIME);
    assert_int_equal(hc_medium_islands(medium), bridged ? 1 : 2);
    heard[1] = received(world, 0);
    hashes(world, hash);
    hc_world_free(world);
}

static void islands_on_clocks_of_their_own_run_as_on_one(void **state)
{
    (void)state;
    uint64_t apart[NODES];
    uint64_t joined[NODES];
    uint64_t heard[2];
    run_two_pairs(1, true, joined, heard);
    assert_true(heard[0] > 0);
    assert_true(heard[1] - heard[0] > 2 * heard[0]); /* in 6 seconds of three neighbours, after 4 of one */
    for (int threads = 1; threads <= 3; threads++) {
        run_two_pairs(threads, false, apart, heard);
        assert_memory_equal(apart, joined, sizeof apart);
    }
}

static void stopping_and_going_on_changes_nothing(void **state)
{
    (void)state;
    uint64_t whole[NODES];
    uint64_t pieces[NODES];
    struct hc_world *world = count_world(1, NODES, 2);
    hc_world_run(world, 5 * HC_SECOND);
    hashes(world, whole);
    hc_world_free(world);
    world = count_world(1, NODES, 2);
    for (unsigned ms = 313; ms < 5000; ms += 313)
        hc_world_run(world, hc_ms(ms));
    hc_world_run(world, 5 * HC_SECOND);
    hashes(world, pieces);
    hc_world_free(world);
    /* A window that is cut short may let a node see what it does anyway a few cycles apart: it must not. */
    assert_memory_equal(whole, pieces, sizeof whole);
}

/* ---- links ---- */

static void who_is_too_far_hears_nothing(void **state)
{
    (void)state;
    struct hc_world *world = count_world(1, 2, 1000);
    hc_world_run(world, 5 * HC_SECOND);
    assert_true(sent(world, 0) > 0);
    assert_int_equal(received(world, 0), 0);
    assert_int_equal(received(world, 1), 0);
    hc_world_free(world);
}

static void a_link_may_work_one_way(void **state)
{
    (void)state;
    struct hc_world *world = count_world(1, 2, 1);
    hc_medium_link(hc_world_medium(world), 0, 1, HC_NOT_HEARD);
    assert_int_equal(hc_medium_gain(hc_world_medium(world), 0, 1), HC_NOT_HEARD);
    hc_world_run(world, 5 * HC_SECOND);
    assert_true(received(world, 0) > 0);
    assert_int_equal(received(world, 1), 0);
    hc_medium_unlink(hc_world_medium(world), 0, 1);
    hc_world_run(world, 10 * HC_SECOND);
    assert_true(received(world, 1) > 0);
    hc_world_free(world);
}

static void cut_now(void *owner, struct hc_world *world, hc_time at)
{
    assert_int_equal(hc_world_now(world), at);
    for (int i = 0; i < hc_world_nodes(world); i++)
        assert_in_range(hc_now(hc_world_board(world, i)->machine), at, at + hc_us(20));
    *(uint64_t *)owner = received(world, 1);
    hc_medium_link(hc_world_medium(world), 0, 1, HC_NOT_HEARD);
}

static void a_link_is_cut_at_its_time(void **state)
{
    (void)state;
    uint64_t before = 0;
    struct hc_world *world = count_world(1, 2, 1);
    hc_world_at(world, 5 * HC_SECOND, cut_now, &before);
    hc_world_run(world, 10 * HC_SECOND);
    assert_true(before > 0);
    assert_int_equal(received(world, 1), before);
    hc_world_free(world);
}

static void weak_signals_lose_bytes_and_weaker_ones_more(void **state)
{
    (void)state;
    static const int gains[] = { -6000, -9750, -9900 }; /* signal to noise of 38, 0.5 and -1 dB at 0 dBm */
    double share[3];
    for (int i = 0; i < 3; i++) {
        struct hc_world *world = count_world(1, 2, 1);
        struct hc_medium_statistics s;
        hc_medium_link(hc_world_medium(world), 0, 1, gains[i]);
        hc_world_run(world, 60 * HC_SECOND);
        hc_medium_statistics(hc_world_medium(world), 1, &s);
        assert_true(s.bytes_received > 500);
        share[i] = (double)s.bytes_corrupted / (double)s.bytes_received;
        hc_world_free(world);
    }
    assert_true(share[0] == 0);
    assert_true(share[1] < share[2]);
    assert_true(share[2] > 0.001);
}

/* ---- power ---- */

static void a_node_without_power_is_silent_and_comes_back(void **state)
{
    (void)state;
    struct hc_world *world = count_world(1, 2, 1);
    hc_world_run(world, 3 * HC_SECOND);
    hc_world_power_off(world, 0);
    assert_false(hc_world_is_on(world, 0));
    uint64_t before = sent(world, 0);
    assert_true(before > 0);
    hc_world_run(world, 6 * HC_SECOND);
    assert_int_equal(sent(world, 0), before);
    hc_world_power_on(world, 0);
    hc_world_run(world, 9 * HC_SECOND);
    assert_true(sent(world, 0) > before);
    hc_world_free(world);
}

static void a_faulty_node_is_named_and_the_others_go_on(void **state)
{
    (void)state;
    struct hc_world *world = count_world(1, 3, 1);
    enum hc_stop why;
    hc_world_run(world, HC_SECOND);
    hc_set_register(hc_world_board(world, 1)->machine, HC_PC, 0x0a00); /* vacant */
    hc_set_register(hc_world_board(world, 1)->machine, HC_SR, 0);
    assert_int_equal(hc_world_run(world, 2 * HC_SECOND), HC_WORLD_NODE);
    assert_int_equal(hc_world_stopped(world, &why), 1);
    assert_int_equal(why, HC_STOP_FAULT);
    uint64_t before = sent(world, 2);
    assert_int_equal(hc_world_run(world, 5 * HC_SECOND), HC_WORLD_TIME);
    assert_true(sent(world, 2) > before);
    /* switched on again, it boots now, not when it stopped */
    hc_world_power_on(world, 1);
    assert_int_equal(hc_world_run(world, 6 * HC_SECOND), HC_WORLD_TIME);
    assert_true(hc_now(hc_world_board(world, 1)->machine) >= 6 * HC_SECOND);
    struct hc_statistics s;
    hc_machine_statistics(hc_world_board(world, 1)->machine, &s);
    assert_true(s.in_mode[HC_MODE_ACTIVE] < HC_SECOND);
    hc_world_free(world);
}

/* ---- decibels ---- */

static void powers_convert_both_ways(void **state)
{
    (void)state;
    struct hc_decibels *d = malloc(sizeof *d);
    hc_decibels_init(d);
    for (int centi = -9000; centi <= 3000; centi += 37) {
        uint64_t fw = hc_femtowatts(d, centi);
        assert_true(fabs((double)fw / pow(10, centi / 1000.0 + 12) - 1) < 0.001);
        assert_int_equal(hc_centi_dbm(d, fw), centi);
    }
    assert_int_equal(hc_femtowatts(d, -13000), 0);
    assert_int_equal(hc_centi_dbm(d, 0), HC_DBM_LOWEST);
    free(d);
}

static void the_error_rate_falls_with_the_signal(void **state)
{
    (void)state;
    struct hc_decibels *d = malloc(sizeof *d);
    hc_decibels_init(d);
    /* noise alone: each bit is right half of the time */
    assert_in_range(hc_byte_error_rate(d, HC_SNR_LOWEST), (uint64_t)(0.9 * 4294967296.0),
                    (uint64_t)(0.9961 * 4294967296.0));
    for (int centi = HC_SNR_LOWEST; centi < HC_SNR_HIGHEST; centi++)
        assert_true(hc_byte_error_rate(d, centi + 1) <= hc_byte_error_rate(d, centi));
    /* the first terms of the sum dominate at 0 dB: 8/15/16 * (120 e^-10 - 560 e^-13.33 + 1820 e^-15 ...) = 1.8e-4 a bit
     * or so */
    assert_in_range(hc_byte_error_rate(d, 0), (uint64_t)(8 * 1.2e-4 * 4294967296.0),
                    (uint64_t)(8 * 2.2e-4 * 4294967296.0));
    assert_int_equal(hc_byte_error_rate(d, 600), 0);
    free(d);
}

static void ask_to_stop(void *world, struct hc_machine *m, int vector, uint32_t pc)
{
    (void)m;
    (void)vector;
    (void)pc;
    hc_world_request_stop(world);
}

/* However long it is until something is due in all of the network. */
static void a_request_to_stop_is_heard_within_milliseconds(void **state)
{
    (void)state;
    struct hc_world *world = count_world(1, NODES, 2);
    assert_int_equal(hc_world_run(world, hc_ms(50)), HC_WORLD_TIME); /* all are on */
    struct hc_machine *m = hc_world_board(world, 0)->machine;
    hc_hook_interrupt(m, ask_to_stop, world);
    hc_time before = hc_machine_next(m);
    assert_int_equal(hc_world_run(world, 100 * HC_SECOND), HC_WORLD_REQUEST);
    assert_true(hc_world_now(world) < before + hc_ms(300));
    hc_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(islands_on_clocks_of_their_own_run_as_on_one),
        cmocka_unit_test(stopping_and_going_on_changes_nothing),
        cmocka_unit_test(who_is_too_far_hears_nothing),
        cmocka_unit_test(a_link_may_work_one_way),
        cmocka_unit_test(a_link_is_cut_at_its_time),
        cmocka_unit_test(weak_signals_lose_bytes_and_weaker_ones_more),
        cmocka_unit_test(a_node_without_power_is_silent_and_comes_back),
        cmocka_unit_test(a_faulty_node_is_named_and_the_others_go_on),
        cmocka_unit_test(a_request_to_stop_is_heard_within_milliseconds),
        cmocka_unit_test(powers_convert_both_ways),
        cmocka_unit_test(the_error_rate_falls_with_the_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
