/* The watchdog timer against chapter 10 of the MSP430x1xx user's guide. */
#include "clock_bench.h"
#include "support/harness.h"

enum { WDTIFG = 0x01, NMIIFG = 0x10 };
enum { KEY = 0x5a00, HOLD = 0x80, NMIES = 0x40, NMI = 0x20, TMSEL = 0x10, CNTCL = 0x08, ACLK = 0x04 };

static int set_up(void **state)
{
    *state = bench_new();
    bench_start(*state);
    return 0;
}

static bool flag(struct bench *b)
{
    return get(b, IFG1) & WDTIFG;
}

static bool was_reset(struct bench *b)
{
    return hc_peek(b->m, DCOCTL) == 0x60;
}

/* Marks a register that only a PUC brings back. */
static void mark(struct bench *b)
{
    set(b, DCOCTL, 0x61);
}

static void runs_after_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, WDTCTL), 0x6900);
    set(b, BCSCTL2, 0x20); /* MCLK / 4: gone after a PUC */
    run_to(b, 32768 * DCO_PERIOD - 1);
    assert_int_equal(get(b, BCSCTL2), 0x20);
    assert_false(flag(b));
    run_to(b, 32768 * DCO_PERIOD + hc_us(20));
    assert_int_equal(get(b, BCSCTL2), 0x00);
    assert_true(flag(b));
    assert_int_equal(get(b, WDTCTL), 0x6900);
    /* and runs again, from zero */
    set(b, IFG1, 0);
    run_to(b, 65536 * DCO_PERIOD - hc_us(1));
    assert_false(flag(b));
    run_to(b, 65536 * DCO_PERIOD + hc_us(40));
    assert_true(flag(b));
}

static const uint32_t interval[4] = { 32768, 8192, 512, 64 };

static void intervals_as_watchdog(void **state)
{
    struct bench *b = *state;

    for (unsigned aclk = 0; aclk < 2; aclk++)
        for (unsigned is = 0; is < 4; is++) {
            hc_machine_reset(b->m, HC_POR);
            hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
            hc_clock_set(b->smclk, 0, hc_now(b->m)); /* both clocks begin now */
            hc_clock_set(b->aclk, 0, hc_now(b->m));
            hc_clock_set(b->smclk, DCO_PERIOD, hc_now(b->m));
            hc_clock_set(b->aclk, ACLK_PERIOD, hc_now(b->m));
            hc_time start = hc_now(b->m), period = aclk ? ACLK_PERIOD : DCO_PERIOD;
            set(b, WDTCTL, (uint16_t)(KEY | CNTCL | (aclk ? ACLK : 0) | is));
            assert_int_equal(get(b, WDTCTL), 0x6900 | (aclk ? ACLK : 0) | is); /* WDTCNTCL reads 0 */
            assert_false(flag(b));
            run_to(b, start + interval[is] * period - 1);
            assert_false(flag(b));
            run_to(b, start + interval[is] * period);
            assert_true(flag(b));
        }
}

static void intervals_as_timer(void **state)
{
    struct bench *b = *state;

    for (unsigned is = 0; is < 4; is++) {
        hc_time start = (hc_now(b->m) / ACLK_PERIOD + 1) * ACLK_PERIOD, period = interval[is] * ACLK_PERIOD;
        run_to(b, start);
        set(b, DCOCTL, 0x61);
        set(b, WDTCTL, (uint16_t)(KEY | TMSEL | CNTCL | ACLK | is));
        for (unsigned i = 1; i <= 3; i++) {
            run_to(b, start + i * period - 1);
            assert_false(flag(b));
            run_to(b, start + i * period);
            assert_true(flag(b));
            set(b, IFG1, 0);
        }
        run_for(b, hc_us(50));
        assert_false(was_reset(b)); /* no PUC in interval mode */
    }
}

/* Interval mode: WDTIE and GIE give vector 10; serving it clears WDTIFG. No enable, no interrupt. */
static void interval_interrupts(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | TMSEL | CNTCL | ACLK | 3);
    interrupts_on(b);
    to_edge(b, 65);
    assert_int_equal(b->interrupts[10], 0);
    assert_true(flag(b));
    set(b, IE1, WDTIFG);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[10], 1);
    assert_false(flag(b));
    for (unsigned i = 2; i < 10; i++) {
        before_edge(b, 64 * i);
        assert_int_equal(b->interrupts[10], i - 1);
        run_to(b, 64 * i * ACLK_PERIOD + hc_us(50));
        assert_int_equal(b->interrupts[10], i);
        assert_in_range(b->accepted[10], 64 * i * ACLK_PERIOD + 6 * DCO_PERIOD, 64 * i * ACLK_PERIOD + 7 * DCO_PERIOD);
    }
}

