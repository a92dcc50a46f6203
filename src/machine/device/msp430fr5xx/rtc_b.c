#include "rtc_b.h"

#include "machine/device/msp430/word_register.h"

enum { BASE = 0x4a0, RTCCTL01 = 0x4a0, RTCCTL23 = 0x4a2, RTCPS0CTL = 0x4a8, RTCPS1CTL = 0x4aa, RTCPS = 0x4ac };
enum { RTCIV = 0x4ae, RTCTIM0 = 0x4b0, BIN2BCD = 0x4bc, BCD2BIN = 0x4be };
enum {
    RTCBCD = 0x8000,
    RTCHOLD = 0x4000,
    RTCRDY = 0x1000,
    RTCTEV_SHIFT = 8,
    ENABLES = 0x00f0,
    FLAGS = 0x000f,
    ENABLE_SHIFT = 4,
    RTCOFIFG = 0x08,
    RTCTEVIFG = 0x04,
    RTCAIFG = 0x02,
    RTCRDYIFG = 0x01,
    CTL01_WRITABLE = 0xc3ff,
};
enum { PS_IE = 0x02, PS_IFG = 0x01, PS_BITS = 0x1f, ALARM_ENABLE = 0x80 };
enum { HZ = 32768, NOT_READY_TICKS = 128, CALIBRATION_BITS = 0x03bf };

/* Bytes from RTCSEC on. */
enum { SEC, MIN, HOUR, DOW, DAY, MON, YEAR_LOW, YEAR_HIGH, ALARM_MIN, ALARM_HOUR, ALARM_DOW, ALARM_DAY, BYTES };

struct hc_rtc_b {
    struct hc_device base;
    struct hc_sys *sys;
    struct hc_clock *clock; /* the crystal */
    hc_event tick;
    int vector;
    struct {
        uint16_t ctl01, ctl23, ps_ctl[2];
        uint64_t seen;      /* ticks of the crystal, up to which all this is worked out */
        uint16_t ps;        /* RT1PS:RT0PS: ticks within the second and its 128ths; the second is bit 15's fall */
        uint8_t now[BYTES]; /* as software sees them: binary or BCD */
        uint16_t bin2bcd, bcd2bin;
    } s;
};

/* ---- numbers ---- */

static unsigned from_bcd(unsigned bcd)
{
    return bcd % 16 + bcd / 16 % 16 * 10 + bcd / 256 % 16 * 100 + bcd / 4096 * 1000;
}

static unsigned to_bcd(unsigned binary)
{
    return binary % 10 | binary / 10 % 10 << 4 | binary / 100 % 10 << 8 | binary / 1000 % 10 << 12;
}

static unsigned get(const struct hc_rtc_b *r, int i)
{
    return r->s.ctl01 & RTCBCD ? from_bcd(r->s.now[i]) : r->s.now[i];
}

static void put(struct hc_rtc_b *r, int i, unsigned value)
{
    r->s.now[i] = (uint8_t)(r->s.ctl01 & RTCBCD ? to_bcd(value) : value);
}

static unsigned year(const struct hc_rtc_b *r)
{
    unsigned raw = r->s.now[YEAR_LOW] | (unsigned)r->s.now[YEAR_HIGH] << 8;

    return r->s.ctl01 & RTCBCD ? from_bcd(raw) : raw;
}

static void put_year(struct hc_rtc_b *r, unsigned value)
{
    unsigned raw = r->s.ctl01 & RTCBCD ? to_bcd(value) : value;

    r->s.now[YEAR_LOW] = (uint8_t)raw;
    r->s.now[YEAR_HIGH] = (uint8_t)(raw >> 8);
}

