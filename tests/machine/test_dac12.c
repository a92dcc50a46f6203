/* DAC12 against the user's guide: data formats, ranges, references, latching, grouping, flags, calibration. */
#include "device_bench.h"

#include "machine/device/msp430x1xx/dac12.h"
#include "support/harness.h"

enum { CTL_0 = 0x1c0, CTL_1 = 0x1c2, DAT_0 = 0x1c8, DAT_1 = 0x1ca };
enum { VEREF = 0x4000, RES = 0x1000, LSEL_DATA = 1 << 10, LSEL_TA1 = 2 << 10, LSEL_TB2 = 3 << 10, CALON = 0x200 };
enum { IR = 0x100, AMP_1 = 1 << 5, AMP_5 = 5 << 5, DF = 0x10, IE = 8, IFG = 4, ENC = 2, GRP = 1 };

static int set_up_with(void **state, bool with_dma)
{
    struct bench *b = bench_new();
    struct hc_dac12_wiring wiring = { .dma = with_dma ? hc_dma_new(b->m, 0) : NULL };

    wiring.avcc = hc_wire_new_wide(b->m, "vcc", 32, NULL);
    hc_wire_set(b->m, wiring.avcc, 3000000);
    wiring.vref = hc_wire_new_wide(b->m, "vref+", 32, NULL);
    hc_wire_set(b->m, wiring.vref, 1500000);
    wiring.veref = hc_wire_new_wide(b->m, "veref+", 32, NULL);
    hc_wire_set(b->m, wiring.veref, 800000);
    wiring.ta_out1 = hc_wire_new(b->m, "ta.out1", 0);
    wiring.tb_out2 = hc_wire_new(b->m, "tb.out2", 0);
    b->device = hc_dac12_new(b->m, &wiring, 0);
    bench_start(b);
    *state = b;
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, false);
}

static int set_up_dma(void **state)
{
    return set_up_with(state, true);
}

static int32_t output(struct bench *b, int channel)
{
    return hc_wire_level(b->m, hc_dac12_output(b->device, channel));
}

static void pulse(struct bench *b, const char *name)
{
    hc_wire_set_pull(b->m, hc_wire_find(b->m, name), 1);
    hc_wire_set_pull(b->m, hc_wire_find(b->m, name), 0);
}

static void formats_and_ranges(void **state)
{
    static const struct {
        uint16_t ctl, data;
        int32_t microvolts;
    } rows[] = {
        { AMP_5 | IR, 0x000, 0 },
        { AMP_5 | IR, 0x800, 750000 },
        { AMP_5 | IR, 0xfff, 1499633 },
        { AMP_5 | IR, 0xf800, 750000 }, /* only 12 bits */
        { AMP_5, 0x400, 1125000 },      /* three times the reference */
        { AMP_5, 0xfff, 3000000 },      /* but not above the supply */
        { AMP_5 | IR | RES, 0x80, 750000 },
        { AMP_5 | IR | RES, 0xf80, 750000 }, /* only 8 bits */
        { AMP_5 | IR | RES, 0xff, 1494140 },
        { AMP_5 | IR | DF, 0x000, 750000 },
        { AMP_5 | IR | DF, 0x7ff, 1499633 },
        { AMP_5 | IR | DF, 0x800, 0 },
        { AMP_5 | IR | DF, 0xfff, 749633 },
        { AMP_5 | IR | DF | RES, 0x00, 750000 },
        { AMP_5 | IR | DF | RES, 0x80, 0 },
        { AMP_5 | IR | VEREF, 0x800, 400000 },
        { AMP_5 | IR | VEREF | 0x2000, 0x800, 400000 },
        { AMP_5 | IR | 0x2000, 0x800, 750000 },
        { 2 << 5 | IR, 0x800, 750000 },
        { 7 << 5 | IR, 0x800, 750000 },
        { AMP_1 | IR, 0x800, 0 },
        { IR, 0x800, HC_DAC12_HIGH_IMPEDANCE },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t channel = 0; channel < 2; channel++) {
            set(b, CTL_0 + 2 * channel, rows[i].ctl);
            set(b, DAT_0 + 2 * channel, rows[i].data);
            assert_int_equal(output(b, (int)channel), rows[i].microvolts);
            assert_int_equal(get(b, DAT_0 + 2 * channel), rows[i].data & 0xfff);
            assert_int_equal(get(b, CTL_0 + 2 * channel), rows[i].ctl); /* LSEL 0 sets no IFG */
        }
    }
}

