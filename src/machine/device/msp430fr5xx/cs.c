#include "cs.h"

#include "machine/device/msp430/word_register.h"

enum { CSCTL0, CSCTL1, CSCTL2, CSCTL3, CSCTL4, CSCTL5, CSCTL6, REGISTERS };
enum { BASE = 0x160, KEY = 0xa5, KEY_READ = 0x9600 };

enum { DCORSEL = 0x40, SMCLKOFF = 0x02, LFXTOFF = 0x01, HFXTOFF = 0x100 };
enum { LFXTOFFG = 0x01, HFXTOFFG = 0x02, ENSTFCNT1 = 0x40, SMCLKREQEN = 0x04 };
enum { SOURCE_LFXT, SOURCE_VLO, SOURCE_LFMOD, SOURCE_DCO, SOURCE_MOD, SOURCE_HFXT };

enum { VLO_HZ = 9400, MODOSC_HZ = 4800000, LFMOD_DIVIDER = 128, START_PERIODS = 1024 };

static const uint16_t mask[REGISTERS] = { 0, 0x004e, 0x0777, 0x0777, 0xdddb, 0x00c3, 0x000f };
static const uint16_t after_reset[REGISTERS] = { 0, 0x000c, 0x0033, 0x0033, 0xcdc9, 0x00c0, 0x0007 };

/* By DCORSEL and DCOFSELx. */
static const uint32_t dco_hz[2][8] = {
    { 1000000, 2670000, 3500000, 4000000, 5330000, 7000000, 8000000, 8000000 },
    { 1000000, 5330000, 7000000, 8000000, 16000000, 21000000, 24000000, 24000000 },
};

struct crystal {
    uint32_t hz;
    uint16_t off, fault, count; /* bits of CSCTL4, CSCTL5, CSCTL5 */
    uint8_t source;             /* of SELx */
    int pin;
};

struct hc_cs {
    struct hc_device base;
    struct hc_sys *sys;
    struct hc_clock *aclk, *smclk, *vloclk, *modclk, *lfmodclk;
    hc_event started;
    struct crystal crystal[2]; /* LFXT, HFXT */
    struct hc_digital_io *ports;
    int port;
    struct {
        uint16_t reg[REGISTERS];
        bool open;
        uint16_t sr;
        uint16_t smclk_users; /* a bit each */
        bool smclk_kept, aclk_kept;
        bool selected[2]; /* their pins */
        bool running[2];
        hc_time good_from[2]; /* no fault from then on */
    } s;
};

static int source_of(const struct hc_cs *cs, int shift)
{
    return cs->s.reg[CSCTL2] >> shift & 7;
}

/* ---- crystals ---- */

static bool is_asked_for(const struct hc_cs *cs, int i)
{
    int source = cs->crystal[i].source;

    if (!(cs->s.reg[CSCTL4] & cs->crystal[i].off))
        return true;
    return source_of(cs, 0) == source || source_of(cs, 4) == source || source_of(cs, 8) == source;
}

static bool is_good(const struct hc_cs *cs, int i, hc_time now)
{
    return cs->s.running[i] && now >= cs->s.good_from[i];
}

static void watch_crystals(struct hc_cs *cs, hc_time now)
{
    hc_time next = HC_NEVER;

    for (int i = 0; i < 2; i++) {
        const struct crystal *x = &cs->crystal[i];
        bool run = x->hz && cs->s.selected[i] && is_asked_for(cs, i);

        if (run && !cs->s.running[i])
            cs->s.good_from[i] = now + (cs->s.reg[CSCTL5] & x->count ? START_PERIODS * hc_period(x->hz) : 0);
        cs->s.running[i] = run;
        if (is_asked_for(cs, i) && !is_good(cs, i, now))
            cs->s.reg[CSCTL5] |= x->fault;
        if (run && cs->s.good_from[i] > now && cs->s.good_from[i] < next)
            next = cs->s.good_from[i];
    }
    if (cs->s.reg[CSCTL5] & (LFXTOFFG | HFXTOFFG))
        hc_sys_set_flag(cs->sys, HC_SYS_OF, true);
    hc_event_arm(hc_events(cs->base.machine), cs->started, next);
}

/* ---- the clocks ---- */

