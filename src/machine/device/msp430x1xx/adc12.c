#include "adc12.h"

#include "machine/device/msp430/clock_span.h"

#include <assert.h>

enum { MCTL = 0x80, MEM = 0x140, CTL0 = 0x1a0, CTL1 = 0x1a2, IFG = 0x1a4, IE = 0x1a6, IV = 0x1a8, MEMORIES = 16 };
enum { SHT1_SHIFT = 12, SHT0_SHIFT = 8, MSC = 0x80, REF2_5V = 0x40, REFON = 0x20, ADC12ON = 0x10 };
enum { ADC12OVIE = 0x08, ADC12TOVIE = 0x04, ENC = 0x02, ADC12SC = 0x01 };
enum { CSTARTADD_SHIFT = 12, SHS_SHIFT = 10, SHP = 0x200, ISSH = 0x100, DIV_SHIFT = 5, SSEL_SHIFT = 3, BUSY = 0x01 };
enum { SEQUENCE = 0x2, REPEAT = 0x4, CONSEQ = SEQUENCE | REPEAT };
enum { EOS = 0x80, SREF_SHIFT = 4, INCH = 0x0f };

enum { CONVERSION_PERIODS = 13, OSCILLATOR_HZ = 5000000 };
enum { CTL0_ALWAYS = ADC12OVIE | ADC12TOVIE | ENC | ADC12SC, CTL1_ALWAYS = CONSEQ };

/* Bounds of the data sheet, for notes. The reference has 17 ms; systems that count binary milliseconds wait 16.6. */
enum { SLOWEST_HZ = 450000, FASTEST_HZ = 6300000, REFERENCE_SETTLES_MS = 16, DIODE_SAMPLE_US = 30 };

static const uint16_t sample_periods[16] = {
    4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1024, 1024, 1024
};

enum phase { IDLE, SAMPLING, CONVERTING };

/* Voltages that wires carry: those of channels, and the supply. */
enum { BATTERY = HC_ADC12_TEMPERATURE + 1, LINES };

struct line {
    struct hc_adc12 *adc;
    int number;
    hc_wire wire;
};

struct hc_adc12 {
    struct hc_device base;
    struct hc_adc12_wiring wiring;
    int vector;
    struct hc_clock oscillator; /* ADC12OSC: constant, so not part of the state */
    struct hc_clock *source[4]; /* by ADC12SSEL */
    hc_wire trigger[4];         /* by SHS */
    hc_wire vref, veref;
    hc_event step;
    bool peeking; /* within peek(): nothing may be heard outside */
    struct line line[LINES];
    struct {
        hc_adc12_fn *microvolts;
        void *owner;
    } input[HC_ADC12_TEMPERATURE + 1];
    struct {
        uint16_t ctl0, ctl1; /* without BUSY */
        uint16_t ifg, ie;
        uint16_t mem[MEMORIES];
        uint8_t mctl[MEMORIES];
        bool overflow, time_overflow;
        uint8_t phase;
        uint8_t x;        /* the conversion memory in use, or next */
        bool in_sequence; /* begun, its end not reached */
        bool enabled;     /* a rise of SHI starts a conversion */
        bool shi;
        bool dma_listens;
        bool rate_noted, reference_noted, diode_noted;
        uint16_t sample; /* result of the conversion that is under way */
        int32_t millidegrees;
        int32_t level[LINES]; /* of the wires, as far as the conversions have been computed */
        hc_time reference_on;
        hc_time sampling_since;
        struct hc_clock_span span;
    } s;
};

/* ---- interrupts and DMA ---- */

static void update_interrupt(struct hc_adc12 *adc)
{
    bool request = (adc->s.ifg & adc->s.ie) || (adc->s.overflow && (adc->s.ctl0 & ADC12OVIE)) ||
                   (adc->s.time_overflow && (adc->s.ctl0 & ADC12TOVIE));

    hc_interrupt(adc->base.machine, adc->vector, request);
}

