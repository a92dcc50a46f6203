/* Comparator_A against the user's guide: inputs, references, exchange, filter, edges and the interrupt. */
#include "device_bench.h"

#include "machine/device/msp430x1xx/comparator_a.h"
#include "machine/device/msp430x1xx/port.h"
#include "support/harness.h"

enum { CACTL1 = 0x59, CACTL2 = 0x5a, CAPD = 0x5b };
enum {
    CAEX = 0x80,
    CARSEL = 0x40,
    QUARTER = 0x10,
    HALF = 0x20,
    DIODE = 0x30,
    CAON = 8,
    CAIES = 4,
    CAIE = 2,
    CAIFG = 1
};
enum { P2CA1 = 8, P2CA0 = 4, CAF = 2, CAOUT = 1 };

static int set_up(void **state)
{
    struct bench *b = bench_new();
    hc_wire vcc = hc_wire_new_wide(b->m, "vcc", 32, NULL);

    hc_wire_set(b->m, vcc, 3000000);
    b->device = hc_comparator_a_new(b->m, vcc, 11);
    hc_comparator_a_connect_port(b->device, hc_ports_new(b->m), 2, 0x18);
    bench_start(b);
    *state = b;
    return 0;
}

static void apply(struct bench *b, int32_t ca0, int32_t ca1)
{
    hc_wire_set(b->m, hc_comparator_a_input(b->device, 0), ca0);
    hc_wire_set(b->m, hc_comparator_a_input(b->device, 1), ca1);
}

static bool out(struct bench *b)
{
    bool level = hc_wire_level(b->m, hc_comparator_a_output(b->device));

    assert_int_equal(get(b, CACTL2) & CAOUT, level);
    return level;
}

static void inputs_and_references(void **state)
{
    static const struct {
        uint8_t ctl1, ctl2;
        int32_t ca0, ca1;
        bool out;
    } rows[] = {
        { CAON, P2CA0 | P2CA1, 1000000, 999999, true },
        { CAON, P2CA0 | P2CA1, 999999, 1000000, false },
        { 0, P2CA0 | P2CA1, 1000000, 0, false }, /* off: low */
        { CAON | CARSEL | QUARTER, P2CA0, 750001, 2000000, true },
        { CAON | CARSEL | QUARTER, P2CA0, 749999, 0, false },
        { CAON | CARSEL | HALF, P2CA0, 1500001, 0, true },
        { CAON | CARSEL | HALF, P2CA0, 1499999, 0, false },
        { CAON | CARSEL | DIODE, P2CA0, 550001, 0, true },
        { CAON | CARSEL | DIODE, P2CA0, 549999, 0, false },
        { CAON | HALF, P2CA1, 0, 1499999, true }, /* the reference on the other line */
        { CAON | HALF, P2CA1, 3000000, 1500001, false },
        { CAON | CARSEL | QUARTER, 0, 3000000, 0, false }, /* CA0 not connected */
        /* CAEX exchanges the inputs and inverts the output: the same answer. */
        { CAON | CAEX, P2CA0 | P2CA1, 1000000, 999999, true },
        { CAON | CAEX, P2CA0 | P2CA1, 999999, 1000000, false },
        { CAON | CAEX | CARSEL | QUARTER, P2CA0, 750001, 0, true },
        { CAON | CAEX | QUARTER, P2CA1, 0, 750001, false },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(b, CACTL1, rows[i].ctl1);
        set(b, CACTL2, rows[i].ctl2 | CAOUT); /* CAOUT is read-only */
        apply(b, rows[i].ca0, rows[i].ca1);
        assert_int_equal(out(b), rows[i].out);
    }
}

static void a_reference_follows_the_supply(void **state)
{
    struct bench *b = *state;

    set(b, CACTL2, P2CA0);
    set(b, CACTL1, CAON | CARSEL | HALF);
    apply(b, 1200000, 0);
    assert_false(out(b));
    hc_wire_set(b->m, hc_wire_find(b->m, "vcc"), 2200000);
    assert_true(out(b));
}

static void edges_set_the_flag(void **state)
{
    struct bench *b = *state;

    set(b, CACTL2, P2CA0 | P2CA1);
    set(b, CACTL1, CAON);
    apply(b, 1000, 0);
    assert_int_equal(get(b, CACTL1), CAON | CAIFG);
    set(b, CACTL1, CAON);
    apply(b, 0, 0);
    assert_int_equal(get(b, CACTL1), CAON);
    set(b, CACTL1, CAON | CAIES); /* out is low: looks like the edge */
    assert_int_equal(get(b, CACTL1), CAON | CAIES | CAIFG);
    set(b, CACTL1, CAON | CAIES);
    apply(b, 1000, 0);
    assert_int_equal(get(b, CACTL1), CAON | CAIES);
    apply(b, 0, 0);
    assert_int_equal(get(b, CACTL1), CAON | CAIES | CAIFG);
}

