/* ADC12 against the user's guide and the F1611's data sheet: modes, triggers, times, references, flags; by direct calls
 * with an ADC12CLK of 1 MHz, and by firmware. */
#include "device_bench.h"

#include "machine/device/msp430/dma.h"
#include "machine/device/msp430x1xx/adc12.h"
#include "support/harness.h"

enum { MCTL0 = 0x80, MEM0 = 0x140, CTL0 = 0x1a0, CTL1 = 0x1a2, IFG = 0x1a4, IE = 0x1a6, IV = 0x1a8 };
enum { MSC = 0x80, REF2_5V = 0x40, REFON = 0x20, ON = 0x10, OVIE = 0x08, TOVIE = 0x04, ENC = 0x02, SC = 0x01 };
enum { SHP = 0x200, ISSH = 0x100, BUSY = 1, SMCLK = 3 << 3, SHS_TA1 = 1 << 10, SHS_TB0 = 2 << 10, SHS_TB1 = 3 << 10 };
enum { SINGLE = 0, SEQUENCE = 2, REPEAT_SINGLE = 4, REPEAT_SEQUENCE = 6 };
enum { EOS = 0x80 };
enum { CONVERSION = 13, SHORT = 4 + CONVERSION }; /* SHT 0 */

static hc_wire trigger(struct bench *b, const char *name)
{
    return hc_wire_find(b->m, name);
}

/* A0 to A7: channel * 0.1 V + 50 mV, and a millivolt more for each 100 us of time. */
static int64_t ramp(void *owner, int channel, hc_time t)
{
    (void)owner;
    return channel * 100000 + 50000 + (int64_t)(hc_to_us(t) / 100) * 1000;
}

static int64_t fixed(void *owner, int channel, hc_time t)
{
    (void)channel;
    (void)t;
    return *(int64_t *)owner;
}

static int set_up(void **state)
{
    struct bench *b = bench_new();
    struct hc_adc12_wiring wiring = { .aclk = b->aclk, .smclk = b->smclk };

    wiring.avcc = hc_wire_new_wide(b->m, "vcc", 32, NULL);
    hc_wire_set(b->m, wiring.avcc, 3000000);
    wiring.ta_out1 = hc_wire_new(b->m, "ta.out1", 0);
    wiring.tb_out0 = hc_wire_new(b->m, "tb.out0", 0);
    wiring.tb_out1 = hc_wire_new(b->m, "tb.out1", 0);
    wiring.dma = hc_dma_new(b->m, 0);
    b->device = hc_adc12_new(b->m, &wiring, 7);
    bench_start(b);
    *state = b;
    return 0;
}

/* On an edge of SMCLK: a wait in whole microseconds then is exact. */
static void align(struct bench *b)
{
    hc_machine_run(b->m, hc_clock_edge(b->smclk, hc_now(b->m) + 1));
}

static void pass(struct bench *b, uint64_t us)
{
    hc_machine_run(b->m, hc_now(b->m) + us * hc_period(1000000));
}

static void pulse(struct bench *b, const char *name)
{
    hc_wire wire = trigger(b, name);

    hc_wire_set_pull(b->m, wire, 1);
    hc_wire_set_pull(b->m, wire, 0);
}

static bool busy(struct bench *b)
{
    return get(b, CTL1) & BUSY;
}

/* The conversion under way ends in exactly PERIODS microseconds. */
static void assert_ends_in(struct bench *b, uint64_t periods, uint16_t flag)
{
    hc_time end = hc_now(b->m) + periods * hc_period(1000000);

    hc_machine_run(b->m, end - 1);
    assert_int_equal(get(b, IFG) & flag, 0);
    assert_true(busy(b));
    hc_machine_run(b->m, end);
    assert_int_equal(get(b, IFG) & flag, flag);
}

static void only_a_por_resets(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, CTL0), 0);
    assert_int_equal(get(b, CTL1), 0);
    set(b, MCTL0 + 3, 0xff);
    set(b, CTL1, 0xfffe);
    set(b, CTL0, 0xfff0);
    set(b, IE, 0x8001);
    set(b, MEM0 + 4, 0xffff);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, MCTL0 + 3), 0xff);
    assert_int_equal(get(b, CTL0), 0xfff0);
    assert_int_equal(get(b, CTL1), 0xfffe);
    assert_int_equal(get(b, IE), 0x8001);
    assert_int_equal(get(b, MEM0 + 4), 0x0fff);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, MCTL0 + 3), 0);
    assert_int_equal(get(b, CTL0), 0);
    assert_int_equal(get(b, CTL1), 0);
    assert_int_equal(get(b, IE), 0);
}

