#include "port.h"

#include <assert.h>
#include <stdio.h>

enum { INPUTS_MAX = 2 };

enum port_register { IN, OUT, DIR, IFG, IES, IE, SEL, PORT_REGISTERS };

struct pin {
    struct hc_ports *ports;
    int port; /* from 0 */
    uint8_t bit;
    enum hc_port_direction direction;
    hc_wire wire;
    int driver;
    hc_wire module_output;
    int inputs;
    struct {
        hc_wire wire;
        int driver;
    } input[INPUTS_MAX];
};

struct hc_ports {
    struct hc_device base;
    struct pin pin[HC_PORTS][HC_PINS];
    struct {
        uint8_t value[HC_PORTS][PORT_REGISTERS]; /* IN holds the levels of pins whose input buffer is off */
        uint8_t disabled[HC_PORTS];              /* those pins */
    } s;
};

static const struct {
    uint8_t first; /* address of PxIN */
    int8_t vector; /* -1: no interrupts, and PxSEL follows PxDIR */
} map[HC_PORTS] = { { 0x20, 4 }, { 0x28, 1 }, { 0x18, -1 }, { 0x1c, -1 }, { 0x30, -1 }, { 0x34, -1 } };

static bool find_register(uint32_t address, int *port, enum port_register *reg)
{
    for (int i = 0; i < HC_PORTS; i++) {
        uint32_t offset = address - map[i].first;
        bool interrupts = map[i].vector >= 0;

        if (address < map[i].first || offset >= (interrupts ? PORT_REGISTERS : 4u))
            continue;
        *port = i;
        *reg = !interrupts && offset == 3 ? SEL : (enum port_register)offset;
        return true;
    }
    return false;
}

/* ---- pins ---- */

static bool is_selected(const struct pin *pin)
{
    return pin->ports->s.value[pin->port][SEL] & pin->bit;
}

static bool is_output(const struct pin *pin)
{
    if (is_selected(pin) && pin->direction != HC_DIRECTION_PXDIR)
        return pin->direction == HC_DIRECTION_OUT;
    return pin->ports->s.value[pin->port][DIR] & pin->bit;
}

static void drive(struct pin *pin)
{
    struct hc_machine *m = pin->ports->base.machine;
    enum hc_drive level = HC_RELEASE;

    if (is_output(pin) && !is_selected(pin))
        level = (pin->ports->s.value[pin->port][OUT] & pin->bit) ? HC_HIGH : HC_LOW;
    else if (is_output(pin))
        level = pin->module_output != HC_NO_WIRE && hc_wire_level(m, pin->module_output) ? HC_HIGH : HC_LOW;
    hc_wire_drive(m, pin->wire, pin->driver, level);
}

static bool level_of(const struct pin *pin)
{
    const struct hc_ports *ports = pin->ports;

    if (ports->s.disabled[pin->port] & pin->bit)
        return ports->s.value[pin->port][IN] & pin->bit;
    return hc_wire_level(ports->base.machine, pin->wire);
}

static void feed_module(struct pin *pin)
{
    if (!is_selected(pin))
        return;
    for (int i = 0; i < pin->inputs; i++)
        hc_wire_drive(pin->ports->base.machine, pin->input[i].wire, pin->input[i].driver,
                      level_of(pin) ? HC_HIGH : HC_LOW);
}

static void update_interrupt(struct hc_ports *ports, int port)
{
    const uint8_t *value = ports->s.value[port];

    if (map[port].vector >= 0)
        hc_interrupt(ports->base.machine, map[port].vector, value[IFG] & value[IE]);
}

static void pin_changed(void *owner, int32_t level, hc_time now)
{
    struct pin *pin = owner;
    uint8_t *value = pin->ports->s.value[pin->port];
    bool falling = value[IES] & pin->bit;

    (void)now;
    if (pin->ports->s.disabled[pin->port] & pin->bit)
        return;
    if (map[pin->port].vector >= 0 && !is_selected(pin) && (level != 0) != falling) {
        value[IFG] |= pin->bit;
        update_interrupt(pin->ports, pin->port);
    }
    feed_module(pin);
}

static void module_output_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    (void)now;
    drive(owner);
}

static uint8_t levels(const struct hc_ports *ports, int port)
{
    unsigned value = 0;

    for (int i = 0; i < HC_PINS; i++)
        if (level_of(&ports->pin[port][i]))
            value |= 1u << i;
    return (uint8_t)value;
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_ports *ports = (struct hc_ports *)d;

    (void)kind;
    for (int port = 0; port < HC_PORTS; port++) {
        uint8_t *value = ports->s.value[port];

        value[DIR] = value[IE] = value[SEL] = 0;
        for (int i = 0; i < HC_PINS; i++)
            drive(&ports->pin[port][i]);
        value[IFG] = 0; /* last: letting go of the pins makes edges */
        update_interrupt(ports, port);
    }
}

