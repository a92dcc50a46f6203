/* Ports against the user's guide: directions, levels, module functions, edges and interrupts. */
#include "device_bench.h"

#include "machine/device/msp430x1xx/port.h"
#include "support/harness.h"

enum { P1IN = 0x20, P1OUT, P1DIR, P1IFG, P1IES, P1IE, P1SEL };
enum { P2IN = 0x28, P2OUT, P2DIR, P2IFG, P2IES, P2IE, P2SEL };
enum { P3IN = 0x18, P3OUT, P3DIR, P3SEL, P4IN, P4OUT, P4DIR, P4SEL };
enum { P5IN = 0x30, P5OUT, P5DIR, P5SEL, P6IN, P6OUT, P6DIR, P6SEL };

static const struct {
    uint8_t in, out, dir, sel;
} ports[] = { { P1IN, P1OUT, P1DIR, P1SEL }, { P2IN, P2OUT, P2DIR, P2SEL }, { P3IN, P3OUT, P3DIR, P3SEL },
              { P4IN, P4OUT, P4DIR, P4SEL }, { P5IN, P5OUT, P5DIR, P5SEL }, { P6IN, P6OUT, P6DIR, P6SEL } };

static int set_up(void **state)
{
    struct bench *b = bench_new();
    struct hc_ports *p = hc_ports_new(b->m);
    hc_wire module_out = hc_wire_new(b->m, "module.out", 0);
    hc_wire module_in = hc_wire_new(b->m, "module.in", 0);

    hc_port_module_output(p, 2, 3, module_out);
    hc_port_module_input(p, 2, 3, module_in);
    hc_port_module_direction(p, 3, 4, HC_DIRECTION_OUT);
    hc_port_module_output(p, 3, 4, module_out);
    hc_port_module_direction(p, 3, 5, HC_DIRECTION_IN);
    b->device = p;
    bench_start(b);
    *state = b;
    return 0;
}

static hc_wire pin(struct bench *b, int port, int number)
{
    return hc_port_pin(b->device, port, number);
}

static void drive(struct bench *b, hc_wire wire, int driver, enum hc_drive level)
{
    hc_wire_drive(b->m, wire, driver, level);
}

static void every_port_drives_and_reads_its_pins(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 6; i++) {
        assert_int_equal(get(b, ports[i].dir), 0);
        assert_int_equal(get(b, ports[i].sel), 0);
        set(b, ports[i].out, 0xa5);
        assert_int_equal(get(b, ports[i].in), 0x00);
        set(b, ports[i].dir, 0x3c);
        assert_int_equal(get(b, ports[i].in), 0x24); /* outputs read back from the pin */
        assert_int_equal(hc_wire_level(b->m, pin(b, i + 1, 2)), 1);
        assert_int_equal(hc_wire_level(b->m, pin(b, i + 1, 0)), 0);
        set(b, ports[i].in, 0xff); /* read-only */
        assert_int_equal(get(b, ports[i].in), 0x24);
        assert_int_equal(get(b, ports[i].out), 0xa5);
        assert_int_equal(get(b, ports[i].dir), 0x3c);
    }
    assert_int_equal(hc_wire_find(b->m, "p6.7"), pin(b, 6, 7));
    assert_int_equal(b->notes, 0);
}

static void a_pin_reads_what_the_board_drives(void **state)
{
    struct bench *b = *state;
    int driver = hc_wire_driver(b->m, pin(b, 1, 5));

    drive(b, pin(b, 1, 5), driver, HC_HIGH);
    assert_int_equal(get(b, P1IN), 0x20);
    set(b, P1DIR, 0x20); /* low wins: a short, but what the pin would show */
    assert_int_equal(get(b, P1IN), 0x00);
    set(b, P1DIR, 0x00);
    hc_wire_set_pull(b->m, pin(b, 1, 4), 1);
    assert_int_equal(get(b, P1IN), 0x30);
}