static void enc_protects_the_settings(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK);
    set(b, MCTL0, 0x05);
    set(b, CTL0, ON | ENC);
    set(b, CTL0, 0xfff0 | OVIE | TOVIE | ENC);
    assert_int_equal(get(b, CTL0), ON | OVIE | TOVIE | ENC);
    set(b, CTL1, 0xffff);
    assert_int_equal(get(b, CTL1), SHP | SMCLK | REPEAT_SEQUENCE); /* only CONSEQ */
    set(b, MCTL0, 0x0a);
    assert_int_equal(get(b, MCTL0), 0x05);
    set(b, CTL0, 0xfff0); /* ENC was 1: only its low bits */
    assert_int_equal(get(b, CTL0), ON);
    set(b, CTL0, 0xfff0);
    assert_int_equal(get(b, CTL0), 0xfff0);
}

static void sample_times(void **state)
{
    static const uint16_t periods[16] = { 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1024, 1024, 1024 };
    struct bench *b = *state;

    for (uint16_t sht = 0; sht < 16; sht++) {
        for (int i = 0; i < 4; i++) {
            uint16_t x = (uint16_t[]){ 0, 7, 8, 15 }[i];

            set(b, CTL0, 0);
            set(b, CTL1, (uint16_t)(x << 12 | SHP | SMCLK));
            set(b, IFG, 0);
            align(b);
            set(b, CTL0, (uint16_t)(x < 8 ? sht << 8 : sht << 12) | ON | ENC | SC);
            assert_int_equal(get(b, CTL0) & SC, 0); /* resets itself */
            assert_ends_in(b, periods[sht] + CONVERSION, (uint16_t)(1 << x));
            assert_false(busy(b));
            set(b, CTL0, ON);
        }
    }
    assert_int_equal(b->notes, 0);
}

static void conversion_clocks(void **state)
{
    struct bench *b = *state;

    for (uint16_t select = 0; select < 4; select++) {
        for (uint16_t divide = 0; divide < 8; divide++) {
            hc_time period =
                (hc_time[]){ hc_period(5000000), (hc_time)1 << 25, hc_period(1000000), hc_period(1000000) }[select];
            hc_time start, end;

            set(b, CTL0, 0);
            set(b, CTL1, (uint16_t)(SHP | divide << 5 | select << 3));
            start = (hc_now(b->m) + period) / period * period; /* all clocks began at 0 */
            end = start + SHORT * period * (divide + 1u);
            hc_machine_run(b->m, start - period / 4); /* the start waits for an edge */
            set(b, CTL0, ON | ENC | SC);
            set(b, IFG, 0);
            hc_machine_run(b->m, end - 1);
            assert_int_equal(get(b, IFG), 0);
            hc_machine_run(b->m, end);
            assert_int_equal(get(b, IFG), 1);
            set(b, CTL0, ON);
        }
    }
}

static void a_clock_that_stops_stops_the_conversion(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK);
    align(b);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 10);
    hc_clock_set(b->smclk, 0, hc_now(b->m));
    run_for(b, hc_ms(1));
    assert_true(busy(b));
    hc_clock_set(b->smclk, hc_period(1000000), hc_now(b->m));
    assert_ends_in(b, SHORT - 10, 1);
}

