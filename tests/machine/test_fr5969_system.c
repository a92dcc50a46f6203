/* The FR5969's resets, clocks, watchdog, FRAM controller, MPU and loss of supply against SLAU367 and SLAS704. */
#include "fr5969_bench.h"

enum {
    BOR = 0x02,
    RSTNMI = 0x04,
    DOBOR = 0x06,
    DOPOR = 0x14,
    WDTTO = 0x16,
    WDTKEY = 0x18,
    FRCTLPW = 0x1a,
    PMMPW = 0x20,
    MPUPW = 0x22,
    CSPW = 0x24,
    MPUSEG2 = 0x2c,
    ACCTE = 0x30
};
enum { VECTOR_WDT = 57, VECTOR_UNMI = 61, VECTOR_SNMI = 62 };

static struct hc_clock *mclk(struct bench *b)
{
    return hc_mclk(b->m);
}

/* ---- resets ---- */

static void power_on_is_a_brown_out_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, SYSRSTIV), BOR);
    assert_int_equal(get(b, SYSRSTIV), 0); /* once */
    assert_int_equal(get(b, PM5CTL0), 1);  /* LOCKLPM5 */
    assert_int_equal(get(b, PMMCTL0), 0x9640);
    assert_int_equal(get(b, SFRIFG1) & 0x82, 0x82);
}

static const struct {
    uint32_t address;
    uint16_t value;
    int size;
    uint16_t cause;
} resets[] = {
    { PMMCTL0, 0xa504, 2, DOBOR }, { PMMCTL0, 0xa508, 2, DOPOR }, { PMMCTL0, 0x1204, 2, PMMPW },
    { WDTCTL, 0x0080, 2, WDTKEY }, { WDTCTL, 0x5a, 1, WDTKEY },   { FRCTL0, 0x9610, 2, FRCTLPW },
    { CSCTL0, 0x1234, 2, CSPW },   { 0x5a0, 0x0000, 2, MPUPW },
};

static void each_cause_is_told_by_sysrstiv(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof resets / sizeof resets[0]; i++) {
        set(b, SYSRSTIV, 0); /* forgets all */
        b->resets = 0;
        hc_bus_write(b->m, resets[i].address, resets[i].value, resets[i].size);
        run_for(b, hc_us(100));
        assert_int_equal(b->resets, 1);
        assert_int_equal(get(b, SYSRSTIV), resets[i].cause);
        assert_int_equal(get(b, SYSRSTIV), 0);
    }
}

static void causes_add_up_in_order_of_importance(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, 0);
    run_for(b, hc_us(100));
    set(b, PMMCTL0, 0xa508);
    run_for(b, hc_us(100));
    assert_int_equal(get(b, SYSRSTIV), BOR);
    assert_int_equal(get(b, SYSRSTIV), DOPOR);
    assert_int_equal(get(b, SYSRSTIV), WDTKEY);
    assert_int_equal(get(b, SYSRSTIV), 0);
}

/* A BOR locks the pins again, a PUC does not. */
static void only_a_brown_out_reset_locks_the_pins(void **state)
{
    struct bench *b = *state;

    set(b, PM5CTL0, 0);
    set(b, WDTCTL, 0);
    run_for(b, hc_us(100));
    assert_int_equal(get(b, PM5CTL0), 0);
    set(b, PMMCTL0, 0xa508);
    run_for(b, hc_us(100));
    assert_int_equal(get(b, PM5CTL0), 0);
    set(b, PMMCTL0, 0xa504);
    run_for(b, hc_us(100));
    assert_int_equal(get(b, PM5CTL0), 1);
}

static void the_reset_pin_holds_the_cpu(void **state)
{
    struct bench *b = *state;

    set(b, SYSRSTIV, 0);
    hc_button_press(b->board->reset_button);
    run_for(b, hc_ms(10));
    assert_int_equal(b->resets, 0);
    hc_button_release(b->board->reset_button);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), RSTNMI);
}

