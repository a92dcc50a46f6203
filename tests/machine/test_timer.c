/* Timer_A3 and Timer_B7 against chapters 11 and 12 of the MSP430x1xx user's guide.
 *
 * Most tests run from ACLK, whose edge N is at N periods after power-on. */
#include "clock_bench.h"
#include "machine/device/msp430/dma.h"
#include "support/harness.h"

#include <stdio.h>

enum { TACTL = 0x160, TACCTL0 = 0x162, TAR = 0x170, TACCR0 = 0x172, TAIV = 0x12e };
enum { TBCTL = 0x180, TBCCTL0 = 0x182, TBR = 0x190, TBCCR0 = 0x192, TBIV = 0x11e };
enum { TACCTL1 = 0x164, TACCTL2 = 0x166, TACCR1 = 0x174, TACCR2 = 0x176 };
enum { TBCCTL1 = 0x184, TBCCR1 = 0x194 };

enum { CLK = 0x0000, ACLK = 0x0100, SMCLK = 0x0200, INCLK = 0x0300 };
enum { STOP = 0x00, UP = 0x10, CONTINUOUS = 0x20, UP_DOWN = 0x30, CLEAR = 0x04, IE = 0x02, IFG = 0x01 };
enum {
    CCIFG = 0x0001,
    COV = 0x0002,
    OUT = 0x0004,
    CCI = 0x0008,
    CCIE = 0x0010,
    CAP = 0x0100,
    SCCI = 0x0400,
    SCS = 0x0800
};
enum {
    CM_RISING = 0x4000,
    CM_FALLING = 0x8000,
    CM_BOTH = 0xc000,
    CCIS_A = 0,
    CCIS_B = 0x1000,
    GND = 0x2000,
    VCC = 0x3000
};
enum { VECTOR_TA0 = 6, VECTOR_TA1 = 5, VECTOR_TB0 = 13, VECTOR_TB1 = 12 };

static void add_timers(struct bench *b)
{
    struct hc_timer_config ta = hc_timer_a3, tb = hc_timer_b7;

    ta.aclk = tb.aclk = b->aclk;
    ta.smclk = tb.smclk = b->smclk;
    hc_timer_new(b->m, &ta);
    hc_timer_new(b->m, &tb);
}

static int set_up(void **state)
{
    struct bench *b = *state = bench_new();

    add_timers(b);
    bench_start(b);
    set(b, WDTCTL, 0x5a80);
    return 0;
}

static bool nothing_armed(struct bench *b)
{
    return hc_queue_next(hc_events(b->m)) == HC_NEVER;
}

/* ---- counting ---- */

static void continuous(void **state)
{
    struct bench *b = *state;

    set(b, TACCR1, 3);
    set(b, TACTL, ACLK | CONTINUOUS);
    for (unsigned n = 1; n < 10; n++) {
        before_edge(b, n);
        assert_int_equal(get(b, TAR), n - 1);
        assert_int_equal(get(b, TACCTL1) & CCIFG, n > 3 ? CCIFG : 0);
        to_edge(b, n);
        assert_int_equal(get(b, TAR), n);
        assert_int_equal(get(b, TACCTL1) & CCIFG, n >= 3 ? CCIFG : 0);
    }
    before_edge(b, 65536);
    assert_int_equal(get(b, TAR), 0xffff);
    assert_int_equal(get(b, TACTL) & IFG, 0);
    to_edge(b, 65536);
    assert_int_equal(get(b, TAR), 0);
    assert_int_equal(get(b, TACTL) & IFG, IFG);
    assert_int_equal(get(b, TACCTL0) & CCIFG, CCIFG); /* TACCR0 is 0 */
    assert_true(nothing_armed(b));
}

/* TACCR0 + 1 counts; TACCR0's CCIFG at TACCR0, TAIFG at the roll to zero. */
static void up(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 9);
    set(b, TACTL, ACLK | UP);
    for (unsigned n = 1; n < 45; n++) {
        to_edge(b, n);
        assert_int_equal(get(b, TAR), n % 10);
        assert_int_equal(get(b, TACCTL0) & CCIFG, n % 10 == 9 ? CCIFG : 0);
        assert_int_equal(get(b, TACTL) & IFG, n % 10 == 0 ? IFG : 0);
        set(b, TACCTL0, 0);
        set(b, TACTL, ACLK | UP);
    }
}

static void up_down(void **state)
{
    static const uint8_t counts[10] = { 0, 1, 2, 3, 4, 5, 4, 3, 2, 1 };
    struct bench *b = *state;

    set(b, TACCR0, 5);
    set(b, TACCR1, 3);
    set(b, TACTL, ACLK | UP_DOWN);
    for (unsigned n = 1; n < 45; n++) {
        to_edge(b, n);
        assert_int_equal(get(b, TAR), counts[n % 10]);
        assert_int_equal(get(b, TACCTL0) & CCIFG, n % 10 == 5 ? CCIFG : 0);
        assert_int_equal(get(b, TACCTL1) & CCIFG, n % 10 == 3 || n % 10 == 7 ? CCIFG : 0);
        assert_int_equal(get(b, TACTL) & IFG, n % 10 == 0 ? IFG : 0);
        set(b, TACCTL0, 0);
        set(b, TACCTL1, 0);
        set(b, TACTL, ACLK | UP_DOWN);
    }
}

static void input_divider(void **state)
{
    struct bench *b = *state;

    for (unsigned id = 0; id < 4; id++) {
        hc_time start = hc_now(b->m) / ACLK_PERIOD + 3;
        to_edge(b, start);
        set(b, TACTL, (uint16_t)(ACLK | CONTINUOUS | CLEAR | id << 6));
        assert_int_equal(get(b, TACTL), ACLK | CONTINUOUS | id << 6);
        for (unsigned n = 1; n < 5; n++) {
            before_edge(b, start + (n << id));
            assert_int_equal(get(b, TAR), n - 1);
            to_edge(b, start + (n << id));
            assert_int_equal(get(b, TAR), n);
        }
    }
    /* TACLR clears the divider too. */
    uint64_t start = hc_now(b->m) / ACLK_PERIOD + 5;
    to_edge(b, start);
    set(b, TACTL, ACLK | CONTINUOUS | CLEAR | 0xc0);
    before_edge(b, start + 8);
    assert_int_equal(get(b, TAR), 0);
}