static void channels_and_references(void **state)
{
    enum { A0 = 0, A5 = 5, VEREF = 8, VEREFM = 9, DIODE = 10, HALF = 11 };
    static const struct {
        uint8_t mctl;
        uint16_t ctl0;
        uint16_t expected;
    } rows[] = {
        { 0x00 | A0, 0, 68 },                /* 50 mV of 3 V: 68.25 */
        { 0x00 | A5, 0, 751 },               /* 550 mV: 750.75 */
        { 0x10 | A5, REFON, 1502 },          /* of 1.5 V */
        { 0x10 | A5, REFON | REF2_5V, 901 }, /* of 2.5 V: 900.9 */
        { 0x20 | A5, 0, 1126 },              /* of VeREF+, 2 V: 1126.1 */
        { 0x30 | A5, 0, 1126 },
        { 0x40 | A5, 0, 512 },      /* of 0.2 to 3 V: 511.9 */
        { 0x50 | A5, REFON, 1103 }, /* of 0.2 to 1.5 V: 1102.5 */
        { 0x60 | A5, 0, 796 },      /* of 0.2 to 2 V: 796.25 */
        { 0x70 | A5, 0, 796 },
        { 0x00 | VEREF, 0, 2730 },
        { 0x00 | VEREFM, 0, 273 },
        { 0x60 | VEREFM, 0, 0 },                /* VR- itself */
        { 0x60 | A0, 0, 0 },                    /* below VR- */
        { 0x10 | VEREF, REFON, 4095 },          /* above VR+ */
        { 0x10 | DIODE, REFON, 2934 },          /* 0.986 + 25 * 0.00355 V = 1.07475 V of 1.5 V: 2934.07 */
        { 0x10 | HALF, REFON | REF2_5V, 2457 }, /* VCC / 2 of 2.5 V */
        { 0x00 | 15, 0, 2048 },                 /* 2047.5 */
    };
    struct bench *b = *state;
    int64_t minus = 200000, inputs[8];

    for (int i = 0; i < 8; i++) {
        inputs[i] = 50000 + i * 100000;
        hc_adc12_set_source(b->device, i, fixed, &inputs[i]);
    }
    hc_adc12_set_source(b->device, HC_ADC12_VEREF_MINUS, fixed, &minus);
    hc_wire_set(b->m, hc_adc12_veref(b->device), 2000000);
    set(b, CTL1, SHP | SMCLK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(b, MCTL0, rows[i].mctl);
        set(b, CTL0, rows[i].ctl0 | ON | 0x400);
        run_for(b, hc_ms(17));
        set(b, CTL0, rows[i].ctl0 | ON | 0x400 | ENC | SC);
        pass(b, 100);
        assert_int_equal(get(b, MEM0), rows[i].expected);
        assert_int_equal(hc_wire_level(b->m, hc_adc12_vref(b->device)),
                         rows[i].ctl0 & REFON ? (rows[i].ctl0 & REF2_5V ? 2500000 : 1500000) : 0);
        set(b, CTL0, ON);
        set(b, CTL0, 0);
    }
    assert_int_equal(b->notes, 0);
    hc_adc12_set_temperature(b->device, -40000);
    set(b, MCTL0, 0x10 | DIODE);
    set(b, CTL0, REFON | ON | 0x400);
    run_for(b, hc_ms(17));
    set(b, CTL0, REFON | ON | 0x400 | ENC | SC);
    pass(b, 100);
    assert_int_equal(get(b, MEM0), 2304);                                /* 0.844 V of 1.5 V: 2304.1 */
    hc_adc12_set_source(b->device, HC_ADC12_TEMPERATURE, fixed, &minus); /* a diode of one's own */
    hc_adc12_set_source(b->device, 0, NULL, NULL);
    set(b, CTL0, REFON | ON | 0x400 | ENC | SC);
    pass(b, 100);
    assert_int_equal(get(b, MEM0), 546);
    set(b, CTL0, 0);
    set(b, MCTL0, 0x10 | A0);
    set(b, CTL0, REFON | ON | 0x400 | ENC | SC);
    pass(b, 100);
    assert_int_equal(get(b, MEM0), 0); /* nothing at the pin */
    hc_wire_set(b->m, hc_wire_find(b->m, "vcc"), 2000000);
    set(b, CTL0, 0);
    set(b, MCTL0, 0x10 | HALF);
    set(b, CTL0, REFON | ON | 0x400 | ENC | SC);
    pass(b, 100);
    assert_int_equal(get(b, MEM0), 2730); /* 1 V of 1.5 V */
}

/* The input is looked at when the sample period ends. */
static void the_sample_is_of_the_end_of_the_sample_time(void **state)
{
    struct bench *b = *state;
    int64_t expected;
    hc_time start;

    hc_adc12_set_source(b->device, 2, ramp, NULL);
    set(b, MCTL0, 2);
    set(b, CTL1, SHP | SMCLK);
    align(b);
    start = hc_now(b->m);
    set(b, CTL0, 0xc00 | ON | ENC | SC);
    expected = ramp(NULL, 2, start + 1024 * hc_period(1000000));
    pass(b, 2000);
    assert_int_equal(get(b, MEM0), (4095 * expected + 1500000) / 3000000);
}

static void extended_sample_mode(void **state)
{
    struct bench *b = *state;
    hc_wire ta1 = trigger(b, "ta.out1");

    set(b, CTL1, SMCLK);
    align(b);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 500);
    assert_true(busy(b)); /* as long as ADC12SC is 1 */
    assert_int_equal(get(b, CTL0) & SC, SC);
    set(b, CTL0, ON | ENC);
    assert_ends_in(b, CONVERSION, 1);

    set(b, CTL0, ON);
    set(b, CTL1, SMCLK | SHS_TA1 | ISSH); /* inverted: samples while the timer's output is low */
    set(b, IFG, 0);
    hc_wire_set_pull(b->m, ta1, 1);
    set(b, CTL0, ON | ENC);
    assert_false(busy(b));
    hc_wire_set_pull(b->m, ta1, 0);
    pass(b, 77);
    assert_true(busy(b));
    hc_wire_set_pull(b->m, ta1, 1);
    assert_ends_in(b, CONVERSION, 1);
}