static void a_reset_lets_go_and_keeps_out_and_edge_select(void **state)
{
    struct bench *b = *state;

    set(b, P1IES, 0x0f);
    set(b, P1IE, 0xff);
    set(b, P1SEL, 0x80);
    set(b, P1OUT, 0x55);
    set(b, P1DIR, 0x7f);
    assert_int_not_equal(get(b, P1IFG), 0);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, P1OUT), 0x55);
    assert_int_equal(get(b, P1IES), 0x0f);
    assert_int_equal(get(b, P1DIR), 0);
    assert_int_equal(get(b, P1SEL), 0);
    assert_int_equal(get(b, P1IE), 0);
    assert_int_equal(get(b, P1IFG), 0);
    assert_int_equal(get(b, P1IN), 0);
}

static void module_output_follows_while_selected(void **state)
{
    struct bench *b = *state;
    hc_wire module_out = hc_wire_find(b->m, "module.out");
    int module = hc_wire_driver(b->m, module_out);

    set(b, P2DIR, 0x08);
    set(b, P2OUT, 0x08);
    assert_int_equal(get(b, P2IN), 0x08);
    set(b, P2SEL, 0x08);
    assert_int_equal(get(b, P2IN), 0x00);
    drive(b, module_out, module, HC_HIGH);
    assert_int_equal(get(b, P2IN), 0x08);
    set(b, P2DIR, 0x00); /* PxSEL alone makes no output */
    assert_int_equal(get(b, P2IN), 0x00);
    set(b, P3SEL, 0x30); /* unless the module says so */
    assert_int_equal(get(b, P3IN), 0x10);
    set(b, P3OUT, 0x20);
    set(b, P3DIR, 0x20);
    assert_int_equal(get(b, P3IN), 0x10);
    set(b, P3SEL, 0x00);
    assert_int_equal(get(b, P3IN), 0x20);
}

static void module_input_is_latched_while_not_selected(void **state)
{
    struct bench *b = *state;
    hc_wire module_in = hc_wire_find(b->m, "module.in");
    int driver = hc_wire_driver(b->m, pin(b, 2, 3));

    drive(b, pin(b, 2, 3), driver, HC_HIGH);
    assert_int_equal(hc_wire_level(b->m, module_in), 0);
    set(b, P2SEL, 0x08);
    assert_int_equal(hc_wire_level(b->m, module_in), 1);
    drive(b, pin(b, 2, 3), driver, HC_LOW);
    assert_int_equal(hc_wire_level(b->m, module_in), 0);
    drive(b, pin(b, 2, 3), driver, HC_HIGH);
    set(b, P2SEL, 0x00);
    drive(b, pin(b, 2, 3), driver, HC_LOW);
    assert_int_equal(hc_wire_level(b->m, module_in), 1);
    set(b, P2SEL, 0x08);
    assert_int_equal(hc_wire_level(b->m, module_in), 0);
}

static void edges_set_flags(void **state)
{
    struct bench *b = *state;
    int rising = hc_wire_driver(b->m, pin(b, 1, 0));
    int falling = hc_wire_driver(b->m, pin(b, 1, 1));

    hc_wire_set_pull(b->m, pin(b, 1, 1), 1);
    set(b, P1IES, 0x02);
    set(b, P1IFG, 0);
    drive(b, pin(b, 1, 0), rising, HC_HIGH);
    assert_int_equal(get(b, P1IFG), 0x01);
    drive(b, pin(b, 1, 1), falling, HC_LOW);
    assert_int_equal(get(b, P1IFG), 0x03);
    set(b, P1IFG, 0);
    drive(b, pin(b, 1, 0), rising, HC_LOW);
    drive(b, pin(b, 1, 1), falling, HC_HIGH);
    assert_int_equal(get(b, P1IFG), 0);

    set(b, P1SEL, 0x01); /* a pin that a module has makes no interrupts */
    drive(b, pin(b, 1, 0), rising, HC_HIGH);
    assert_int_equal(get(b, P1IFG), 0);
}

