/* The supply voltage supervisor: levels, settling, the latched flag, and the reset it makes. */
#include "device_bench.h"

#include "machine/device/msp430x1xx/svs.h"
#include "support/harness.h"

enum { SVSCTL = 0x55, PORON = 8, SVSON = 4, SVSOP = 2, SVSFG = 1 };

static int set_up(void **state)
{
    struct bench *b = bench_new();
    hc_wire vcc = hc_wire_new_wide(b->m, "vcc", 32, NULL);

    hc_wire_set(b->m, vcc, 3600000);
    b->device = hc_svs_new(b->m, vcc);
    bench_start(b);
    *state = b;
    return 0;
}

static void supply(struct bench *b, int32_t millivolts)
{
    hc_wire_set(b->m, hc_wire_find(b->m, "vcc"), millivolts * 1000);
}

static void levels(void **state)
{
    static const int32_t millivolts[15] = { 0,    1900, 2100, 2200, 2300, 2400, 2500, 2650,
                                            2800, 2900, 3050, 3200, 3350, 3500, 3700 };
    struct bench *b = *state;

    for (uint16_t vld = 1; vld < 15; vld++) {
        uint16_t ctl = (uint16_t)(vld << 4);

        supply(b, 4000);
        set(b, SVSCTL, 0);
        set(b, SVSCTL, ctl);
        run_for(b, hc_us(51));
        assert_int_equal(get(b, SVSCTL), ctl | SVSON);
        supply(b, millivolts[vld]);
        assert_int_equal(get(b, SVSCTL), ctl | SVSON);
        supply(b, millivolts[vld] - 1);
        assert_int_equal(get(b, SVSCTL), ctl | SVSON | SVSOP | SVSFG);
        assert_int_equal(hc_wire_level(b->m, hc_svs_output(b->device)), 1);
        supply(b, millivolts[vld] + 1); /* within the hysteresis */
        assert_int_equal(get(b, SVSCTL) & SVSOP, SVSOP);
        supply(b, millivolts[vld] + 200);
        assert_int_equal(get(b, SVSCTL), ctl | SVSON | SVSFG); /* the flag is latched */
        assert_int_equal(hc_wire_level(b->m, hc_svs_output(b->device)), 0);
    }
    hc_wire_set(b->m, hc_svs_input(b->device), 1300000);
    set(b, SVSCTL, 0xf0);
    run_for(b, hc_us(13));
    assert_int_equal(get(b, SVSCTL), 0xf0 | SVSON);
    hc_wire_set(b->m, hc_svs_input(b->device), 1199999);
    assert_int_equal(get(b, SVSCTL), 0xf0 | SVSON | SVSOP | SVSFG);
}

static void settling_times(void **state)
{
    struct bench *b = *state;
    hc_time start = hc_now(b->m);

    supply(b, 1000);
    set(b, SVSCTL, 0x50);
    hc_machine_run(b->m, start + hc_us(50) - 1);
    assert_int_equal(get(b, SVSCTL), 0x50);
    hc_machine_run(b->m, start + hc_us(50));
    assert_int_equal(get(b, SVSCTL), 0x50 | SVSON | SVSOP | SVSFG);

    start = hc_now(b->m);
    set(b, SVSCTL, 0x60); /* another level */
    hc_machine_run(b->m, start + hc_us(12) - 1);
    assert_int_equal(get(b, SVSCTL), 0x60);
    set(b, SVSCTL, 0x60); /* the same: no new delay */
    hc_machine_run(b->m, start + hc_us(12));
    assert_int_equal(get(b, SVSCTL), 0x60 | SVSON | SVSOP | SVSFG);
    set(b, SVSCTL, 0);
    run_for(b, hc_us(60));
    assert_int_equal(get(b, SVSCTL), 0);
}

static void the_flag_is_cleared_by_software_only(void **state)
{
    struct bench *b = *state;

    supply(b, 2000);
    set(b, SVSCTL, 0x30);
    run_for(b, hc_us(60));
    set(b, SVSCTL, 0x30);
    assert_int_equal(get(b, SVSCTL) & SVSFG, SVSFG); /* still low: set again at once */
    supply(b, 3000);
    assert_int_equal(get(b, SVSCTL) & SVSFG, SVSFG);
    set(b, SVSCTL, 0x30);
    assert_int_equal(get(b, SVSCTL), 0x30 | SVSON);
}

static void low_voltage_resets_until_it_is_back(void **state)
{
    struct bench *b = *state;

    set(b, SVSCTL, 0x30 | PORON);
    run_for(b, hc_us(60));
    assert_int_equal(b->resets, 0);
    supply(b, 2100);
    run_for(b, hc_ms(10));
    assert_int_equal(b->resets, 0); /* held in reset */
    supply(b, 3000);
    run_for(b, hc_ms(10));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SVSCTL), 0x30 | PORON | SVSON | SVSFG); /* its own POR leaves it alone */
}

static void setting_poron_with_the_flag_set_resets(void **state)
{
    struct bench *b = *state;

    supply(b, 2000);
    set(b, SVSCTL, 0x30);
    run_for(b, hc_us(60));
    supply(b, 3000);
    set(b, SVSCTL, 0x30 | PORON | SVSFG);
    run_for(b, hc_us(60));
    assert_int_equal(b->resets, 1);
    set(b, SVSCTL, 0x30 | PORON);
    run_for(b, hc_us(60));
    assert_int_equal(b->resets, 1);
}

static void resets_keep_it_a_power_cycle_does_not(void **state)
{
    struct bench *b = *state;

    set(b, SVSCTL, 0x30);
    run_for(b, hc_us(60));
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, SVSCTL), 0x30 | SVSON);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, SVSCTL), 0x30 | SVSON);
    hc_machine_power_off(b->m, 1);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, SVSCTL), 0);
}

/* The firmware switches the supervisor on, says so, and counts its starts in information memory's stead: RAM. */
static void firmware(void **state)
{
    struct harness h;

    (void)state;
    harness_start(&h, "svs");
    harness_run(&h, hc_ms(5));
    assert_int_equal(harness_get(&h, "result", 0), 1);
    assert_in_range(harness_get(&h, "result", 1), 1, 100); /* polls of SVSON */
    hc_wire_set(h.machine, hc_wire_find(h.machine, "vcc"), 2000000);
    harness_run(&h, hc_ms(5));
    assert_int_equal(harness_get(&h, "result", 0), 1);
    hc_wire_set(h.machine, hc_wire_find(h.machine, "vcc"), 3000000);
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "result", 0), 2);
    assert_int_equal(harness_get(&h, "result", 2), SVSFG);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(levels, set_up, bench_free),
        cmocka_unit_test_setup_teardown(settling_times, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_flag_is_cleared_by_software_only, set_up, bench_free),
        cmocka_unit_test_setup_teardown(low_voltage_resets_until_it_is_back, set_up, bench_free),
        cmocka_unit_test_setup_teardown(setting_poron_with_the_flag_set_resets, set_up, bench_free),
        cmocka_unit_test_setup_teardown(resets_keep_it_a_power_cycle_does_not, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