static void timer_triggers_need_a_new_enc(void **state)
{
    static const struct {
        uint16_t shs;
        const char *wire;
    } rows[] = { { SHS_TA1, "ta.out1" }, { SHS_TB0, "tb.out0" }, { SHS_TB1, "tb.out1" } };
    struct bench *b = *state;

    for (size_t i = 0; i < 3; i++) {
        set(b, CTL0, 0);
        set(b, CTL1, SHP | SMCLK | rows[i].shs);
        set(b, IFG, 0);
        pulse(b, rows[i].wire); /* ENC is 0 */
        assert_false(busy(b));
        set(b, CTL0, ON | ENC);
        for (size_t other = 0; other < 3; other++)
            if (other != i)
                pulse(b, rows[other].wire);
        assert_false(busy(b));
        align(b);
        pulse(b, rows[i].wire);
        assert_ends_in(b, SHORT, 1);
        set(b, IFG, 0);
        pulse(b, rows[i].wire);
        assert_false(busy(b));
        set(b, CTL0, ON);
        set(b, CTL0, ON | ENC);
        pulse(b, rows[i].wire);
        assert_true(busy(b));
        pass(b, 20);
        set(b, CTL0, ON);
    }
}

static void adc12sc_needs_no_new_enc(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK);
    set(b, CTL0, ON | SC); /* without ENC: nothing */
    pass(b, 50);
    assert_int_equal(get(b, IFG), 0);
    set(b, CTL0, ON);
    set(b, CTL0, ON | ENC);
    for (int i = 0; i < 3; i++) {
        set(b, IFG, 0);
        set(b, CTL0, ON | ENC | SC);
        pass(b, 20);
        assert_int_equal(get(b, IFG), 1);
    }
    set(b, CTL0, 0);
    set(b, IFG, 0);
    set(b, CTL0, ENC);
    set(b, CTL0, ON | ENC | SC); /* too late for ADC12ON */
    pass(b, 50);
    assert_int_equal(get(b, IFG), 0);
}

static void a_sequence_converts_until_eos(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 8; i++)
        hc_adc12_set_source(b->device, i, ramp, NULL);
    for (uint32_t x = 0; x < 16; x++)
        set(b, MCTL0 + x, (uint16_t)((x + 1) % 8));
    set(b, MCTL0 + 1, EOS | 2);
    set(b, CTL1, 14 << 12 | SHP | SMCLK | SEQUENCE); /* 14, 15, 0, 1 */
    align(b);
    set(b, CTL0, 0x1000 | MSC | ON | ENC | SC); /* SHT1: 8, SHT0: 4 */
    assert_ends_in(b, 8 + CONVERSION, 1 << 14);
    assert_ends_in(b, 8 + CONVERSION, 1 << 15);
    assert_ends_in(b, SHORT, 1 << 0);
    assert_ends_in(b, SHORT, 1 << 1);
    assert_false(busy(b));
    pass(b, 100);
    assert_int_equal(get(b, IFG), 0xc003);
    assert_in_range(get(b, MEM0 + 2 * 14), (4095 * 750) / 3000, (4095 * 760) / 3000);
    assert_in_range(get(b, MEM0 + 2 * 1), (4095 * 250) / 3000, (4095 * 260) / 3000);
    assert_int_equal(get(b, IFG), 0x8001); /* reading a memory clears its flag */
}

static void without_msc_each_conversion_needs_a_trigger(void **state)
{
    struct bench *b = *state;

    set(b, MCTL0 + 2, EOS);
    set(b, CTL1, SHP | SMCLK | SEQUENCE | SHS_TB1);
    set(b, CTL0, ON | ENC);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(busy(b), i > 0); /* a sequence that has begun is an operation */
        align(b);
        pulse(b, "tb.out1");
        assert_ends_in(b, SHORT, (uint16_t)(1 << i));
    }
    assert_false(busy(b));
    set(b, IFG, 0);
    pulse(b, "tb.out1");
    assert_false(busy(b)); /* ENC must rise again */

    set(b, CTL0, ON);
    set(b, CTL0, ON | ENC);
    pulse(b, "tb.out1");
    pass(b, 20);
    set(b, CTL0, ON); /* ENC reset: the sequence still goes to its end */
    assert_true(busy(b));
    pulse(b, "tb.out1");
    pass(b, 20);
    pulse(b, "tb.out1");
    pass(b, 20);
    assert_int_equal(get(b, IFG), 7);
    assert_false(busy(b));
    pulse(b, "tb.out1");
    assert_false(busy(b));
}