/* A flag that is already set needs no event; clearing it arms the next one. */
static void a_set_flag_costs_nothing(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | TMSEL | CNTCL | ACLK | 3);
    to_edge(b, 64);
    assert_true(hc_queue_next(hc_events(b->m)) == HC_NEVER);
    to_edge(b, 100);
    set(b, IFG1, 0);
    before_edge(b, 128);
    assert_false(flag(b));
    to_edge(b, 128);
    assert_true(flag(b));
}

static void clearing_in_time(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | CNTCL | ACLK | 2);
    mark(b);
    for (unsigned i = 1; i < 8; i++) {
        to_edge(b, 500 * i);
        set(b, WDTCTL, KEY | CNTCL | ACLK | 2);
    }
    assert_false(was_reset(b));
    before_edge(b, 3500 + 512);
    assert_false(was_reset(b));
    run_to(b, (3500 + 512) * ACLK_PERIOD + hc_us(20));
    assert_true(was_reset(b));
}

/* A new interval without WDTCNTCL selects another bit of the count as it is: Q6, Q9, Q13 or Q15, whose rise ends the
 * interval. One that is high already does so at once, as a watchdog by a PUC. */
static void interval_without_clear(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | CNTCL | ACLK | 0);
    to_edge(b, 400);
    set(b, WDTCTL, KEY | TMSEL | ACLK | 2); /* 400: Q9 is low */
    assert_false(flag(b));
    before_edge(b, 512);
    assert_false(flag(b));
    to_edge(b, 512);
    assert_true(flag(b));
    set(b, IFG1, 0);
    to_edge(b, 512 + 100);
    set(b, WDTCTL, KEY | TMSEL | ACLK | 3); /* 100: Q6 is high */
    assert_true(flag(b));
    set(b, IFG1, 0);
    before_edge(b, 612 + 64); /* from zero again */
    assert_false(flag(b));
    to_edge(b, 612 + 64);
    assert_true(flag(b));

    set(b, IFG1, 0);
    set(b, WDTCTL, KEY | CNTCL | ACLK | 0);
    mark(b);
    run_for(b, 8200 * ACLK_PERIOD);
    set(b, WDTCTL, KEY | ACLK | 1);
    run_for(b, hc_us(20));
    assert_true(was_reset(b));
    assert_true(flag(b));
}

/* The count starts over with each interval, whether or not anybody has cleared the flag. */
static void counts_from_zero(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | TMSEL | CNTCL | ACLK | 3);
    to_edge(b, 64 * 20 + 10); /* 20 intervals; nobody looked */
    set(b, WDTCTL, KEY | TMSEL | ACLK | 2);
    set(b, IFG1, 0);
    before_edge(b, 64 * 20 + 512);
    assert_false(flag(b));
    to_edge(b, 64 * 20 + 512);
    assert_true(flag(b));
}

static void hold_keeps_the_count(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, KEY | TMSEL | CNTCL | ACLK | 2);
    to_edge(b, 100);
    set(b, WDTCTL, KEY | HOLD | TMSEL | ACLK | 2);
    assert_true(hc_queue_next(hc_events(b->m)) == HC_NEVER);
    to_edge(b, 5000);
    assert_false(flag(b));
    set(b, WDTCTL, KEY | TMSEL | ACLK | 2);
    before_edge(b, 5000 + 412);
    assert_false(flag(b));
    to_edge(b, 5000 + 412);
    assert_true(flag(b));
}

/* SMCLK is off in LPM3: the watchdog stands still with it. */
static void sleeping_clock(void **state)
{
    struct bench *b = *state;

    mark(b);
    run_to(b, hc_ms(10));
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    run_to(b, hc_ms(10000));
    assert_false(was_reset(b));
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    run_to(b, hc_ms(10000) + 32768 * DCO_PERIOD - hc_ms(11));
    assert_false(was_reset(b));
    run_to(b, hc_ms(10000) + 32768 * DCO_PERIOD - hc_ms(9));
    assert_true(was_reset(b));
}