static void the_interrupt_clears_its_flag(void **state)
{
    struct bench *b = *state;

    interrupts_on(b);
    set(b, CACTL2, P2CA0);
    set(b, CACTL1, CAON | CAIE);
    apply(b, 1000, 0);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[11], 1);
    assert_int_equal(get(b, CACTL1), CAON | CAIE);
    set(b, CACTL1, CAON | CAIE | CAIFG); /* by software */
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[11], 2);
    set(b, CACTL1, CAON);
    apply(b, 0, 0);
    apply(b, 1000, 0);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[11], 2);
}

static void the_filter_swallows_what_is_short(void **state)
{
    struct bench *b = *state;

    set(b, CACTL2, P2CA0 | CAF);
    set(b, CACTL1, CAON);
    apply(b, 1000, 0);
    run_for(b, hc_ns(1800));
    assert_false(out(b));
    apply(b, 0, 0);
    run_for(b, hc_us(10));
    assert_false(out(b));
    assert_int_equal(get(b, CACTL1), CAON);
    apply(b, 1000, 0);
    run_for(b, hc_ns(1899));
    assert_false(out(b));
    run_for(b, hc_ns(2));
    assert_true(out(b));
    assert_int_equal(get(b, CACTL1), CAON | CAIFG);
}

static void only_a_por_resets(void **state)
{
    struct bench *b = *state;

    set(b, CAPD, 0x18);
    set(b, CACTL2, 0xf0 | P2CA0);
    set(b, CACTL1, CAON);
    apply(b, 1000, 0);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, CACTL1), CAON | CAIFG);
    assert_int_equal(get(b, CACTL2), 0xf0 | P2CA0 | CAOUT);
    assert_int_equal(get(b, CAPD), 0x18);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, CACTL1), 0);
    assert_int_equal(get(b, CACTL2), 0);
    assert_int_equal(get(b, CAPD), 0);
}

/* CAPD.3 and CAPD.4: P2.3 and P2.4 keep what they had. */
static void port_inputs_switched_off(void **state)
{
    enum { P2IN = 0x28, P2IFG = 0x2b };
    struct bench *b = *state;
    hc_wire pin = hc_wire_find(b->m, "p2.3"), other = hc_wire_find(b->m, "p2.5");

    hc_wire_set_pull(b->m, pin, 1);
    set(b, P2IFG, 0);
    set(b, CAPD, 0x28);
    hc_wire_set_pull(b->m, pin, 0);
    hc_wire_set_pull(b->m, other, 1); /* has no part in it */
    assert_int_equal(get(b, P2IN), 0x28);
    hc_wire_set_pull(b->m, pin, 1);
    assert_int_equal(get(b, P2IFG), 0x20);
    hc_wire_set_pull(b->m, pin, 0);
    set(b, CAPD, 0);
    assert_int_equal(get(b, P2IN), 0x20);
    set(b, CAPD, 0x08);
    hc_wire_set_pull(b->m, pin, 1);
    assert_int_equal(get(b, P2IFG), 0x20);
    set(b, CAPD, 0); /* the buffer sees the edge now */
    assert_int_equal(get(b, P2IFG), 0x28);
}

/* An RC ramp crosses 0.25 VCC: the interrupt, and Timer_A's capture of CAOUT through CCI1B. */
static void firmware(void **state)
{
    struct harness h;

    (void)state;
    harness_start(&h, "analog");
    harness_run(&h, hc_ms(20));
    assert_int_equal(harness_get(&h, "ready", 0), 1);
    hc_wire_set(h.machine, hc_wire_find(h.machine, "comparator_a.ca0"), 700000);
    harness_run(&h, hc_ms(1));
    assert_int_equal(harness_get(&h, "result", 1), 0);
    hc_wire_set(h.machine, hc_wire_find(h.machine, "comparator_a.ca0"), 800000);
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "result", 1), 1);
    assert_int_equal(harness_get(&h, "result", 2), 1); /* captured */
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inputs_and_references, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_reference_follows_the_supply, set_up, bench_free),
        cmocka_unit_test_setup_teardown(edges_set_the_flag, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_interrupt_clears_its_flag, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_filter_swallows_what_is_short, set_up, bench_free),
        cmocka_unit_test_setup_teardown(only_a_por_resets, set_up, bench_free),
        cmocka_unit_test_setup_teardown(port_inputs_switched_off, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