/* Stopped, the count stays; so does the direction, which TACLR clears. */
static void stop_and_direction(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 10);
    set(b, TACTL, ACLK | UP_DOWN);
    to_edge(b, 13); /* 7, going down */
    set(b, TACTL, ACLK | STOP);
    to_edge(b, 20);
    assert_int_equal(get(b, TAR), 7);
    set(b, TACTL, ACLK | UP_DOWN);
    to_edge(b, 21);
    assert_int_equal(get(b, TAR), 6);
    set(b, TACTL, ACLK | UP_DOWN | CLEAR);
    assert_int_equal(get(b, TAR), 0);
    to_edge(b, 22);
    assert_int_equal(get(b, TAR), 1);
}

/* Up mode: a greater period is counted up to, a smaller one than the count rolls to zero; zero stops. */
static void changing_the_period(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 20);
    set(b, TACTL, ACLK | UP);
    to_edge(b, 15);
    set(b, TACCR0, 30);
    to_edge(b, 30);
    assert_int_equal(get(b, TAR), 30);
    to_edge(b, 31 + 15);
    set(b, TACCR0, 10);
    to_edge(b, 47);
    assert_int_equal(get(b, TAR), 0);
    assert_int_equal(get(b, TACTL) & IFG, IFG);
    set(b, TACCR0, 0);
    to_edge(b, 100);
    assert_int_equal(get(b, TAR), 0);
    set(b, TACCR0, 7);
    to_edge(b, 105);
    assert_int_equal(get(b, TAR), 5);
}

/* Up/down: going down, the new period waits for zero; going up, a smaller one than the count turns it round. */
static void changing_the_period_up_down(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 10);
    set(b, TACTL, ACLK | UP_DOWN);
    to_edge(b, 12); /* 8, down */
    set(b, TACCR0, 4);
    to_edge(b, 16);
    assert_int_equal(get(b, TAR), 4);
    assert_int_equal(get(b, TACCTL0) & CCIFG, CCIFG); /* from edge 10 */
    set(b, TACCTL0, 0);
    to_edge(b, 20);
    assert_int_equal(get(b, TAR), 0);
    assert_int_equal(get(b, TACCTL0) & CCIFG, 0); /* passed on the way down: no match */
    to_edge(b, 24);
    assert_int_equal(get(b, TAR), 4);
    assert_int_equal(get(b, TACCTL0) & CCIFG, CCIFG);
    to_edge(b, 25);
    assert_int_equal(get(b, TAR), 3);
    to_edge(b, 31); /* 3, up */
    assert_int_equal(get(b, TAR), 3);
    set(b, TACCR0, 2);
    to_edge(b, 32);
    assert_int_equal(get(b, TAR), 2);
    to_edge(b, 34);
    assert_int_equal(get(b, TAR), 0);
}

static void writing_the_count(void **state)
{
    struct bench *b = *state;

    set(b, TACCR1, 1000);
    set(b, TACTL, ACLK | CONTINUOUS);
    to_edge(b, 10);
    set(b, TAR, 1000); /* written, not counted to */
    to_edge(b, 11);
    assert_int_equal(get(b, TAR), 1001);
    assert_int_equal(get(b, TACCTL1) & CCIFG, 0);
    set(b, TAR, 998);
    before_edge(b, 13);
    assert_int_equal(get(b, TACCTL1) & CCIFG, 0);
    to_edge(b, 13);
    assert_int_equal(get(b, TACCTL1) & CCIFG, CCIFG);
}

static void external_clocks(void **state)
{
    struct bench *b = *state;
    static const struct {
        const char *wire;
        uint32_t ctl, r;
        uint16_t ssel;
        bool falling;
    } clocks[] = {
        { "taclk", TACTL, TAR, CLK, false },
        { "inclk", TACTL, TAR, INCLK, false },
        { "tbclk", TBCTL, TBR, CLK, false },
        { "tbclk", TBCTL, TBR, INCLK, true }, /* TBSSEL 3: TBCLK inverted */
    };

    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        hc_wire w = hc_wire_find(b->m, clocks[i].wire);
        hc_wire_set(b->m, w, 0);
        set(b, clocks[i].ctl, clocks[i].ssel | CONTINUOUS | CLEAR);
        for (unsigned n = 1; n < 6; n++) {
            hc_wire_set(b->m, w, 1);
            assert_int_equal(get(b, clocks[i].r), clocks[i].falling ? n - 1 : n);
            hc_wire_set(b->m, w, 0);
            assert_int_equal(get(b, clocks[i].r), n);
        }
        set(b, clocks[i].ctl, clocks[i].ssel | CONTINUOUS | CLEAR | 0x40);
        for (unsigned n = 1; n < 6; n++) {
            hc_wire_set(b->m, w, 1);
            hc_wire_set(b->m, w, 0);
            assert_int_equal(get(b, clocks[i].r), n / 2);
        }
    }
}

/* SMCLK changes its rate under way, and stops in LPM3. */
static void changing_clock(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 30000);
    set(b, TACCTL0, CCIE);
    set(b, TACTL, SMCLK | UP);
    interrupts_on(b);
    run_to(b, 10000 * DCO_PERIOD);
    assert_int_equal(get(b, TAR), 10000);
    set(b, BCSCTL2, 0x02); /* DIVS: / 2 */
    run_to(b, 20000 * DCO_PERIOD);
    assert_int_equal(get(b, TAR), 15000);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG1 | HC_SR_GIE);
    run_to(b, 100000 * DCO_PERIOD);
    assert_int_equal(get(b, TAR), 15000);
    assert_int_equal(b->interrupts[VECTOR_TA0], 0);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_GIE);
    run_to(b, 130000 * DCO_PERIOD - 1);
    assert_int_equal(b->interrupts[VECTOR_TA0], 0);
    run_to(b, 130010 * DCO_PERIOD);
    assert_int_equal(b->interrupts[VECTOR_TA0], 1);
}