static uint16_t interrupt_vector(const struct hc_adc12 *adc)
{
    unsigned pending = adc->s.ifg & adc->s.ie;

    if (adc->s.overflow && (adc->s.ctl0 & ADC12OVIE))
        return 2;
    if (adc->s.time_overflow && (adc->s.ctl0 & ADC12TOVIE))
        return 4;
    return pending ? (uint16_t)(6 + 2 * __builtin_ctz(pending)) : 0;
}

static void access_interrupt_vector(struct hc_adc12 *adc)
{
    uint16_t vector = interrupt_vector(adc);

    if (vector == 2)
        adc->s.overflow = false;
    if (vector == 4)
        adc->s.time_overflow = false;
    update_interrupt(adc);
}

static void request_dma(struct hc_adc12 *adc, bool level)
{
    if (!adc->peeking)
        hc_dma_request(adc->wiring.dma, HC_DMA_ADC12IFG, level);
}

static void set_flags(struct hc_adc12 *adc, uint16_t ifg)
{
    adc->s.ifg = ifg;
    if (!ifg)
        request_dma(adc, false);
    update_interrupt(adc);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    hc_dma_request(((struct hc_adc12 *)d)->wiring.dma, trigger, false);
}

static void note_once(struct hc_adc12 *adc, bool *noted, const char *text)
{
    if (!*noted && !adc->peeking)
        hc_note(adc->base.machine, "adc12: %s", text);
    *noted = true;
}

/* ---- voltages, in microvolts ---- */

static int64_t from_source(const struct hc_adc12 *adc, int channel, hc_time now)
{
    if (adc->input[channel].microvolts)
        return adc->input[channel].microvolts(adc->input[channel].owner, channel, now);
    return adc->s.level[channel];
}

static int64_t input_voltage(const struct hc_adc12 *adc, int channel, hc_time now)
{
    if (channel > HC_ADC12_TEMPERATURE)
        return adc->s.level[BATTERY] / 2;
    if (channel == HC_ADC12_TEMPERATURE && !adc->input[channel].microvolts)
        return 986000 + (int64_t)adc->s.millidegrees * 3550 / 1000;
    return from_source(adc, channel, now);
}

static int32_t reference_level(const struct hc_adc12 *adc)
{
    if (!(adc->s.ctl0 & REFON))
        return 0;
    return adc->s.ctl0 & REF2_5V ? 2500000 : 1500000;
}

static void drive_reference(struct hc_adc12 *adc)
{
    hc_wire_set(adc->base.machine, adc->vref, reference_level(adc));
}

static int64_t internal_reference(struct hc_adc12 *adc, hc_time now)
{
    bool off = !(adc->s.ctl0 & REFON);

    if (off || now - adc->s.reference_on < hc_ms(REFERENCE_SETTLES_MS))
        note_once(adc, &adc->s.reference_noted,
                  off ? "the internal reference is used while it is off"
                      : "the internal reference is used while it settles");
    return reference_level(adc);
}

static int64_t high_reference(struct hc_adc12 *adc, int sref, hc_time now)
{
    switch (sref & 3) {
    case 0:
        return adc->s.level[BATTERY];
    case 1:
        return internal_reference(adc, now);
    default:
        return from_source(adc, HC_ADC12_VEREF_PLUS, now);
    }
}

static uint16_t convert(struct hc_adc12 *adc, hc_time now)
{
    int mctl = adc->s.mctl[adc->s.x];
    int sref = mctl >> SREF_SHIFT & 7;
    int64_t in = input_voltage(adc, mctl & INCH, now);
    int64_t high = high_reference(adc, sref, now);
    int64_t low = sref & 4 ? from_source(adc, HC_ADC12_VEREF_MINUS, now) : 0;

    if (in <= low)
        return 0;
    if (in >= high)
        return 4095;
    return (uint16_t)((4095 * (in - low) + (high - low) / 2) / (high - low));
}

/* ---- sampling and converting ---- */