static void the_reset_pin_as_nmi(void **state)
{
    struct bench *b = *state;

    set(b, 0x104, 0x03); /* SYSNMI, falling edge */
    set(b, SFRIE1, 0x10);
    hc_button_press(b->board->reset_button);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 0);
    assert_int_equal(b->interrupts[VECTOR_UNMI], 1); /* without GIE */
    assert_int_equal(get(b, SYSUNIV), 0x02);
    assert_int_equal(get(b, SFRIFG1) & 0x10, 0);
}

/* Without a crystal OFIFG comes back however it is cleared: the write ends all the same. */
static void an_oscillator_fault_that_lasts_is_not_cleared(void **state)
{
    struct bench *b = *state;

    hc_cs_set_crystals(b->chip->cs, 0, 0);
    hc_machine_reset(b->m, HC_POR);
    run_for(b, hc_us(100));
    set(b, CSCTL0, 0xa500);
    set(b, CSCTL2, 0x0033); /* ACLK from LFXT, which is not there */
    set(b, SFRIE1, 0x02);
    assert_int_equal(get(b, SFRIFG1) & 0x02, 0x02);
    set(b, SYSUNIV, 0);
    assert_int_equal(get(b, SFRIFG1) & 0x02, 0x02);
    assert_int_equal(get(b, SYSUNIV), 0x04);
    assert_int_equal(get(b, SYSUNIV), 0x04);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
}

/* ---- power ---- */

static void power_off_keeps_fram_and_loses_the_rest(void **state)
{
    struct bench *b = *state;
    uint8_t before[0x800];
    int same = 0;

    hc_poke16(b->m, 0xc000, 0xbeef);
    hc_poke16(b->m, 0x1800, 0xcafe);
    hc_poke16(b->m, 0x13ffe, 0x1234);
    for (uint32_t i = 0; i < sizeof before; i++) {
        hc_poke(b->m, 0x1c00 + i, (uint8_t)i);
        before[i] = (uint8_t)i;
    }
    set(b, PM5CTL0, 0);
    set(b, 0x4c0, 77);   /* MPY */
    set(b, 0x352, 1234); /* TA0CCR0 */
    set(b, 0x202, 0xff); /* P1OUT */
    hc_set_register(b->m, 9, 0x5555);
    hc_machine_power_off(b->m, 1);
    run_for(b, hc_ms(5));
    assert_int_equal(b->resets, 0);
    hc_machine_reset(b->m, HC_POR);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), BOR);
    assert_int_equal(get(b, SYSRSTIV), 0);
    assert_int_equal(hc_peek16(b->m, 0xc000), 0xbeef);
    assert_int_equal(hc_peek16(b->m, 0x1800), 0xcafe);
    assert_int_equal(hc_peek16(b->m, 0x13ffe), 0x1234);
    for (uint32_t i = 0; i < sizeof before; i++)
        same += hc_peek(b->m, 0x1c00 + i) == before[i];
    assert_true(same < 50); /* of 2,048 random bytes 8 are expected to be equal */
    assert_int_not_equal(hc_register(b->m, 9), 0x5555);
    assert_int_equal(get(b, PM5CTL0), 1);
    assert_int_equal(get(b, 0x4c0), 0);
    assert_int_equal(get(b, 0x352), 0);
    assert_int_equal(get(b, 0x202) & 0xff, 0);
}

/* ---- LPMx.5 ---- */

enum {
    LPM3_BITS = HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1,
    LPM4_BITS = LPM3_BITS | HC_SR_OSCOFF,
    LPM5WU = 0x08,
    PMMIFG = 0x12a
};

static void enter_lpm5(struct bench *b, uint16_t mode)
{
    set(b, SYSRSTIV, 0);
    set(b, PMMCTL0, 0xa550); /* PMMREGOFF */
    b->resets = 0;
    hc_set_register(b->m, HC_SR, mode);
    run_for(b, hc_ms(100));
    assert_int_equal(b->resets, 0); /* the watchdog stands still */
}

