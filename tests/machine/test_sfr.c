/* Special function registers: reset values, owners, and the non-maskable interrupt. */
#include "device_bench.h"

#include "support/harness.h"

enum { IE1 = 0x00, IE2 = 0x01, IFG1 = 0x02, IFG2 = 0x03, ME1 = 0x04, ME2 = 0x05 };

struct told {
    struct hc_device base;
    struct {
        int calls;
        enum hc_sfr_register reg;
        uint8_t value, changed;
    } s;
};

static void told(struct hc_device *owner, enum hc_sfr_register reg, uint8_t value, uint8_t changed)
{
    struct told *t = (struct told *)owner;

    t->s.calls++;
    t->s.reg = reg;
    t->s.value = value;
    t->s.changed = changed;
}

static const struct hc_device_ops owner_ops = { .name = "owner", .help = "of SFR bits" };

static int set_up(void **state)
{
    struct bench *b = bench_new();
    struct told *t = HC_DEVICE_NEW(b->m, &owner_ops, "owner", struct told);

    b->device = t;
    hc_sfr_own(b->sfr, HC_IE2, HC_URXIFG1 | HC_UTXIFG1, &t->base, told);
    bench_start(b);
    *state = b;
    return 0;
}

static void reset_values(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, IE1), 0);
    assert_int_equal(get(b, IE2), 0);
    assert_int_equal(get(b, IFG1), 0x82); /* UTXIFG0, OFIFG */
    assert_int_equal(get(b, IFG2), 0x20); /* UTXIFG1 */
    assert_int_equal(get(b, ME1), 0);
    assert_int_equal(get(b, ME2), 0);
}

static void a_puc_keeps_the_flags_of_watchdog_and_nmi(void **state)
{
    struct bench *b = *state;

    set(b, IE1, 0x40);
    set(b, ME2, 0x30);
    set(b, IFG1, HC_WDTIFG | HC_NMIIFG | HC_URXIFG0);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, IE1), 0);
    assert_int_equal(get(b, ME2), 0);
    assert_int_equal(get(b, IFG1), HC_WDTIFG | HC_NMIIFG | HC_OFIFG | HC_UTXIFG0);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, IFG1), HC_OFIFG | HC_UTXIFG0);
}

static void owners_are_told_of_software_only(void **state)
{
    struct bench *b = *state;
    struct told *t = b->device;

    set(b, IE2, 0x10);
    assert_int_equal(t->s.calls, 1);
    assert_int_equal(t->s.reg, HC_IE2);
    assert_int_equal(t->s.value, 0x10);
    assert_int_equal(t->s.changed, 0x10);
    set(b, IE2, 0x11); /* a bit that nobody owns: storage */
    assert_int_equal(t->s.calls, 1);
    assert_int_equal(get(b, IE2), 0x11);
    set(b, IE1, 0x10); /* another register */
    assert_int_equal(t->s.calls, 1);
    hc_sfr_change(b->sfr, HC_IE2, HC_UTXIFG1, 0x01);
    assert_int_equal(t->s.calls, 1);
    assert_int_equal(get(b, IE2), 0x30);
    assert_int_equal(hc_sfr_get(b->sfr, HC_IE2), 0x30);
}

static void a_word_access_reaches_one_register(void **state)
{
    struct bench *b = *state;

    set(b, IE2, 0x07);
    hc_bus_write(b->m, IE1, 0x3301, 2);
    assert_int_equal(get(b, IE1), 0x01);
    assert_int_equal(get(b, IE2), 0x07);
    assert_int_equal(hc_bus_read(b->m, IE1, 2) & 0xff, 0x01);
}

/* Three sources, none of which GIE masks; accepting one clears all three enables and no flag. */
static void the_non_maskable_interrupt(void **state)
{
    struct bench *b = *state;

    hc_sfr_change(b->sfr, HC_IFG1, 0, HC_OFIFG);
    set(b, IE1, HC_NMIIFG | HC_OFIFG | HC_ACCVIE | HC_WDTIFG);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 0);
    hc_sfr_change(b->sfr, HC_IFG1, HC_OFIFG, 0);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 1);
    assert_int_equal(get(b, IE1), HC_WDTIFG);
    assert_int_equal(get(b, IFG1) & HC_OFIFG, HC_OFIFG);

    hc_sfr_access_violation(b->sfr, true);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 1);
    set(b, IE1, HC_ACCVIE);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 2);

    set(b, IE1, HC_NMIIFG);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 2);
    set(b, IFG1, HC_NMIIFG);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 3);
}

/* An access violation with GIE off: the NMI comes all the same, once, and its enable is gone. */
static void firmware(void **state)
{
    struct harness h;

    (void)state;
    harness_start(&h, "nmi");
    harness_finish(&h, hc_ms(100));
    assert_int_equal(harness_get(&h, "result", 0), 2);
    assert_int_equal(harness_get(&h, "result", 1), 0);    /* IE1 within the handler */
    assert_int_equal(harness_get(&h, "result", 2), 0x04); /* ACCVIFG */
    assert_int_equal(harness_get(&h, "result", 3), 1);    /* before the second enable */
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reset_values, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_puc_keeps_the_flags_of_watchdog_and_nmi, set_up, bench_free),
        cmocka_unit_test_setup_teardown(owners_are_told_of_software_only, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_word_access_reaches_one_register, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_non_maskable_interrupt, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