static void the_output_follows_its_reference(void **state)
{
    struct bench *b = *state;

    set(b, CTL_0, AMP_5 | IR);
    set(b, DAT_0, 0x800);
    hc_wire_set(b->m, hc_wire_find(b->m, "vref+"), 2500000);
    assert_int_equal(output(b, 0), 1250000);
    hc_wire_set(b->m, hc_wire_find(b->m, "vcc"), 1000000);
    assert_int_equal(output(b, 0), 1000000);
}

static void enc_protects_the_settings_and_a_puc_keeps_them(void **state)
{
    struct bench *b = *state;

    set(b, CTL_1, LSEL_DATA | IR | AMP_5 | ENC);
    set(b, CTL_1, 0xfff0 | IE | ENC);
    assert_int_equal(get(b, CTL_1), LSEL_DATA | CALON | IR | AMP_5 | IE | ENC);
    set(b, CTL_1, IE | ENC);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, CTL_1), LSEL_DATA | IR | AMP_5 | IE | ENC);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, CTL_1), 0);
    assert_int_equal(output(b, 1), HC_DAC12_HIGH_IMPEDANCE);
}

static void latching(void **state)
{
    static const struct {
        uint16_t lsel;
        const char *trigger;
    } rows[] = { { LSEL_DATA, NULL }, { LSEL_TA1, "ta.out1" }, { LSEL_TB2, "tb.out2" } };
    struct bench *b = *state;

    for (size_t i = 0; i < 3; i++) {
        set(b, CTL_0, 0);
        set(b, CTL_0, 0);
        set(b, DAT_0, 0);
        set(b, CTL_0, (uint16_t)(rows[i].lsel | IR | AMP_5));
        set(b, DAT_0, 0x800);
        pulse(b, "ta.out1");
        pulse(b, "tb.out2");
        assert_int_equal(output(b, 0), 0); /* not enabled */
        set(b, CTL_0, (uint16_t)(rows[i].lsel | IR | AMP_5 | ENC));
        set(b, DAT_0, 0x400);
        if (rows[i].trigger) {
            assert_int_equal(output(b, 0), 0);
            assert_int_equal(get(b, CTL_0) & IFG, 0);
            pulse(b, i == 1 ? "tb.out2" : "ta.out1"); /* the other one */
            assert_int_equal(output(b, 0), 0);
            pulse(b, rows[i].trigger);
        }
        assert_int_equal(output(b, 0), 375000);
        assert_int_equal(get(b, CTL_0) & IFG, IFG);
        set(b, CTL_0, (uint16_t)(rows[i].lsel | IR | AMP_5 | ENC)); /* software clears the flag */
        assert_int_equal(get(b, CTL_0) & IFG, 0);
    }
}

/* Both data registers must be written; channel 1's LSEL decides. */
static void a_group_updates_together(void **state)
{
    struct bench *b = *state;

    set(b, CTL_0, LSEL_DATA | IR | AMP_5 | ENC | GRP);
    set(b, CTL_1, LSEL_DATA | IR | AMP_5 | ENC);
    set(b, DAT_0, 0x800);
    assert_int_equal(output(b, 0), 0);
    set(b, DAT_1, 0x400);
    assert_int_equal(output(b, 0), 750000);
    assert_int_equal(output(b, 1), 375000);
    assert_int_equal(get(b, CTL_0) & get(b, CTL_1) & IFG, IFG);
    set(b, DAT_1, 0x200);
    assert_int_equal(output(b, 1), 375000);
    set(b, DAT_0, 0x800);
    assert_int_equal(output(b, 1), 187500);

    set(b, CTL_0, GRP);
    set(b, CTL_1, 0);
    set(b, CTL_0, LSEL_DATA | IR | AMP_5 | GRP);
    set(b, CTL_1, LSEL_TA1 | IR | AMP_5);
    set(b, CTL_0, LSEL_DATA | IR | AMP_5 | ENC | GRP);
    set(b, CTL_1, LSEL_TA1 | IR | AMP_5 | ENC);
    set(b, DAT_0, 0x100);
    pulse(b, "ta.out1");
    assert_int_equal(output(b, 0), 750000);
    set(b, DAT_1, 0x100);
    assert_int_equal(output(b, 1), 187500);
    pulse(b, "ta.out1");
    assert_int_equal(output(b, 0), 93750);
    assert_int_equal(output(b, 1), 93750);
}