static unsigned days_of_month(unsigned month, unsigned in_year)
{
    static const uint8_t days[13] = { 31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return month == 2 && in_year % 4 == 0 ? 29 : days[month <= 12 ? month : 0];
}

/* ---- the calendar ---- */

/* Adds one to field I, which runs from FIRST to LAST; true when it starts over. */
static bool carry(struct hc_rtc_b *r, int i, unsigned first, unsigned last)
{
    bool over = get(r, i) >= last;

    put(r, i, over ? first : get(r, i) + 1);
    return over;
}

static void next_day(struct hc_rtc_b *r)
{
    carry(r, DOW, 0, 6);
    if (carry(r, DAY, 1, days_of_month(get(r, MON), year(r))) && carry(r, MON, 1, 12))
        put_year(r, year(r) + 1);
}

/* RTCTEVx: each minute, each hour, at midnight, at noon. */
static bool interval_ends(const struct hc_rtc_b *r)
{
    switch (r->s.ctl01 >> RTCTEV_SHIFT & 3) {
    case 0:
        return true;
    case 1:
        return !get(r, MIN);
    default:
        return !get(r, MIN) && get(r, HOUR) == (r->s.ctl01 >> RTCTEV_SHIFT & 1 ? 12u : 0u);
    }
}

/* All enabled fields of the alarm equal those of the time. */
static bool alarm_matches(const struct hc_rtc_b *r)
{
    static const uint8_t fields[4][2] = {
        { ALARM_MIN, MIN }, { ALARM_HOUR, HOUR }, { ALARM_DOW, DOW }, { ALARM_DAY, DAY }
    };
    bool any = false;

    for (int i = 0; i < 4; i++) {
        uint8_t alarm = r->s.now[fields[i][0]];
        if (!(alarm & ALARM_ENABLE))
            continue;
        any = true;
        if ((alarm & 0x7f) != r->s.now[fields[i][1]])
            return false;
    }
    return any;
}

static void next_second(struct hc_rtc_b *r)
{
    r->s.ctl01 |= RTCRDYIFG;
    if (!carry(r, SEC, 0, 59))
        return;
    if (carry(r, MIN, 0, 59) && carry(r, HOUR, 0, 23))
        next_day(r);
    if (interval_ends(r))
        r->s.ctl01 |= RTCTEVIFG;
    if (alarm_matches(r))
        r->s.ctl01 |= RTCAIFG;
}

/* Ticks of one period of prescaler I's interrupt. */
static unsigned ps_period(const struct hc_rtc_b *r, int i)
{
    return 2u << (r->s.ps_ctl[i] >> 2 & 7) << (i ? 8 : 0);
}

static void sync(struct hc_rtc_b *r, hc_time now)
{
    uint64_t ticks = hc_clock_ticks(r->clock, now), passed = ticks - r->s.seen;

    r->s.seen = ticks;
    if ((r->s.ctl01 & RTCHOLD) || !passed)
        return;
    for (int i = 0; i < 2; i++)
        if ((r->s.ps % ps_period(r, i)) + passed >= ps_period(r, i))
            r->s.ps_ctl[i] |= PS_IFG;
    uint64_t total = r->s.ps % HZ + passed;
    for (uint64_t seconds = total / HZ; seconds; seconds--)
        next_second(r);
    r->s.ps = (uint16_t)(r->s.ps + passed);
}

/* ---- interrupts ---- */

static uint16_t vector_word(const struct hc_rtc_b *r)
{
    unsigned pending = r->s.ctl01 & r->s.ctl01 >> ENABLE_SHIFT & FLAGS;

    if (pending & RTCRDYIFG)
        return 2;
    if (pending & RTCTEVIFG)
        return 4;
    if (pending & RTCAIFG)
        return 6;
    for (int i = 0; i < 2; i++)
        if ((r->s.ps_ctl[i] & (PS_IE | PS_IFG)) == (PS_IE | PS_IFG))
            return (uint16_t)(8 + 2 * i);
    return pending & RTCOFIFG ? 12 : 0;
}

static void clear_pending(struct hc_rtc_b *r)
{
    static const uint8_t flags[] = { 0, RTCRDYIFG, RTCTEVIFG, RTCAIFG, 0, 0, RTCOFIFG };
    uint16_t word = vector_word(r);

    r->s.ctl01 &= (uint16_t)~flags[word / 2];
    if (word == 8 || word == 10)
        r->s.ps_ctl[word / 2 - 4] &= (uint16_t)~PS_IFG;
}

/* When something changes that is seen without a read. */
static hc_time next_event(const struct hc_rtc_b *r)
{
    uint64_t ticks = UINT64_MAX;

    if (r->s.ctl01 & RTCHOLD)
        return HC_NEVER;
    if (r->s.ctl01 & ENABLES)
        ticks = HZ - r->s.ps % HZ;
    for (int i = 0; i < 2; i++) {
        uint64_t left = ps_period(r, i) - r->s.ps % ps_period(r, i);
        if ((r->s.ps_ctl[i] & (PS_IE | PS_IFG)) == PS_IE && left < ticks)
            ticks = left;
    }
    return ticks == UINT64_MAX ? HC_NEVER : hc_clock_time_of(r->clock, r->s.seen + ticks);
}

static void publish(struct hc_rtc_b *r)
{
    hc_interrupt(r->base.machine, r->vector, vector_word(r) != 0);
    if (vector_word(r))
        hc_sys_wake(r->sys);
    hc_event_arm(hc_events(r->base.machine), r->tick, next_event(r));
}

static hc_time tick(void *owner, hc_time now)
{
    struct hc_rtc_b *r = owner;

    sync(r, now);
    publish(r);
    return next_event(r);
}

/* ---- registers ---- */

static bool is_ready(const struct hc_rtc_b *r)
{
    return r->s.ctl01 & RTCHOLD || r->s.ps % HZ < HZ - NOT_READY_TICKS;
}

static uint16_t value_at(const struct hc_rtc_b *r, uint32_t word)
{
    switch (word) {
    case RTCCTL01:
        return (uint16_t)(r->s.ctl01 | (is_ready(r) ? RTCRDY : 0));
    case RTCCTL23:
        return r->s.ctl23;
    case RTCPS0CTL:
    case RTCPS1CTL:
        return r->s.ps_ctl[(word - RTCPS0CTL) / 2];
    case RTCPS:
        return r->s.ps;
    case RTCIV:
        return vector_word(r);
    case BIN2BCD:
        return r->s.bin2bcd;
    case BCD2BIN:
        return r->s.bcd2bin;
    default:
        if (word < RTCTIM0)
            return 0;
        return (uint16_t)(r->s.now[word - RTCTIM0] | r->s.now[word - RTCTIM0 + 1] << 8);
    }
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_rtc_b copy = *(struct hc_rtc_b *)d;

    sync(&copy, hc_now(d->machine));
    return hc_word_read(value_at(&copy, address & ~1u), address, size);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_rtc_b *r = (struct hc_rtc_b *)d;
    uint32_t word = address & ~1u;

    sync(r, hc_now(d->machine));
    uint16_t value = hc_word_read(value_at(r, word), address, size);
    if (word == RTCIV)
        clear_pending(r);
    if (word > RTCCTL23 && word < RTCPS0CTL)
        hc_unknown_register(d, address, false);
    publish(r);
    return value;
}

/* Writing the time starts the second anew: the prescalers are cleared with RTCSEC. */
static void write_time(struct hc_rtc_b *r, uint32_t word, uint16_t value)
{
    r->s.now[word - RTCTIM0] = (uint8_t)value;
    r->s.now[word - RTCTIM0 + 1] = (uint8_t)(value >> 8);
    if (word == RTCTIM0)
        r->s.ps = 0;
}

static void write_word(struct hc_rtc_b *r, uint32_t word, uint16_t value)
{
    switch (word) {
    case RTCCTL01:
        r->s.ctl01 = value & CTL01_WRITABLE;
        break;
    case RTCCTL23:
        r->s.ctl23 = value & CALIBRATION_BITS;
        break;
    case RTCPS0CTL:
    case RTCPS1CTL:
        r->s.ps_ctl[(word - RTCPS0CTL) / 2] = value & PS_BITS;
        break;
    case RTCPS:
        r->s.ps = value;
        break;
    case RTCIV:
        clear_pending(r);
        break;
    case BIN2BCD:
        r->s.bin2bcd = (uint16_t)to_bcd(value);
        break;
    case BCD2BIN:
        r->s.bcd2bin = (uint16_t)from_bcd(value);
        break;
    default:
        if (word >= RTCTIM0)
            write_time(r, word, value);
        else
            hc_unknown_register(&r->base, word, true);
    }
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_rtc_b *r = (struct hc_rtc_b *)d;
    uint32_t word = address & ~1u;

    sync(r, hc_now(d->machine));
    write_word(r, word, hc_word_written(value_at(r, word), address, value, size));
    publish(r);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_rtc_b *r = (struct hc_rtc_b *)d;

    (void)kind;
    sync(r, hc_now(d->machine));
    if (hc_sys_is_off(r->sys) || hc_sys_is_waking(r->sys)) { /* its supply stays on */
        publish(r);
        return;
    }
    if (hc_sys_is_bor(r->sys)) {
        r->s.ctl01 = RTCHOLD;
        r->s.ctl23 = r->s.ps_ctl[0] = r->s.ps_ctl[1] = 0;
    }
    r->s.ctl01 &= (uint16_t)~(ENABLES | FLAGS);
    r->s.ps_ctl[0] &= (uint16_t)~(PS_IE | PS_IFG);
    r->s.ps_ctl[1] &= (uint16_t)~(PS_IE | PS_IFG);
    publish(r);
}

static void power_off(struct hc_device *d)
{
    struct hc_rtc_b *r = (struct hc_rtc_b *)d;

    for (int i = 0; i < BYTES; i++)
        r->s.now[i] = 0;
    r->s.ps = r->s.bin2bcd = r->s.bcd2bin = 0;
    r->s.ctl01 = RTCHOLD;
}

static const struct hc_device_ops ops = {
    .name = "rtc_b",
    .help = "real-time clock and calendar",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .power_off = power_off,
};

struct hc_rtc_b *hc_rtc_b_new(struct hc_machine *m, struct hc_sys *sys, int vector)
{
    struct hc_rtc_b *r = HC_DEVICE_NEW(m, &ops, "rtc_b", struct hc_rtc_b);

    r->sys = sys;
    r->vector = vector;
    r->clock = hc_clock_new(m, "rtcclk");
    hc_clock_set(r->clock, hc_period(HZ), 0);
    r->s.ctl01 = RTCHOLD;
    r->tick = hc_event_new(hc_events(m), "rtc_b", tick, r);
    hc_device_claim(&r->base, BASE, BCD2BIN + 1);
    hc_device_owns_vector(&r->base, vector);
    return r;
}
