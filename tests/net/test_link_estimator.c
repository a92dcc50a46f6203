/* The link estimator: firmware/net/link_estimator.c, on the host. */
#include "net/link_estimator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct link_estimator estimator;
static struct link_estimator *const e = &estimator;

static int fresh(void **state)
{
    (void)state;
    link_estimator_init(e);
    return 0;
}

static uint16_t beacon(uint16_t from, uint8_t sequence)
{
    uint16_t evicted;
    link_estimator_beacon(e, from, sequence, LINK_NOBODY, &evicted);
    return evicted;
}

/* COUNT beacons from FROM, the first with SEQUENCE, every one or every second of them and so on. */
static void beacons(uint16_t from, uint8_t sequence, int count, int every)
{
    for (int i = 0; i < count; i++)
        beacon(from, (uint8_t)(sequence + i * every));
}

static void send(uint16_t to, int count, bool acked)
{
    for (int i = 0; i < count; i++)
        link_estimator_sent(e, to, acked);
}

static void three_beacons_make_a_link(void **state)
{
    (void)state;
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_UNKNOWN);
    beacons(4, 254, 2, 1);
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_UNKNOWN);
    beacon(4, 0);
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_PERFECT);
    assert_int_equal(link_estimator_etx(e, LINK_NOBODY), LINK_ETX_UNKNOWN);
}

static void missed_beacons_cost(void **state)
{
    (void)state;
    beacons(4, 10, 40, 2); /* every second is lost */
    assert_in_range(link_estimator_etx(e, 4), 15, 21);
    beacons(5, 0, 120, 4);
    assert_in_range(link_estimator_etx(e, 5), 25, 42);
}

static void a_neighbour_after_a_long_silence_is_a_new_one(void **state)
{
    (void)state;
    beacons(4, 1, 3, 1);
    beacon(4, 3 + 11);
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_UNKNOWN);
    beacons(4, 15, 2, 1);
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_PERFECT);
    link_estimator_adopt(e, 4); /* but not the parent, whom data goes to */
    beacon(4, 100);
    assert_int_equal(link_estimator_etx(e, 4), LINK_ETX_PERFECT);
}

static void data_tells_in_windows_of_five(void **state)
{
    (void)state;
    beacons(4, 1, 3, 1);
    send(4, 4, false);
    assert_int_equal(link_estimator_etx(e, 4), 10);
    send(4, 1, true); /* one in five: 50; a tenth of the way */
    assert_int_equal(link_estimator_etx(e, 4), 14);
    for (int i = 0; i < 100; i++) {
        send(4, 1, true);
        send(4, 1, false);
    }
    assert_in_range(link_estimator_etx(e, 4), 14, 25);
    for (int i = 0; i < 300; i++)
        send(4, 1, true);
    assert_in_range(link_estimator_etx(e, 4), 10, 10 + 9); /* what integers leave */
}

/* Without any acknowledgement each further loss says more: 30 transmissions are enough to leave a parent by far. */
static void a_dead_link_is_found_out_within_one_message(void **state)
{
    uint16_t last = 10;
    (void)state;
    beacons(4, 1, 3, 1);
    send(4, 4, false);
    for (int i = 5; i <= 30; i++) {
        send(4, 1, false);
        assert_true(link_estimator_etx(e, 4) > last);
        last = link_estimator_etx(e, 4);
    }
    assert_true(last > 150);
    send(4, 1000, false);
    assert_in_range(link_estimator_etx(e, 4), 500, 600);
}

static void a_link_left_for_bad_needs_six_beacons(void **state)
{
    (void)state;
    beacons(4, 1, 5, 1); /* two of a window, which failing data makes void */
    link_estimator_adopt(e, 4);
    send(4, 30, false);
    link_estimator_leave(e, 4);
    assert_true(link_estimator_etx(e, 4) >= LINK_ETX_USABLE);
    beacons(4, 9, 5, 1); /* 6 to 8 were missed */
    assert_true(link_estimator_etx(e, 4) >= LINK_ETX_USABLE);
    beacon(4, 14);
    assert_true(link_estimator_etx(e, 4) < LINK_ETX_USABLE);
}

static void a_good_link_left_stays_good(void **state)
{
    (void)state;
    beacons(4, 1, 3, 1);
    link_estimator_adopt(e, 4);
    send(4, 30, true);
    link_estimator_leave(e, 4);
    assert_int_equal(link_estimator_etx(e, 4), 10);
}

static void places_go_to_new_ones_only_from_bad_ones(void **state)
{
    uint16_t evicted;
    (void)state;
    for (uint16_t n = 0; n < LINK_NEIGHBOURS; n++) {
        assert_false(link_estimator_full(e));
        beacons(n, 0, 3, 1);
    }
    assert_true(link_estimator_full(e));
    assert_int_equal(beacon(100, 0), LINK_NOBODY);
    assert_false(link_estimator_known(e, 100));
    send(7, 30, false);
    send(8, 40, false);
    link_estimator_adopt(e, 8);
    assert_int_equal(beacon(100, 0), 7); /* the parent is kept, however bad */
    assert_true(link_estimator_known(e, 100));
    assert_false(link_estimator_known(e, 7));
    link_estimator_beacon(e, 101, 0, 3, &evicted);
    assert_int_equal(evicted, 3);
    link_estimator_beacon(e, 102, 0, 8, &evicted);
    assert_int_equal(evicted, LINK_NOBODY);
    assert_false(link_estimator_known(e, 102));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_beacons_make_a_link, fresh),
        cmocka_unit_test_setup(missed_beacons_cost, fresh),
        cmocka_unit_test_setup(a_neighbour_after_a_long_silence_is_a_new_one, fresh),
        cmocka_unit_test_setup(data_tells_in_windows_of_five, fresh),
        cmocka_unit_test_setup(a_dead_link_is_found_out_within_one_message, fresh),
        cmocka_unit_test_setup(a_link_left_for_bad_needs_six_beacons, fresh),
        cmocka_unit_test_setup(a_good_link_left_stays_good, fresh),
        cmocka_unit_test_setup(places_go_to_new_ones_only_from_bad_ones, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