/* ---- interrupts ---- */

static void ccr0_interrupt(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 99);
    set(b, TACCTL0, CCIE);
    set(b, TACTL, ACLK | UP);
    interrupts_on(b);
    for (unsigned n = 1; n < 10; n++) {
        hc_time due = (100 * n - 1) * ACLK_PERIOD;
        run_to(b, due - 1);
        assert_int_equal(b->interrupts[VECTOR_TA0], n - 1);
        run_to(b, due + hc_us(50));
        assert_int_equal(b->interrupts[VECTOR_TA0], n);
        assert_in_range(b->accepted[VECTOR_TA0], due + 6 * DCO_PERIOD, due + 7 * DCO_PERIOD);
        assert_int_equal(get(b, TACCTL0) & CCIFG, 0); /* accepting it cleared the flag */
    }
    assert_int_equal(b->interrupts[VECTOR_TA1], 0);
}

/* TAIV and TBIV: by priority, enabled sources only, each access clears the one it names. */
static void interrupt_vectors(void **state)
{
    struct bench *b = *state;

    set(b, TACCTL1, CCIE | CCIFG);
    set(b, TACCTL2, CCIE | CCIFG);
    set(b, TACTL, IE | IFG);
    assert_int_equal(hc_peek16(b->m, TAIV), 2); /* looking changes nothing */
    assert_int_equal(get(b, TAIV), 2);
    assert_int_equal(get(b, TACCTL1) & CCIFG, 0);
    assert_int_equal(get(b, TAIV), 4);
    assert_int_equal(get(b, TAIV), 0x0a);
    assert_int_equal(get(b, TAIV), 0);
    set(b, TACCTL1, CCIFG); /* not enabled */
    set(b, TACCTL2, CCIE | CCIFG);
    assert_int_equal(get(b, TAIV), 4);
    assert_int_equal(get(b, TACCTL1) & CCIFG, CCIFG);
    assert_int_equal(get(b, TAIV), 0);
    set(b, TACCTL1, CCIE | CCIFG);
    set(b, TACTL, IE | IFG);
    set(b, TAIV, 0); /* a write clears as well */
    assert_int_equal(get(b, TAIV), 0x0a);

    for (uint32_t x = 0; x < 7; x++)
        set(b, TBCCTL0 + 2 * x, CCIE | CCIFG);
    set(b, TBCTL, IE | IFG);
    for (unsigned value = 2; value <= 0x0e; value += 2)
        assert_int_equal(get(b, TBIV), value);
    assert_int_equal(get(b, TBIV), 0);
    assert_int_equal(get(b, TBCCTL0) & CCIFG, CCIFG); /* has a vector of its own */
}

static void other_interrupts(void **state)
{
    struct bench *b = *state;

    set(b, TBCCR1, 50);
    set(b, TBCCTL1, CCIE);
    set(b, TBCTL, ACLK | CONTINUOUS | IE);
    interrupts_on(b);
    before_edge(b, 50);
    assert_int_equal(b->interrupts[VECTOR_TB1], 0);
    run_to(b, 50 * ACLK_PERIOD + hc_us(9));
    assert_int_equal(b->interrupts[VECTOR_TB1], 1);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_int_equal(get(b, TBIV), 2);
    interrupts_on(b);
    before_edge(b, 65536);
    int so_far = b->interrupts[VECTOR_TB1];
    run_to(b, 65536 * ACLK_PERIOD + hc_us(9));
    assert_int_equal(b->interrupts[VECTOR_TB1], so_far + 1);
    assert_int_equal(get(b, TBIV), 0x0e);
}

/* Without an enabled interrupt a running timer arms nothing, and its flags are right when they are looked at. */
static void unwatched_costs_nothing(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 9);
    set(b, TACCR1, 4);
    set(b, TACCR2, 10); /* never reached */
    set(b, TACTL, ACLK | UP);
    assert_true(nothing_armed(b));
    to_edge(b, 10000003);
    assert_int_equal(get(b, TAR), 3);
    assert_int_equal(get(b, TACCTL0) & CCIFG, CCIFG);
    assert_int_equal(get(b, TACCTL1) & CCIFG, CCIFG);
    assert_int_equal(get(b, TACCTL2) & CCIFG, 0);
    assert_true(nothing_armed(b));
}

static void resets(void **state)
{
    struct bench *b = *state;

    set(b, TACCR0, 99);
    set(b, TACCR1, 40);
    set(b, TACCTL1, CCIE);
    set(b, TACTL, ACLK | UP);
    to_edge(b, 50);
    hc_machine_reset(b->m, HC_PUC); /* timers are reset by a POR only */
    hc_set_register(b->m, HC_SP, STACK);
    assert_int_equal(get(b, TAR), 50);
    interrupts_on(b);
    run_for(b, hc_us(9));
    assert_true(b->interrupts[VECTOR_TA1] > 0); /* the request is still there */
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, TAR), 0);
    assert_int_equal(get(b, TACTL), 0);
    assert_int_equal(get(b, TACCTL1), 0);
    assert_int_equal(get(b, TACCR0), 0);
}

/* ---- capture ---- */

