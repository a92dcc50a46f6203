#include "comparator_a.h"

#include "port.h"

#include <assert.h>

enum { CACTL1 = 0x59, CACTL2 = 0x5a, CAPD = 0x5b };
enum { CAEX = 0x80, CARSEL = 0x40, CAREF_SHIFT = 4, CAON = 0x08, CAIES = 0x04, CAIE = 0x02, CAIFG = 0x01 };
enum { P2CA0 = 0x04, CAF = 0x02, CAOUT = 0x01 };

enum { DIODE_MICROVOLTS = 550000, FILTER_NS = 1900 };

struct hc_comparator_a {
    struct hc_device base;
    int vector;
    hc_wire vcc;
    hc_wire input[2];
    hc_wire output;
    int driver;
    hc_event filter;
    struct hc_ports *ports; /* or NULL */
    int port;
    uint8_t port_mask;
    struct {
        uint8_t ctl1, ctl2, capd; /* ctl2 without CAOUT */
        bool out;
    } s;
};

/* ---- the analog part ---- */

static int64_t reference(const struct hc_comparator_a *ca)
{
    int64_t vcc = ca->vcc == HC_NO_WIRE ? 3000000 : hc_wire_level(ca->base.machine, ca->vcc);

    switch (ca->s.ctl1 >> CAREF_SHIFT & 3) {
    case 1:
        return vcc / 4;
    case 2:
        return vcc / 2;
    default:
        return DIODE_MICROVOLTS;
    }
}

static int64_t line(const struct hc_comparator_a *ca, int i)
{
    bool reference_on = ca->s.ctl1 >> CAREF_SHIFT & 3;

    if (reference_on && ((ca->s.ctl1 & CARSEL) != 0) == (i == 1))
        return reference(ca);
    return (ca->s.ctl2 & (P2CA0 << i)) ? hc_wire_level(ca->base.machine, ca->input[i]) : 0;
}

static bool compare(const struct hc_comparator_a *ca)
{
    int64_t zero = line(ca, 0), one = line(ca, 1);

    return ca->s.ctl1 & CAEX ? !(one > zero) : zero > one;
}

/* ---- the digital part ---- */

static void update_interrupt(struct hc_comparator_a *ca)
{
    hc_interrupt(ca->base.machine, ca->vector, (ca->s.ctl1 & (CAIE | CAIFG)) == (CAIE | CAIFG));
}

static void set_output(struct hc_comparator_a *ca, bool out)
{
    bool falling = ca->s.ctl1 & CAIES;

    if (out == ca->s.out)
        return;
    ca->s.out = out;
    if (out != falling)
        ca->s.ctl1 |= CAIFG;
    update_interrupt(ca);
    hc_wire_drive(ca->base.machine, ca->output, ca->driver, out ? HC_HIGH : HC_LOW);
}

static void evaluate(struct hc_comparator_a *ca, hc_time now)
{
    struct hc_queue *events = hc_events(ca->base.machine);
    bool out = (ca->s.ctl1 & CAON) && compare(ca);
    bool filtered = (ca->s.ctl1 & CAON) && (ca->s.ctl2 & CAF);

    if (!filtered || out == ca->s.out) {
        hc_event_cancel(events, ca->filter);
        set_output(ca, out);
    } else if (hc_event_time(events, ca->filter) == HC_NEVER) {
        hc_event_arm(events, ca->filter, now + hc_ns(FILTER_NS));
    }
}

static hc_time filter_passed(void *owner, hc_time now)
{
    struct hc_comparator_a *ca = owner;

    (void)now;
    set_output(ca, compare(ca));
    return HC_NEVER;
}

static void voltage_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    evaluate(owner, now);
}

/* ---- registers ---- */

static void write_control1(struct hc_comparator_a *ca, uint8_t value)
{
    bool falling = value & CAIES;
    bool edge = ((ca->s.ctl1 ^ value) & CAIES) && ca->s.out != falling;

    ca->s.ctl1 = (uint8_t)(value | (edge ? CAIFG : 0));
    evaluate(ca, hc_now(ca->base.machine));
    update_interrupt(ca);
}

static void write_port_disable(struct hc_comparator_a *ca, uint8_t value)
{
    ca->s.capd = value;
    if (ca->ports)
        hc_port_disable_inputs(ca->ports, ca->port, value & ca->port_mask);
}

/* Byte-wide modules: a word access reaches the addressed byte only. */
static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_comparator_a *ca = (struct hc_comparator_a *)d;

    (void)size;
    if (address == CACTL1)
        return ca->s.ctl1;
    if (address == CACTL2)
        return ca->s.ctl2 | (ca->s.out ? CAOUT : 0);
    return ca->s.capd;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_comparator_a *ca = (struct hc_comparator_a *)d;

    (void)size;
    if (address == CACTL1) {
        write_control1(ca, (uint8_t)value);
    } else if (address == CACTL2) {
        ca->s.ctl2 = (uint8_t)(value & ~CAOUT);
        evaluate(ca, hc_now(d->machine));
    } else {
        write_port_disable(ca, (uint8_t)value);
    }
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_comparator_a *ca = (struct hc_comparator_a *)d;

    (void)vector;
    ca->s.ctl1 &= (uint8_t)~CAIFG;
    update_interrupt(ca);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_comparator_a *ca = (struct hc_comparator_a *)d;

    if (kind == HC_POR) {
        ca->s.ctl1 = ca->s.ctl2 = 0;
        write_port_disable(ca, 0);
        evaluate(ca, hc_now(d->machine));
        ca->s.ctl1 = 0; /* the output falling is no event */
    }
    update_interrupt(ca);
}

static const struct hc_device_ops ops = {
    .name = "comparator_a",
    .help = "analog comparator with reference, output filter and interrupt",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .interrupt_accepted = interrupt_accepted,
};

struct hc_comparator_a *hc_comparator_a_new(struct hc_machine *m, hc_wire vcc, int vector)
{
    struct hc_comparator_a *ca = HC_DEVICE_NEW(m, &ops, "comparator_a", struct hc_comparator_a);

    ca->vcc = vcc;
    ca->vector = vector;
    ca->input[0] = hc_wire_new_wide(m, "comparator_a.ca0", 32, NULL);
    ca->input[1] = hc_wire_new_wide(m, "comparator_a.ca1", 32, NULL);
    for (int i = 0; i < 2; i++)
        hc_wire_listen(m, ca->input[i], voltage_changed, ca);
    if (vcc != HC_NO_WIRE)
        hc_wire_listen(m, vcc, voltage_changed, ca);
    ca->output = hc_wire_new(m, "caout", 0);
    ca->driver = hc_wire_driver(m, ca->output);
    ca->filter = hc_event_new(hc_events(m), "comparator_a.filter", filter_passed, ca);
    hc_device_owns_vector(&ca->base, vector);
    hc_device_claim(&ca->base, CACTL1, CAPD);
    return ca;
}

hc_wire hc_comparator_a_input(const struct hc_comparator_a *ca, int input)
{
    assert(input == 0 || input == 1);
    return ca->input[input];
}

hc_wire hc_comparator_a_output(const struct hc_comparator_a *ca)
{
    return ca->output;
}

void hc_comparator_a_connect_port(struct hc_comparator_a *ca, struct hc_ports *ports, int port, uint8_t mask)
{
    ca->ports = ports;
    ca->port = port;
    ca->port_mask = mask;
}
