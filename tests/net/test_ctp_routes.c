/* The choice of a parent: firmware/net/ctp_routes.c, on the host. */
#include "net/ctp_routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct ctp_routes routes;
static struct ctp_routes *const r = &routes;
static uint8_t sequence[256];

static int fresh(void **state)
{
    (void)state;
    ctp_routes_init(r, 5, false);
    return 0;
}

/* COUNT beacons of FROM, which says that its way by PARENT costs ETX. */
static void beacons(uint16_t from, uint16_t parent, uint16_t etx, int count)
{
    for (int i = 0; i < count; i++) {
        struct ctp_beacon b = { from, sequence[from & 0xff]++, parent, etx };
        ctp_routes_beacon(r, &b);
    }
}

static void the_shortest_way_is_taken(void **state)
{
    (void)state;
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    assert_int_equal(ctp_routes_etx(r), CTP_ETX_NONE);
    beacons(4, 3, 40, 2);
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    beacons(4, 3, 40, 1);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(r->parent, 4);
    assert_int_equal(ctp_routes_etx(r), 50);
    beacons(6, 2, 25, 3); /* better by 15, not by more */
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    beacons(6, 2, 24, 1);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED);
    assert_int_equal(r->parent, 6);
    beacons(0, 0, 0, 3);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(ctp_routes_etx(r), 10);
}

static void nobody_whose_parent_one_is(void **state)
{
    (void)state;
    beacons(6, 5, 20, 3);
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    assert_false(ctp_routes_have(r));
    beacons(6, 7, 80, 1);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    beacons(6, 5, 20, 1); /* the parent itself, with nobody else: it stays */
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    assert_int_equal(r->parent, 6);
}

static void who_has_lost_its_way_is_none(void **state)
{
    (void)state;
    beacons(4, 3, 40, 3);
    beacons(6, 3, 90, 3);
    ctp_routes_update(r);
    beacons(4, CTP_NO_PARENT, CTP_ETX_NONE, 1);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(r->parent, 6);
}

static void the_metric_does_not_wrap(void **state)
{
    (void)state;
    beacons(6, 7, CTP_ETX_MOST, 3);
    ctp_routes_update(r);
    assert_int_equal(r->parent, 6);
    assert_int_equal(ctp_routes_etx(r), CTP_ETX_MOST);
    beacons(4, 3, 40, 3);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(r->parent, 4);
}

static void a_full_table_makes_room_for_a_better_way(void **state)
{
    (void)state;
    for (uint16_t n = 0; n < LINK_NEIGHBOURS; n++)
        beacons((uint16_t)(100 + n), 99, (uint16_t)(200 + n), 3);
    ctp_routes_update(r);
    assert_int_equal(r->parent, 100);
    beacons(50, 99, 500, 3);
    assert_false(link_estimator_known(&r->links, 50));
    beacons(1, 0, 10, 3);
    assert_false(link_estimator_known(&r->links, 100 + LINK_NEIGHBOURS - 1)); /* the longest way */
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(r->parent, 1);
}

static void a_root_stays_one(void **state)
{
    (void)state;
    ctp_routes_init(r, 0, true);
    beacons(4, 3, 40, 3);
    assert_int_equal(ctp_routes_update(r), CTP_SAME);
    assert_int_equal(ctp_routes_etx(r), 0);
    assert_true(ctp_routes_have(r));
}

/* TARDIS, section 4.5: node 5, cut off from 4, follows its own descendants, and does not come back by itself. */
static void a_node_cut_off_goes_round_in_circles(void **state)
{
    (void)state;
    beacons(4, 0, 10, 3);
    ctp_routes_update(r);
    for (uint16_t n = 6; n <= 8; n++)
        beacons(n, 5, 30, 3);
    for (int i = 0; i < 30; i++) { /* one message, never acknowledged */
        link_estimator_sent(&r->links, 4, false);
        assert_int_equal(ctp_routes_update(r), CTP_SAME);
    }
    assert_true(ctp_routes_etx(r) > 150); /* which the others hear, and take each other instead */
    beacons(6, 7, 50, 1);
    assert_int_equal(ctp_routes_update(r), CTP_CHANGED_MUCH);
    assert_int_equal(r->parent, 6);
    beacons(7, 8, 90, 1);
    beacons(8, 6, 110, 1);
    beacons(6, 7, 130, 1);
    ctp_routes_update(r);
    assert_int_equal(r->parent, 7);
    beacons(7, 8, 2000, 1);
    beacons(4, 0, 10, 5);
    ctp_routes_update(r);
    assert_int_not_equal(r->parent, 4);
    beacons(4, 0, 10, 1);
    ctp_routes_update(r);
    assert_int_equal(r->parent, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_shortest_way_is_taken, fresh),
        cmocka_unit_test_setup(nobody_whose_parent_one_is, fresh),
        cmocka_unit_test_setup(who_has_lost_its_way_is_none, fresh),
        cmocka_unit_test_setup(the_metric_does_not_wrap, fresh),
        cmocka_unit_test_setup(a_full_table_makes_room_for_a_better_way, fresh),
        cmocka_unit_test_setup(a_root_stays_one, fresh),
        cmocka_unit_test_setup(a_node_cut_off_goes_round_in_circles, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
