/* The basic clock module against chapter 4 of the MSP430x1xx user's guide and the F1611's datasheet. */
#include "clock_bench.h"
#include "machine/board/telosb.h"
#include "support/harness.h"

enum { OFIFG = 0x02, XT2OFF = 0x80, XTS = 0x40, RSEL_4 = 4 };

static int set_up(void **state)
{
    *state = bench_new();
    bench_start(*state);
    return 0;
}

static int set_up_with_crystals(void **state)
{
    struct bench *b = *state = bench_new();
    hc_basic_clock_set_crystals(b->clock, 32768, 8000000);
    bench_start(b);
    return 0;
}

static uint32_t mclk(struct bench *b)
{
    return hz(hc_mclk(b->m));
}

static void after_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, DCOCTL), 0x60);
    assert_int_equal(get(b, BCSCTL1), 0x84);
    assert_int_equal(get(b, BCSCTL2), 0x00);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    assert_int_equal(mclk(b), 750000);
    assert_int_equal(hz(b->smclk), 750000);
    assert_int_equal(hz(b->aclk), 32768);
    set(b, DCOCTL, 0xff);
    set(b, BCSCTL1, 0x3f);
    set(b, BCSCTL2, 0x36);
    hc_machine_reset(b->m, HC_PUC); /* XT2OFF, XTS and DIVAx are reset by a POR only */
    assert_int_equal(get(b, DCOCTL), 0x60);
    assert_int_equal(get(b, BCSCTL1), 0x34);
    assert_int_equal(get(b, BCSCTL2), 0x00);
    assert_int_equal(mclk(b), 750000);
    assert_int_equal(hz(b->aclk), 4096);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, BCSCTL1), 0x84);
    assert_int_equal(hz(b->aclk), 32768);
}

/* f(DCO03) .. f(DCO73) typical at 3 V; f(DCO77) typical 4.9 MHz; f(DCO47) = 2.1 f(DCO40). */
static void dco_frequencies(void **state)
{
    static const uint32_t khz[8] = { 130, 180, 280, 470, 750, 1300, 2000, 3200 };
    struct bench *b = *state;

    for (unsigned rsel = 0; rsel < 8; rsel++) {
        set(b, BCSCTL1, (uint16_t)(XT2OFF | rsel));
        set(b, DCOCTL, 3 << 5);
        assert_near(hz(b->smclk), khz[rsel] * 1000.0, 0.3);
        assert_int_equal(hz(b->smclk), mclk(b));
    }
    set(b, DCOCTL, 7 << 5);
    assert_near(hz(b->smclk), 4900000, 0.6);
    set(b, BCSCTL1, XT2OFF | RSEL_4);
    uint32_t f47 = hz(b->smclk);
    set(b, DCOCTL, 0);
    assert_near(f47, 2.1 * hz(b->smclk), 0.7);
    for (unsigned dco = 0; dco < 7; dco++) {
        set(b, DCOCTL, (uint16_t)(dco << 5));
        uint32_t here = hz(b->smclk);
        set(b, DCOCTL, (uint16_t)((dco + 1) << 5));
        assert_near(hz(b->smclk), 1.112 * here, 0.7);
    }
}

/* MODx of 32 cycles at f(DCO+1), the others at f(DCO); no effect with DCOx = 7. */
static void modulator(void **state)
{
    struct bench *b = *state;

    set(b, DCOCTL, 5 << 5);
    double t5 = (double)b->smclk->s.period;
    set(b, DCOCTL, 6 << 5);
    double t6 = (double)b->smclk->s.period;
    for (unsigned mod = 0; mod < 32; mod++) {
        set(b, DCOCTL, (uint16_t)(5 << 5 | mod));
        assert_near((double)b->smclk->s.period, ((32 - mod) * t5 + mod * t6) / 32, 0.6);
    }
    set(b, DCOCTL, 7 << 5);
    uint32_t f7 = hz(b->smclk);
    set(b, DCOCTL, 7 << 5 | 31);
    assert_near(hz(b->smclk), f7, 0.6);
}