static void capture_edges(void **state)
{
    static const struct {
        uint16_t cm;
        bool rising, falling;
    } modes[] = {
        { 0, false, false }, { CM_RISING, true, false }, { CM_FALLING, false, true }, { CM_BOTH, true, true }
    };
    struct bench *b = *state;
    uint64_t edge = 1;

    set(b, TACTL, ACLK | CONTINUOUS);
    for (unsigned input = 0; input < 2; input++) {
        hc_wire w = hc_wire_find(b->m, input ? "ta.cci1b" : "ta.cci1a");
        for (size_t i = 0; i < 4; i++) {
            set(b, TACCTL1, (uint16_t)(CAP | modes[i].cm | (input ? CCIS_B : CCIS_A)));
            to_edge(b, edge += 10);
            hc_wire_set(b->m, w, 1);
            assert_int_equal(get(b, TACCTL1) & (CCIFG | CCI), modes[i].rising ? CCIFG | CCI : CCI);
            if (modes[i].rising)
                assert_int_equal(get(b, TACCR1), edge);
            set(b, TACCTL1, (uint16_t)(get(b, TACCTL1) & ~CCIFG));
            run_to(b, (edge += 10) * ACLK_PERIOD + ACLK_PERIOD / 2);
            hc_wire_set(b->m, w, 0);
            assert_int_equal(get(b, TACCTL1) & (CCIFG | CCI | COV), modes[i].falling ? CCIFG : 0);
            if (modes[i].falling)
                assert_int_equal(get(b, TACCR1), edge);
            set(b, TACCTL1, 0);
        }
    }
}

/* COV: captured again before the last value was read. Cleared by software only. */
static void capture_overflow(void **state)
{
    struct bench *b = *state;
    hc_wire w = hc_wire_find(b->m, "tb.cci3a");

    set(b, TBCTL, ACLK | CONTINUOUS);
    set(b, TBCCTL0 + 6, CAP | CM_RISING);
    to_edge(b, 5);
    hc_wire_set(b->m, w, 1);
    set(b, TBCCTL0 + 6, CAP | CM_RISING); /* CCIFG is cleared, the value not read */
    hc_wire_set(b->m, w, 0);
    to_edge(b, 8);
    hc_wire_set(b->m, w, 1);
    assert_int_equal(get(b, TBCCTL0 + 6) & (COV | CCIFG), COV | CCIFG);
    assert_int_equal(get(b, TBCCR0 + 6), 8);
    assert_int_equal(get(b, TBCCTL0 + 6) & COV, COV);
    set(b, TBCCTL0 + 6, CAP | CM_RISING);
    hc_wire_set(b->m, w, 0);
    hc_wire_set(b->m, w, 1);
    assert_int_equal(get(b, TBCCTL0 + 6) & (COV | CCIFG), CCIFG); /* it had been read */
}

/* Clearing COV, without reading, is a fresh start (figure 11-11). */
static void capture_overflow_cleared(void **state)
{
    struct bench *b = *state;
    hc_wire w = hc_wire_find(b->m, "ta.cci1a");

    set(b, TACTL, ACLK | CONTINUOUS);
    set(b, TACCTL1, CAP | CM_BOTH);
    hc_wire_set(b->m, w, 1);
    hc_wire_set(b->m, w, 0);
    assert_int_equal(get(b, TACCTL1) & COV, COV);
    set(b, TACCTL1, CAP | CM_BOTH);
    hc_wire_set(b->m, w, 1);
    assert_int_equal(get(b, TACCTL1) & (COV | CCIFG), CCIFG);
    hc_wire_set(b->m, w, 0);
    assert_int_equal(get(b, TACCTL1) & (COV | CCIFG), COV | CCIFG);
}

/* SCS: the capture waits for the timer clock's next falling edge, in the middle of a count, and so do flag and
 * interrupt (figure 11-10). */
static void synchronous_capture(void **state)
{
    static const struct {
        uint16_t id;
        unsigned quarter; /* of count 20, when the input comes */
        unsigned wait;    /* in quarters */
        uint16_t value;
    } rows[] = {
        { 0, 1, 1, 20 },      { 0, 3, 3, 21 },      { 0x0040, 1, 1, 20 },
        { 0x0040, 3, 3, 21 }, { 0x00c0, 1, 1, 20 }, { 0x00c0, 3, 3, 21 },
    };
    struct bench *b = *state;
    hc_wire w = hc_wire_find(b->m, "ta.cci0a");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hc_time quarter = (ACLK_PERIOD << (rows[i].id >> 6)) / 4;
        hc_time start = (hc_now(b->m) / ACLK_PERIOD + 1) * ACLK_PERIOD;
        run_to(b, start);
        hc_wire_set(b->m, w, 0);
        set(b, TACTL, (uint16_t)(ACLK | CONTINUOUS | CLEAR | rows[i].id));
        set(b, TACCTL0, CAP | CM_RISING | SCS | CCIE);
        interrupts_on(b);
        b->interrupts[VECTOR_TA0] = 0;
        run_to(b, start + (80 + rows[i].quarter) * quarter);
        hc_wire_set(b->m, w, 1);
        run_for(b, rows[i].wait * quarter - 1);
        assert_int_equal(get(b, TACCTL0) & CCIFG, 0);
        assert_int_equal(b->interrupts[VECTOR_TA0], 0);
        run_for(b, 1);
        assert_int_equal(get(b, TACCR0), rows[i].value);
        run_for(b, hc_us(20));
        assert_int_equal(b->interrupts[VECTOR_TA0], 1);
        set(b, TACCTL0, 0);
    }
}

/* Block 0 captures the value that is counted to: what follows from that comes in time, whatever its flag. */
static void synchronous_capture_of_the_period(void **state)
{
    struct bench *b = *state;
    hc_wire out = hc_wire_find(b->m, "ta.out1");

    set(b, TACCR0, 1000);
    set(b, TACCR1, 5);
    set(b, TACCTL1, 4 << 5); /* toggle */
    set(b, TACCTL0, CAP | SCS | CM_BOTH | GND);
    set(b, TACTL, ACLK | UP);
    to_edge(b, 10);
    set(b, TACCTL0, CAP | SCS | CM_BOTH | VCC | CCIFG);
    before_edge(b, 16);
    assert_int_equal(hc_wire_level(b->m, out), 1); /* since edge 5 */
    to_edge(b, 16);
    assert_int_equal(hc_wire_level(b->m, out), 0);
    assert_int_equal(get(b, TACCR0), 10);
}

