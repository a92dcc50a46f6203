#include "watchdog.h"

#include "machine/device/msp430/watchdog_counter.h"

enum { WDTCTL = 0x120, VECTOR = 10 };
enum { WDTPW = 0x5a, READS = 0x69 };
enum { WDTHOLD = 0x80, WDTNMIES = 0x40, WDTNMI = 0x20, WDTTMSEL = 0x10, WDTCNTCL = 0x08, WDTSSEL = 0x04, WDTIS = 0x03 };

struct hc_watchdog {
    struct hc_device base;
    struct hc_sfr *sfr;
    struct hc_clock *aclk, *smclk;
    hc_event expiry;
    hc_wire rst_nmi;
    struct {
        uint8_t ctl;
        struct hc_watchdog_counter counter; /* WDTCNT */
    } s;
};

static const uint32_t interval_of_wdtis[4] = { 32768, 8192, 512, 64 };

static struct hc_clock *source(const struct hc_watchdog *w)
{
    return w->s.ctl & WDTSSEL ? w->aclk : w->smclk;
}

static bool interval_mode(const struct hc_watchdog *w)
{
    return w->s.ctl & WDTTMSEL;
}

static uint32_t interval(const struct hc_watchdog *w)
{
    return interval_of_wdtis[w->s.ctl & WDTIS];
}

static void sync(struct hc_watchdog *w, hc_time now)
{
    hc_watchdog_sync(&w->s.counter, source(w), now, interval(w), w->s.ctl & WDTHOLD);
}

/* In interval mode a flag that is already set cannot change: nothing to wait for until it is cleared. */
static hc_time next_expiry(const struct hc_watchdog *w)
{
    if ((w->s.ctl & WDTHOLD) || (interval_mode(w) && (hc_sfr_get(w->sfr, HC_IFG1) & HC_WDTIFG)))
        return HC_NEVER;
    return hc_clock_time_of(source(w), w->s.counter.tick + hc_watchdog_to_expiry(&w->s.counter, interval(w)));
}

static void update(struct hc_watchdog *w)
{
    bool request = interval_mode(w) && (hc_sfr_get(w->sfr, HC_IFG1) & hc_sfr_get(w->sfr, HC_IE1) & HC_WDTIFG);

    hc_interrupt(w->base.machine, VECTOR, request);
    hc_event_arm(hc_events(w->base.machine), w->expiry, next_expiry(w));
}

static void violate(struct hc_watchdog *w)
{
    hc_sfr_change(w->sfr, HC_IFG1, HC_WDTIFG, 0);
    hc_request_reset(w->base.machine, HC_PUC);
}

/* The interval is over. As a watchdog: the reset starts it again. */
static void end_interval(struct hc_watchdog *w)
{
    if (interval_mode(w))
        hc_sfr_change(w->sfr, HC_IFG1, HC_WDTIFG, 0);
    else
        violate(w);
}

static hc_time expire(void *owner, hc_time now)
{
    struct hc_watchdog *w = owner;

    sync(w, now);
    end_interval(w);
    if (!interval_mode(w))
        return HC_NEVER;
    update(w);
    return next_expiry(w);
}

static void clock_changing(void *owner, hc_time now)
{
    sync(owner, now);
}

static void clock_changed(void *owner, hc_time now)
{
    struct hc_watchdog *w = owner;

    (void)now;
    if (!(w->s.ctl & WDTHOLD))
        update(w);
}

static void flag_written(struct hc_device *d, enum hc_sfr_register reg, uint8_t value, uint8_t changed)
{
    struct hc_watchdog *w = (struct hc_watchdog *)d;

    (void)reg, (void)value, (void)changed;
    sync(w, hc_now(d->machine));
    update(w);
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_watchdog *w = (struct hc_watchdog *)d;

    (void)vector;
    hc_sfr_change(w->sfr, HC_IFG1, 0, HC_WDTIFG);
    sync(w, hc_now(d->machine));
    update(w);
}

/* ---- the RST/NMI pin ---- */

/* The pin's edge detector sees the selected edge as a rising one. */
static bool nmi_level(const struct hc_watchdog *w)
{
    return hc_wire_level(w->base.machine, w->rst_nmi) != !!(w->s.ctl & WDTNMIES);
}

static void pin_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_watchdog *w = owner;

    if (w->s.ctl & WDTNMI) {
        if (nmi_level(w))
            hc_sfr_change(w->sfr, HC_IFG1, HC_NMIIFG, 0);
        return;
    }
    (void)level, (void)now;
    hc_request_reset(w->base.machine, HC_POR); /* on both edges: reset() holds the CPU while it is low */
}

/* ---- the device ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_watchdog *w = (struct hc_watchdog *)d;

    (void)kind;
    w->s.ctl = 0;
    hc_watchdog_restart(&w->s.counter, source(w), hc_now(d->machine), interval(w), true);
    hc_sfr_change(w->sfr, HC_IFG1, 0, HC_NMIIFG);
    update(w);
    if (!hc_wire_level(d->machine, w->rst_nmi)) {
        hc_cpu_hold(d->machine, HC_NEVER);
        hc_event_cancel(hc_events(d->machine), w->expiry);
    }
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_watchdog *w = (struct hc_watchdog *)d;
    uint16_t value = (uint16_t)(READS << 8 | w->s.ctl);

    return size == 2 ? value : address & 1 ? value >> 8 : value & 0xff;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_watchdog *w = (struct hc_watchdog *)d;
    hc_time now = hc_now(d->machine);

    (void)address;
    if (size != 2 || value >> 8 != WDTPW) {
        violate(w);
        return;
    }
    sync(w, now);
    bool nmi_before = nmi_level(w);
    w->s.ctl = (uint8_t)(value & ~WDTCNTCL);
    if (hc_watchdog_restart(&w->s.counter, source(w), now, interval(w), value & WDTCNTCL))
        end_interval(w);
    if (!(w->s.ctl & WDTNMI))
        hc_sfr_change(w->sfr, HC_IFG1, 0, HC_NMIIFG);
    else if (nmi_level(w) && !nmi_before) /* changing the edge can be one */
        hc_sfr_change(w->sfr, HC_IFG1, HC_NMIIFG, 0);
    update(w);
}

static const struct hc_device_ops ops = {
    .name = "watchdog",
    .help = "watchdog and interval timer; RST/NMI pin",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .interrupt_accepted = interrupt_accepted,
};

struct hc_watchdog *hc_watchdog_new(struct hc_machine *m, struct hc_sfr *sfr, struct hc_clock *aclk,
                                    struct hc_clock *smclk)
{
    struct hc_watchdog *w = HC_DEVICE_NEW(m, &ops, "watchdog", struct hc_watchdog);

    w->sfr = sfr;
    w->aclk = aclk;
    w->smclk = smclk;
    w->expiry = hc_event_new(hc_events(m), "watchdog", expire, w);
    w->rst_nmi = hc_wire_new(m, "rst_nmi", 1);
    hc_wire_listen(m, w->rst_nmi, pin_changed, w);
    hc_device_claim(&w->base, WDTCTL, WDTCTL + 1);
    hc_device_owns_vector(&w->base, VECTOR);
    hc_sfr_own(sfr, HC_IFG1, HC_WDTIFG, &w->base, flag_written);
    hc_sfr_own(sfr, HC_IE1, HC_WDTIFG, &w->base, flag_written);
    struct hc_clock_listener listener = { clock_changing, clock_changed, w };
    hc_clock_listen(aclk, listener);
    hc_clock_listen(smclk, listener);
    return w;
}