static void repeat_single_channel(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, 5 << 12 | SHP | SMCLK | REPEAT_SINGLE | SHS_TA1);
    set(b, CTL0, ON | ENC);
    for (int i = 0; i < 3; i++) {
        align(b);
        pulse(b, "ta.out1");
        assert_ends_in(b, SHORT, 1 << 5);
        set(b, IFG, 0);
    }
    pulse(b, "ta.out1");
    set(b, CTL0, ON); /* stops after the current conversion */
    pass(b, 20);
    assert_int_equal(get(b, IFG), 1 << 5);
    set(b, IFG, 0);
    pulse(b, "ta.out1");
    assert_false(busy(b));

    set(b, CTL0, MSC | ON);
    align(b);
    set(b, CTL0, MSC | ON | ENC);
    pulse(b, "ta.out1");
    for (int i = 0; i < 4; i++) { /* one trigger, then as fast as it can */
        assert_ends_in(b, SHORT, 1 << 5);
        get(b, MEM0 + 10);
    }
    set(b, CTL0, MSC | ON);
    pass(b, 20);
    assert_false(busy(b));
}

static void repeat_sequence_of_channels(void **state)
{
    struct bench *b = *state;

    set(b, MCTL0 + 4, EOS);
    set(b, CTL1, 3 << 12 | SHP | SMCLK | REPEAT_SEQUENCE);
    align(b);
    set(b, CTL0, MSC | ON | ENC | SC);
    for (int i = 0; i < 3; i++) {
        assert_ends_in(b, SHORT, 1 << 3);
        assert_ends_in(b, SHORT, 1 << 4);
        set(b, IFG, 0);
    }
    pass(b, 3);
    set(b, CTL0, MSC | ON); /* at the end of the sequence */
    pass(b, SHORT);
    assert_int_equal(get(b, IFG), 1 << 3);
    assert_true(busy(b));
    pass(b, SHORT);
    assert_int_equal(get(b, IFG), 3 << 3);
    assert_false(busy(b));
}

static void stopping_at_once(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK); /* single: resetting ENC */
    set(b, CTL0, ON | ENC | SC);
    pass(b, 5);
    set(b, CTL0, ON);
    assert_false(busy(b));
    pass(b, 100);
    assert_int_equal(get(b, IFG), 0);

    set(b, CTL1, SHP | SMCLK | REPEAT_SEQUENCE); /* no EOS anywhere: ENC alone does not stop it */
    set(b, CTL0, MSC | ON | ENC | SC);
    pass(b, 5);
    set(b, CTL0, MSC | ON);
    pass(b, 40 * SHORT);
    assert_true(busy(b));
    set(b, CTL1, SHP | SMCLK | SINGLE);
    assert_false(busy(b));
}

static void overflows_and_the_vector_register(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK);
    set(b, CTL0, OVIE | TOVIE | ON | ENC | SC);
    set(b, IE, 0xffff);
    pass(b, 5);
    set(b, CTL0, OVIE | TOVIE | ON | ENC | SC); /* again, too early */
    pass(b, 20);
    assert_int_equal(get(b, IV), 0x04);
    assert_int_equal(get(b, IV), 0x06); /* that cleared it; the memory's flag stays */
    assert_int_equal(get(b, IV), 0x06);
    set(b, CTL0, OVIE | TOVIE | ON | ENC | SC); /* MEM0 was not read */
    pass(b, 20);
    assert_int_equal(hc_peek16(b->m, IV), 0x02);
    assert_int_equal(hc_peek16(b->m, IV), 0x02); /* a debugger changes nothing */
    set(b, IV, 0);                               /* a write counts as an access */
    assert_int_equal(get(b, IV), 0x06);
    get(b, MEM0);
    assert_int_equal(get(b, IV), 0);
    for (uint16_t x = 15; x; x--) {
        set(b, IFG, (uint16_t)(0xffff << x));
        assert_int_equal(get(b, IV), 6 + 2 * x);
    }
    set(b, IFG, 0xfff0);
    set(b, IE, 0xff00); /* only enabled ones count */
    assert_int_equal(get(b, IV), 6 + 2 * 8);
    set(b, IFG, 0);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 20);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 20);
    assert_int_equal(get(b, IV), 0); /* OVIE is 0 */
}

/* With MSC, more edges are ignored in sequences and repeats; in the single mode MSC means nothing. */
static void triggers_during_a_conversion(void **state)
{
    static const struct {
        uint16_t ctl0, ctl1;
        bool overflow;
    } rows[] = {
        { 0, SHP | SINGLE, true },          { MSC, SHP | SINGLE, true },           { 0, SHP | SEQUENCE, true },
        { MSC, SHP | SEQUENCE, false },     { 0, SHP | REPEAT_SINGLE, true },      { MSC, SHP | REPEAT_SINGLE, false },
        { 0, SHP | REPEAT_SEQUENCE, true }, { MSC, SHP | REPEAT_SEQUENCE, false },
    };
    struct bench *b = *state;

    set(b, MCTL0 + 3, EOS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(b, CTL1, rows[i].ctl1 | SMCLK | SHS_TA1);
        set(b, CTL0, rows[i].ctl0 | ON);
        set(b, CTL0, rows[i].ctl0 | TOVIE | ON | ENC);
        pulse(b, "ta.out1");
        pass(b, 6);
        pulse(b, "ta.out1");
        assert_int_equal(get(b, IV), rows[i].overflow ? 4 : 0);
        assert_int_equal(get(b, IV), 0);
        set(b, CTL1, SINGLE);
        set(b, CTL0, 0);
    }
}