/* SCS with an external clock, whose falling edges are seen. */
static void synchronous_capture_of_external_clock(void **state)
{
    struct bench *b = *state;
    hc_wire clk = hc_wire_find(b->m, "tbclk"), w = hc_wire_find(b->m, "tb.cci0a");

    for (int inverted = 0; inverted < 2; inverted++) {
        hc_wire_set(b->m, clk, inverted);
        hc_wire_set(b->m, w, 0);
        set(b, TBCTL, (uint16_t)(CONTINUOUS | CLEAR | (inverted ? INCLK : CLK)));
        set(b, TBCCTL0, CAP | CM_RISING | SCS);
        hc_wire_set(b->m, w, 1);
        hc_wire_set(b->m, clk, !inverted); /* counts 1 */
        assert_int_equal(get(b, TBCCTL0) & CCIFG, 0);
        hc_wire_set(b->m, clk, inverted);
        assert_int_equal(get(b, TBCCTL0) & CCIFG, CCIFG);
        assert_int_equal(get(b, TBCCR0), 1);
        set(b, TBCCTL0, 0);
    }
    /* Divided by four: the clock falls two edges after a count. */
    hc_wire_set(b->m, clk, 0);
    hc_wire_set(b->m, w, 0);
    set(b, TBCTL, CLK | CONTINUOUS | CLEAR | 0x0080);
    set(b, TBCCTL0, CAP | CM_RISING | SCS);
    for (int edge = 1; edge <= 6; edge++) {
        hc_wire_set(b->m, clk, 1);
        hc_wire_set(b->m, clk, 0);
        if (edge == 3)
            hc_wire_set(b->m, w, 1);
        assert_int_equal(get(b, TBCCTL0) & CCIFG, edge == 6 ? CCIFG : 0);
    }
    assert_int_equal(get(b, TBCCR0), 1);
}

/* Software captures by switching the input between GND and VCC. */
static void software_capture(void **state)
{
    struct bench *b = *state;

    set(b, TACTL, ACLK | CONTINUOUS);
    set(b, TACCTL2, CAP | CM_BOTH | GND);
    to_edge(b, 7);
    assert_int_equal(get(b, TACCTL2) & (CCI | CCIFG), 0);
    set(b, TACCTL2, CAP | CM_BOTH | VCC);
    assert_int_equal(get(b, TACCTL2) & (CCI | CCIFG), CCI | CCIFG);
    assert_int_equal(get(b, TACCR2), 7);
    to_edge(b, 9);
    set(b, TACCTL2, CAP | CM_BOTH | GND);
    assert_int_equal(get(b, TACCTL2) & (CCI | CCIFG), CCIFG);
    assert_int_equal(get(b, TACCR2), 9);
}

/* CCI2B of Timer_A and CCI6B of Timer_B are ACLK: the count of SMCLK at its edges. */
static void capture_of_aclk(void **state)
{
    struct bench *b = *state;
    static const struct {
        uint32_t ctl, cctl, ccr;
    } timers[] = { { TACTL, TACCTL2, TACCR2 }, { TBCTL, TBCCTL0 + 12, TBCCR0 + 12 } };

    for (unsigned i = 0; i < 2; i++) {
        uint64_t edge = hc_now(b->m) / ACLK_PERIOD + 2, base = hc_now(b->m) / DCO_PERIOD;
        set(b, timers[i].ctl, SMCLK | CONTINUOUS);
        set(b, timers[i].cctl, CAP | CM_RISING | CCIS_B);
        for (; edge % 10; edge++) {
            before_edge(b, edge);
            set(b, timers[i].cctl, CAP | CM_RISING | CCIS_B);
            assert_int_equal(get(b, timers[i].cctl) & CCIFG, 0);
            to_edge(b, edge);
            assert_int_equal(get(b, timers[i].cctl) & CCIFG, CCIFG);
            assert_int_equal(get(b, timers[i].ccr), edge * ACLK_PERIOD / DCO_PERIOD - base);
        }
        to_edge(b, edge);
        set(b, timers[i].cctl, CAP | CM_FALLING | CCIS_B);
        run_to(b, edge * ACLK_PERIOD + ACLK_PERIOD / 2 - 1);
        assert_int_equal(get(b, timers[i].cctl) & (CCIFG | CCI), CCI);
        run_to(b, edge * ACLK_PERIOD + ACLK_PERIOD / 2);
        assert_int_equal(get(b, timers[i].cctl) & (CCIFG | CCI), CCIFG);
        assert_int_equal(get(b, timers[i].ccr), (edge * ACLK_PERIOD + ACLK_PERIOD / 2) / DCO_PERIOD - base);
        set(b, timers[i].cctl, 0);
        assert_true(nothing_armed(b)); /* no cost when no longer captured */
    }
}

/* Captures that nobody waits for arm nothing, however many; enabling the interrupt does, until the flag is set. */
static void capture_of_aclk_on_demand(void **state)
{
    struct bench *b = *state;
    static const struct {
        uint32_t cctl, ccr, ctl;
        int vector;
    } timers[] = { { TACCTL2, TACCR2, TACTL, VECTOR_TA1 }, { TBCCTL0 + 12, TBCCR0 + 12, TBCTL, VECTOR_TB1 } };

    for (unsigned i = 0; i < 2; i++) {
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        to_edge(b, start);
        set(b, timers[i].ctl, ACLK | CONTINUOUS | CLEAR);
        set(b, timers[i].cctl, CAP | CM_RISING | CCIS_B);
        assert_true(nothing_armed(b));
        before_edge(b, start + 100001);
        assert_int_equal(get(b, timers[i].cctl) & (CCIFG | COV), CCIFG | COV);
        assert_int_equal(get(b, timers[i].ccr), 100000 % 65536);

        set(b, timers[i].cctl, CAP | CM_RISING | CCIS_B | CCIE);
        assert_int_equal(hc_queue_next(hc_events(b->m)), (start + 100001) * ACLK_PERIOD);
        interrupts_on(b);
        before_edge(b, start + 100001);
        assert_int_equal(b->interrupts[timers[i].vector], 0);
        run_to(b, (start + 100001) * ACLK_PERIOD + hc_us(9));
        assert_int_equal(b->interrupts[timers[i].vector], 1);
        assert_true(nothing_armed(b));
        hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
        to_edge(b, start + 200000);
        assert_int_equal(get(b, timers[i].ccr), 200000 % 65536);
        set(b, timers[i].cctl, 0);
    }
}

