#include "adc12_b.h"

#include "machine/device/msp430/clock_span.h"
#include "machine/device/msp430/word_register.h"

enum { BASE = 0x800, CTL0 = 0, CTL1, CTL2, CTL3, LO, HI, IFGR0, IFGR1, IFGR2, IER0, IER1, IER2, IV, REGISTERS };
enum { MCTL = 0x820, MEM = 0x860, END = 0x89f, MEMORIES = 32 };
enum { SC = 0x0001, ENC = 0x0002, ON = 0x0010, MSC = 0x0080 };
enum { BUSY = 0x0001, SHP = 0x0200, CTL1_BITS = 0x7ffe, DF = 0x0008, TCMAP = 0x0080, BATMAP = 0x0040 };
enum { EOS = 0x0080, DIF = 0x2000, WINC = 0x4000 };
enum { SINGLE, SEQUENCE, REPEAT_SINGLE, REPEAT_SEQUENCE };
enum { INIFG = 0x02, LOIFG = 0x04, HIIFG = 0x08, OVIFG = 0x10, TOVIFG = 0x20, RDYIFG = 0x40 };
enum { TEMPERATURE = 30, BATTERY = 31, RESOLUTION_BITS = 12 };
/* The sensor: 790 mV at 30 C, 2.5 mV/K. */
enum { SENSOR_UV = 790000, SENSOR_UV_PER_CENTIDEGREE = 25, SENSOR_CENTIDEGREES = 3000, ROOM_CENTIDEGREES = 2500 };

enum note { NOTE_EXTENDED = 1, NOTE_REFERENCE = 2, NOTE_DIFFERENTIAL = 4, NOTE_SENSOR = 8 };

struct hc_adc12_b {
    struct hc_device base;
    struct hc_adc12_b_wiring wiring;
    int vector;
    hc_event sampled, converted;
    struct {
        hc_adc12_b_source_fn *call;
        void *owner;
    } source[HC_ADC12_B_CHANNELS];
    struct {
        uint16_t reg[REGISTERS];
        uint16_t mctl[MEMORIES], mem[MEMORIES];
        uint8_t current; /* memory of the conversion under way or to come */
        bool busy;       /* a conversion or a row of them is under way */
        bool converting; /* a sample or conversion, not the wait for a trigger */
        struct hc_clock_span span;
        int32_t sample; /* microvolts */
        int32_t temperature;
        uint8_t noted;
    } s;
};

static void note(struct hc_adc12_b *a, enum note which, const char *text)
{
    if (!(a->s.noted & which))
        hc_note(a->base.machine, "%s: %s", a->base.name, text);
    a->s.noted |= (uint8_t)which;
}

/* ---- time ---- */

static int mode(const struct hc_adc12_b *a)
{
    return a->s.reg[CTL1] >> 1 & 3;
}

static const struct hc_clock *source_clock(const struct hc_adc12_b *a)
{
    switch (a->s.reg[CTL1] >> 3 & 3) {
    case 0:
        return a->wiring.modclk;
    case 1:
        return a->wiring.aclk;
    case 2:
        return hc_mclk(a->base.machine);
    default:
        return a->wiring.smclk;
    }
}

static unsigned division(const struct hc_adc12_b *a)
{
    static const uint8_t predivision[4] = { 1, 4, 32, 64 };

    return predivision[a->s.reg[CTL1] >> 13 & 3] * ((a->s.reg[CTL1] >> 5 & 7) + 1u);
}

/* ADC12CLK cycles. */
static unsigned sample_cycles(struct hc_adc12_b *a)
{
    static const uint16_t cycles[16] = { 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 512, 512, 512, 512, 512 };
    bool upper = a->s.current >= 8 && a->s.current < 24;

    if (!(a->s.reg[CTL1] & SHP)) {
        note(a, NOTE_EXTENDED, "ADC12SHP = 0 is not modelled: the sample time is 4 cycles");
        return cycles[0];
    }
    return cycles[a->s.reg[CTL0] >> (upper ? 12 : 8) & 15];
}

static unsigned conversion_cycles(const struct hc_adc12_b *a)
{
    static const uint8_t cycles[4] = { 10, 12, 14, 14 };

    return 1u + cycles[a->s.reg[CTL2] >> 4 & 3];
}

/* ---- values ---- */

