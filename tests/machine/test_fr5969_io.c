/* The FR5969's ports, timers, DMA, RTC and converters against SLAU367. */
#include "fr5969_bench.h"

enum {
    P1IN = 0x200,
    P1OUT = 0x202,
    P1DIR = 0x204,
    P1REN = 0x206,
    P1SEL0 = 0x20a,
    P1SEL1 = 0x20c,
    P1IV = 0x20e,
    P1SELC = 0x216,
    P1IES = 0x218,
    P1IE = 0x21a,
    P1IFG = 0x21c,
    P2IV = 0x21e,
    P4IFG = 0x23d,
    P4IE = 0x23b,
    P4IES = 0x239
};
enum {
    VECTOR_RTC = 39,
    VECTOR_P4 = 40,
    VECTOR_P1 = 47,
    VECTOR_TA0 = 52,
    VECTOR_TA0_CCR0 = 53,
    VECTOR_ADC12 = 54,
    VECTOR_DMA = 50
};
enum {
    TA0CTL = 0x340,
    TA0CCTL0 = 0x342,
    TA0CCTL1 = 0x344,
    TA0R = 0x350,
    TA0CCR0 = 0x352,
    TA0CCR1 = 0x354,
    TA0EX0 = 0x360,
    TA0IV = 0x36e
};

#define SMCLK_PERIOD hc_period(1000000)

static int level(struct bench *b, int port, int pin)
{
    return hc_wire_level(b->m, hc_digital_io_pin(b->chip->ports, port, pin));
}

/* ---- ports ---- */

static void pins_drive_when_unlocked(void **state)
{
    struct bench *b = *state;

    set8(b, P1DIR, 0x01);
    set8(b, P1OUT, 0x01);
    assert_int_equal(level(b, HC_IO_P1, 0), 0); /* LOCKLPM5 */
    set(b, PM5CTL0, 0);
    assert_int_equal(level(b, HC_IO_P1, 0), 1);
    assert_true(hc_led_is_on(b->board->led[HC_LAUNCHPAD_GREEN]));
    assert_int_equal(get8(b, P1IN) & 1, 1);
    set8(b, P1OUT, 0x00);
    assert_int_equal(level(b, HC_IO_P1, 0), 0);
}

static void words_reach_both_ports(void **state)
{
    struct bench *b = *state;

    set(b, 0x204, 0x8004); /* PADIR: P1.2, P2.7 */
    set(b, 0x202, 0x8004);
    assert_int_equal(get8(b, 0x205), 0x80);
    set(b, PM5CTL0, 0);
    assert_int_equal(level(b, HC_IO_P1, 2), 1);
    assert_int_equal(level(b, HC_IO_P2, 7), 1);
    assert_int_equal(get(b, 0x200) & 0x8004, 0x8004);
}

static void pull_resistors(void **state)
{
    struct bench *b = *state;

    set8(b, P1OUT, 0x08);
    set8(b, P1REN, 0x08);
    assert_int_equal(get8(b, P1IN) & 8, 8);
    set8(b, P1OUT, 0x00);
    assert_int_equal(get8(b, P1IN) & 8, 0);
}

static void edges_interrupt_by_priority(void **state)
{
    struct bench *b = *state;
    int driver3 = hc_wire_driver(b->m, hc_digital_io_pin(b->chip->ports, HC_IO_P1, 3));
    int driver5 = hc_wire_driver(b->m, hc_digital_io_pin(b->chip->ports, HC_IO_P1, 5));

    set8(b, P1IE, 0x28);
    hc_wire_drive(b->m, hc_digital_io_pin(b->chip->ports, HC_IO_P1, 5), driver5, HC_HIGH);
    hc_wire_drive(b->m, hc_digital_io_pin(b->chip->ports, HC_IO_P1, 3), driver3, HC_HIGH);
    assert_int_equal(get8(b, P1IFG), 0x28);
    assert_int_equal(get(b, P1IV), 8);
    assert_int_equal(get8(b, P1IFG), 0x20);
    interrupts_on(b);
    run_for(b, hc_us(30));
    assert_true(b->interrupts[VECTOR_P1] > 0);
    assert_int_equal(get(b, P1IV), 12);
    assert_int_equal(get(b, P1IV), 0);
    set8(b, P1IES, 0x20); /* the level is high: the selected edge, falling, has not come */
    assert_int_equal(get8(b, P1IFG) & 0x20, 0);
    hc_wire_drive(b->m, hc_digital_io_pin(b->chip->ports, HC_IO_P1, 5), driver5, HC_LOW);
    assert_int_equal(get8(b, P1IFG) & 0x20, 0x20);
    set(b, P1IV, 0);
    assert_int_equal(get8(b, P1IFG) & 0x20, 0);
}