/* SCCI keeps the input's level at EQUx. */
static void latched_input(void **state)
{
    struct bench *b = *state;
    hc_wire w = hc_wire_find(b->m, "ta.cci1a");

    set(b, TACCR0, 99);
    set(b, TACCR1, 10);
    set(b, TACTL, ACLK | UP);
    to_edge(b, 8);
    hc_wire_set(b->m, w, 1);
    assert_int_equal(get(b, TACCTL1) & (SCCI | CCI), CCI);
    to_edge(b, 12);
    hc_wire_set(b->m, w, 0);
    assert_int_equal(get(b, TACCTL1) & (SCCI | CCI), SCCI);
    to_edge(b, 109);
    assert_int_equal(get(b, TACCTL1) & SCCI, SCCI);
    to_edge(b, 110);
    assert_int_equal(get(b, TACCTL1) & SCCI, 0);
}

/* ---- output units ---- */

/* OUT1 after edge n, for TACCR0 = 9 and TACCR1 = 4 ("-" high, "_" low). */
struct waveform {
    uint16_t counting;
    const char *level[8];
};

static const struct waveform waveforms[] = {
    /*  n:  0         1         2         3
            0123456789012345678901234567890 */
    { UP,
      { "_______________________________", "____---------------------------", "____------____------____------_",
        "____------____------____------_", "____----------__________-------", "_______________________________",
        "____----------______----______-", "__________----______----______-" } },
    { CONTINUOUS,
      { "_______________________________", "____---------------------------", "____-----______________________",
        "____-----______________________", "____---------------------------", "_______________________________",
        "____---------------------------", "_________----------------------" } },
    { UP_DOWN, /* TACCR1 at 4, 14, 22; TACCR0 at 9, 27 */
      { "_______________________________", "____---------------------------", "____-----_____--------_________",
        "____-----_____-------------____", "____----------________---------", "_______________________________",
        "____----------________---------", "_________-----_____________----" } },
};

static void output_modes(void **state)
{
    struct bench *b = *state;
    hc_wire out = hc_wire_find(b->m, "ta.out1");

    for (size_t w = 0; w < sizeof waveforms / sizeof *waveforms; w++)
        for (unsigned mode = 0; mode < 8; mode++) {
            uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
            set(b, TACTL, 0);
            set(b, TACCTL1, 0);
            set(b, TACCR0, 9);
            set(b, TACCR1, 4);
            set(b, TACCTL1, (uint16_t)(mode << 5));
            to_edge(b, start);
            set(b, TACTL, ACLK | CLEAR | waveforms[w].counting);
            for (unsigned n = 0; n < 31; n++) {
                to_edge(b, start + n);
                if (hc_wire_level(b->m, out) != (waveforms[w].level[mode][n] == '-'))
                    fail_msg("counting mode %zu, output mode %u, count %u", w, mode, n);
            }
        }
}

/* Mode 0 follows the OUT bit at once; another mode starts from there. */
static void output_bit(void **state)
{
    struct bench *b = *state;
    hc_wire out = hc_wire_find(b->m, "tb.out5");

    set(b, TBCCTL0 + 10, OUT);
    assert_int_equal(hc_wire_level(b->m, out), 1);
    set(b, TBCCTL0 + 10, 0);
    assert_int_equal(hc_wire_level(b->m, out), 0);
    set(b, TBCCTL0 + 10, OUT);
    set(b, TBCCR0 + 10, 20);
    set(b, TBCCTL0 + 10, 5 << 5); /* reset */
    assert_int_equal(hc_wire_level(b->m, out), 1);
    set(b, TBCTL, ACLK | CONTINUOUS);
    before_edge(b, 20);
    assert_int_equal(hc_wire_level(b->m, out), 1);
    to_edge(b, 20);
    assert_int_equal(hc_wire_level(b->m, out), 0);
    assert_true(nothing_armed(b)); /* a reset output can do nothing more */
}

/* Duty cycle TACCR1 / (TACCR0 + 1) in reset/set, from 0 to all. */
static void duty_cycle(void **state)
{
    struct bench *b = *state;
    hc_wire out = hc_wire_find(b->m, "ta.out2");

    for (uint16_t duty = 0; duty <= 10; duty++) {
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        set(b, TACTL, 0);
        set(b, TACCR0, 9);
        set(b, TACCR2, duty);
        set(b, TACCTL2, 7 << 5);
        to_edge(b, start);
        set(b, TACTL, ACLK | CLEAR | UP);
        unsigned high = 0;
        for (unsigned n = 20; n < 30; n++) {
            to_edge(b, start + n);
            high += (unsigned)hc_wire_level(b->m, out);
        }
        assert_int_equal(high, duty);
    }
}

/* ---- Timer_B ---- */

static void counter_lengths(void **state)
{
    static const unsigned bits[4] = { 16, 12, 10, 8 };
    struct bench *b = *state;

    for (unsigned cntl = 0; cntl < 4; cntl++) {
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        to_edge(b, start);
        set(b, TBCTL, (uint16_t)(ACLK | CLEAR | CONTINUOUS | cntl << 11));
        to_edge(b, start + (1u << bits[cntl]) - 1);
        assert_int_equal(get(b, TBR), (1u << bits[cntl]) - 1);
        assert_int_equal(get(b, TBCTL) & IFG, 0);
        to_edge(b, start + (1u << bits[cntl]) + 5);
        assert_int_equal(get(b, TBR), 5);
        assert_int_equal(get(b, TBCTL) & IFG, IFG);
    }
}