static void interrupts(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, 2 << 12 | SHP | SMCLK);
    set(b, IE, 1 << 2);
    interrupts_on(b);
    set(b, CTL0, ON | ENC | SC);
    pass(b, SHORT + 3);
    assert_int_equal(b->interrupts[7], 1);
    get(b, MEM0 + 4);
    b->interrupts[7] = 0;
    pass(b, 100);
    b->interrupts[7] = 0;
    pass(b, 100);
    assert_int_equal(b->interrupts[7], 0);
    set(b, IE, 0);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 50);
    assert_int_equal(b->interrupts[7], 0);
    set(b, CTL0, TOVIE | ON | ENC | SC);
    set(b, CTL0, TOVIE | ON | ENC);
    set(b, CTL0, TOVIE | ON | ENC | SC);
    pass(b, 5);
    assert_int_not_equal(b->interrupts[7], 0);
}

/* One transfer for each conversion; after a whole sequence, one for its end. */
static void dma_requests(void **state)
{
    enum { DMACTL0 = 0x122, DMA0CTL = 0x1e0, DMA0SA = 0x1e2, DMA0DA = 0x1e4, DMA0SZ = 0x1e6, BUFFER = 0x1200 };
    struct bench *b = *state;

    for (int i = 0; i < 8; i++)
        hc_adc12_set_source(b->device, i, ramp, NULL);
    set(b, DMACTL0, 6);
    set(b, DMA0SA, MEM0);
    set(b, DMA0DA, BUFFER);
    set(b, DMA0SZ, 4);
    set(b, DMA0CTL, 0x0c10); /* single, destination counts up, enabled */
    set(b, MCTL0, 1);
    set(b, CTL1, SHP | SMCLK | REPEAT_SINGLE);
    set(b, CTL0, MSC | ON | ENC | SC);
    for (int i = 0; i < 4; i++) {
        pass(b, SHORT + (i ? 0 : 8));
        assert_in_range(hc_peek16(b->m, BUFFER + 2 * (uint32_t)i), 4095 * 150 / 3000, 4095 * 160 / 3000);
        assert_int_equal(hc_peek16(b->m, BUFFER + 2 * (uint32_t)(i + 1)), 0);
        assert_int_equal(get(b, IFG), 0); /* the transfer's read cleared it */
    }
    set(b, CTL0, MSC | ON);
    pass(b, 50);
    get(b, MEM0);

    set(b, MCTL0 + 2, EOS | 3);
    set(b, DMA0SA, MEM0 + 4);
    set(b, DMA0DA, BUFFER + 0x20);
    set(b, DMA0SZ, 1);
    set(b, DMA0CTL, 0x0c10);
    set(b, CTL1, SHP | SMCLK | SEQUENCE);
    set(b, CTL0, MSC | ON | ENC | SC);
    pass(b, 2 * SHORT + 10);
    assert_int_equal(hc_peek16(b->m, BUFFER + 0x20), 0);
    pass(b, SHORT);
    assert_in_range(hc_peek16(b->m, BUFFER + 0x20), 4095 * 350 / 3000, 4095 * 360 / 3000);
}

/* Without EOS a sequence never ends, ENC or not: what old systems leave behind when they switch a sensor off. */
static void an_endless_sequence_costs_nothing(void **state)
{
    struct bench *b = *state;

    set(b, CTL1, SHP | SMCLK | SEQUENCE);
    set(b, CTL0, MSC | ON | ENC | SC);
    set(b, CTL0, MSC | ON);
    assert_true(hc_queue_next(hc_events(b->m)) == HC_NEVER);
    run_for(b, hc_ms(3600 * 1000));
    assert_true(busy(b));
    assert_int_equal(get(b, IFG), 0xffff);
    set(b, CTL1, SHP | SMCLK);
    assert_false(busy(b));
}