static struct hc_clock *clock_source(const struct hc_adc12 *adc)
{
    return adc->source[adc->s.ctl1 >> SSEL_SHIFT & 3];
}

static unsigned divider(const struct hc_adc12 *adc)
{
    return (adc->s.ctl1 >> DIV_SHIFT & 7) + 1u;
}

static void check_rate(struct hc_adc12 *adc)
{
    hc_time period = clock_source(adc)->s.period * divider(adc);

    if (!period || period > HC_SECOND / SLOWEST_HZ || period < HC_SECOND / FASTEST_HZ)
        note_once(adc, &adc->s.rate_noted, "ADC12CLK is outside 0.45 to 6.3 MHz");
}

static hc_time begin_span(struct hc_adc12 *adc, unsigned periods, hc_time now)
{
    return hc_clock_span_begin(&adc->s.span, clock_source(adc), (uint64_t)periods * divider(adc), now);
}

static unsigned sample_time(const struct hc_adc12 *adc, int x)
{
    return sample_periods[adc->s.ctl0 >> (x < 8 ? SHT0_SHIFT : SHT1_SHIFT) & 15];
}

/* Returns when the sample period ends; HC_NEVER when SHI decides that. */
static hc_time begin_sampling(struct hc_adc12 *adc, hc_time now)
{
    check_rate(adc);
    adc->s.phase = SAMPLING;
    adc->s.in_sequence = adc->s.ctl1 & SEQUENCE;
    adc->s.sampling_since = now;
    if (!(adc->s.ctl1 & SHP))
        return HC_NEVER;
    return begin_span(adc, sample_time(adc, adc->s.x), now);
}

static hc_time begin_converting(struct hc_adc12 *adc, hc_time now)
{
    if ((adc->s.mctl[adc->s.x] & INCH) == HC_ADC12_TEMPERATURE && now - adc->s.sampling_since < hc_us(DIODE_SAMPLE_US))
        note_once(adc, &adc->s.diode_noted, "the temperature diode is sampled for less than 30 us");
    adc->s.sample = convert(adc, now);
    adc->s.phase = CONVERTING;
    return begin_span(adc, CONVERSION_PERIODS, now);
}

static void stop(struct hc_adc12 *adc)
{
    adc->s.phase = IDLE;
    adc->s.in_sequence = false;
    adc->s.enabled = false;
    hc_event_cancel(hc_events(adc->base.machine), adc->step);
}

static void store(struct hc_adc12 *adc, bool ends)
{
    uint16_t bit = (uint16_t)(1u << adc->s.x);

    if (adc->s.ifg & bit)
        adc->s.overflow = true;
    adc->s.mem[adc->s.x] = adc->s.sample;
    set_flags(adc, adc->s.ifg | bit);
    if (ends) {
        /* A new edge even if the last request still stands. */
        request_dma(adc, false);
        request_dma(adc, true);
    }
}

/* Returns when the next step comes, HC_NEVER when a trigger must come first. */
static hc_time finish_conversion(struct hc_adc12 *adc, hc_time now)
{
    bool sequence = adc->s.ctl1 & SEQUENCE;
    bool ends = !sequence || (adc->s.mctl[adc->s.x] & EOS);
    bool automatic = (adc->s.ctl0 & MSC) && (adc->s.ctl1 & SHP);

    store(adc, ends);
    adc->s.phase = IDLE;
    adc->s.in_sequence = !ends;
    adc->s.x = ends ? (uint8_t)(adc->s.ctl1 >> CSTARTADD_SHIFT) : (adc->s.x + 1) % MEMORIES;
    if (!ends)
        return automatic ? begin_sampling(adc, now) : HC_NEVER;
    if ((adc->s.ctl0 & ENC) && (adc->s.ctl1 & REPEAT))
        return automatic ? begin_sampling(adc, now) : HC_NEVER;
    if (!(adc->s.ctl0 & ENC) || (adc->s.ctl1 >> SHS_SHIFT & 3))
        adc->s.enabled = false; /* but for ADC12SC, a rise of ENC must come first */
    return HC_NEVER;
}

