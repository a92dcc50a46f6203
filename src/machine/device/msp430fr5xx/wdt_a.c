#include "wdt_a.h"

#include "machine/device/msp430/watchdog_counter.h"

enum { WDTCTL = 0x15c, WDTPW = 0x5a, READS = 0x69 };
enum { WDTHOLD = 0x80, WDTSSEL_SHIFT = 5, WDTTMSEL = 0x10, WDTCNTCL = 0x08, WDTIS = 0x07, AFTER_RESET = 0x04 };
enum { SMCLK, ACLK, VLOCLK, LFMODCLK, SOURCES };

struct hc_wdt_a {
    struct hc_device base;
    struct hc_sys *sys;
    struct hc_cs *cs;
    struct hc_clock *source[SOURCES]; /* by WDTSSELx */
    int vector;
    hc_event expiry;
    struct {
        uint8_t ctl;
        struct hc_watchdog_counter counter;
    } s;
};

static const uint8_t log_of_wdtis[8] = { 31, 27, 23, 19, 15, 13, 9, 6 };

static int ssel(const struct hc_wdt_a *w)
{
    return w->s.ctl >> WDTSSEL_SHIFT & 3;
}

static struct hc_clock *source(const struct hc_wdt_a *w)
{
    return w->source[ssel(w)];
}

static uint32_t interval(const struct hc_wdt_a *w)
{
    return 1u << log_of_wdtis[w->s.ctl & WDTIS];
}

static bool interval_mode(const struct hc_wdt_a *w)
{
    return w->s.ctl & WDTTMSEL;
}

static void keep_clock(struct hc_wdt_a *w)
{
    bool needed = !interval_mode(w) && !(w->s.ctl & WDTHOLD);

    hc_cs_keep(w->cs, needed && ssel(w) == SMCLK, needed && ssel(w) == ACLK);
}

static void sync(struct hc_wdt_a *w, hc_time now)
{
    hc_watchdog_sync(&w->s.counter, source(w), now, interval(w), w->s.ctl & WDTHOLD);
}

/* In interval mode a flag that is already set cannot change: nothing to wait for until it is cleared. */
static hc_time next_expiry(const struct hc_wdt_a *w)
{
    if ((w->s.ctl & WDTHOLD) || (interval_mode(w) && hc_sys_flag(w->sys, HC_SYS_WDT)))
        return HC_NEVER;
    return hc_clock_time_of(source(w), w->s.counter.tick + hc_watchdog_to_expiry(&w->s.counter, interval(w)));
}

static void update(struct hc_wdt_a *w)
{
    hc_interrupt(w->base.machine, w->vector,
                 interval_mode(w) && hc_sys_flag(w->sys, HC_SYS_WDT) && hc_sys_enabled(w->sys, HC_SYS_WDT));
    hc_event_arm(hc_events(w->base.machine), w->expiry, next_expiry(w));
}

static void end_interval(struct hc_wdt_a *w)
{
    hc_sys_set_flag(w->sys, HC_SYS_WDT, true);
    if (!interval_mode(w))
        hc_sys_reset(w->sys, HC_SYS_WDTTO);
}

static hc_time expire(void *owner, hc_time now)
{
    struct hc_wdt_a *w = owner;

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
    struct hc_wdt_a *w = owner;

    (void)now;
    if (!(w->s.ctl & WDTHOLD))
        update(w);
}

static void flag_written(struct hc_device *d)
{
    struct hc_wdt_a *w = (struct hc_wdt_a *)d;

    sync(w, hc_now(d->machine));
    update(w);
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    (void)vector;
    hc_sys_set_flag(((struct hc_wdt_a *)d)->sys, HC_SYS_WDT, false);
    flag_written(d);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_wdt_a *w = (struct hc_wdt_a *)d;

    (void)kind;
    w->s.ctl = hc_sys_is_off(w->sys) ? WDTHOLD : AFTER_RESET;
    keep_clock(w);
    hc_watchdog_restart(&w->s.counter, source(w), hc_now(d->machine), interval(w), true);
    update(w);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    uint16_t value = (uint16_t)(READS << 8 | ((struct hc_wdt_a *)d)->s.ctl);

    return size == 2 ? value : address & 1 ? value >> 8 : value & 0xff;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_wdt_a *w = (struct hc_wdt_a *)d;
    hc_time now = hc_now(d->machine);

    (void)address;
    if (size != 2 || value >> 8 != WDTPW) {
        hc_sys_reset(w->sys, HC_SYS_WDTKEY);
        return;
    }
    sync(w, now);
    w->s.ctl = (uint8_t)(value & ~WDTCNTCL);
    keep_clock(w);
    if (hc_watchdog_restart(&w->s.counter, source(w), now, interval(w), value & WDTCNTCL))
        end_interval(w);
    update(w);
}

static const struct hc_device_ops ops = {
    .name = "wdt_a",
    .help = "watchdog and interval timer",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .interrupt_accepted = interrupt_accepted,
};

struct hc_wdt_a *hc_wdt_a_new(struct hc_machine *m, struct hc_sys *sys, struct hc_cs *cs, int vector)
{
    struct hc_wdt_a *w = HC_DEVICE_NEW(m, &ops, "wdt_a", struct hc_wdt_a);
    struct hc_clock_listener listener = { clock_changing, clock_changed, w };

    w->sys = sys;
    w->cs = cs;
    w->source[SMCLK] = hc_cs_smclk(cs);
    w->source[ACLK] = hc_cs_aclk(cs);
    w->source[VLOCLK] = hc_cs_vloclk(cs);
    w->source[LFMODCLK] = hc_cs_lfmodclk(cs);
    w->vector = vector;
    w->expiry = hc_event_new(hc_events(m), "wdt_a", expire, w);
    hc_device_claim(&w->base, WDTCTL, WDTCTL + 1);
    hc_device_owns_vector(&w->base, vector);
    hc_sys_own(sys, HC_SYS_WDT, &w->base, flag_written);
    for (int i = 0; i < SOURCES; i++)
        hc_clock_listen(w->source[i], listener);
    return w;
}
