#include "svs.h"

enum { SVSCTL = 0x55 };
enum { VLD_SHIFT = 4, VLD = 0xf0, PORON = 0x08, SVSON = 0x04, SVSOP = 0x02, SVSFG = 0x01 };
enum { EXTERNAL = 15, SWITCH_ON_US = 50, SETTLING_US = 12 };

/* By VLD, in millivolts: low below `falling`, no longer low from `falling` + `hysteresis` on. Typical values. */
static const struct {
    uint16_t falling, hysteresis;
} levels[16] = { { 0, 0 },     { 1900, 120 }, { 2100, 18 }, { 2200, 19 }, { 2300, 20 }, { 2400, 20 },
                 { 2500, 21 }, { 2650, 23 },  { 2800, 24 }, { 2900, 25 }, { 3050, 26 }, { 3200, 27 },
                 { 3350, 28 }, { 3500, 30 },  { 3700, 31 }, { 1200, 10 } };

struct hc_svs {
    struct hc_device base;
    hc_wire avcc, input, output;
    int driver;
    hc_event settled;
    struct {
        uint8_t ctl;  /* VLD, PORON and SVSFG */
        bool on;      /* SVSON */
        bool low;     /* SVSOP */
        bool held;    /* in reset until the voltage is back */
        bool powered; /* since the last brown-out */
    } s;
};

static int vld(const struct hc_svs *svs)
{
    return svs->s.ctl >> VLD_SHIFT;
}

static bool is_low(const struct hc_svs *svs)
{
    int64_t voltage = hc_wire_level(svs->base.machine, vld(svs) == EXTERNAL ? svs->input : svs->avcc);
    int64_t threshold = levels[vld(svs)].falling + (svs->s.low ? levels[vld(svs)].hysteresis : 0);

    return voltage < threshold * 1000;
}

static void evaluate(struct hc_svs *svs)
{
    bool was_low = svs->s.low;

    svs->s.low = svs->s.on && is_low(svs);
    hc_wire_drive(svs->base.machine, svs->output, svs->driver, svs->s.low ? HC_HIGH : HC_LOW);
    if (svs->s.low)
        svs->s.ctl |= SVSFG;
    bool becomes_low = svs->s.low && !was_low;
    bool is_back = svs->s.held && !svs->s.low; /* the reset then lets the CPU go */
    if (((svs->s.ctl & PORON) && becomes_low) || is_back)
        hc_request_reset(svs->base.machine, HC_POR);
}

static void voltage_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    (void)now;
    evaluate(owner);
}

static hc_time settled(void *owner, hc_time now)
{
    struct hc_svs *svs = owner;

    (void)now;
    svs->s.on = true;
    evaluate(svs);
    return HC_NEVER;
}

/* Byte-wide modules: a word access reaches the addressed byte only. */
static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_svs *svs = (struct hc_svs *)d;

    (void)address;
    (void)size;
    return (uint16_t)(svs->s.ctl | (svs->s.on ? SVSON : 0) | (svs->s.low ? SVSOP : 0));
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_svs *svs = (struct hc_svs *)d;
    struct hc_queue *events = hc_events(d->machine);
    int before = vld(svs);
    bool had_poron = svs->s.ctl & PORON;

    (void)address;
    (void)size;
    svs->s.ctl = value & (VLD | PORON | SVSFG);
    if (vld(svs) != before) {
        hc_time wait = hc_us(before ? SETTLING_US : SWITCH_ON_US);

        svs->s.on = false;
        hc_event_arm(events, svs->settled, vld(svs) ? hc_now(d->machine) + wait : HC_NEVER);
    }
    evaluate(svs);
    if (!had_poron && (svs->s.ctl & PORON) && (svs->s.ctl & SVSFG))
        hc_request_reset(svs->base.machine, HC_POR);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_svs *svs = (struct hc_svs *)d;

    (void)kind;
    if (!svs->s.powered) {
        svs->s.powered = true;
        svs->s.ctl = 0;
        svs->s.on = svs->s.low = svs->s.held = false;
        hc_event_cancel(hc_events(d->machine), svs->settled);
        evaluate(svs);
    }
    svs->s.held = svs->s.low && (svs->s.ctl & PORON);
    if (svs->s.held)
        hc_cpu_hold(d->machine, HC_NEVER);
}

static void power_off(struct hc_device *d)
{
    ((struct hc_svs *)d)->s.powered = false;
}

static const struct hc_device_ops ops = {
    .name = "svs",
    .help = "supply voltage supervisor",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .power_off = power_off,
};

struct hc_svs *hc_svs_new(struct hc_machine *m, hc_wire avcc)
{
    struct hc_svs *svs = HC_DEVICE_NEW(m, &ops, "svs", struct hc_svs);

    svs->avcc = avcc;
    svs->input = hc_wire_new_wide(m, "svsin", 32, NULL);
    svs->output = hc_wire_new(m, "svsout", 0);
    svs->driver = hc_wire_driver(m, svs->output);
    svs->settled = hc_event_new(hc_events(m), "svs.settled", settled, svs);
    hc_wire_listen(m, avcc, voltage_changed, svs);
    hc_wire_listen(m, svs->input, voltage_changed, svs);
    hc_device_claim(&svs->base, SVSCTL, SVSCTL);
    return svs;
}

hc_wire hc_svs_input(const struct hc_svs *svs)
{
    return svs->input;
}

hc_wire hc_svs_output(const struct hc_svs *svs)
{
    return svs->output;
}