static hc_time advance(struct hc_adc12 *adc, hc_time now)
{
    return adc->s.phase == SAMPLING ? begin_converting(adc, now) : finish_conversion(adc, now);
}

/* ---- conversions that nobody waits for ----
 *
 * A converter that needs no triggers (MSC) and interrupts nobody may run for ever: a repeat mode, or a sequence without
 * EOS, which even resetting ENC does not end. Instead of two events a conversion, its conversions are computed when
 * somebody looks, or before something changes that they depend on. */

static bool is_on_demand(const struct hc_adc12 *adc)
{
    bool free = (adc->s.ctl0 & MSC) && (adc->s.ctl1 & SHP) && (adc->s.ctl1 & CONSEQ);
    bool heard = adc->s.ie || (adc->s.ctl0 & ADC12OVIE) || adc->s.dma_listens;

    /* MCLK's edges are not known backwards: it starts anew when the CPU wakes. */
    return free && !heard && adc->s.phase != IDLE && clock_source(adc) != adc->source[2];
}

/* From the start of a round of conversions to the next, or 0 if there is only one. */
static hc_time round_time(const struct hc_adc12 *adc)
{
    unsigned x = adc->s.ctl1 >> CSTARTADD_SHIFT;
    bool ends = false;
    uint64_t periods = 0;

    for (int i = 0; i < MEMORIES && !ends; i++, x = (x + 1) % MEMORIES) {
        periods += sample_time(adc, (int)x) + CONVERSION_PERIODS;
        ends = !(adc->s.ctl1 & SEQUENCE) || (adc->s.mctl[x] & EOS);
    }
    if (ends && !((adc->s.ctl1 & REPEAT) && (adc->s.ctl0 & ENC)))
        return 0;
    return periods * divider(adc) * clock_source(adc)->s.period;
}

/* Leaves out whole rounds whose results others overwrite: all but the last two, which set every flag there is to set.
 */
static void leave_out_rounds(struct hc_adc12 *adc, hc_time now)
{
    hc_time late = now - adc->s.span.end;
    hc_time round;

    if (adc->s.phase != SAMPLING || adc->s.x != adc->s.ctl1 >> CSTARTADD_SHIFT)
        return;
    round = round_time(adc);
    if (!round || late < 4 * round)
        return;
    late = (late / round - 2) * round;
    adc->s.span.end += late;
    adc->s.sampling_since += late;
}

static void catch_up(struct hc_adc12 *adc, hc_time now)
{
    while (is_on_demand(adc) && adc->s.span.end <= now) {
        leave_out_rounds(adc, now);
        advance(adc, adc->s.span.end);
    }
}

static hc_time step(void *owner, hc_time now)
{
    struct hc_adc12 *adc = owner;
    hc_time next = advance(adc, now);

    return is_on_demand(adc) ? HC_NEVER : next;
}

static void arm(struct hc_adc12 *adc, hc_time at)
{
    hc_event_arm(hc_events(adc->base.machine), adc->step, is_on_demand(adc) ? HC_NEVER : at);
}

/* After a change of what is_on_demand() depends on. */
static void arm_again(struct hc_adc12 *adc)
{
    if (adc->s.phase != IDLE && (adc->s.ctl1 & SHP))
        arm(adc, adc->s.span.end);
}

static void clock_changing(void *owner, hc_time now)
{
    catch_up(owner, now);
}

static void clock_changed(void *owner, hc_time now)
{
    struct hc_adc12 *adc = owner;

    if (adc->s.phase == CONVERTING || (adc->s.phase == SAMPLING && (adc->s.ctl1 & SHP)))
        arm(adc, hc_clock_span_changed(&adc->s.span, clock_source(adc), now));
}

static void level_changed(void *owner, int32_t level, hc_time now)
{
    struct line *line = owner;

    catch_up(line->adc, now);
    line->adc->s.level[line->number] = level;
}