static void a_free_running_converter_interrupts(void **state)
{
    static const struct {
        uint16_t ctl0, ie;
    } rows[] = { { 0, 1 }, { OVIE, 0 } };
    struct bench *b = *state;

    for (size_t i = 0; i < 2; i++) {
        set(b, CTL1, SHP | SMCLK | REPEAT_SINGLE);
        set(b, CTL0, MSC | ON | ENC | SC);
        pass(b, 5);
        b->interrupts[7] = 0;
        interrupts_on(b);
        set(b, IE, rows[i].ie); /* now somebody listens */
        set(b, CTL0, (uint16_t)(MSC | ON | ENC | rows[i].ctl0));
        pass(b, 3 * SHORT);
        assert_int_not_equal(b->interrupts[7], 0);
        set(b, IE, 0);
        set(b, CTL1, SINGLE);
        set(b, CTL0, 0);
        pass(b, 20);
        set(b, IFG, 0);
        get(b, IV);
    }
}

/* Computed on demand or event by event, a converter that runs freely shows the same: two benches, one of them held to
 * events by an interrupt that is enabled for a memory that is never filled. */
static void free_running_conversions_on_demand(void **state)
{
    struct bench *b[2] = { *state };
    void *other;

    set_up(&other);
    b[1] = other;
    for (int i = 0; i < 2; i++) {
        for (int channel = 0; channel < 8; channel++)
            hc_adc12_set_source(b[i]->device, channel, ramp, NULL);
        for (uint32_t x = 0; x < 5; x++)
            set(b[i], MCTL0 + x, (uint16_t)(x + 1));
        set(b[i], MCTL0 + 3, 0x20 | 4);        /* of VeREF+ */
        set(b[i], MCTL0 + 5, EOS | 0x10 | 11); /* the supply of VREF+ */
        hc_wire_set(b[i]->m, hc_adc12_veref(b[i]->device), 2000000);
        set(b[i], CTL1, 2 << 12 | SHP | SMCLK | REPEAT_SEQUENCE);
        set(b[i], IE, i ? 1 << 15 : 0);
        set(b[i], CTL0, 0x300 | MSC | REF2_5V | REFON | ON | ENC | SC);
    }
    assert_true(hc_queue_next(hc_events(b[0]->m)) == HC_NEVER);
    assert_true(hc_queue_next(hc_events(b[1]->m)) != HC_NEVER);
    uint32_t random = 1;
    for (int round = 0; round < 400; round++) {
        uint16_t seen[2][8];

        random = random * 1664525 + 1013904223;
        for (int i = 0; i < 2; i++) {
            run_for(b[i], hc_ns((random >> 8) % (round % 10 ? 300000u : 30000000u)));
            if (round % 7 == 0)
                hc_wire_set(b[i]->m, hc_wire_find(b[i]->m, "vcc"), 2200000 + 1000 * (round % 500));
            if (round % 11 == 0)
                hc_wire_set(b[i]->m, hc_adc12_veref(b[i]->device), 1500000 + 1000 * (round % 500));
            if (round % 50 == 20)
                hc_clock_set(b[i]->smclk, hc_period(1000000 + 1000 * (uint32_t)round), hc_now(b[i]->m));
            if (i == 0 && round % 3 == 0)
                hc_peek16(b[i]->m, IFG); /* a debugger looks on */
            if (round == 200) {          /* for a while with events, in the middle of a conversion */
                set(b[0], IE, 1 << 15);
                set(b[0], CTL0, get(b[0], CTL0) | OVIE);
            }
            if (round == 210) {
                set(b[0], CTL0, get(b[0], CTL0) & ~OVIE);
                set(b[0], IE, 0);
            }
            seen[i][0] = get(b[i], IFG);
            seen[i][1] = get(b[i], CTL1);
            for (uint32_t x = 2; x < 6; x++)
                seen[i][x] = round & 1 ? get(b[i], MEM0 + 2 * x) : hc_peek16(b[i]->m, MEM0 + 2 * x);
            seen[i][6] = hc_peek16(b[i]->m, IFG);
            seen[i][7] = hc_peek16(b[i]->m, CTL1);
        }
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    }
    for (int i = 0; i < 2; i++) { /* stops at the end of the sequence */
        set(b[i], IFG, 0);
        set(b[i], CTL0, MSC | ON);
        pass(b[i], 50000);
        assert_int_equal(hc_peek16(b[i]->m, CTL1) & BUSY, 0);
        assert_false(busy(b[i]));
        assert_int_equal(get(b[i], IFG) & 1 << 5, 1 << 5);
    }
    bench_free(&other);
}