/* 100 kOhm: 1.95 MHz with RSEL 4 and DCO 3. Without a resistor there is no current and no clock. */
static void external_resistor(void **state)
{
    struct bench *b = *state;

    set(b, BCSCTL2, 0x01);
    assert_int_equal(hz(b->smclk), 0);
    assert_int_equal(b->notes, 1);
    hc_basic_clock_set_rosc(b->clock, 100000);
    set(b, BCSCTL2, 0x00);
    set(b, BCSCTL2, 0x01);
    assert_near(hz(b->smclk), 1950000, 0.1);
}

static void dividers(void **state)
{
    struct bench *b = *state;

    for (unsigned div = 0; div < 4; div++) {
        set(b, BCSCTL2, (uint16_t)(div << 4));
        assert_int_equal(mclk(b), 750000 >> div);
        assert_int_equal(hz(b->smclk), 750000);
        set(b, BCSCTL2, (uint16_t)(div << 1));
        assert_int_equal(mclk(b), 750000);
        assert_int_equal(hz(b->smclk), 750000 >> div);
        set(b, BCSCTL1, (uint16_t)(XT2OFF | div << 4 | RSEL_4));
        assert_int_equal(hz(b->aclk), 32768 >> div);
    }
}

static void sources(void **state)
{
    struct bench *b = *state;

    set(b, BCSCTL1, RSEL_4); /* XT2 on */
    run_for(b, hc_us(60));
    static const uint32_t mclk_of_selm[4] = { 750000, 750000, 8000000, 32768 };
    for (unsigned selm = 0; selm < 4; selm++) {
        set(b, BCSCTL2, (uint16_t)(selm << 6));
        assert_near(mclk(b), mclk_of_selm[selm], 0.001);
    }
    set(b, BCSCTL2, 0x08);
    assert_near(hz(b->smclk), 8000000, 0.001);
    set(b, BCSCTL2, 0x0e);
    assert_near(hz(b->smclk), 1000000, 0.001);
}

/* The fault of a starting XT2 ends after 50 us; MCLK stays with the DCO until then. OFIFG cannot be cleared before. */
static void xt2_starts(void **state)
{
    struct bench *b = *state;

    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0); /* XT2 is off: nothing to watch */
    set(b, BCSCTL1, RSEL_4);
    set(b, BCSCTL2, 0x80);
    hc_time start = hc_now(b->m);
    run_to(b, start + hc_us(50) - 1);
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    assert_int_equal(mclk(b), 750000);
    run_to(b, start + hc_us(50));
    assert_near(mclk(b), 8000000, 0.001);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG); /* cleared by software only */
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
}

/* Stopping XT2 sets OFIFG, but an oscillator that is off does not keep it set (figure 4-10). */
static void xt2_stops(void **state)
{
    struct bench *b = *state;

    set(b, BCSCTL1, RSEL_4);
    run_for(b, hc_us(60));
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
    set(b, BCSCTL1, XT2OFF | RSEL_4);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
    run_for(b, hc_ms(1));
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
    /* On again: it may take its time as at first. */
    set(b, BCSCTL1, RSEL_4);
    run_for(b, hc_us(40));
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    run_for(b, hc_us(20));
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
}

/* While the DCO stands in for a crystal that fails, it has its internal resistor (figure 4-10). */
static void resistor_in_a_fault(void **state)
{
    struct bench *b = *state;

    hc_basic_clock_set_rosc(b->clock, 100000);
    set(b, BCSCTL1, RSEL_4);
    set(b, BCSCTL2, 0x81); /* XT2, DCOR */
    assert_int_equal(mclk(b), 750000);
    run_for(b, hc_us(60));
    assert_near(mclk(b), 8000000, 0.001);
    assert_near(hz(b->smclk), 1950000, 0.1);
    set(b, BCSCTL2, 0x01);
    assert_near(mclk(b), 1950000, 0.1);
}