/* An edge that was enabled wakes it; pins are held until LOCKLPM5 is cleared; SRAM is lost, FRAM is not. */
static void lpm4_5_ends_by_a_pin(void **state)
{
    enum { P1OUT = 0x202, P1DIR = 0x204, P1REN = 0x206, P1IES = 0x218, P1IE = 0x21a, P1IFG = 0x21c };
    struct bench *b = *state;
    struct hc_led *led = b->board->led[HC_LAUNCHPAD_GREEN]; /* P1.0 */

    set(b, PM5CTL0, 0);
    set8(b, P1OUT, 0x03);
    set8(b, P1REN, 0x02);
    set8(b, P1DIR, 0x01);
    set8(b, P1IES, 0x02);
    set8(b, P1IFG, 0);
    set8(b, P1IE, 0x02);
    hc_poke16(b->m, 0x1c00, 0x1234);
    hc_poke16(b->m, 0x2000, 0x5678);
    hc_poke16(b->m, 0xc000, 0xbeef);
    enter_lpm5(b, LPM4_BITS);
    assert_true(hc_led_is_on(led));
    hc_button_press(b->board->button[1]); /* S2, P1.1 */
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), LPM5WU);
    assert_int_equal(get(b, PMMIFG) & 0x8000, 0x8000);
    assert_int_equal(get8(b, P1DIR), 0);
    assert_int_equal(get8(b, P1IFG), 0x02);
    assert_int_equal(get(b, PM5CTL0), 1);
    assert_true(hc_led_is_on(led));
    set(b, PM5CTL0, 0);
    assert_false(hc_led_is_on(led));
    assert_false(hc_peek16(b->m, 0x1c00) == 0x1234 && hc_peek16(b->m, 0x2000) == 0x5678);
    assert_int_equal(hc_peek16(b->m, 0xc000), 0xbeef);
}

/* What is not enabled does not wake it; RST does. */
static void lpm4_5_ends_by_reset(void **state)
{
    struct bench *b = *state;

    enter_lpm5(b, LPM4_BITS);
    hc_button_press(b->board->button[1]);
    run_for(b, hc_ms(10));
    assert_int_equal(b->resets, 0);
    hc_button_press(b->board->reset_button);
    run_for(b, hc_ms(10));
    hc_button_release(b->board->reset_button);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), RSTNMI);
}

/* The RTC counts on in LPM3.5 and wakes it; its interrupt waits for GIE. */
static void lpm3_5_ends_by_the_clock(void **state)
{
    enum { RTCCTL01 = 0x4a0, RTCSEC = 0x4b0, RTCRDYIE = 0x10, VECTOR_RTC = 39 };
    struct bench *b = *state;

    set(b, RTCCTL01, RTCRDYIE); /* runs: RTCHOLD is off */
    set8(b, RTCSEC, 30);
    enter_lpm5(b, LPM3_BITS);
    run_for(b, hc_ms(850));
    assert_int_equal(b->resets, 0);
    run_for(b, hc_ms(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), LPM5WU);
    assert_int_equal(get8(b, RTCSEC), 31);
    assert_int_equal(b->interrupts[VECTOR_RTC], 0);
    interrupts_on(b);
    run_for(b, hc_us(20));
    assert_true(b->interrupts[VECTOR_RTC] > 0);
}

/* Without PMMREGOFF, or in a lighter mode, nothing is lost. */
static void other_modes_lose_nothing(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, 0x1c00, 0x1234);
    hc_set_register(b->m, HC_SR, LPM4_BITS);
    run_for(b, hc_ms(1));
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    set(b, PMMCTL0, 0xa550);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0);
    run_for(b, hc_ms(1));
    assert_int_equal(b->resets, 0);
    assert_int_equal(hc_peek16(b->m, 0x1c00), 0x1234);
}