static void dma_watches(struct hc_device *d, bool chosen)
{
    struct hc_adc12 *adc = (struct hc_adc12 *)d;

    catch_up(adc, hc_now(d->machine));
    adc->s.dma_listens = chosen;
    arm_again(adc);
}

/* ---- triggers ---- */

static bool shi_level(const struct hc_adc12 *adc)
{
    int shs = adc->s.ctl1 >> SHS_SHIFT & 3;
    bool level = adc->s.ctl0 & ADC12SC;

    if (shs)
        level = adc->trigger[shs] != HC_NO_WIRE && hc_wire_level(adc->base.machine, adc->trigger[shs]);
    return level != ((adc->s.ctl1 & ISSH) != 0);
}

static void triggered(struct hc_adc12 *adc, hc_time now)
{
    bool automatic = (adc->s.ctl0 & MSC) && (adc->s.ctl1 & SHP) && (adc->s.ctl1 & CONSEQ);

    if (!adc->s.enabled || !(adc->s.ctl0 & ADC12ON))
        return;
    if (adc->s.ctl1 & SHP)
        adc->s.ctl0 &= (uint16_t)~ADC12SC;
    if (adc->s.phase == IDLE) {
        arm(adc, begin_sampling(adc, now));
    } else if (!automatic) {
        adc->s.time_overflow = true;
        update_interrupt(adc);
    }
}

static void follow_shi(struct hc_adc12 *adc, hc_time now)
{
    bool before = adc->s.shi;

    adc->s.shi = shi_level(adc);
    if (adc->s.shi && !before)
        triggered(adc, now);
    else if (!adc->s.shi && before && adc->s.phase == SAMPLING && !(adc->s.ctl1 & SHP))
        arm(adc, begin_converting(adc, now));
    adc->s.shi = shi_level(adc); /* pulse mode has cleared ADC12SC */
}

static void trigger_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    catch_up(owner, now);
    follow_shi(owner, now);
}

/* ---- registers ---- */

/* What ENC, ADC12ON and CONSEQ say of a conversion under way, after a write. */
static void obey(struct hc_adc12 *adc, uint16_t ctl0_before)
{
    bool enc = adc->s.ctl0 & ENC;
    bool running = adc->s.phase != IDLE || adc->s.in_sequence;

    if (enc && !(ctl0_before & ENC)) {
        adc->s.enabled = true;
        if (!running)
            adc->s.x = (uint8_t)(adc->s.ctl1 >> CSTARTADD_SHIFT);
    }
    if (!enc && (!running || !(adc->s.ctl1 & CONSEQ)))
        stop(adc);
    if (!(adc->s.ctl0 & ADC12ON) && running)
        stop(adc);
}

static void write_ctl0(struct hc_adc12 *adc, uint16_t value, hc_time now)
{
    uint16_t before = adc->s.ctl0;
    uint16_t writable = before & ENC ? CTL0_ALWAYS : 0xffff;

    adc->s.ctl0 = (uint16_t)((before & ~writable) | (value & writable));
    if ((adc->s.ctl0 & ~before) & REFON)
        adc->s.reference_on = now;
    drive_reference(adc);
    obey(adc, before);
    arm_again(adc);
    follow_shi(adc, now);
    update_interrupt(adc);
}

static void write_ctl1(struct hc_adc12 *adc, uint16_t value)
{
    uint16_t writable = adc->s.ctl0 & ENC ? CTL1_ALWAYS : 0xffff & ~BUSY;
    uint16_t after = (uint16_t)((adc->s.ctl1 & ~writable) | (value & writable));

    if (after != adc->s.ctl1)
        adc->s.rate_noted = false;
    adc->s.ctl1 = after;
    obey(adc, adc->s.ctl0);
    arm_again(adc);
    adc->s.shi = shi_level(adc); /* a change of source or polarity is no trigger */
}