/* No XT2 on the board: the fault stays, MCLK stays with the DCO, SMCLK stands still, the NMI comes. */
static void xt2_absent(void **state)
{
    struct bench *b = *state;

    set(b, IFG1, 0);
    set(b, BCSCTL1, RSEL_4);
    set(b, BCSCTL2, 0x88);
    run_for(b, hc_us(100));
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    assert_int_equal(mclk(b), 750000);
    assert_int_equal(hz(b->smclk), 0);
    assert_int_equal(b->interrupts[14], 0);
    set(b, IE1, OFIFG); /* OFIE */
    run_for(b, hc_us(100));
    assert_int_equal(b->interrupts[14], 1);
    assert_int_equal(get(b, IE1) & OFIFG, 0); /* the NMI clears its enable */
}

/* A watch crystal does not run in HF mode; LF mode is not watched. */
static void lfxt1_modes(void **state)
{
    struct bench *b = *state;

    set(b, IFG1, 0);
    set(b, BCSCTL1, XT2OFF | XTS | RSEL_4);
    run_for(b, hc_us(60));
    assert_int_equal(hz(b->aclk), 0);
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, OFIFG);
    set(b, BCSCTL1, XT2OFF | RSEL_4);
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
    assert_int_equal(hz(b->aclk), 32768);
}

static void lfxt1_hf_crystal(void **state)
{
    struct bench *b = *state;

    set(b, BCSCTL1, XT2OFF | XTS | RSEL_4);
    set(b, BCSCTL2, 0xc0);
    assert_int_equal(mclk(b), 750000);
    run_for(b, hc_us(50));
    assert_near(mclk(b), 4000000, 0.001);
    assert_near(hz(b->aclk), 4000000, 0.001);
    set(b, IFG1, 0);
    assert_int_equal(get(b, IFG1) & OFIFG, 0);
}

static int set_up_hf(void **state)
{
    struct bench *b = *state = bench_new();
    hc_basic_clock_set_crystals(b->clock, 4000000, 0);
    bench_start(b);
    return 0;
}

/* Table 2-2 of the guide: which clocks the low-power modes leave. */
static void low_power_modes(void **state)
{
    static const struct {
        uint16_t sr;
        uint32_t smclk, aclk;
    } modes[] = {
        { 0, 750000, 32768 },
        { HC_SR_CPUOFF, 750000, 32768 },
        { HC_SR_CPUOFF | HC_SR_SCG0, 750000, 32768 }, /* the DCO is needed for SMCLK: SCG0 does nothing */
        { HC_SR_CPUOFF | HC_SR_SCG1, 0, 32768 },
        { HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_SCG0, 0, 32768 },
        { HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_SCG0 | HC_SR_OSCOFF, 0, 0 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        hc_set_register(b->m, HC_SR, modes[i].sr);
        assert_int_equal(hz(b->smclk), modes[i].smclk);
        assert_int_equal(hz(b->aclk), modes[i].aclk);
        assert_int_equal(mclk(b), 750000);
    }
    /* In LPM4 LFXT1 is off: what needs MCLK then, the DMA controller, has it from the DCO. */
    set(b, BCSCTL2, 0xc0);
    assert_int_equal(mclk(b), 750000);
    assert_int_equal(hc_basic_clock_startup(b->clock, hc_now(b->m)), hc_us(6));
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_SCG0);
    assert_int_equal(mclk(b), 32768);
    assert_int_equal(hc_basic_clock_startup(b->clock, hc_now(b->m)), 0);
    set(b, BCSCTL2, 0x00);
    /* MCLK from LFXT1 keeps the crystal alive while the CPU runs. */
    hc_set_register(b->m, HC_SR, HC_SR_OSCOFF);
    assert_int_equal(hz(b->aclk), 0);
    set(b, BCSCTL2, 0xc0);
    assert_int_equal(hz(b->aclk), 32768);
}