static void sram_after_power_up_follows_the_seed(void **state)
{
    struct bench *b = *state;
    uint16_t first;

    hc_machine_power_off(b->m, 7);
    first = hc_peek16(b->m, 0x1d00);
    hc_machine_power_off(b->m, 8);
    assert_int_not_equal(hc_peek16(b->m, 0x1d00), first);
    hc_machine_power_off(b->m, 7);
    assert_int_equal(hc_peek16(b->m, 0x1d00), first);
}

/* ---- clocks ---- */

static void open_cs(struct bench *b)
{
    set8(b, CSCTL0 + 1, 0xa5);
}

static void clocks_after_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, CSCTL0), 0x9600);
    assert_int_equal(get(b, CSCTL1), 0x000c);
    assert_int_equal(get(b, CSCTL2), 0x0033);
    assert_int_equal(get(b, CSCTL3), 0x0033);
    assert_int_equal(get(b, CSCTL4), 0xcdc9);
    assert_int_equal(hz(mclk(b)), 1000000);
    assert_int_equal(hz(hc_cs_smclk(b->chip->cs)), 1000000);
    assert_int_equal(hz(hc_cs_aclk(b->chip->cs)), 37500); /* no crystal yet: LFMODCLK */
}

static void closed_registers_do_not_change(void **state)
{
    struct bench *b = *state;

    set(b, CSCTL3, 0);
    assert_int_equal(get(b, CSCTL3), 0x0033);
    open_cs(b);
    set(b, CSCTL3, 0);
    assert_in_range(hz(mclk(b)), 7999990, 8000010);
    set8(b, CSCTL0 + 1, 0);
    set(b, CSCTL3, 0x0033);
    assert_int_equal(get(b, CSCTL3), 0);
    assert_int_equal(b->resets, 0);
}

static void dco_frequencies(void **state)
{
    static const uint32_t wanted[16] = { 1000000, 2670000, 3500000, 4000000, 5330000,  7000000,  8000000,  8000000,
                                         1000000, 5330000, 7000000, 8000000, 16000000, 21000000, 24000000, 24000000 };
    struct bench *b = *state;

    open_cs(b);
    set(b, CSCTL3, 0x0030);
    for (unsigned i = 0; i < 16; i++) {
        set(b, CSCTL1, (uint16_t)((i >> 3) << 6 | (i & 7) << 1));
        assert_in_range(hz(mclk(b)), wanted[i] - wanted[i] / 10000, wanted[i] + wanted[i] / 10000);
        assert_in_range(hz(hc_cs_smclk(b->chip->cs)), wanted[i] / 8 - wanted[i] / 10000,
                        wanted[i] / 8 + wanted[i] / 10000);
    }
}

static void dividers_and_sources(void **state)
{
    struct bench *b = *state;

    open_cs(b);
    for (unsigned log = 0; log < 6; log++) {
        set(b, CSCTL3, (uint16_t)(log | log << 4 | log << 8));
        assert_in_range(hz(mclk(b)), (8000000u >> log) - 10, (8000000u >> log) + 10);
    }
    set(b, CSCTL3, 0);
    set(b, CSCTL2, 0x0141); /* ACLK VLO, SMCLK MODCLK, MCLK VLO */
    assert_int_equal(hz(hc_cs_aclk(b->chip->cs)), 9400);
    assert_in_range(hz(hc_cs_smclk(b->chip->cs)), 4799990, 4800010);
    assert_int_equal(hz(mclk(b)), 9400);
}