static void a_button_wakes(void **state)
{
    struct bench *b = *state;

    set8(b, P4IES, 0x20);
    set8(b, P4IFG, 0);
    set8(b, P4IE, 0x20);
    interrupts_on(b);
    hc_button_click(b->board->button[0], hc_now(b->m) + hc_ms(1), hc_ms(1));
    run_for(b, hc_us(990));
    assert_int_equal(b->interrupts[VECTOR_P4], 0);
    run_for(b, hc_us(20));
    assert_true(b->interrupts[VECTOR_P4] > 0);
}

static void selection_of_modules(void **state)
{
    struct bench *b = *state;

    set(b, PM5CTL0, 0);
    set8(b, P1DIR, 0x01);
    set8(b, P1SELC, 0x01); /* both bits: the third function, which has no output */
    assert_int_equal(get8(b, P1SEL0), 1);
    assert_int_equal(get8(b, P1SEL1), 1);
    set8(b, P1SELC, 0x01);
    assert_int_equal(get8(b, P1SEL0), 0);
    set8(b, P1SEL0, 0x01); /* TA0.1 */
    set(b, TA0CCTL1, 0x0004);
    assert_int_equal(level(b, HC_IO_P1, 0), 1);
    set(b, TA0CCTL1, 0x0000);
    assert_int_equal(level(b, HC_IO_P1, 0), 0);
}

/* ---- timers ---- */

static void the_second_divider_counts(void **state)
{
    struct bench *b = *state;

    for (unsigned id = 0; id < 4; id++)
        for (unsigned idex = 0; idex < 8; idex++) {
            set(b, TA0CTL, 0);
            set(b, TA0EX0, (uint16_t)idex);
            assert_int_equal(get(b, TA0EX0), idex);
            set(b, TA0CTL, (uint16_t)(0x0224 | id << 6)); /* SMCLK, continuous, TACLR */
            unsigned division = (1u << id) * (idex + 1);
            run_for(b, 1000 * division * SMCLK_PERIOD);
            assert_in_range(get(b, TA0R), 999, 1001);
        }
}

static void compare_interrupts_come_in_time(void **state)
{
    struct bench *b = *state;

    set(b, TA0EX0, 2); /* / 3 */
    set(b, TA0CCR0, 99);
    set(b, TA0CCTL0, 0x0010);
    set(b, TA0CTL, 0x0214); /* up */
    interrupts_on(b);
    hc_time start = hc_now(b->m);
    run_for(b, 3000 * SMCLK_PERIOD);
    assert_int_equal(b->interrupts[VECTOR_TA0_CCR0], 10);
    hc_time last = b->accepted[VECTOR_TA0_CCR0] - start;
    assert_in_range(last, (2997 - 3) * SMCLK_PERIOD, (2997 + 10) * SMCLK_PERIOD);
}

static void taiv_tells_overflow_as_14(void **state)
{
    struct bench *b = *state;

    set(b, TA0CCR1, 0x8000);
    set(b, TA0CCTL1, 0x0010);
    set(b, TA0CTL, 0x0226); /* TAIE */
    run_for(b, 0x10010 * SMCLK_PERIOD);
    assert_int_equal(get(b, TA0IV), 2);
    assert_int_equal(get(b, TA0IV), 14);
    assert_int_equal(get(b, TA0IV), 0);
}

/* SLAS704, signal connections of the timers: where a block can capture ACLK, from its input B. */
static const struct {
    uint32_t base;
    int block;
} aclk_inputs[] = { { 0x340, 2 }, { 0x380, 2 }, { 0x400, 0 }, { 0x440, 0 }, { 0x3c0, 2 } };

