#include "basic_clock.h"

enum { DCOCTL = 0x56, BCSCTL1 = 0x57, BCSCTL2 = 0x58 };
enum { DCOCTL_PUC = 0x60, BCSCTL1_POR = 0x80, BCSCTL1_PUC = 0x04, BCSCTL1_KEPT = 0xf0 }; /* KEPT: by a PUC */
enum { XT2OFF = 0x80, XTS = 0x40, RSEL = 0x07, SELS = 0x08, DCOR = 0x01 };
enum { SELM_XT2 = 2, SELM_LFXT1 = 3 };
enum { HF_CRYSTAL = 450000, INTERNAL_ROSC = 260000 };
enum { DCO_START_NS = 6000, FAULT_NS = 50000 };

struct hc_basic_clock {
    struct hc_device base;
    struct hc_sfr *sfr;
    struct hc_clock *aclk, *smclk;
    hc_event dco_started, fault_check;
    uint32_t lfxt1_hz, xt2_hz, rosc;
    hc_time lfxt1_period, xt2_period;
    struct {
        uint8_t dcoctl, bcsctl1, bcsctl2;
        uint16_t sr;
        bool dc_generator;
        hc_time dco_ready, dco_period;
        bool xt2_on, lfxt1_hf_on;
        bool xt2_fault, lfxt1_fault;
        bool stands_in; /* the DCO, for MCLK's crystal that fails */
        int16_t wander; /* the DCO's present error, in 1/51,200 of its period */
        uint32_t random;
    } s;
};

/* ---- the DCO ---- */

/* Typical frequency with DCOx = 3 at 3 V, for each RSELx. */
static const uint16_t khz_of_rsel[8] = { 130, 180, 280, 470, 750, 1300, 2000, 3200 };

/* Relative to DCOx = 3: each step 1.1118, so that DCOx = 7 is 2.1 times DCOx = 0. In 1/10,000. */
static const uint16_t ratio_of_dco[8] = { 7277, 8090, 8995, 10000, 11118, 12361, 13743, 15279 };

static hc_time tap_period(const struct hc_basic_clock *c, int dco)
{
    hc_time period = hc_period(khz_of_rsel[c->s.bcsctl1 & RSEL] * (uint32_t)ratio_of_dco[dco] / 10);
    return (c->s.bcsctl2 & DCOR) && !c->s.stands_in ? period * c->rosc / INTERNAL_ROSC : period;
}

/* The result is kept: clocks start and stop with every sleep, and this takes three divisions. */
static void set_dco_period(struct hc_basic_clock *c)
{
    int dco = c->s.dcoctl >> 5;
    unsigned mod = c->s.dcoctl & 0x1f;
    hc_time period = tap_period(c, dco);

    if (dco < 7) /* there is no eighth tap to mix with */
        period = ((32 - mod) * period + mod * tap_period(c, dco + 1) + 16) / 32;
    c->s.dco_period = (hc_time)((int64_t)period + (int64_t)period * c->s.wander / 51200);
}

static void draw_wander(struct hc_basic_clock *c)
{
    uint32_t x = c->s.random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    c->s.random = x;
    c->s.wander = (int16_t)((int)(x >> 24) - 128);
}

/* ---- who needs what ---- */

static int selm(const struct hc_basic_clock *c)
{
    return c->s.bcsctl2 >> 6;
}

static bool crystal_fits(const struct hc_basic_clock *c)
{
    return c->lfxt1_hz && (c->lfxt1_hz >= HF_CRYSTAL) == !!(c->s.bcsctl1 & XTS);
}

static bool cpu_on(const struct hc_basic_clock *c)
{
    return !(c->s.sr & HC_SR_CPUOFF);
}

static bool smclk_on(const struct hc_basic_clock *c)
{
    return !(c->s.sr & HC_SR_SCG1);
}

static bool lfxt1_on(const struct hc_basic_clock *c)
{
    return !(c->s.sr & HC_SR_OSCOFF) || (selm(c) == SELM_LFXT1 && cpu_on(c));
}

static bool xt2_on(const struct hc_basic_clock *c)
{
    return !(c->s.bcsctl1 & XT2OFF) || (selm(c) == SELM_XT2 && cpu_on(c)) || ((c->s.bcsctl2 & SELS) && smclk_on(c));
}

/* MCLK's crystal is watched and fails. */
static bool mclk_fails(const struct hc_basic_clock *c)
{
    if (selm(c) == SELM_XT2)
        return xt2_on(c) && c->s.xt2_fault;
    return selm(c) == SELM_LFXT1 && (c->s.bcsctl1 & XTS) && lfxt1_on(c) && c->s.lfxt1_fault;
}