static hc_time source_period(const struct hc_cs *cs, int source, hc_time now)
{
    switch (source) {
    case SOURCE_LFXT:
        return is_good(cs, 0, now) ? hc_period(cs->crystal[0].hz) : hc_period(MODOSC_HZ / LFMOD_DIVIDER);
    case SOURCE_VLO:
        return hc_period(VLO_HZ);
    case SOURCE_LFMOD:
        return hc_period(MODOSC_HZ / LFMOD_DIVIDER);
    case SOURCE_MOD:
        return hc_period(MODOSC_HZ);
    case SOURCE_HFXT:
        return is_good(cs, 1, now) ? hc_period(cs->crystal[1].hz) : hc_period(MODOSC_HZ);
    default: /* also the reserved ones */
        return hc_period(dco_hz[!!(cs->s.reg[CSCTL1] & DCORSEL)][cs->s.reg[CSCTL1] >> 1 & 7]);
    }
}

/* A fault of a low-frequency source gives ACLK the low-frequency stand-in; it cannot have the fast sources. */
static hc_time aclk_period(const struct hc_cs *cs, hc_time now)
{
    int source = source_of(cs, 8);

    return source_period(cs, source > SOURCE_LFMOD ? SOURCE_LFMOD : source, now);
}

static hc_time divided(const struct hc_cs *cs, hc_time period, int shift)
{
    int log = cs->s.reg[CSCTL3] >> shift & 7;

    return period << (log > 5 ? 5 : log);
}

static bool smclk_runs(const struct hc_cs *cs)
{
    if (cs->s.reg[CSCTL4] & SMCLKOFF)
        return false;
    if (!(cs->s.sr & HC_SR_SCG1) || cs->s.smclk_kept)
        return true;
    return cs->s.smclk_users && (cs->s.reg[CSCTL6] & SMCLKREQEN);
}

static bool aclk_runs(const struct hc_cs *cs)
{
    return !(cs->s.sr & HC_SR_OSCOFF) || cs->s.aclk_kept;
}

static void apply(struct hc_cs *cs, hc_time now)
{
    watch_crystals(cs, now);
    hc_clock_set(hc_mclk(cs->base.machine), divided(cs, source_period(cs, source_of(cs, 0), now), 0), now);
    hc_clock_set(cs->smclk, smclk_runs(cs) ? divided(cs, source_period(cs, source_of(cs, 4), now), 4) : 0, now);
    hc_clock_set(cs->aclk, aclk_runs(cs) ? divided(cs, aclk_period(cs, now), 8) : 0, now);
    hc_clock_set(cs->vloclk, hc_period(VLO_HZ), now);
    hc_clock_set(cs->modclk, hc_period(MODOSC_HZ), now);
    hc_clock_set(cs->lfmodclk, hc_period(MODOSC_HZ / LFMOD_DIVIDER), now);
}

static hc_time started(void *owner, hc_time now)
{
    struct hc_cs *cs = owner;

    apply(cs, now);
    return hc_event_time(hc_events(cs->base.machine), cs->started);
}

void hc_cs_mode_changed(struct hc_cs *cs, uint16_t sr, hc_time now)
{
    cs->s.sr = sr;
    apply(cs, now);
}

void hc_cs_keep(struct hc_cs *cs, bool smclk, bool aclk)
{
    bool changed = cs->s.smclk_kept != smclk || cs->s.aclk_kept != aclk;

    cs->s.smclk_kept = smclk;
    cs->s.aclk_kept = aclk;
    if (changed && (cs->s.sr & (HC_SR_SCG1 | HC_SR_OSCOFF)))
        apply(cs, hc_now(cs->base.machine));
}

void hc_cs_request_smclk(struct hc_cs *cs, int user, bool request)
{
    uint16_t bit = (uint16_t)(1u << user), before = cs->s.smclk_users;

    cs->s.smclk_users = request ? before | bit : before & (uint16_t)~bit;
    if (!before != !cs->s.smclk_users && (cs->s.sr & HC_SR_SCG1))
        apply(cs, hc_now(cs->base.machine));
}

static void pins_changed(void *owner)
{
    struct hc_cs *cs = owner;

    for (int i = 0; i < 2; i++)
        cs->s.selected[i] = hc_digital_io_function(cs->ports, cs->port, cs->crystal[i].pin) == 1;
    apply(cs, hc_now(cs->base.machine));
}