static void aclk_is_captured(void **state)
{
    enum { CTL_SMCLK_CONTINUOUS = 0x0224, CCTL_RISING_B = 0x5100 };
    struct bench *b = *state;

    set(b, CSCTL0, 0xa500);
    set(b, CSCTL2, 0x0133); /* ACLK from VLO: 9,400 Hz, 106.4 us */
    for (size_t i = 0; i < sizeof aclk_inputs / sizeof aclk_inputs[0]; i++) {
        uint32_t base = aclk_inputs[i].base, block = 2 * (uint32_t)aclk_inputs[i].block;
        set(b, base + 2 + block, CCTL_RISING_B);
        set(b, base, CTL_SMCLK_CONTINUOUS);
        run_for(b, hc_us(1000));
        assert_int_equal(get(b, base + 2 + block) & 1, 1);
        uint16_t first = get(b, base + 0x12 + block);
        run_for(b, hc_us(10 * 1000000 / 9400));
        uint16_t ten = (uint16_t)(get(b, base + 0x12 + block) - first);
        assert_in_range(ten, 1062, 1065);
    }
}

/* A period that is captured itself, up mode with TA2CCR0 from ACLK: the same whether anyone looks meanwhile. */
static uint32_t captured_period(struct bench *b, int looks)
{
    enum { TA2CTL = 0x400, TA2CCTL0 = 0x402, TA2R = 0x410, TA2CCR0 = 0x412 };

    set(b, CSCTL0, 0xa500);
    set(b, CSCTL2, 0x0133);
    set(b, TA2CTL, 0);
    set(b, TA2CCTL0, 0);
    set(b, TA2CCR0, 250);
    set(b, TA2CCTL0, 0x5100);
    set(b, TA2CTL, 0x0214); /* up */
    for (int i = 0; i < looks; i++) {
        run_for(b, hc_us(1200) / (hc_time)looks);
        get(b, TA2R);
    }
    return (uint32_t)get(b, TA2R) << 16 | get(b, TA2CCR0);
}

static void a_captured_period_counts(void **state)
{
    void *other = NULL;
    bench_set_up(&other);
    uint32_t seldom = captured_period(*state, 1), often = captured_period(other, 100);
    bench_tear_down(&other);
    assert_int_equal(seldom, often);
    assert_int_not_equal(seldom & 0xffff, 250);
}

static void drive(struct bench *b, int port, int pin, bool high)
{
    hc_wire wire = hc_digital_io_pin(b->chip->ports, port, pin);

    hc_wire_drive(b->m, wire, hc_wire_driver(b->m, wire), high ? HC_HIGH : HC_LOW);
}

/* TB0CCR6: input A is P3.7, input B is P2.0; its output comes to both. */
static void pins_of_tb0_6(void **state)
{
    enum { TB0CCTL6 = 0x3ce, P2DIR = 0x205, P3DIR = 0x224, P2SEL0 = 0x20b, P3SEL0 = 0x22a };
    struct bench *b = *state;

    set(b, PM5CTL0, 0);
    set8(b, P2SEL0, 0x01);
    set8(b, P3SEL0, 0x80);
    set(b, TB0CCTL6, 0x0004); /* OUT */
    set8(b, P2DIR, 0x01);
    set8(b, P3DIR, 0x80);
    assert_int_equal(level(b, HC_IO_P2, 0), 1);
    assert_int_equal(level(b, HC_IO_P3, 7), 1);
    set8(b, P2DIR, 0);
    set8(b, P3DIR, 0);
    set(b, TB0CCTL6, 0x4100); /* rising edges of A */
    drive(b, HC_IO_P2, 0, true);
    assert_int_equal(get(b, TB0CCTL6) & 1, 0);
    drive(b, HC_IO_P3, 7, true);
    assert_int_equal(get(b, TB0CCTL6) & 1, 1);
    set(b, TB0CCTL6, 0x9100); /* falling edges of B */
    drive(b, HC_IO_P2, 0, false);
    assert_int_equal(get(b, TB0CCTL6) & 1, 1);
}

/* P2.1 is TB0.0 whatever P2SEL1 says. */
static void p2_1_is_tb0_0_twice(void **state)
{
    enum { TB0CCTL0 = 0x3c2, P2DIR = 0x205, P2SEL0 = 0x20b, P2SEL1 = 0x20d };
    struct bench *b = *state;

    set(b, PM5CTL0, 0);
    set8(b, P2DIR, 0x02);
    set(b, TB0CCTL0, 0x0004);
    set8(b, P2SEL0, 0x02);
    assert_int_equal(level(b, HC_IO_P2, 1), 1);
    set8(b, P2SEL1, 0x02);
    assert_int_equal(level(b, HC_IO_P2, 1), 1);
}