static void interrupts(void **state)
{
    struct bench *b = *state;

    interrupts_on(b);
    set(b, CTL_1, LSEL_DATA | IR | AMP_5 | ENC | IE);
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[0], 0);
    set(b, DAT_1, 1);
    run_for(b, hc_us(8));
    assert_int_not_equal(b->interrupts[0], 0);
    assert_int_equal(get(b, CTL_1) & IFG, IFG); /* software clears it */
    set(b, CTL_1, ENC | IE);
    run_for(b, hc_us(100));
    b->interrupts[0] = 0;
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[0], 0);
}

static void calibration(void **state)
{
    static const struct {
        uint16_t amp;
        uint64_t ms;
    } rows[] = { { 2, 100 }, { 3, 32 }, { 4, 6 }, { 5, 32 }, { 6, 6 }, { 7, 6 } };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hc_time start = hc_now(b->m);

        set(b, CTL_0, (uint16_t)(CALON | rows[i].amp << 5));
        hc_machine_run(b->m, start + hc_ms(rows[i].ms) - 1);
        assert_int_equal(get(b, CTL_0) & CALON, CALON);
        hc_machine_run(b->m, start + hc_ms(rows[i].ms));
        assert_int_equal(get(b, CTL_0) & CALON, 0);
    }
}

/* A table played by DMA: each latched word asks for the next. The vector is shared. */
static void dma(void **state)
{
    enum { DMACTL0 = 0x122, DMA1CTL = 0x1e8, DMA1SA = 0x1ea, DMA1DA = 0x1ec, DMA1SZ = 0x1ee, TABLE = 0x1200 };
    struct bench *b = *state;

    for (uint16_t i = 0; i < 3; i++)
        hc_poke16(b->m, TABLE + 2u * i, (uint16_t)(0x100 * (i + 1)));
    set(b, DMACTL0, 5 << 4);
    set(b, DMA1SA, TABLE);
    set(b, DMA1DA, DAT_0);
    set(b, DMA1SZ, 3);
    set(b, DMA1CTL, 0x0310); /* single, source counts up, enabled */
    set(b, CTL_0, LSEL_TA1 | IR | AMP_5 | ENC);
    for (int i = 0; i < 4; i++) {
        pulse(b, "ta.out1");
        assert_int_equal(output(b, 0), 93750 * i);
        run_for(b, hc_us(20));
        assert_int_equal(get(b, CTL_0) & IFG, i < 3 ? 0 : IFG); /* the transfer cleared it */
    }
    assert_int_equal(get(b, DAT_0), 0x300);
    set(b, DMA1CTL, 0);
    interrupts_on(b);
    set(b, CTL_0, ENC | IE | IFG);
    run_for(b, hc_us(8));
    assert_int_not_equal(b->interrupts[0], 0);
}

static void byte_accesses_and_unknown_registers(void **state)
{
    struct bench *b = *state;

    set(b, 0x1c4, 1);
    assert_int_equal(b->notes, 1);
    get(b, 0x1c6);
    assert_int_equal(b->notes, 2);
    set(b, DAT_1, 0x0123);
    assert_int_equal(hc_bus_read(b->m, DAT_1, 1), 0x23);
    assert_int_equal(hc_bus_read(b->m, DAT_1 + 1, 1), 0x01);
    hc_bus_write(b->m, DAT_1, 0x45, 1); /* the high byte is cleared */
    assert_int_equal(get(b, DAT_1), 0x0045);
}

/* With the ADC's reference, on the whole F1611. */
static void firmware(void **state)
{
    struct harness h;

    (void)state;
    harness_start(&h, "analog");
    harness_finish(&h, hc_ms(500));
    assert_int_equal(hc_wire_level(h.machine, hc_wire_find(h.machine, "dac12.0")), 1250000);
    assert_int_equal(hc_wire_level(h.machine, hc_wire_find(h.machine, "dac12.1")), 312500);
    assert_int_equal(harness_get(&h, "result", 0), 1); /* a DAC12 interrupt */
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(formats_and_ranges, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_output_follows_its_reference, set_up, bench_free),
        cmocka_unit_test_setup_teardown(enc_protects_the_settings_and_a_puc_keeps_them, set_up, bench_free),
        cmocka_unit_test_setup_teardown(latching, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_group_updates_together, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interrupts, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interrupts, set_up_dma, bench_free),
        cmocka_unit_test_setup_teardown(calibration, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dma, set_up_dma, bench_free),
        cmocka_unit_test_setup_teardown(byte_accesses_and_unknown_registers, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