/* The DCO also takes the place of a crystal that is off; the CPU is, too, but the DMA controller may want MCLK. */
static bool mclk_from_dco(const struct hc_basic_clock *c)
{
    if (selm(c) == SELM_XT2)
        return !xt2_on(c) || mclk_fails(c);
    return selm(c) != SELM_LFXT1 || !lfxt1_on(c) || mclk_fails(c);
}

static bool dco_needed(const struct hc_basic_clock *c)
{
    return (mclk_from_dco(c) && cpu_on(c)) || (!(c->s.bcsctl2 & SELS) && smclk_on(c));
}

/* ---- from the oscillators to the clocks ---- */

/* Starting and stopping set OFIFG; one that starts is at fault until it has run for 50 us. */
static void watch(struct hc_basic_clock *c, bool *was_on, bool on, bool *fault, hc_time now)
{
    if (on == *was_on)
        return;
    *was_on = *fault = on;
    hc_sfr_change(c->sfr, HC_IFG1, HC_OFIFG, 0);
    if (on)
        hc_event_arm(hc_events(c->base.machine), c->fault_check, now + hc_ns(FAULT_NS));
}

static void update_faults(struct hc_basic_clock *c, hc_time now)
{
    watch(c, &c->s.xt2_on, xt2_on(c), &c->s.xt2_fault, now);
    watch(c, &c->s.lfxt1_hf_on, (c->s.bcsctl1 & XTS) && lfxt1_on(c), &c->s.lfxt1_fault, now);
    if (c->s.xt2_fault || c->s.lfxt1_fault)
        hc_sfr_change(c->sfr, HC_IFG1, HC_OFIFG, 0);
    if (mclk_fails(c) == c->s.stands_in)
        return;
    c->s.stands_in = !c->s.stands_in;
    set_dco_period(c);
}

static void update_dco(struct hc_basic_clock *c, hc_time now)
{
    bool on = dco_needed(c) || !(c->s.sr & HC_SR_SCG0);

    if (on && !c->s.dc_generator) {
        c->s.dco_ready = now + hc_ns(DCO_START_NS);
        hc_event_arm(hc_events(c->base.machine), c->dco_started, c->s.dco_ready);
    } else if (!on) {
        hc_event_cancel(hc_events(c->base.machine), c->dco_started);
    }
    c->s.dc_generator = on;
    if (on && now < c->s.dco_ready && mclk_from_dco(c) && cpu_on(c))
        hc_cpu_hold(c->base.machine, c->s.dco_ready);
}

static hc_time mclk_period(const struct hc_basic_clock *c)
{
    if (mclk_from_dco(c))
        return c->s.dco_period;
    if (selm(c) == SELM_XT2)
        return c->xt2_period; /* there, or it would be at fault */
    return crystal_fits(c) ? c->lfxt1_period : 0;
}

static hc_time smclk_period(const struct hc_basic_clock *c, hc_time now)
{
    if (!smclk_on(c))
        return 0;
    if (c->s.bcsctl2 & SELS)
        return c->xt2_period;
    return now < c->s.dco_ready ? 0 : c->s.dco_period;
}

/* Brings everything in line with the registers and SR. */
static void apply(struct hc_basic_clock *c, hc_time now)
{
    update_faults(c, now);
    update_dco(c, now);
    hc_clock_set(hc_mclk(c->base.machine), mclk_period(c) << (c->s.bcsctl2 >> 4 & 3), now);
    hc_clock_set(c->smclk, smclk_period(c, now) << (c->s.bcsctl2 >> 1 & 3), now);
    hc_time lfxt1 = lfxt1_on(c) && crystal_fits(c) ? c->lfxt1_period : 0;
    hc_clock_set(c->aclk, lfxt1 << (c->s.bcsctl1 >> 4 & 3), now);
}

static hc_time dco_started(void *owner, hc_time now)
{
    apply(owner, now);
    return HC_NEVER;
}

static hc_time fault_check(void *owner, hc_time now)
{
    struct hc_basic_clock *c = owner;

    if (c->s.xt2_on)
        c->s.xt2_fault = !c->xt2_hz;
    if (c->s.lfxt1_hf_on)
        c->s.lfxt1_fault = !crystal_fits(c);
    apply(c, now);
    return HC_NEVER;
}

static void power_changed(void *owner, uint16_t sr, hc_time now)
{
    struct hc_basic_clock *c = owner;

    c->s.sr = sr;
    apply(c, now);
}