/* TA2's and TA3's outputs 0 are each other's input CCI0A. */
static void ta2_and_ta3_capture_each_other(void **state)
{
    enum { TA2CCTL0 = 0x402, TA3CCTL0 = 0x442, RISING_A = 0x4100, OUT = 0x0004 };
    struct bench *b = *state;

    set(b, TA3CCTL0, RISING_A);
    set(b, TA2CCTL0, OUT);
    assert_int_equal(get(b, TA3CCTL0) & 1, 1);
    set(b, TA3CCTL0, 0);
    set(b, TA2CCTL0, RISING_A);
    set(b, TA3CCTL0, OUT);
    assert_int_equal(get(b, TA2CCTL0) & 1, 1);
}

/* ---- DMA ---- */

static void dma_copies_beyond_64k(void **state)
{
    struct bench *b = *state;

    for (uint32_t i = 0; i < 8; i++)
        hc_poke16(b->m, 0xc000 + 2 * i, (uint16_t)(0x1100 + i));
    set(b, 0x512, 0xc000); /* DMA0SA */
    set(b, 0x516, 0x2000); /* DMA0DA = 0x12000 */
    set(b, 0x518, 0x0001);
    assert_int_equal(get(b, 0x518), 1);
    set(b, 0x51a, 8);
    set(b, 0x510, 0x1f15); /* block, both increment, enable, interrupt, request */
    interrupts_on(b);
    run_for(b, hc_us(100));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(hc_peek16(b->m, 0x12000 + 2 * i), 0x1100 + i);
    assert_true(b->interrupts[VECTOR_DMA] > 0);
    assert_int_equal(get(b, 0x50e), 2); /* DMAIV */
    assert_int_equal(get(b, 0x50e), 0);
    assert_int_equal(get(b, 0x510) & 0x18, 0); /* flag and enable */
    set(b, 0x516, 0x3000);
    assert_int_equal(get(b, 0x518), 0); /* a new low word clears the high one */
}

static void a_timer_triggers_channel_2(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, 0xc000, 0xabcd);
    set(b, 0x502, 1); /* DMA2TSEL: TA0CCR0 */
    set(b, 0x532, 0xc000);
    set(b, 0x536, 0xd000);
    set(b, 0x53a, 3);
    set(b, 0x530, 0x0c10); /* single, destination increments */
    set(b, TA0CCR0, 99);
    set(b, TA0CTL, 0x0214);
    run_for(b, 250 * SMCLK_PERIOD);
    assert_int_equal(hc_peek16(b->m, 0xd000), 0xabcd);
    assert_int_equal(hc_peek16(b->m, 0xd002), 0xabcd);
    assert_int_equal(hc_peek16(b->m, 0xd004), 0);
    assert_int_equal(get(b, 0x53a), 1);
}

/* ---- real-time clock ---- */

enum {
    RTCCTL01 = 0x4a0,
    RTCPS1CTL = 0x4aa,
    RTCIV = 0x4ae,
    RTCTIM0 = 0x4b0,
    RTCTIM1 = 0x4b2,
    RTCDATE = 0x4b4,
    RTCYEAR = 0x4b6,
    RTCAMINHR = 0x4b8
};

static void set_clock(struct bench *b, bool bcd)
{
    set(b, RTCCTL01, (uint16_t)(0x4000 | (bcd ? 0x8000 : 0)));
    set(b, RTCYEAR, bcd ? 0x2023 : 2023);
    set(b, RTCDATE, bcd ? 0x1231 : 12 << 8 | 31); /* 31 December, a Sunday, 23:59:58 */
    set(b, RTCTIM1, bcd ? 0x0023 : 23);
    set(b, RTCTIM0, bcd ? 0x5958 : 59 << 8 | 58);
    set(b, RTCCTL01, bcd ? 0x8000 : 0);
}

static void the_calendar_turns(void **state)
{
    struct bench *b = *state;

    for (int bcd = 0; bcd < 2; bcd++) {
        set_clock(b, bcd);
        run_for(b, hc_ms(2010));
        assert_int_equal(get(b, RTCTIM0), 0);
        assert_int_equal(get(b, RTCTIM1), 0x0100); /* Monday, hour 0 */
        assert_int_equal(get(b, RTCDATE), 0x0101);
        assert_int_equal(get(b, RTCYEAR), bcd ? 0x2024 : 2024);
    }
}