/* CLLDx: when TBCCR1's 60 takes the place of 30 in TBCL1, seen by the next match. TBCCR0 = 100. */
static void latch_loads(void **state)
{
    static const struct {
        uint16_t clld, counting;
        unsigned first, second; /* edges of the first two matches after TBCCR1 was written at edge 20 */
    } cases[] = {
        { 0, UP, 60, 161 },      { 1, UP, 30, 161 },           { 2, UP, 30, 161 },
        { 3, UP, 30, 60 },       { 1, CONTINUOUS, 30, 65596 }, { 0, UP_DOWN, 60, 140 },
        { 1, UP_DOWN, 30, 170 }, { 2, UP_DOWN, 30, 140 },      { 3, UP_DOWN, 30, 60 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        set(b, TBCTL, 0);
        set(b, TBCCTL1, 0);
        set(b, TBCCR0, 100);
        set(b, TBCCR1, 30);
        set(b, TBCCTL1, (uint16_t)(cases[i].clld << 9));
        to_edge(b, start);
        set(b, TBCTL, ACLK | CLEAR | cases[i].counting);
        to_edge(b, start + 20);
        set(b, TBCCR1, 60);
        assert_int_equal(get(b, TBCCR1), 60);
        before_edge(b, start + cases[i].first);
        assert_int_equal(get(b, TBCCTL1) & CCIFG, 0);
        to_edge(b, start + cases[i].first);
        assert_int_equal(get(b, TBCCTL1) & CCIFG, CCIFG);
        set(b, TBCCTL1, (uint16_t)(cases[i].clld << 9));
        before_edge(b, start + cases[i].second);
        assert_int_equal(get(b, TBCCTL1) & CCIFG, 0);
        to_edge(b, start + cases[i].second);
        assert_int_equal(get(b, TBCCTL1) & CCIFG, CCIFG);
    }
}

/* TBCLGRPx: blocks of a group load together, and only when all of them have been written. */
static void latch_groups(void **state)
{
    static const struct {
        uint16_t group;
        uint8_t members, control;
    } cases[] = { { 1, 0x06, 1 }, { 1, 0x18, 3 }, { 1, 0x60, 5 }, { 2, 0x0e, 1 }, { 2, 0x70, 4 }, { 3, 0x7f, 1 } };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        uint16_t ctl = (uint16_t)(ACLK | UP | cases[i].group << 13);
        unsigned last = 31u - (unsigned)__builtin_clz(cases[i].members);
        set(b, TBCTL, 0);
        for (uint32_t x = 0; x < 7; x++) {
            set(b, TBCCTL0 + 2 * x, 0);
            set(b, TBCCR0 + 2 * x, x ? 30 : 99);
        }
        set(b, TBCCTL0 + 2u * cases[i].control, 1 << 9);
        to_edge(b, start);
        set(b, TBCTL, ctl | CLEAR);
        for (uint32_t x = 0; x < last; x++)
            if (cases[i].members >> x & 1)
                set(b, TBCCR0 + 2 * x, x ? 60 : 79);
        to_edge(b, start + 150); /* a load event has passed: not all were written */
        assert_int_equal(get(b, TBCCTL0 + 2u * cases[i].control) & CCIFG, CCIFG);
        set(b, TBCCR0 + 2 * last, 60);
        to_edge(b, start + 200);
        for (uint32_t x = 0; x < 7; x++)
            set(b, TBCCTL0 + 2 * x, x == cases[i].control ? 1 << 9 : 0);
        to_edge(b, start + 259);
        for (uint32_t x = 1; x < 7; x++)
            if (cases[i].members >> x & 1)
                assert_int_equal(get(b, TBCCTL0 + 2 * x) & CCIFG, 0);
        to_edge(b, start + 260);
        for (uint32_t x = 1; x < 7; x++)
            if (cases[i].members >> x & 1)
                assert_int_equal(get(b, TBCCTL0 + 2 * x) & CCIFG, CCIFG);
        to_edge(b, start + 280);
        assert_int_equal(get(b, TBR), cases[i].members & 1 ? 0 : 80); /* TBCL0 with them in group 3 */
    }
}

/* ---- DMA ---- */

enum { DMACTL0 = 0x122, DMA0CTL = 0x1e0, DMA0SA = 0x1e2, DMA0DA = 0x1e4, DMA0SZ = 0x1e6 };
enum { REPEATED_SINGLE = 4 << 12, DESTINATION_UP = 3 << 10, DMAEN = 0x10 };

static int set_up_with_dma(void **state)
{
    struct bench *b = *state = bench_new();
    struct hc_timer_config ta = hc_timer_a3, tb = hc_timer_b7;

    ta.dma = tb.dma = hc_dma_new(b->m, 0);
    ta.aclk = tb.aclk = b->aclk;
    ta.smclk = tb.smclk = b->smclk;
    hc_timer_new(b->m, &ta);
    hc_timer_new(b->m, &tb);
    bench_start(b);
    set(b, WDTCTL, 0x5a80);
    return 0;
}

/* TxCCR0 and TxCCR2: CCIFG asks for a transfer, which clears it; not while CCIE is set. */
static void dma_requests(void **state)
{
    static const struct {
        uint16_t trigger;
        uint32_t ctl, block;
    } sources[] = { { 1, TACTL, 2 }, { 2, TBCTL, 2 }, { 7, TACTL, 0 }, { 8, TBCTL, 0 } };
    struct bench *b = *state;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t ctl = sources[i].ctl, cctl = ctl + 2 + 2 * sources[i].block;
        uint64_t start = hc_now(b->m) / ACLK_PERIOD + 1;
        set(b, ctl, 0);
        set(b, ctl + 0x12, 99);
        set(b, ctl + 0x12 + 2 * sources[i].block, sources[i].block ? 50 : 99);
        set(b, cctl, 0);
        set(b, DMA0CTL, 0);
        set(b, DMACTL0, sources[i].trigger);
        set(b, DMA0SA, ctl + 0x10); /* the count, at the time of each transfer */
        set(b, DMA0DA, 0x2000);
        set(b, DMA0SZ, 3);
        set(b, DMA0CTL, REPEATED_SINGLE | DESTINATION_UP | DMAEN);
        to_edge(b, start);
        set(b, ctl, ACLK | UP | CLEAR);
        for (unsigned n = 0; n < 3; n++) {
            uint64_t due = start + 100 * n + (sources[i].block ? 50 : 99);
            hc_poke16(b->m, 0x2000 + 2 * n, 0xffff);
            before_edge(b, due);
            assert_int_equal(hc_peek16(b->m, 0x2000 + 2 * n), 0xffff);
            run_to(b, due * ACLK_PERIOD + hc_us(20));
            assert_int_equal(hc_peek16(b->m, 0x2000 + 2 * n), sources[i].block ? 50 : 99);
            assert_int_equal(get(b, cctl) & CCIFG, 0);
        }
        hc_poke16(b->m, 0x2000, 0xffff);
        set(b, cctl, CCIE);
        to_edge(b, start + 400);
        assert_int_equal(hc_peek16(b->m, 0x2000), 0xffff);
        assert_int_equal(get(b, cctl) & CCIFG, CCIFG);
        set(b, ctl, 0);
    }
}