/* The usual start-up: give the crystal its pins, switch it on, clear the flags until they stay clear. */
static void the_crystal_starts(void **state)
{
    struct bench *b = *state;

    open_cs(b);
    set8(b, PJSEL0, 0x30);
    set(b, CSCTL2, 0x0033);
    set(b, CSCTL4, 0xcdc8);
    set(b, CSCTL5, 0x00c0);
    assert_int_equal(get(b, CSCTL5) & 1, 1); /* still faulty */
    assert_int_equal(get(b, SFRIFG1) & 2, 2);
    run_for(b, 1100 * hc_period(32768));
    set(b, CSCTL5, 0x00c0);
    set(b, SFRIFG1, 0);
    assert_int_equal(get(b, CSCTL5) & 1, 0);
    assert_int_equal(get(b, SFRIFG1) & 2, 0);
    assert_int_equal(hz(hc_cs_aclk(b->chip->cs)), 32768);
}

static void a_crystal_without_its_pins_does_not_start(void **state)
{
    struct bench *b = *state;

    open_cs(b);
    set(b, CSCTL4, 0xcdc8);
    run_for(b, hc_ms(100));
    set(b, CSCTL5, 0x00c0);
    assert_int_equal(get(b, CSCTL5) & 1, 1);
    assert_int_equal(hz(hc_cs_aclk(b->chip->cs)), 37500);
}

static void low_power_modes_stop_clocks(void **state)
{
    struct bench *b = *state;

    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_int_not_equal(hz(hc_cs_smclk(b->chip->cs)), 0);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1);
    assert_int_equal(hz(hc_cs_smclk(b->chip->cs)), 0);
    assert_int_not_equal(hz(hc_cs_aclk(b->chip->cs)), 0);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 | HC_SR_OSCOFF);
    assert_int_equal(hz(hc_cs_aclk(b->chip->cs)), 0);
}

/* ---- watchdog ---- */

static const unsigned wdt_log[8] = { 31, 27, 23, 19, 15, 13, 9, 6 };

static void watchdog_intervals(void **state)
{
    struct bench *b = *state;

    for (unsigned is = 3; is < 8; is++) { /* the longer ones are the same code and hours of emulated time */
        set(b, SYSRSTIV, 0);
        set(b, WDTCTL, (uint16_t)(0x5a08 | is));
        assert_int_equal(get(b, WDTCTL), 0x6900 | is);
        hc_time span = ((hc_time)1 << wdt_log[is]) * hc_cs_smclk(b->chip->cs)->s.period;
        b->resets = 0;
        run_for(b, span - hc_us(2));
        assert_int_equal(b->resets, 0);
        run_for(b, hc_us(50));
        assert_int_equal(b->resets, 1);
        assert_int_equal(get(b, SYSRSTIV), WDTTO);
    }
}

static void watchdog_runs_after_reset_at_32768_clocks(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, BENCH_RESET + 2, 0x5a04); /* the code that would stop it restarts nothing: same interval */
    set(b, SYSRSTIV, 0);
    set(b, PMMCTL0, 0xa508);
    run_for(b, hc_us(20));
    b->resets = 0;
    run_for(b, hc_ms(32));
    assert_int_equal(b->resets, 0);
    run_for(b, hc_ms(2));
    assert_int_equal(b->resets, 1);
}

static void watchdog_as_interval_timer(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, 0x5a00 | 0x18 | 6); /* SMCLK / 512 */
    set(b, SFRIE1, 1);
    interrupts_on(b);
    run_for(b, hc_us(5140));
    assert_int_equal(b->interrupts[VECTOR_WDT], 10);
    assert_int_equal(get(b, SFRIFG1) & 1, 0); /* accepted: cleared */
    assert_int_equal(b->resets, 0);
}

static void watchdog_from_vlo_runs_in_lpm4(void **state)
{
    struct bench *b = *state;

    set(b, WDTCTL, 0x5a00 | 0x58 | 6); /* VLOCLK / 512: 54.5 ms */
    set(b, SFRIE1, 1);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 | HC_SR_OSCOFF | HC_SR_GIE);
    run_for(b, hc_ms(120));
    assert_int_equal(b->interrupts[VECTOR_WDT], 2);
}