/* Anything but 0x5a in the high byte is a PUC with WDTIFG set; so is a byte access. The register is not written. */
static void key_violation(void **state)
{
    static const struct {
        uint32_t address;
        uint16_t value;
        int size;
    } writes[] = {
        { WDTCTL, 0x0080, 2 }, { WDTCTL, 0x6980, 2 },   { WDTCTL, 0xa580, 2 },
        { WDTCTL, 0x80, 1 },   { WDTCTL + 1, 0x5a, 1 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        hc_machine_reset(b->m, HC_POR);
        hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
        set(b, WDTCTL, KEY | HOLD);
        mark(b);
        assert_false(flag(b));
        hc_bus_write(b->m, writes[i].address, writes[i].value, writes[i].size);
        run_for(b, hc_us(20));
        assert_true(was_reset(b));
        assert_true(flag(b));
        assert_int_equal(get(b, WDTCTL), 0x6900);
    }
    /* WDTIFG survives a PUC and not a POR. */
    hc_machine_reset(b->m, HC_PUC);
    assert_true(flag(b));
    hc_machine_reset(b->m, HC_POR);
    assert_false(flag(b));
}

/* The RST/NMI pin: a POR while low, or an NMI at the selected edge. */
static void rst_nmi_pin(void **state)
{
    struct bench *b = *state;
    hc_wire pin = hc_wire_find(b->m, "rst_nmi");
    int driver = hc_wire_driver(b->m, pin);

    set(b, WDTCTL, KEY | HOLD | NMI); /* rising edge */
    set(b, IE1, NMIIFG);
    hc_wire_drive(b->m, pin, driver, HC_LOW);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 0);
    hc_wire_drive(b->m, pin, driver, HC_HIGH);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 1);
    set(b, IFG1, 0);
    set(b, WDTCTL, KEY | HOLD | NMI | NMIES); /* falling: the pin is high, no edge */
    assert_int_equal(get(b, IFG1) & NMIIFG, 0);
    set(b, WDTCTL, KEY | HOLD | NMI); /* back to rising with the pin high is one */
    assert_int_equal(get(b, IFG1) & NMIIFG, NMIIFG);
    set(b, IFG1, 0);
    set(b, WDTCTL, KEY | HOLD | NMI | NMIES);
    hc_wire_drive(b->m, pin, driver, HC_LOW);
    assert_int_equal(get(b, IFG1) & NMIIFG, NMIIFG);
    hc_wire_drive(b->m, pin, driver, HC_HIGH);

    set(b, WDTCTL, KEY | HOLD); /* RST, which keeps NMIIFG clear */
    assert_int_equal(get(b, IFG1) & NMIIFG, 0);
    mark(b);
    hc_wire_drive(b->m, pin, driver, HC_LOW);
    run_for(b, hc_ms(100));
    assert_true(was_reset(b));
    assert_false(flag(b)); /* held, the watchdog too */
    assert_int_equal(hc_register(b->m, HC_PC), RESET_CODE);
    hc_wire_drive(b->m, pin, driver, HC_HIGH);
    run_for(b, hc_us(100));
    assert_int_equal(hc_register(b->m, HC_SP), STACK);
}

/* Firmware: counts its resets in memory that start-up code does not clear, with their causes. */
static void firmware(void **state)
{
    struct bench *b = *state;
    struct harness h = { 0 };

    harness_load(&h, b->m, "watchdog");
    harness_finish(&h, hc_ms(2000));
    assert_int_equal(harness_get(&h, "result", 0), 0); /* power-on: WDTIFG clear */
    assert_int_equal(harness_get(&h, "result", 1), 1); /* after the watchdog expired */
    assert_int_equal(harness_get(&h, "result", 2), 1); /* after the wrong key */
    assert_int_equal(harness_get(&h, "result", 3), 5); /* interval interrupts */
    assert_int_equal(harness_get(&h, "result", 4), 0x6904 | TMSEL | 2);
    harness_stop(&h);
    free(b);
}

static int set_up_unstarted(void **state)
{
    *state = bench_new();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_after_reset, set_up, bench_free),
        cmocka_unit_test_setup_teardown(intervals_as_watchdog, set_up, bench_free),
        cmocka_unit_test_setup_teardown(intervals_as_timer, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interval_interrupts, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_set_flag_costs_nothing, set_up, bench_free),
        cmocka_unit_test_setup_teardown(clearing_in_time, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interval_without_clear, set_up, bench_free),
        cmocka_unit_test_setup_teardown(counts_from_zero, set_up, bench_free),
        cmocka_unit_test_setup_teardown(hold_keeps_the_count, set_up, bench_free),
        cmocka_unit_test_setup_teardown(sleeping_clock, set_up, bench_free),
        cmocka_unit_test_setup_teardown(key_violation, set_up, bench_free),
        cmocka_unit_test_setup_teardown(rst_nmi_pin, set_up, bench_free),
        cmocka_unit_test_setup(firmware, set_up_unstarted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