/* Byte-wide modules: a word access reaches the addressed byte only. */
static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_ports *ports = (struct hc_ports *)d;
    enum port_register reg;
    int port;

    (void)size;
    if (!find_register(address, &port, &reg))
        return 0;
    return reg == IN ? levels(ports, port) : ports->s.value[port][reg];
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    enum port_register reg;
    int port;

    if (!find_register(address, &port, &reg))
        hc_unknown_register(d, address, false);
    return peek(d, address, size);
}

static void write_edge_select(struct hc_ports *ports, int port, uint8_t value)
{
    uint8_t *s = ports->s.value[port];
    unsigned changed = s[IES] ^ value;

    /* The detector sees pin XOR select: it rises where the new select differs from the level. */
    s[IES] = value;
    s[IFG] |= (uint8_t)(changed & (levels(ports, port) ^ value) & ~s[SEL]);
}

static void update_pins(struct hc_ports *ports, int port, unsigned mask, bool selected)
{
    for (; mask; mask &= mask - 1) {
        struct pin *pin = &ports->pin[port][__builtin_ctz(mask)];

        drive(pin);
        if (selected)
            feed_module(pin);
    }
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_ports *ports = (struct hc_ports *)d;
    enum port_register reg;
    int port;

    (void)size;
    if (!find_register(address, &port, &reg)) {
        hc_unknown_register(d, address, true);
        return;
    }
    if (reg == IN)
        return;
    uint8_t changed = (uint8_t)(ports->s.value[port][reg] ^ value);
    if (reg == IES)
        write_edge_select(ports, port, (uint8_t)value);
    else
        ports->s.value[port][reg] = (uint8_t)value;
    if (reg == OUT || reg == DIR || reg == SEL)
        update_pins(ports, port, changed, reg == SEL);
    else
        update_interrupt(ports, port);
}

static const struct hc_device_ops ops = {
    .name = "port",
    .help = "digital I/O ports P1 to P6, with interrupts on P1 and P2",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
};

/* ---- wiring ---- */

static void make_pin(struct hc_ports *ports, int port, int number)
{
    struct hc_machine *m = ports->base.machine;
    struct pin *pin = &ports->pin[port][number];
    char name[8];

    snprintf(name, sizeof name, "p%d.%d", port + 1, number);
    pin->ports = ports;
    pin->port = port;
    pin->bit = (uint8_t)(1u << number);
    pin->wire = hc_wire_new(m, name, 0);
    pin->driver = hc_wire_driver(m, pin->wire);
    pin->module_output = HC_NO_WIRE;
    hc_wire_listen(m, pin->wire, pin_changed, pin);
}

struct hc_ports *hc_ports_new(struct hc_machine *m)
{
    struct hc_ports *ports = HC_DEVICE_NEW(m, &ops, "port", struct hc_ports);

    for (int port = 0; port < HC_PORTS; port++) {
        for (int i = 0; i < HC_PINS; i++)
            make_pin(ports, port, i);
        if (map[port].vector >= 0)
            hc_device_owns_vector(&ports->base, map[port].vector);
    }
    hc_device_claim(&ports->base, 0x18, 0x2f);
    hc_device_claim(&ports->base, 0x30, 0x37);
    return ports;
}

static struct pin *pin_of(struct hc_ports *ports, int port, int pin)
{
    assert(port >= 1 && port <= HC_PORTS && pin >= 0 && pin < HC_PINS);
    return &ports->pin[port - 1][pin];
}

hc_wire hc_port_pin(const struct hc_ports *ports, int port, int pin)
{
    assert(port >= 1 && port <= HC_PORTS && pin >= 0 && pin < HC_PINS);
    return ports->pin[port - 1][pin].wire;
}

void hc_port_module_output(struct hc_ports *ports, int port, int pin, hc_wire wire)
{
    struct pin *p = pin_of(ports, port, pin);

    p->module_output = wire;
    hc_wire_listen(ports->base.machine, wire, module_output_changed, p);
}

void hc_port_module_input(struct hc_ports *ports, int port, int pin, hc_wire wire)
{
    struct pin *p = pin_of(ports, port, pin);
    int i = p->inputs++;

    assert(i < INPUTS_MAX);
    p->input[i].wire = wire;
    p->input[i].driver = hc_wire_driver(ports->base.machine, wire);
}

void hc_port_module_direction(struct hc_ports *ports, int port, int pin, enum hc_port_direction direction)
{
    pin_of(ports, port, pin)->direction = direction;
}

void hc_port_disable_inputs(struct hc_ports *ports, int port, uint8_t mask)
{
    assert(port >= 1 && port <= HC_PORTS);
    int i = port - 1;
    uint8_t before = levels(ports, i);
    unsigned changed;

    ports->s.value[i][IN] = before;
    ports->s.disabled[i] = mask;
    changed = before ^ levels(ports, i);
    for (int n = 0; n < HC_PINS; n++)
        if (changed >> n & 1)
            pin_changed(&ports->pin[i][n], level_of(&ports->pin[i][n]), hc_now(ports->base.machine));
}