/* As a watchdog it has its clock in LPM4, from SMCLK and from ACLK; as an interval timer it has not. */
static void watchdog_keeps_its_clock(void **state)
{
    enum { LPM4 = HC_SR_CPUOFF | HC_SR_OSCOFF | HC_SR_SCG0 | HC_SR_SCG1 };
    static const struct {
        uint16_t ctl;
        int resets;
    } rows[] = { { 0x5a08 | 5, 1 }, { 0x5a28 | 7, 1 }, { 0x5a18 | 5, 0 }, { 0x5a38 | 7, 0 }, { 0x5a88 | 5, 0 } };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        b->resets = 0;
        set(b, SFRIFG1, 0);
        set(b, WDTCTL, rows[i].ctl);
        hc_set_register(b->m, HC_SR, LPM4);
        run_for(b, hc_ms(12));
        assert_int_equal(b->resets, rows[i].resets);
        assert_int_equal(get(b, SFRIFG1) & 1, rows[i].resets);
        set(b, WDTCTL, 0x5a80);
    }
}

/* MODOSC / 128: 37,500 Hz. */
static void watchdog_from_lfmodclk(void **state)
{
    struct bench *b = *state;

    set(b, SFRIE1, 0x01);
    set(b, WDTCTL, 0x5a00 | 0x78 | 6); /* / 512: 13.65 ms */
    interrupts_on(b);
    run_for(b, hc_ms(100));
    assert_int_equal(b->interrupts[VECTOR_WDT], 7);
}

/* ---- FRAM controller ---- */

static uint64_t cycles(struct bench *b)
{
    struct hc_statistics s;

    hc_machine_statistics(b->m, &s);
    return s.cycles;
}

/* Executes WORDS at ADDRESS, STEPS instructions; returns the cycles. */
static uint64_t execute(struct bench *b, uint32_t address, const uint16_t *words, size_t n, int steps)
{
    for (size_t i = 0; i < n; i++)
        assert_true(hc_poke16(b->m, address + 2 * (uint32_t)i, words[i]));
    hc_set_register(b->m, HC_SR, 0);
    hc_set_register(b->m, HC_PC, address);
    uint64_t before = cycles(b);
    assert_int_equal(hc_machine_step(b->m, (uint64_t)steps, HC_NEVER), HC_STOP_STEPS);
    return cycles(b) - before;
}

static const uint16_t nops[16] = { 0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303,
                                   0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303, 0x4303 };

static void instructions_wait_for_each_line_of_fram(void **state)
{
    struct bench *b = *state;

    assert_int_equal(execute(b, 0x5000, nops, 16, 16), 16); /* no wait states */
    set(b, FRCTL0, 0xa510);
    assert_int_equal(execute(b, 0x5000, nops, 16, 16), 16 + 4); /* 4 lines of 4 words */
    set(b, FRCTL0, 0xa530);
    assert_int_equal(execute(b, 0x6000, nops, 16, 16), 16 + 3 * 4);
    assert_int_equal(execute(b, 0x1d00, nops, 16, 16), 16); /* SRAM never waits */
}

/* dec r10; jnz: 2 instructions in one line. The first pass misses, the others hit. */
static void a_loop_runs_from_the_cache(void **state)
{
    static const uint16_t loop[] = { 0x831a, 0x23fe };
    struct bench *b = *state;

    set(b, FRCTL0, 0xa510);
    hc_set_register(b->m, 10, 100);
    assert_int_equal(execute(b, 0x5000, loop, 2, 200), 100 + 200 + 1);
}