static void early_use_is_noted(void **state)
{
    struct bench *b = *state;

    set(b, MCTL0, 0x10 | 10);
    set(b, CTL1, SHP | SMCLK);
    set(b, CTL0, REFON | ON | ENC | SC);
    pass(b, 20);
    assert_int_equal(b->notes, 2); /* a reference of some us, a diode sampled for 4 us */
    set(b, CTL0, REFON | ON | ENC | SC);
    pass(b, 20);
    set(b, CTL0, 0);
    set(b, CTL0, 0);
    set(b, CTL0, REFON | ON | ENC | SC); /* settles again */
    pass(b, 20);
    assert_int_equal(b->notes, 2); /* said once */
    set(b, CTL0, ON);
    set(b, CTL1, SHP | 1 << 3); /* 32 kHz */
    set(b, CTL0, ON | ENC | SC);
    assert_int_equal(b->notes, 3);
}

static void byte_accesses(void **state)
{
    struct bench *b = *state;

    set(b, CTL0, 0x1230);
    assert_int_equal(hc_bus_read(b->m, CTL0, 1), 0x30);
    assert_int_equal(hc_bus_read(b->m, CTL0 + 1, 1), 0x12);
    hc_bus_write(b->m, CTL0, 0x40, 1);
    assert_int_equal(get(b, CTL0), 0x0040);
    set(b, MEM0, 0x0abc);
    set(b, IFG, 1);
    assert_int_equal(hc_bus_read(b->m, MEM0, 1), 0xbc);
    assert_int_equal(get(b, IFG), 0);
}

static void snapshots_hold_a_conversion(void **state)
{
    struct bench *b = *state;
    struct hc_snapshot *snapshot;

    set(b, CTL1, SHP | SMCLK);
    align(b);
    set(b, CTL0, ON | ENC | SC);
    pass(b, 6);
    snapshot = hc_snapshot_take(b->m);
    pass(b, 50);
    assert_int_equal(get(b, IFG), 1);
    hc_snapshot_restore(b->m, snapshot);
    assert_ends_in(b, SHORT - 6, 1);
    hc_snapshot_free(snapshot);
}

/* On the whole F1611: temperature by polling, the supply by interrupt, a sequence by timer and DMA. */
static void firmware(void **state)
{
    struct harness h;

    (void)state;
    harness_start(&h, "adc12");
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "result", 0), 2934); /* 25 C of 1.5 V */
    assert_int_equal(harness_get(&h, "result", 1), 2457); /* 1.5 V of 2.5 V */
    assert_int_equal(harness_get(&h, "result", 2), 6 + 2 * 3);
    assert_int_equal(harness_get(&h, "result", 3), 1);
    /* Eight conversions of VCC / 2 of VCC, one each 100 cycles of SMCLK, moved by DMA. */
    for (int i = 0; i < 8; i++)
        assert_int_equal(harness_get(&h, "samples", i), 2048);
    assert_in_range(harness_get(&h, "result", 4), 7 * 100, 8 * 100 + 150);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_a_por_resets, set_up, bench_free),
        cmocka_unit_test_setup_teardown(enc_protects_the_settings, set_up, bench_free),
        cmocka_unit_test_setup_teardown(sample_times, set_up, bench_free),
        cmocka_unit_test_setup_teardown(conversion_clocks, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_clock_that_stops_stops_the_conversion, set_up, bench_free),
        cmocka_unit_test_setup_teardown(channels_and_references, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_sample_is_of_the_end_of_the_sample_time, set_up, bench_free),
        cmocka_unit_test_setup_teardown(extended_sample_mode, set_up, bench_free),
        cmocka_unit_test_setup_teardown(timer_triggers_need_a_new_enc, set_up, bench_free),
        cmocka_unit_test_setup_teardown(adc12sc_needs_no_new_enc, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_sequence_converts_until_eos, set_up, bench_free),
        cmocka_unit_test_setup_teardown(without_msc_each_conversion_needs_a_trigger, set_up, bench_free),
        cmocka_unit_test_setup_teardown(repeat_single_channel, set_up, bench_free),
        cmocka_unit_test_setup_teardown(repeat_sequence_of_channels, set_up, bench_free),
        cmocka_unit_test_setup_teardown(stopping_at_once, set_up, bench_free),
        cmocka_unit_test_setup_teardown(overflows_and_the_vector_register, set_up, bench_free),
        cmocka_unit_test_setup_teardown(triggers_during_a_conversion, set_up, bench_free),
        cmocka_unit_test_setup_teardown(interrupts, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dma_requests, set_up, bench_free),
        cmocka_unit_test_setup_teardown(an_endless_sequence_costs_nothing, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_free_running_converter_interrupts, set_up, bench_free),
        cmocka_unit_test_setup_teardown(free_running_conversions_on_demand, set_up, bench_free),
        cmocka_unit_test_setup_teardown(early_use_is_noted, set_up, bench_free),
        cmocka_unit_test_setup_teardown(byte_accesses, set_up, bench_free),
        cmocka_unit_test_setup_teardown(snapshots_hold_a_conversion, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