static void leap_years(void **state)
{
    struct bench *b = *state;

    set_clock(b, false);
    set(b, RTCYEAR, 2024);
    set(b, RTCDATE, 2 << 8 | 28);
    run_for(b, hc_ms(2010));
    assert_int_equal(get(b, RTCDATE), 2 << 8 | 29);
}

static void seconds_interrupt(void **state)
{
    struct bench *b = *state;

    set_clock(b, false);
    set(b, RTCCTL01, 0x0010); /* RTCRDYIE */
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 | HC_SR_GIE);
    run_for(b, hc_ms(1010));
    assert_true(b->interrupts[VECTOR_RTC] > 0);
    assert_int_equal(get(b, RTCIV), 2);
    assert_int_equal(get(b, RTCIV), 0);
}

static void alarms(void **state)
{
    struct bench *b = *state;

    set_clock(b, false);
    set(b, RTCTIM0, 10 << 8 | 59);
    set(b, RTCAMINHR, 0x80 | 11); /* at minute 11 of any hour */
    run_for(b, hc_ms(500));
    assert_int_equal(get(b, RTCCTL01) & 2, 0);
    run_for(b, hc_ms(600));
    assert_int_equal(get(b, RTCCTL01) & 2, 2);
}

static void prescaler_interrupts(void **state)
{
    struct bench *b = *state;

    set_clock(b, false);
    set(b, RTCPS1CTL, 4 << 2); /* every 32 of 128 Hz */
    set(b, RTCPS1CTL, 4 << 2 | 2);
    interrupts_on(b);
    run_for(b, hc_ms(249));
    assert_int_equal(b->interrupts[VECTOR_RTC], 0);
    run_for(b, hc_ms(2));
    assert_true(b->interrupts[VECTOR_RTC] > 0);
    assert_int_equal(get(b, RTCIV), 10);
}

/* ---- converter and reference ---- */

enum {
    ADC12CTL0 = 0x800,
    ADC12CTL1 = 0x802,
    ADC12CTL2 = 0x804,
    ADC12CTL3 = 0x806,
    ADC12LO = 0x808,
    ADC12HI = 0x80a,
    ADC12IFGR0 = 0x80c,
    ADC12IFGR2 = 0x810,
    ADC12IER0 = 0x812,
    ADC12IV = 0x818,
    ADC12MCTL0 = 0x820,
    ADC12MEM0 = 0x860,
    REFCTL0 = 0x1b0
};

static int32_t constant(void *owner, hc_time now)
{
    (void)now;
    return *(const int32_t *)owner;
}

static void one_conversion(void **state)
{
    static const int32_t volts[] = { -100000, 0, 1500000, 2999999, 3000000, 4000000 };
    static const uint16_t codes[] = { 0, 0, 2048, 4095, 4095, 4095 };
    struct bench *b = *state;
    int32_t input;

    hc_adc12_b_set_source(b->chip->adc12, 5, constant, &input);
    set(b, ADC12CTL1, 0x0200); /* SHP, MODCLK */
    set(b, ADC12MCTL0, 5);
    for (int i = 0; i < 6; i++) {
        input = volts[i];
        set(b, ADC12CTL0, 0x0210); /* 16 cycles, on */
        set(b, ADC12CTL0, 0x0213);
        assert_int_equal(get(b, ADC12CTL1) & 1, 1);
        assert_int_equal(get(b, ADC12IFGR0), 0);
        run_for(b, 33 * hc_period(4800000)); /* 16 + 1 + 14 and the synchronisation */
        assert_int_equal(get(b, ADC12CTL1) & 1, 0);
        assert_int_equal(get(b, ADC12IFGR0), 1);
        assert_int_equal(get(b, ADC12MEM0), codes[i]);
        assert_int_equal(get(b, ADC12IFGR0), 0);
    }
}

static void conversion_time(void **state)
{
    struct bench *b = *state;

    set(b, ADC12CTL1, 0x0278); /* SMCLK / 4 */
    set(b, ADC12CTL2, 0x0000); /* 8 bits */
    set(b, ADC12CTL0, 0x0110);
    set(b, ADC12CTL0, 0x0113);
    run_for(b, (4 * (8 + 11) - 1) * SMCLK_PERIOD);
    assert_int_equal(get(b, ADC12IFGR0), 0);
    run_for(b, 2 * SMCLK_PERIOD);
    assert_int_equal(get(b, ADC12IFGR0), 1);
}