static void data_waits_as_well(void **state)
{
    /* mov &0xc000, r5 (3 cycles); mov &0xc002, r5; mov r5, &0xc004 (3 of a CPUX); in two lines of code and one of data
     */
    static const uint16_t code[] = { 0x4215, 0xc000, 0x4215, 0xc002, 0x4582, 0xc004, 0x4303, 0x4303 };
    struct bench *b = *state;

    set(b, FRCTL0, 0xa510);
    /* lines 0x5000, 0x5008 (the third instruction's); data 0xc000 read once, hit once; the write waits */
    assert_int_equal(execute(b, 0x5000, code, 8, 3), 3 + 3 + 3 + 2 + 1 + 1);
}

static void wait_states_end_with_a_reset(void **state)
{
    struct bench *b = *state;

    set(b, FRCTL0, 0xa510);
    assert_int_equal(get(b, FRCTL0), 0x9610);
    set(b, PMMCTL0, 0xa508);
    run_for(b, hc_us(100));
    assert_int_equal(get(b, FRCTL0), 0x9600);
    assert_int_equal(execute(b, 0x5000, nops, 16, 16), 16);
}

static void snapshots_hold_the_cache(void **state)
{
    struct bench *b = *state;

    set(b, FRCTL0, 0xa510);
    execute(b, 0x5000, nops, 16, 8);
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    uint64_t before = cycles(b);
    hc_machine_step(b->m, 8, HC_NEVER);
    uint64_t first = cycles(b) - before;
    set(b, FRCTL0, 0xa500);
    hc_snapshot_restore(b->m, snapshot);
    hc_machine_step(b->m, 8, HC_NEVER);
    assert_int_equal(cycles(b) - before, first);
    assert_int_equal(first, 8 + 2);
    hc_snapshot_free(snapshot);
}

static void a_fast_mclk_needs_wait_states(void **state)
{
    struct bench *b = *state;

    set(b, FRCTL0, 0xa500);
    set(b, SYSRSTIV, 0);
    open_cs(b);
    set(b, CSCTL3, 0);
    run_for(b, hc_us(10));
    assert_int_equal(get(b, GCCTL1), 0);
    set(b, CSCTL1, 0x0048); /* 16 MHz */
    assert_non_null(strstr(b->note, "ACCTEIFG"));
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1); /* a PUC, after which MCLK is 1 MHz */
    assert_int_equal(get(b, SYSRSTIV), ACCTE);
    assert_int_equal(get(b, GCCTL1), 0x0008);
    set(b, FRCTL0, 0xa510);
    set(b, GCCTL1, 0);
    open_cs(b);
    set(b, CSCTL3, 0);
    set(b, CSCTL1, 0x0048);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, GCCTL1), 0);
}

/* SYSSNIV by falling importance; CBDIFG and UBDIFG are set by software only. */
static void bit_errors_are_system_nmis(void **state)
{
    struct bench *b = *state;

    set(b, FRCTL0, 0xa500);
    set(b, GCCTL0, 0x0066); /* UBDIE, CBDIE */
    set(b, GCCTL1, 0x0006);
    run_for(b, hc_us(10));
    assert_int_equal(b->interrupts[VECTOR_SNMI], 1);
    assert_int_equal(get(b, SYSSNIV), 0x04);
    assert_int_equal(get(b, SYSSNIV), 0x18);
    assert_int_equal(get(b, SYSSNIV), 0);
    assert_int_equal(get(b, GCCTL1), 0);
}

/* ---- memory protection ---- */

static void protected_segments_refuse_writes(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, 0xc000, 0x1111);
    hc_poke16(b->m, 0x8000, 0x2222);
    set(b, 0x5a0, 0xa500);
    set(b, 0x5a6, 0x0800); /* segment 1 below 0x8000, */
    set(b, 0x5a4, 0x0c00); /* 2 up to 0xc000, 3 above */
    set(b, 0x5a8, 0x7757); /* segment 2 not writable */
    set(b, 0x5a0, 0xa501);
    set(b, 0xc000, 0x3333);
    set(b, 0x8000, 0x4444);
    assert_int_equal(hc_peek16(b->m, 0xc000), 0x3333);
    assert_int_equal(hc_peek16(b->m, 0x8000), 0x2222);
    assert_int_equal(get(b, 0x5a2), 0x0002);
    assert_int_equal(b->resets, 0);
    set(b, SYSRSTIV, 0);
    set(b, 0x5a8, 0x77d7); /* with a PUC */
    set(b, 0x8000, 0x4444);
    run_for(b, hc_us(100));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, SYSRSTIV), MPUSEG2);
    set(b, 0x8000, 0x4444); /* the reset has switched it off */
    assert_int_equal(hc_peek16(b->m, 0x8000), 0x4444);
}