/* The guide's table of PxIES writes, where "may be set" is "is set". */
static void writing_edge_select_may_set_flags(void **state)
{
    struct bench *b = *state;

    hc_wire_set_pull(b->m, pin(b, 2, 1), 1);
    set(b, P2IFG, 0);
    set(b, P2IES, 0x03); /* 0 to 1: pin 0 low, pin 1 high */
    assert_int_equal(get(b, P2IFG), 0x01);
    set(b, P2IFG, 0);
    set(b, P2IES, 0x00); /* 1 to 0 */
    assert_int_equal(get(b, P2IFG), 0x02);
}

static void interrupts_of_both_ports(void **state)
{
    struct bench *b = *state;

    interrupts_on(b);
    set(b, P1IFG, 0x80); /* by software */
    run_for(b, hc_us(50));
    assert_int_equal(b->interrupts[4], 0);
    set(b, P1IE, 0x80);
    run_for(b, hc_us(3));
    assert_int_not_equal(b->interrupts[4], 0);
    assert_int_equal(get(b, P1IFG), 0x80); /* many sources, so software clears */
    set(b, P1IFG, 0);
    run_for(b, hc_us(50));
    b->interrupts[4] = 0;
    run_for(b, hc_us(50));
    assert_int_equal(b->interrupts[4], 0);

    set(b, P2IE, 0x01);
    set(b, P2OUT, 0x01);
    set(b, P2DIR, 0x01); /* an output's edges count too */
    run_for(b, hc_us(3));
    assert_int_not_equal(b->interrupts[1], 0);
    assert_int_equal(b->interrupts[4], 0);
}

static void unknown_registers_are_noted(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, 0x27), 0);
    assert_int_equal(b->notes, 1);
    set(b, 0x2f, 1);
    assert_int_equal(b->notes, 2);
}

/* On the TelosB: counts edges of P2.0 by interrupt out of LPM4, makes its own edges on P1.0, answers on P6. */
static void firmware(void **state)
{
    struct harness h;
    hc_wire in;
    int driver;

    (void)state;
    harness_start(&h, "port");
    in = hc_wire_find(h.machine, "p2.0");
    driver = hc_wire_driver(h.machine, in);
    hc_wire_drive(h.machine, in, driver, HC_HIGH);
    harness_run(&h, hc_ms(20));
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(harness_get(&h, "result", 0), i - 1);
        hc_wire_drive(h.machine, in, driver, HC_LOW);
        harness_run(&h, hc_ms(1));
        assert_int_equal(harness_get(&h, "result", 0), i);
        assert_int_equal(hc_wire_level(h.machine, hc_wire_find(h.machine, "p6.1")), i & 1);
        hc_wire_drive(h.machine, in, driver, HC_HIGH);
        harness_run(&h, hc_ms(1));
    }
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "result", 1), 1);    /* P1IFG of its own edge */
    assert_int_equal(harness_get(&h, "result", 2), 0x40); /* PxIES: 0 to 1 with a low pin */
    assert_int_equal(harness_get(&h, "result", 3), 0);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_port_drives_and_reads_its_pins, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_pin_reads_what_the_board_drives, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_reset_lets_go_and_keeps_out_and_edge_select, set_up, bench_free),
        cmocka_unit_test_setup_teardown(module_output_follows_while_selected, set_up, bench_free),
        cmocka_unit_test_setup_teardown(module_input_is_latched_while_not_selected, set_up, bench_free),
        cmocka_unit_test_setup_teardown(edges_set_flags, set_up, bench_free),
        cmocka_unit_test_setup_teardown(writing_edge_select_may_set_flags, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interrupts_of_both_ports, set_up, bench_free),
        cmocka_unit_test_setup_teardown(unknown_registers_are_noted, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