static void a_sequence_with_interrupts(void **state)
{
    struct bench *b = *state;
    int32_t inputs[3] = { 750000, 1500000, 2250000 };

    for (int i = 0; i < 3; i++) {
        hc_adc12_b_set_source(b->chip->adc12, i, constant, &inputs[i]);
        set(b, ADC12MCTL0 + 2 * (uint32_t)i, (uint16_t)(i | (i == 2 ? 0x80 : 0)));
    }
    set(b, ADC12CTL1, 0x0202);
    set(b, ADC12IER0, 4);
    set(b, ADC12CTL0, 0x0090);
    set(b, ADC12CTL0, 0x0093);
    interrupts_on(b);
    run_for(b, hc_us(30));
    assert_true(b->interrupts[VECTOR_ADC12] > 0);
    assert_int_equal(get(b, ADC12IV), 0x10);
    assert_int_equal(get(b, ADC12MEM0), 1024);
    assert_int_equal(get(b, ADC12MEM0 + 2), 2048);
    assert_int_equal(get(b, ADC12MEM0 + 4), 3072);
    assert_int_equal(get(b, ADC12IV), 0);
}

static void references_and_sensors(void **state)
{
    struct bench *b = *state;

    set(b, REFCTL0, 0x0011); /* 2.0 V */
    assert_int_equal(get(b, REFCTL0) & 0x1000, 0);
    run_for(b, hc_us(80));
    assert_int_equal(get(b, REFCTL0) & 0x1000, 0x1000);
    set(b, ADC12CTL3, 0x00c0);
    set(b, ADC12CTL1, 0x0202);
    set(b, ADC12MCTL0, 0x0100 | 30);
    set(b, ADC12MCTL0 + 2, 0x0180 | 31);
    set(b, ADC12CTL0, 0x0090);
    set(b, ADC12CTL0, 0x0093);
    run_for(b, hc_us(50));
    assert_int_equal(get(b, ADC12MEM0), (790000 - 5 * 2500) * 4096ll / 2000000); /* 25 C, rounded */
    assert_int_equal(get(b, ADC12MEM0 + 2), 3072);                               /* half of 3 V */
}

static void windows_and_overflows(void **state)
{
    struct bench *b = *state;
    int32_t input = 3000000;

    hc_adc12_b_set_source(b->chip->adc12, 0, constant, &input);
    set(b, ADC12HI, 3000);
    set(b, ADC12LO, 1000);
    set(b, ADC12MCTL0, 0x4000);
    set(b, ADC12CTL1, 0x0204); /* repeated single channel */
    set(b, ADC12CTL0, 0x0090);
    set(b, ADC12CTL0, 0x0093);
    run_for(b, hc_us(20));
    assert_int_equal(get(b, ADC12IFGR2) & 0x1e, 0x18); /* above; overwritten before it was read */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(pins_drive_when_unlocked),
        BENCH_TEST(words_reach_both_ports),
        BENCH_TEST(pull_resistors),
        BENCH_TEST(edges_interrupt_by_priority),
        BENCH_TEST(a_button_wakes),
        BENCH_TEST(selection_of_modules),
        BENCH_TEST(the_second_divider_counts),
        BENCH_TEST(compare_interrupts_come_in_time),
        BENCH_TEST(taiv_tells_overflow_as_14),
        BENCH_TEST(aclk_is_captured),
        BENCH_TEST(a_captured_period_counts),
        BENCH_TEST(pins_of_tb0_6),
        BENCH_TEST(p2_1_is_tb0_0_twice),
        BENCH_TEST(ta2_and_ta3_capture_each_other),
        BENCH_TEST(dma_copies_beyond_64k),
        BENCH_TEST(a_timer_triggers_channel_2),
        BENCH_TEST(the_calendar_turns),
        BENCH_TEST(leap_years),
        BENCH_TEST(seconds_interrupt),
        BENCH_TEST(alarms),
        BENCH_TEST(prescaler_interrupts),
        BENCH_TEST(one_conversion),
        BENCH_TEST(conversion_time),
        BENCH_TEST(a_sequence_with_interrupts),
        BENCH_TEST(references_and_sensors),
        BENCH_TEST(windows_and_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