static int32_t input(struct hc_adc12_b *a, int channel, hc_time now)
{
    if (channel == BATTERY && (a->s.reg[CTL3] & BATMAP))
        return hc_wire_level(a->base.machine, a->wiring.avcc) / 2;
    if (channel == TEMPERATURE && (a->s.reg[CTL3] & TCMAP)) {
        if (!hc_ref_a_has_temperature(a->wiring.ref))
            note(a, NOTE_SENSOR, "the temperature sensor is read while REF_A does not power it");
        return SENSOR_UV + SENSOR_UV_PER_CENTIDEGREE * (a->s.temperature - SENSOR_CENTIDEGREES);
    }
    return a->source[channel].call ? a->source[channel].call(a->source[channel].owner, now) : 0;
}

static int32_t reference(struct hc_adc12_b *a, uint16_t mctl)
{
    int vrsel = mctl >> 8 & 15;

    if (vrsel == 1)
        return hc_ref_a_microvolts(a->wiring.ref);
    if (vrsel)
        note(a, NOTE_REFERENCE, "external references are not modelled: taken as the supply");
    return hc_wire_level(a->base.machine, a->wiring.avcc);
}

static uint16_t result(struct hc_adc12_b *a, uint16_t mctl)
{
    int bits = 8 + 2 * (a->s.reg[CTL2] >> 4 & 3);
    int64_t full = reference(a, mctl);

    if (bits > RESOLUTION_BITS)
        bits = RESOLUTION_BITS;
    if (mctl & DIF)
        note(a, NOTE_DIFFERENTIAL, "differential inputs are not modelled: the positive one alone is converted");
    int64_t code = full > 0 ? ((int64_t)a->s.sample * (1 << bits) + full / 2) / full : 0;
    int64_t most = (1 << bits) - 1;
    code = code < 0 ? 0 : code > most ? most : code;
    if (!(a->s.reg[CTL2] & DF)) /* binary, right-aligned */
        return (uint16_t)code;
    return (uint16_t)((code - (1 << (bits - 1))) * (1 << (16 - bits))); /* two's complement, left-aligned */
}

/* ---- flags ---- */

static bool flag_of(const struct hc_adc12_b *a, int first, int x)
{
    return a->s.reg[first + x / 16] >> x % 16 & 1;
}

static const struct {
    uint16_t word, flag;
} special[] = { { 2, OVIFG }, { 4, TOVIFG }, { 6, HIIFG }, { 8, LOIFG }, { 10, INIFG } };

enum { SPECIALS = sizeof special / sizeof special[0], FIRST_MEMORY_WORD = 12, READY_WORD = 0x4c };

static uint16_t vector_word(const struct hc_adc12_b *a)
{
    for (size_t i = 0; i < SPECIALS; i++)
        if (a->s.reg[IFGR2] & a->s.reg[IER2] & special[i].flag)
            return special[i].word;
    for (int x = 0; x < MEMORIES; x++)
        if (flag_of(a, IFGR0, x) && flag_of(a, IER0, x))
            return (uint16_t)(FIRST_MEMORY_WORD + 2 * x);
    return a->s.reg[IFGR2] & a->s.reg[IER2] & RDYIFG ? READY_WORD : 0;
}

static void update(struct hc_adc12_b *a)
{
    hc_interrupt(a->base.machine, a->vector, vector_word(a) != 0);
}

static void clear_memory_flag(struct hc_adc12_b *a, int x)
{
    a->s.reg[IFGR0 + x / 16] &= (uint16_t)~(1u << x % 16);
}

/* Reading ADC12IV clears the special flags; those of memories are cleared by reading the memory. */
static void clear_pending(struct hc_adc12_b *a)
{
    uint16_t word = vector_word(a);

    for (size_t i = 0; i < SPECIALS; i++)
        if (special[i].word == word)
            a->s.reg[IFGR2] &= (uint16_t)~special[i].flag;
    if (word == READY_WORD)
        a->s.reg[IFGR2] &= (uint16_t)~RDYIFG;
    update(a);
}

static void compare_window(struct hc_adc12_b *a, uint16_t value)
{
    bool is_signed = a->s.reg[CTL2] & DF;
    bool above = is_signed ? (int16_t)value > (int16_t)a->s.reg[HI] : value > a->s.reg[HI];
    bool below = is_signed ? (int16_t)value < (int16_t)a->s.reg[LO] : value < a->s.reg[LO];

    a->s.reg[IFGR2] |= above ? HIIFG : below ? LOIFG : INIFG;
}

/* ---- conversions ---- */

static void arm(struct hc_adc12_b *a, hc_event event, hc_time at)
{
    hc_event_arm(hc_events(a->base.machine), event, at);
}

static void begin_sample(struct hc_adc12_b *a, hc_time now)
{
    a->s.busy = a->s.converting = true;
    arm(a, a->sampled, hc_clock_span_begin(&a->s.span, source_clock(a), (uint64_t)sample_cycles(a) * division(a), now));
}