static void access_memory(struct hc_adc12 *adc, uint32_t address)
{
    set_flags(adc, (uint16_t)(adc->s.ifg & ~(1u << (address - MEM) / 2)));
}

static bool is_mctl(uint32_t address)
{
    return address >= MCTL && address < MCTL + MEMORIES;
}

static bool is_memory(uint32_t address)
{
    return address >= MEM && address < MEM + 2 * MEMORIES;
}

static uint16_t value_of(const struct hc_adc12 *adc, uint32_t address, int size)
{
    uint16_t value = 0;

    if (is_mctl(address))
        return adc->s.mctl[address - MCTL];
    if (is_memory(address))
        value = adc->s.mem[(address - MEM) / 2];
    else if ((address & ~1u) == CTL0)
        value = adc->s.ctl0;
    else if ((address & ~1u) == CTL1)
        value = adc->s.ctl1 | (adc->s.phase != IDLE || adc->s.in_sequence ? BUSY : 0);
    else if ((address & ~1u) == IFG)
        value = adc->s.ifg;
    else if ((address & ~1u) == IE)
        value = adc->s.ie;
    else if ((address & ~1u) == IV)
        value = interrupt_vector(adc);
    if (size == 1)
        value = address & 1 ? value >> 8 : value & 0xff;
    return value;
}

/* Looks ahead, and puts everything back. */
static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_adc12 *adc = (struct hc_adc12 *)d;
    __typeof__(adc->s) before = adc->s;
    uint16_t value;

    adc->peeking = true;
    catch_up(adc, hc_now(d->machine));
    value = value_of(adc, address, size);
    adc->peeking = false;
    adc->s = before;
    return value;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_adc12 *adc = (struct hc_adc12 *)d;
    uint16_t value;

    catch_up(adc, hc_now(d->machine));
    value = value_of(adc, address, size);
    if (is_memory(address))
        access_memory(adc, address);
    else if ((address & ~1u) == IV)
        access_interrupt_vector(adc);
    return value;
}

static void write_word(struct hc_adc12 *adc, uint32_t address, uint16_t value)
{
    switch (address) {
    case CTL0:
        write_ctl0(adc, value, hc_now(adc->base.machine));
        break;
    case CTL1:
        write_ctl1(adc, value);
        break;
    case IFG:
        set_flags(adc, value);
        break;
    case IE:
        adc->s.ie = value;
        arm_again(adc);
        update_interrupt(adc);
        break;
    case IV:
        access_interrupt_vector(adc);
        break;
    default:
        hc_unknown_register(&adc->base, address, true);
    }
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_adc12 *adc = (struct hc_adc12 *)d;

    catch_up(adc, hc_now(d->machine));
    if (size == 1)
        value &= 0xff; /* a byte written to a word register clears its high byte */
    if (is_mctl(address)) {
        if (!(adc->s.ctl0 & ENC))
            adc->s.mctl[address - MCTL] = (uint8_t)value;
    } else if (is_memory(address) && !(address & 1)) {
        adc->s.mem[(address - MEM) / 2] = value & 0x0fff;
        access_memory(adc, address);
    } else {
        write_word(adc, address, value);
    }
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_adc12 *adc = (struct hc_adc12 *)d;

    if (kind != HC_POR) {
        update_interrupt(adc);
        return;
    }
    stop(adc);
    adc->s.ctl0 = adc->s.ctl1 = adc->s.ie = 0;
    adc->s.overflow = adc->s.time_overflow = adc->s.shi = adc->s.dma_listens = false;
    adc->s.rate_noted = adc->s.reference_noted = adc->s.diode_noted = false;
    adc->s.x = 0;
    for (int i = 0; i < MEMORIES; i++)
        adc->s.mctl[i] = 0;
    drive_reference(adc);
    set_flags(adc, 0);
}

static const struct hc_device_ops ops = {
    .name = "adc12",
    .help = "12-bit analog-to-digital converter",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
};

/* ---- wiring ---- */

