#include "ref_a.h"

#include "machine/device/msp430/word_register.h"

enum { REFCTL0 = 0x1b0, REFON = 0x01, REFTCOFF = 0x08, REFVSEL_SHIFT = 4, REFGENOT = 0x40, REFBGOT = 0x80 };
enum { REFGENACT = 0x0100, REFBGACT = 0x0200, REFGENRDY = 0x1000, REFBGRDY = 0x2000, STORED = 0x08fb, SETTLE_US = 75 };

struct hc_ref_a {
    struct hc_device base;
    struct {
        uint16_t ctl;
        bool on;
        hc_time ready_from;
    } s;
};

int32_t hc_ref_a_microvolts(const struct hc_ref_a *ref)
{
    static const int32_t microvolts[4] = { 1200000, 2000000, 2500000, 2500000 };

    return microvolts[ref->s.ctl >> REFVSEL_SHIFT & 3];
}

bool hc_ref_a_has_temperature(const struct hc_ref_a *ref)
{
    return ref->s.on && !(ref->s.ctl & REFTCOFF);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    const struct hc_ref_a *ref = (const struct hc_ref_a *)d;
    uint16_t value = ref->s.ctl & STORED & ~(REFGENOT | REFBGOT);

    if (ref->s.on)
        value |= REFGENACT | REFBGACT;
    if (ref->s.on && hc_now(d->machine) >= ref->s.ready_from)
        value |= REFGENRDY | REFBGRDY;
    return hc_word_read(value, address, size);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_ref_a *ref = (struct hc_ref_a *)d;

    ref->s.ctl = hc_word_written(ref->s.ctl, address, value, size) & STORED;
    bool on = ref->s.ctl & (REFON | REFGENOT | REFBGOT);
    if (on && !ref->s.on)
        ref->s.ready_from = hc_now(d->machine) + hc_us(SETTLE_US);
    ref->s.on = on;
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_ref_a *ref = (struct hc_ref_a *)d;

    (void)kind;
    ref->s.ctl = 0;
    ref->s.on = false;
}

static const struct hc_device_ops ops = {
    .name = "ref_a",
    .help = "voltage reference: 1.2, 2.0 or 2.5 V",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
};

struct hc_ref_a *hc_ref_a_new(struct hc_machine *m)
{
    struct hc_ref_a *ref = HC_DEVICE_NEW(m, &ops, "ref_a", struct hc_ref_a);

    hc_device_claim(&ref->base, REFCTL0, REFCTL0 + 1);
    return ref;
}
