/* The trickle timer: firmware/net/trickle.c, on the host. */
#include "net/trickle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Intervals double from 128 up to 512,000, which is no power of two times 128. */
static void intervals_double_up_to_the_maximum(void **state)
{
    struct trickle t = { .minimum = 128, .maximum = 512000 };
    uint32_t expected = 128, wait = trickle_start(&t, 0);
    bool speak;
    (void)state;
    for (int i = 0; i < 16; i++) {
        assert_int_equal(t.interval, expected);
        uint32_t rest = trickle_fired(&t, 0, &speak);
        assert_true(speak);
        assert_int_equal(wait + rest, expected);
        wait = trickle_fired(&t, 0, &speak);
        assert_false(speak);
        expected = expected * 2 < 512000 ? expected * 2 : 512000;
    }
}

static void one_speaks_in_the_second_half(void **state)
{
    struct trickle t = { .minimum = 1000, .maximum = 1000 };
    (void)state;
    for (int i = 0; i < 10000; i++) {
        uint32_t wait = trickle_start(&t, (uint32_t)rand());
        assert_in_range(wait, 500, 999);
    }
    assert_int_equal(trickle_start(&t, 499), 999);
    assert_int_equal(trickle_start(&t, UINT32_MAX), 500 + UINT32_MAX % 500);
}

static void news_bring_the_shortest_interval_back_but_do_not_put_off_what_is_due(void **state)
{
    struct trickle t = { .minimum = 128, .maximum = 1024 };
    bool speak;
    (void)state;
    trickle_start(&t, 0);
    assert_int_equal(trickle_reset(&t, 0), 0);
    trickle_fired(&t, 0, &speak);
    trickle_fired(&t, 0, &speak);
    assert_int_equal(t.interval, 256);
    assert_int_equal(trickle_reset(&t, 5), 64 + 5);
    assert_int_equal(t.interval, 128);
}

static void who_has_heard_enough_is_silent(void **state)
{
    struct trickle t = { .minimum = 128, .maximum = 1024, .enough = 2 };
    bool speak;
    (void)state;
    trickle_start(&t, 0);
    trickle_heard(&t);
    trickle_fired(&t, 0, &speak);
    assert_true(speak);
    trickle_fired(&t, 0, &speak);
    for (int i = 0; i < 300; i++)
        trickle_heard(&t);
    trickle_fired(&t, 0, &speak);
    assert_false(speak);
    trickle_fired(&t, 0, &speak); /* a new interval: nothing heard yet */
    trickle_fired(&t, 0, &speak);
    assert_true(speak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_double_up_to_the_maximum),
        cmocka_unit_test(one_speaks_in_the_second_half),
        cmocka_unit_test(news_bring_the_shortest_interval_back_but_do_not_put_off_what_is_due),
        cmocka_unit_test(who_has_heard_enough_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