/* A trigger: starts a conversion, or is one too many. */
static void trigger(struct hc_adc12_b *a, hc_time now)
{
    if ((a->s.reg[CTL0] & (ON | ENC)) != (ON | ENC))
        return;
    if (a->s.converting) {
        a->s.reg[IFGR2] |= TOVIFG;
        update(a);
        return;
    }
    if (!a->s.busy)
        a->s.current = a->s.reg[CTL3] & 31;
    begin_sample(a, now);
}

static hc_time sampled(void *owner, hc_time now)
{
    struct hc_adc12_b *a = owner;

    a->s.sample = input(a, a->s.mctl[a->s.current] & 31, now);
    arm(a, a->converted,
        hc_clock_span_begin(&a->s.span, source_clock(a), (uint64_t)conversion_cycles(a) * division(a), now));
    return HC_NEVER;
}

/* Is the row of conversions over? If not, `current` is the next one. */
static bool row_ends(struct hc_adc12_b *a)
{
    bool enabled = a->s.reg[CTL0] & ENC;
    bool last = (a->s.mctl[a->s.current] & EOS) || a->s.current == MEMORIES - 1;

    switch (mode(a)) {
    case SINGLE:
        return true;
    case REPEAT_SINGLE:
        return !enabled;
    case SEQUENCE:
        a->s.current++;
        return last;
    default:
        a->s.current = last ? a->s.reg[CTL3] & 31 : a->s.current + 1;
        return last && !enabled;
    }
}

static void store(struct hc_adc12_b *a)
{
    int x = a->s.current;

    if (flag_of(a, IFGR0, x))
        a->s.reg[IFGR2] |= OVIFG;
    a->s.mem[x] = result(a, a->s.mctl[x]);
    a->s.reg[IFGR0 + x / 16] |= (uint16_t)(1u << x % 16);
    if (a->s.mctl[x] & WINC)
        compare_window(a, a->s.mem[x]);
    update(a);
    hc_dma_request(a->wiring.dma, HC_DMA_FR_ADC12IFG, true);
}

static hc_time converted(void *owner, hc_time now)
{
    struct hc_adc12_b *a = owner;

    store(a);
    a->s.converting = false;
    if (row_ends(a)) {
        a->s.busy = false;
        a->s.reg[CTL0] &= (uint16_t)~SC;
    } else if (a->s.reg[CTL0] & MSC) {
        begin_sample(a, now);
    }
    return HC_NEVER;
}

static void stop(struct hc_adc12_b *a)
{
    a->s.busy = a->s.converting = false;
    hc_event_cancel(hc_events(a->base.machine), a->sampled);
    hc_event_cancel(hc_events(a->base.machine), a->converted);
}

static void clock_changed(void *owner, hc_time now)
{
    struct hc_adc12_b *a = owner;
    struct hc_queue *queue = hc_events(a->base.machine);

    if (!a->s.converting)
        return;
    hc_time end = hc_clock_span_changed(&a->s.span, source_clock(a), now);
    bool sampling = hc_event_time(queue, a->converted) == HC_NEVER;
    hc_event_arm(queue, sampling ? a->sampled : a->converted, end);
}

struct trigger_listener {
    struct hc_device base;
    struct hc_adc12_b *adc;
    int number;
};

static void trigger_changed(void *owner, int32_t level, hc_time now)
{
    struct trigger_listener *l = owner;

    if (level && (l->adc->s.reg[CTL1] >> 10 & 7) == l->number)
        trigger(l->adc, now);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger which)
{
    hc_dma_request(((struct hc_adc12_b *)d)->wiring.dma, which, false);
}

/* ---- registers ---- */

static uint16_t value_at(const struct hc_adc12_b *a, uint32_t word)
{
    int i = (int)(word - BASE) / 2;

    if (word >= MEM)
        return a->s.mem[(word - MEM) / 2];
    if (word >= MCTL)
        return a->s.mctl[(word - MCTL) / 2];
    if (i == IV)
        return vector_word(a);
    return i < REGISTERS ? (uint16_t)(a->s.reg[i] | (i == CTL1 && a->s.busy ? BUSY : 0)) : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_adc12_b *)d, address & ~1u), address, size);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_adc12_b *a = (struct hc_adc12_b *)d;
    uint32_t word = address & ~1u;
    uint16_t value = peek(d, address, size);

    if (word >= MEM) {
        clear_memory_flag(a, (int)(word - MEM) / 2);
        update(a);
    } else if ((word - BASE) / 2 == IV) {
        clear_pending(a);
    } else if (word < MCTL && (word - BASE) / 2 >= REGISTERS) {
        hc_unknown_register(d, address, false);
    }
    return value;
}