static void unknown_registers_are_noted(void **state)
{
    struct bench *b = *state;

    get(b, 0x9c0); /* AES256 */
    assert_non_null(strstr(b->note, "0x09c0"));
    get(b, 0x8c0); /* COMP_E */
    assert_int_equal(b->notes, 2);
}

/* SLAS704, device descriptors: tags and lengths lead from one to the next. */
static void descriptors(void **state)
{
    static const uint8_t tags[] = { 0x08, 0x11, 0x12, 0x15 };
    struct bench *b = *state;
    uint32_t at = 0x1a08;

    assert_int_equal(get(b, 0x1a04), 0x8169);
    for (size_t i = 0; i < sizeof tags; i++) {
        assert_int_equal(get8(b, at), tags[i]);
        at += 2 + get8(b, at + 1);
    }
    assert_int_equal(at, 0x1a40);
    assert_int_not_equal(get(b, 0x1a30), get(b, 0x1a32)); /* the random number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(power_on_is_a_brown_out_reset),
        BENCH_TEST(each_cause_is_told_by_sysrstiv),
        BENCH_TEST(causes_add_up_in_order_of_importance),
        BENCH_TEST(only_a_brown_out_reset_locks_the_pins),
        BENCH_TEST(the_reset_pin_holds_the_cpu),
        BENCH_TEST(the_reset_pin_as_nmi),
        BENCH_TEST(an_oscillator_fault_that_lasts_is_not_cleared),
        BENCH_TEST(power_off_keeps_fram_and_loses_the_rest),
        BENCH_TEST(lpm4_5_ends_by_a_pin),
        BENCH_TEST(lpm4_5_ends_by_reset),
        BENCH_TEST(lpm3_5_ends_by_the_clock),
        BENCH_TEST(other_modes_lose_nothing),
        BENCH_TEST(sram_after_power_up_follows_the_seed),
        BENCH_TEST(clocks_after_reset),
        BENCH_TEST(closed_registers_do_not_change),
        BENCH_TEST(dco_frequencies),
        BENCH_TEST(dividers_and_sources),
        BENCH_TEST(the_crystal_starts),
        BENCH_TEST(a_crystal_without_its_pins_does_not_start),
        BENCH_TEST(low_power_modes_stop_clocks),
        BENCH_TEST(watchdog_intervals),
        BENCH_TEST(watchdog_runs_after_reset_at_32768_clocks),
        BENCH_TEST(watchdog_as_interval_timer),
        BENCH_TEST(watchdog_from_vlo_runs_in_lpm4),
        BENCH_TEST(watchdog_from_lfmodclk),
        BENCH_TEST(watchdog_keeps_its_clock),
        BENCH_TEST(instructions_wait_for_each_line_of_fram),
        BENCH_TEST(a_loop_runs_from_the_cache),
        BENCH_TEST(data_waits_as_well),
        BENCH_TEST(wait_states_end_with_a_reset),
        BENCH_TEST(snapshots_hold_the_cache),
        BENCH_TEST(a_fast_mclk_needs_wait_states),
        BENCH_TEST(bit_errors_are_system_nmis),
        BENCH_TEST(protected_segments_refuse_writes),
        BENCH_TEST(unknown_registers_are_noted),
        BENCH_TEST(descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