/* Each capture of ACLK asks for a transfer. */
static void dma_of_aclk_captures(void **state)
{
    struct bench *b = *state;

    set(b, DMACTL0, 1); /* TACCR2 */
    set(b, DMA0SA, TACCR2);
    set(b, DMA0DA, 0x2000);
    set(b, DMA0SZ, 3);
    set(b, DMA0CTL, REPEATED_SINGLE | DESTINATION_UP | DMAEN);
    to_edge(b, 1);
    set(b, TACTL, ACLK | CONTINUOUS | CLEAR);
    set(b, TACCTL2, CAP | CM_RISING | CCIS_B);
    for (unsigned n = 0; n < 3; n++) {
        hc_poke16(b->m, 0x2000 + 2 * n, 0xffff);
        before_edge(b, 2 + n);
        assert_int_equal(hc_peek16(b->m, 0x2000 + 2 * n), 0xffff);
        run_to(b, (2 + n) * ACLK_PERIOD + hc_us(20));
        assert_int_equal(hc_peek16(b->m, 0x2000 + 2 * n), n + 1);
    }
}

/* ---- snapshots, firmware ---- */

static void snapshots(void **state)
{
    struct bench *b = *state;
    uint16_t r[2], ccr[2];

    set(b, TACCR0, 999);
    set(b, TACCTL0, 4 << 5 | CCIE);
    set(b, TACCTL2, CAP | CM_RISING | CCIS_B);
    set(b, TACTL, SMCLK | UP);
    run_to(b, hc_ms(3));
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    for (int i = 0; i < 2; i++) {
        run_to(b, hc_ms(50));
        r[i] = get(b, TAR);
        ccr[i] = get(b, TACCR2);
        hc_snapshot_restore(b->m, snapshot);
        assert_int_equal(get(b, TAR), (hc_ms(3) / DCO_PERIOD) % 1000);
    }
    assert_int_equal(r[0], r[1]);
    assert_int_equal(ccr[0], ccr[1]);
    hc_snapshot_free(snapshot);
}

static void check_firmware(struct harness *h)
{
    harness_finish(h, hc_ms(1000));
    assert_in_range(harness_get(h, "result", 0), 3279, 3283); /* 327 + 9 * 328, and what it took to look */
    assert_int_equal(harness_get(h, "result", 1), 10);
    assert_int_equal(harness_get(h, "result", 2), 0);
    uint16_t seen = harness_get(h, "result", 3); /* at most one count after the flag was set */
    assert_true(seen == 327 || seen == 0);
    assert_int_equal(harness_get(h, "result", 4), 4); /* TBIV: each source once a period */
    assert_int_equal(harness_get(h, "result", 5), 4);
    assert_int_equal(harness_get(h, "result", 6), 4);
    assert_int_equal(harness_get(h, "result", 7), 4);
    assert_int_equal(harness_get(h, "result", 8), 0);
    assert_int_equal(harness_get(h, "result", 9), CCIFG | CCI);
    assert_int_equal(harness_get(h, "result", 10), CCIFG | COV);
    assert_in_range(harness_get(h, "result", 11), 10, 40);
    assert_int_equal(harness_get(h, "result", 12), 3);
    assert_in_range(harness_get(h, "result", 13), 79, 81);
    assert_in_range(harness_get(h, "result", 14), 139, 141);
    assert_int_equal(harness_get(h, "result", 15), CCIFG);
}

/* Firmware on the timers alone, and on the whole board. */
static void firmware(void **state)
{
    struct bench *b = bench_new();
    struct harness bare = { 0 }, board;

    (void)state;
    add_timers(b);
    harness_load(&bare, b->m, "timer");
    check_firmware(&bare);
    harness_stop(&bare);
    free(b);
    harness_start(&board, "timer");
    check_firmware(&board);
    harness_stop(&board);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(continuous),
        TEST(up),
        TEST(up_down),
        TEST(input_divider),
        TEST(stop_and_direction),
        TEST(changing_the_period),
        TEST(changing_the_period_up_down),
        TEST(writing_the_count),
        TEST(external_clocks),
        TEST(changing_clock),
        TEST(ccr0_interrupt),
        TEST(interrupt_vectors),
        TEST(other_interrupts),
        TEST(unwatched_costs_nothing),
        TEST(resets),
        TEST(capture_edges),
        TEST(capture_overflow),
        TEST(capture_overflow_cleared),
        TEST(synchronous_capture),
        TEST(synchronous_capture_of_the_period),
        TEST(synchronous_capture_of_external_clock),
        TEST(software_capture),
        TEST(capture_of_aclk),
        TEST(capture_of_aclk_on_demand),
        TEST(latched_input),
        TEST(output_modes),
        TEST(output_bit),
        TEST(duty_cycle),
        TEST(counter_lengths),
        TEST(latch_loads),
        TEST(latch_groups),
        cmocka_unit_test_setup_teardown(dma_requests, set_up_with_dma, bench_free),
        cmocka_unit_test_setup_teardown(dma_of_aclk_captures, set_up_with_dma, bench_free),
        TEST(snapshots),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