static void write_control(struct hc_adc12_b *a, uint16_t value)
{
    uint16_t before = a->s.reg[CTL0];
    bool shs = (a->s.reg[CTL1] >> 10 & 7) != 0;

    a->s.reg[CTL0] = value;
    /* Without ADC12ENC a single conversion ends at once, the others after what is under way. */
    if (!(value & ON) || (!(value & ENC) && mode(a) == SINGLE))
        stop(a);
    if ((value & SC) && (!(before & SC) || !(before & ENC)) && !shs)
        trigger(a, hc_now(a->base.machine));
}

static void write_register(struct hc_adc12_b *a, uint32_t word, uint16_t value)
{
    int i = (int)(word - BASE) / 2;

    if (word >= MEM)
        a->s.mem[(word - MEM) / 2] = value;
    else if (word >= MCTL)
        a->s.mctl[(word - MCTL) / 2] = value;
    else if (i == CTL0)
        write_control(a, value);
    else if (i == CTL1)
        a->s.reg[CTL1] = value & CTL1_BITS;
    else if (i == IV)
        clear_pending(a);
    else if (i < REGISTERS)
        a->s.reg[i] = value;
    else
        hc_unknown_register(&a->base, word, true);
    update(a);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_adc12_b *a = (struct hc_adc12_b *)d;
    uint32_t word = address & ~1u;

    write_register(a, word, hc_word_written(value_at(a, word), address, value, size));
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_adc12_b *a = (struct hc_adc12_b *)d;

    (void)kind;
    for (int i = 0; i < REGISTERS; i++)
        a->s.reg[i] = 0;
    a->s.reg[CTL2] = 0x0020;
    a->s.reg[HI] = 0x0fff;
    for (int x = 0; x < MEMORIES; x++)
        a->s.mctl[x] = 0;
    stop(a);
    hc_dma_request(a->wiring.dma, HC_DMA_FR_ADC12IFG, false);
    update(a);
}

static void power_off(struct hc_device *d)
{
    struct hc_adc12_b *a = (struct hc_adc12_b *)d;

    for (int x = 0; x < MEMORIES; x++)
        a->s.mem[x] = 0;
}

static const struct hc_device_ops ops = {
    .name = "adc12_b",
    .help = "12-bit analog-to-digital converter",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .power_off = power_off,
};

static const struct hc_device_ops listener_ops = { .name = "adc12_b trigger", .help = "a timer's output" };

static void listen_to_triggers(struct hc_adc12_b *a, struct hc_machine *m)
{
    for (int i = 1; i < HC_ADC12_B_TRIGGERS; i++) {
        if (a->wiring.trigger[i] == HC_NO_WIRE)
            continue;
        struct trigger_listener *l = hc_device_new(m, &listener_ops, "adc12_b trigger", sizeof *l, 0, 0);
        l->adc = a;
        l->number = i;
        hc_wire_listen(m, a->wiring.trigger[i], trigger_changed, l);
    }
}

struct hc_adc12_b *hc_adc12_b_new(struct hc_machine *m, const struct hc_adc12_b_wiring *wiring, int vector)
{
    struct hc_adc12_b *a = HC_DEVICE_NEW(m, &ops, "adc12_b", struct hc_adc12_b);
    struct hc_clock_listener listener = { .changed = clock_changed, .owner = a };

    a->wiring = *wiring;
    a->vector = vector;
    a->s.temperature = ROOM_CENTIDEGREES;
    a->sampled = hc_event_new(hc_events(m), "adc12_b sampled", sampled, a);
    a->converted = hc_event_new(hc_events(m), "adc12_b converted", converted, a);
    hc_clock_listen(wiring->aclk, listener);
    hc_clock_listen(wiring->smclk, listener);
    hc_clock_listen(hc_mclk(m), listener);
    listen_to_triggers(a, m);
    hc_device_claim(&a->base, BASE, END);
    hc_device_owns_vector(&a->base, vector);
    if (wiring->dma)
        hc_dma_connect(wiring->dma, HC_DMA_FR_ADC12IFG, &a->base, dma_taken);
    return a;
}

void hc_adc12_b_set_source(struct hc_adc12_b *adc, int channel, hc_adc12_b_source_fn *call, void *owner)
{
    adc->source[channel].call = call;
    adc->source[channel].owner = owner;
}

void hc_adc12_b_set_temperature(struct hc_adc12_b *adc, int32_t centidegrees)
{
    adc->s.temperature = centidegrees;
}