void hc_cs_watch_pins(struct hc_cs *cs, struct hc_digital_io *ports, int port, int lfxin, int hfxin)
{
    cs->ports = ports;
    cs->port = port;
    cs->crystal[0].pin = lfxin;
    cs->crystal[1].pin = hfxin;
    hc_digital_io_on_select(ports, port, pins_changed, cs);
}

/* OFIFG was written: it is set again while a fault is flagged. */
static void ofifg_written(struct hc_device *d)
{
    watch_crystals((struct hc_cs *)d, hc_now(d->machine));
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_cs *cs = (struct hc_cs *)d;

    (void)kind;
    for (int i = 0; i < REGISTERS; i++)
        cs->s.reg[i] = after_reset[i];
    cs->s.open = false;
    cs->s.sr = 0;
    cs->s.smclk_users = 0;
    cs->s.smclk_kept = cs->s.aclk_kept = false;
    if (hc_sys_is_bor(cs->sys))
        cs->s.running[0] = cs->s.running[1] = false;
    apply(cs, hc_now(d->machine));
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    const struct hc_cs *cs = (const struct hc_cs *)d;
    int i = (int)(address - BASE) / 2;

    return hc_word_read(i == CSCTL0 ? KEY_READ : cs->s.reg[i], address, size);
}

/* The password may be written as a word or to the high byte alone, which also locks again by any other value. */
static void write_key(struct hc_cs *cs, uint32_t address, uint16_t value, int size)
{
    if (size == 1 && !(address & 1))
        return;
    bool right = (size == 2 ? value >> 8 : value) == KEY;

    if (size == 2 && !right)
        hc_sys_reset(cs->sys, HC_SYS_CSPW);
    cs->s.open = right;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_cs *cs = (struct hc_cs *)d;
    int i = (int)(address - BASE) / 2;

    if (i == CSCTL0) {
        write_key(cs, address, value, size);
        return;
    }
    if (!cs->s.open)
        return;
    cs->s.reg[i] = hc_word_written(cs->s.reg[i], address, value, size) & mask[i];
    apply(cs, hc_now(d->machine));
}

static const struct hc_device_ops ops = {
    .name = "cs",
    .help = "clock system: LFXT, HFXT, VLO, DCO, MODOSC; MCLK, SMCLK, ACLK",
    .reset = reset,
    .read = peek,
    .write = write,
    .peek = peek,
};

struct hc_cs *hc_cs_new(struct hc_machine *m, struct hc_sys *sys)
{
    struct hc_cs *cs = HC_DEVICE_NEW(m, &ops, "cs", struct hc_cs);

    cs->sys = sys;
    cs->aclk = hc_clock_new(m, "aclk");
    cs->smclk = hc_clock_new(m, "smclk");
    cs->vloclk = hc_clock_new(m, "vloclk");
    cs->modclk = hc_clock_new(m, "modclk");
    cs->lfmodclk = hc_clock_new(m, "lfmodclk");
    cs->started = hc_event_new(hc_events(m), "crystal started", started, cs);
    cs->crystal[0] = (struct crystal){ 0, LFXTOFF, LFXTOFFG, ENSTFCNT1, SOURCE_LFXT, 0 };
    cs->crystal[1] = (struct crystal){ 0, HFXTOFF, HFXTOFFG, ENSTFCNT1 << 1, SOURCE_HFXT, 0 };
    cs->s.selected[0] = cs->s.selected[1] = true;
    hc_cs_set_crystals(cs, 32768, 0);
    hc_device_claim(&cs->base, BASE, BASE + 2 * REGISTERS - 1);
    hc_sys_own(sys, HC_SYS_OF, &cs->base, ofifg_written);
    return cs;
}

void hc_cs_set_crystals(struct hc_cs *cs, uint32_t lfxt_hz, uint32_t hfxt_hz)
{
    cs->crystal[0].hz = lfxt_hz;
    cs->crystal[1].hz = hfxt_hz;
}

struct hc_clock *hc_cs_aclk(struct hc_cs *cs)
{
    return cs->aclk;
}

struct hc_clock *hc_cs_smclk(struct hc_cs *cs)
{
    return cs->smclk;
}

struct hc_clock *hc_cs_vloclk(struct hc_cs *cs)
{
    return cs->vloclk;
}

struct hc_clock *hc_cs_modclk(struct hc_cs *cs)
{
    return cs->modclk;
}

struct hc_clock *hc_cs_lfmodclk(struct hc_cs *cs)
{
    return cs->lfmodclk;
}
