/* The kernel of firmware/: tasks, virtual timers over hours and across the wrap of time, sleep. */
#include "machine/board/telosb.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { TICKS = 32768, LATE = 24 }; /* a task that is not the first of its moment waits for the others */

static void check_periodic(const struct harness *h, uint32_t elapsed)
{
    static const uint32_t periods[] = { 1000, 32768, 65536, 100003 };
    for (int i = 0; i < 4; i++) {
        uint32_t due = elapsed / periods[i], fires = harness_get32(h, "fires", i);
        if (fires != due && fires + 1 != due) /* the last may be on its way */
            fail_msg("a timer of %u ticks fired %u times, not %u", (unsigned)periods[i], (unsigned)fires,
                     (unsigned)due);
    }
}

static void run_timers(uint16_t high_word, int hours)
{
    struct harness h;
    harness_start(&h, "kernel_time");
    harness_run_to(&h, "main", hc_ms(100));
    harness_set(&h, "overflows", 0, high_word);
    hc_time counter_starts = hc_now(h.machine);
    harness_run(&h, hc_ms(3600000) * (unsigned)hours);
    uint32_t total = (uint32_t)(hc_to_us(hc_now(h.machine) - counter_starts) * TICKS / 1000000);
    uint32_t before = harness_get32(&h, "start_time", 0) - ((uint32_t)high_word << 16);
    check_periodic(&h, total - before - 100 /* calibration comes before the counter starts */);
    assert_in_range(harness_get(&h, "result", 0), 0, LATE);
    assert_int_equal(harness_get(&h, "result", 1), 0);
    assert_int_equal(harness_get(&h, "result", 2), 0);
    assert_int_equal(harness_get(&h, "result", 3), 0);
    assert_true(harness_get32(&h, "fires", 4) > 500u * (unsigned)hours);
    assert_int_equal(harness_get32(&h, "fires", 5), hours > 2);
    harness_stop(&h);
}

static void timers_fire_when_due_for_hours(void **state)
{
    (void)state;
    run_timers(0, 3);
}

static void timers_do_not_notice_the_wrap_of_time(void **state)
{
    (void)state;
    run_timers(0xfffe, 1);
    run_timers(0x7ffe, 1);
}

static void tasks_run_in_order(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "kernel_tasks");
    harness_run(&h, hc_ms(110));
    assert_int_equal(harness_get(&h, "result", 0), 32);
    assert_int_equal(harness_get(&h, "result", 1), 8);
    assert_int_equal(harness_get(&h, "result", 2), 0);
    assert_int_equal(harness_get(&h, "result", 4), 32);
    for (int i = 0; i < 4; i++)
        assert_int_equal(harness_get8(&h, "order", i), "\1\2\3\4"[i]);
    assert_int_equal(harness_get(&h, "result", 3), 1);
    harness_stop(&h);
}

static uint16_t sleep_bits(struct harness *h, hc_time when)
{
    hc_machine_run(h->machine, when);
    return (uint16_t)hc_register(h->machine, HC_SR) & (HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
}

static void sleep_is_as_deep_as_the_clocks_allow(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "kernel_tasks");
    assert_int_equal(sleep_bits(&h, hc_ms(90)), HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    assert_int_equal(sleep_bits(&h, hc_ms(180)), HC_SR_CPUOFF);
    assert_int_equal(harness_get(&h, "phase", 0), 1);
    assert_int_equal(sleep_bits(&h, hc_ms(300)), HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    assert_int_equal(harness_get(&h, "phase", 0), 2);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_in_order),
        cmocka_unit_test(sleep_is_as_deep_as_the_clocks_allow),
        cmocka_unit_test(timers_fire_when_due_for_hours),
        cmocka_unit_test(timers_do_not_notice_the_wrap_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