/* OFIFG cannot be cleared while the fault lasts. */
static void ofifg_written(struct hc_device *d, enum hc_sfr_register reg, uint8_t value, uint8_t changed)
{
    struct hc_basic_clock *c = (struct hc_basic_clock *)d;

    (void)reg, (void)value, (void)changed;
    if (c->s.xt2_fault || c->s.lfxt1_fault)
        hc_sfr_change(c->sfr, HC_IFG1, HC_OFIFG, 0);
}

/* ---- the device ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_basic_clock *c = (struct hc_basic_clock *)d;
    hc_time now = hc_now(d->machine);

    if (kind == HC_POR) {
        c->s.random = 0x2545f491;
        c->s.bcsctl1 = BCSCTL1_POR;
        c->s.xt2_on = c->s.xt2_fault = false;
        c->s.lfxt1_hf_on = c->s.lfxt1_fault = false;
        c->s.stands_in = false;
        hc_event_cancel(hc_events(d->machine), c->fault_check);
    }
    c->s.dcoctl = DCOCTL_PUC;
    c->s.bcsctl1 = (uint8_t)((c->s.bcsctl1 & BCSCTL1_KEPT) | BCSCTL1_PUC);
    c->s.bcsctl2 = 0;
    c->s.sr = 0;
    c->s.wander = 0;
    c->s.dc_generator = true;
    c->s.dco_ready = now;
    hc_event_cancel(hc_events(d->machine), c->dco_started);
    hc_sfr_change(c->sfr, HC_IFG1, HC_OFIFG, 0);
    set_dco_period(c);
    apply(c, now);
}

static uint8_t *register_at(struct hc_basic_clock *c, uint32_t address)
{
    return address == DCOCTL ? &c->s.dcoctl : address == BCSCTL1 ? &c->s.bcsctl1 : &c->s.bcsctl2;
}

/* Byte-wide modules: a word access reaches the addressed byte only. */
static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    (void)size;
    return *register_at((struct hc_basic_clock *)d, address);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_basic_clock *c = (struct hc_basic_clock *)d;
    uint8_t *reg = register_at(c, address);
    uint8_t changed = (uint8_t)(*reg ^ value);

    (void)size;
    *reg = (uint8_t)value;
    if (address == BCSCTL2 && (changed & DCOR) && (value & DCOR) && !c->rosc)
        hc_note(d->machine, "%s: DCOR is set without a resistor at Rosc: the DCO stops", d->name);
    if ((address == DCOCTL && changed) || (address == BCSCTL1 && (changed & RSEL)))
        draw_wander(c);
    set_dco_period(c);
    apply(c, hc_now(d->machine));
}

static const struct hc_device_ops ops = {
    .name = "basic_clock",
    .help = "basic clock module: DCO, LFXT1, XT2; MCLK, SMCLK, ACLK",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
};

struct hc_basic_clock *hc_basic_clock_new(struct hc_machine *m, struct hc_sfr *sfr)
{
    struct hc_basic_clock *c = HC_DEVICE_NEW(m, &ops, "basic_clock", struct hc_basic_clock);

    c->sfr = sfr;
    c->aclk = hc_clock_new(m, "aclk");
    c->smclk = hc_clock_new(m, "smclk");
    c->dco_started = hc_event_new(hc_events(m), "dco started", dco_started, c);
    c->fault_check = hc_event_new(hc_events(m), "oscillator fault", fault_check, c);
    hc_device_claim(&c->base, DCOCTL, BCSCTL2);
    hc_set_power_listener(m, power_changed, c);
    hc_sfr_own(sfr, HC_IFG1, HC_OFIFG, &c->base, ofifg_written);
    hc_basic_clock_set_crystals(c, 32768, 0);
    return c;
}

void hc_basic_clock_set_crystals(struct hc_basic_clock *c, uint32_t lfxt1_hz, uint32_t xt2_hz)
{
    c->lfxt1_hz = lfxt1_hz;
    c->xt2_hz = xt2_hz;
    c->lfxt1_period = lfxt1_hz ? hc_period(lfxt1_hz) : 0;
    c->xt2_period = xt2_hz ? hc_period(xt2_hz) : 0;
}

void hc_basic_clock_set_rosc(struct hc_basic_clock *c, uint32_t ohms)
{
    c->rosc = ohms;
}

struct hc_clock *hc_basic_clock_aclk(struct hc_basic_clock *c)
{
    return c->aclk;
}

struct hc_clock *hc_basic_clock_smclk(struct hc_basic_clock *c)
{
    return c->smclk;
}

hc_time hc_basic_clock_startup(void *clock, hc_time now)
{
    const struct hc_basic_clock *c = clock;

    if (!mclk_from_dco(c))
        return 0;
    if (!c->s.dc_generator)
        return hc_ns(DCO_START_NS);
    return now < c->s.dco_ready ? c->s.dco_ready - now : 0;
}