static void connect_clocks(struct hc_adc12 *adc)
{
    hc_clock_init(&adc->oscillator, "adc12osc");
    hc_clock_set(&adc->oscillator, hc_period(OSCILLATOR_HZ), 0);
    adc->source[0] = &adc->oscillator;
    adc->source[1] = adc->wiring.aclk;
    adc->source[2] = hc_mclk(adc->base.machine);
    adc->source[3] = adc->wiring.smclk;
    for (int i = 1; i < 4; i++)
        hc_clock_listen(adc->source[i], (struct hc_clock_listener){ clock_changing, clock_changed, adc });
}

static void connect_line(struct hc_adc12 *adc, int number, hc_wire wire)
{
    struct line *line = &adc->line[number];

    *line = (struct line){ adc, number, wire };
    adc->s.level[number] = hc_wire_level(adc->base.machine, wire);
    hc_wire_listen(adc->base.machine, wire, level_changed, line);
}

static void connect_triggers(struct hc_adc12 *adc)
{
    const hc_wire triggers[4] = { HC_NO_WIRE, adc->wiring.ta_out1, adc->wiring.tb_out0, adc->wiring.tb_out1 };

    for (int i = 0; i < 4; i++) {
        adc->trigger[i] = triggers[i];
        if (triggers[i] != HC_NO_WIRE)
            hc_wire_listen(adc->base.machine, triggers[i], trigger_changed, adc);
    }
}

struct hc_adc12 *hc_adc12_new(struct hc_machine *m, const struct hc_adc12_wiring *wiring, int vector)
{
    struct hc_adc12 *adc = HC_DEVICE_NEW(m, &ops, "adc12", struct hc_adc12);

    adc->wiring = *wiring;
    adc->vector = vector;
    adc->s.millidegrees = 25000;
    adc->step = hc_event_new(hc_events(m), "adc12.step", step, adc);
    adc->vref = hc_wire_new_wide(m, "vref+", 32, NULL);
    adc->veref = hc_wire_new_wide(m, "veref+", 32, NULL);
    adc->s.level[BATTERY] = 3000000;
    if (wiring->avcc != HC_NO_WIRE)
        connect_line(adc, BATTERY, wiring->avcc);
    connect_line(adc, HC_ADC12_VEREF_PLUS, adc->veref);
    connect_clocks(adc);
    connect_triggers(adc);
    if (wiring->dma) {
        hc_dma_connect(wiring->dma, HC_DMA_ADC12IFG, &adc->base, dma_taken);
        hc_dma_watch(wiring->dma, HC_DMA_ADC12IFG, dma_watches);
    }
    hc_device_owns_vector(&adc->base, vector);
    hc_device_claim(&adc->base, MCTL, MCTL + MEMORIES - 1);
    hc_device_claim(&adc->base, MEM, MEM + 2 * MEMORIES - 1);
    hc_device_claim(&adc->base, CTL0, IV + 1);
    return adc;
}

void hc_adc12_set_source(struct hc_adc12 *adc, int channel, hc_adc12_fn *microvolts, void *owner)
{
    assert(channel >= 0 && channel <= HC_ADC12_TEMPERATURE);
    catch_up(adc, hc_now(adc->base.machine));
    adc->input[channel].microvolts = microvolts;
    adc->input[channel].owner = owner;
}

void hc_adc12_set_wire(struct hc_adc12 *adc, int channel, hc_wire wire)
{
    assert(channel >= 0 && channel <= HC_ADC12_VEREF_MINUS && !adc->line[channel].adc);
    connect_line(adc, channel, wire);
}

hc_wire hc_adc12_vref(const struct hc_adc12 *adc)
{
    return adc->vref;
}

hc_wire hc_adc12_veref(const struct hc_adc12 *adc)
{
    return adc->veref;
}

void hc_adc12_set_temperature(struct hc_adc12 *adc, int32_t millidegrees)
{
    catch_up(adc, hc_now(adc->base.machine));
    adc->s.millidegrees = millidegrees;
}