/* The DC generator needs 6 us after LPM3 and LPM4, none after LPM0 to LPM2. */
static void dco_start_up(void **state)
{
    static const struct {
        uint16_t sr;
        bool stopped;
    } modes[] = {
        { HC_SR_CPUOFF, false },
        { HC_SR_CPUOFF | HC_SR_SCG0, false },
        { HC_SR_CPUOFF | HC_SR_SCG1, false },
        { HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_SCG0, true },
        { HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_SCG0 | HC_SR_OSCOFF, true },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        hc_set_register(b->m, HC_SR, modes[i].sr);
        run_for(b, hc_ms(1));
        hc_time now = hc_now(b->m);
        assert_int_equal(hc_basic_clock_startup(b->clock, now), modes[i].stopped ? hc_us(6) : 0);
        hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
        assert_int_equal(hz(b->smclk), modes[i].stopped ? 0 : 750000);
        run_to(b, now + hc_us(6) - 1);
        assert_int_equal(hz(b->smclk), modes[i].stopped ? 0 : 750000);
        run_to(b, now + hc_us(6));
        assert_int_equal(hz(b->smclk), 750000);
    }
}

static enum hc_action handler_reached(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)pc;
    *(hc_time *)owner = hc_now(m);
    return HC_CONTINUE;
}

/* From the interrupt's edge to the handler's first instruction: 6 cycles, and the DCO's start where it was stopped. */
static void wake_up_time(void **state)
{
    static const struct {
        uint16_t sr;
        unsigned start_us;
    } modes[] = { { 0, 0 }, { HC_SR_SCG0, 0 }, { HC_SR_SCG1, 0 }, { HC_SR_SCG1 | HC_SR_SCG0, 6 } };
    struct bench *b = *state;
    hc_time reached = 0;

    hc_hook_pc(b->m, HANDLER, handler_reached, &reached);
    set(b, WDTCTL, 0x5a1f); /* interval timer, ACLK / 64 */
    set(b, IE1, 0x01);
    for (unsigned i = 0; i < 4; i++) {
        hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_GIE | modes[i].sr);
        hc_time due = (i + 1) * 64 * ACLK_PERIOD;
        run_to(b, due + hc_us(100));
        hc_time after = due + hc_us(modes[i].start_us) + 6 * DCO_PERIOD;
        assert_in_range(reached, after, after + DCO_PERIOD);
    }
}

/* The calibration loops of operating systems, as firmware on the TelosB. TARGET is in counts of 4,096 Hz. */
static void calibrate(const char *name, uint16_t target)
{
    struct harness h;

    harness_start(&h, name);
    harness_run_to(&h, "main", hc_ms(100));
    harness_set(&h, "target", 0, target);
    harness_finish(&h, hc_ms(20000));
    /* 1 %, and what polling loses: a turn of its loop is 7 cycles of the TARGET that it counts. */
    assert_near(hz(hc_basic_clock_smclk(h.board->chip.clock)), target * 4096.0, 1.0 + 700.0 / target);
    assert_int_equal(hz(hc_basic_clock_aclk(h.board->chip.clock)), 32768);
    harness_stop(&h);
}

static void calibration_loops(void **state)
{
    static const uint16_t targets[] = { 244, 600, 952, 1000, 1024, 1100 }; /* 1 to 4.5 MHz */

    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        calibrate("dco_capture", targets[i]);
        calibrate("dco_search", targets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(after_reset, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dco_frequencies, set_up, bench_free),
        cmocka_unit_test_setup_teardown(modulator, set_up, bench_free),
        cmocka_unit_test_setup_teardown(external_resistor, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dividers, set_up, bench_free),
        cmocka_unit_test_setup_teardown(sources, set_up_with_crystals, bench_free),
        cmocka_unit_test_setup_teardown(xt2_starts, set_up_with_crystals, bench_free),
        cmocka_unit_test_setup_teardown(xt2_stops, set_up_with_crystals, bench_free),
        cmocka_unit_test_setup_teardown(resistor_in_a_fault, set_up_with_crystals, bench_free),
        cmocka_unit_test_setup_teardown(xt2_absent, set_up, bench_free),
        cmocka_unit_test_setup_teardown(lfxt1_modes, set_up, bench_free),
        cmocka_unit_test_setup_teardown(lfxt1_hf_crystal, set_up_hf, bench_free),
        cmocka_unit_test_setup_teardown(low_power_modes, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dco_start_up, set_up, bench_free),
        cmocka_unit_test_setup_teardown(wake_up_time, set_up, bench_free),
        cmocka_unit_test(calibration_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
