#include "digital_io.h"

#include "machine/device/msp430/word_register.h"

#include <assert.h>
#include <stdio.h>

enum { PINS = 8, FUNCTIONS = 4, INPUTS_MAX = 3 };

enum io_register { IN, OUT, DIR, REN, SEL0, SEL1, SELC, IES, IE, IFG, IO_REGISTERS, IV, NO_REGISTER };

/* Offset of a word / 2: the register, or of which of the two ports it is the PxIV. */
static const uint8_t layout[16] = {
    [0x00 / 2] = IN,          [0x02 / 2] = OUT,         [0x04 / 2] = DIR,         [0x06 / 2] = REN,
    [0x08 / 2] = NO_REGISTER, [0x0a / 2] = SEL0,        [0x0c / 2] = SEL1,        [0x0e / 2] = IV,
    [0x10 / 2] = NO_REGISTER, [0x12 / 2] = NO_REGISTER, [0x14 / 2] = NO_REGISTER, [0x16 / 2] = SELC,
    [0x18 / 2] = IES,         [0x1a / 2] = IE,          [0x1c / 2] = IFG,         [0x1e / 2] = IV,
};

enum { BASE = 0x200, PAIR = 0x20, BASE_PJ = 0x320 }; /* PxIN of P1 and P2, P3 and P4, ...; of PJ */
static const char letters[HC_IO_PORTS] = "12345678j";

struct pin {
    struct hc_digital_io *io;
    int port;
    uint8_t bit;
    hc_wire wire;
    int driver;
    hc_wire output[FUNCTIONS]; /* by PxSELx */
    uint8_t always;            /* a bit a function: PxDIR does not matter */
    int inputs;
    struct {
        hc_wire wire;
        int driver;
        int function;
    } input[INPUTS_MAX];
};

struct hc_digital_io {
    struct hc_device base;
    struct hc_pmm *pmm;
    int ports;               /* beside PJ */
    int vector[HC_IO_PORTS]; /* -1: none */
    struct pin pin[HC_IO_PORTS][PINS];
    struct {
        hc_digital_io_fn *call;
        void *owner;
    } on_select[HC_IO_PORTS];
    struct {
        uint8_t value[HC_IO_PORTS][IO_REGISTERS]; /* IN and SELC stay 0 */
        bool held;                                /* since LPMx.5 */
    } s;
};

/* ---- pins ---- */

static int function_of(const struct pin *pin)
{
    const uint8_t *value = pin->io->s.value[pin->port];

    return (value[SEL1] & pin->bit ? 2 : 0) + (value[SEL0] & pin->bit ? 1 : 0);
}

static enum hc_drive level_to_drive(const struct pin *pin)
{
    const uint8_t *value = pin->io->s.value[pin->port];
    int function = function_of(pin);
    bool out = (value[DIR] & pin->bit) || (pin->always >> function & 1);

    if (!out || hc_pmm_is_locked(pin->io->pmm))
        return HC_RELEASE;
    if (!function)
        return value[OUT] & pin->bit ? HC_HIGH : HC_LOW;
    hc_wire output = pin->output[function];
    return output != HC_NO_WIRE && hc_wire_level(pin->io->base.machine, output) ? HC_HIGH : HC_LOW;
}

/* The pull resistor moves a wire that nobody else drives or pulls: a board's pull wins when PxREN is off. */
static void drive(struct pin *pin)
{
    const uint8_t *value = pin->io->s.value[pin->port];
    struct hc_machine *m = pin->io->base.machine;

    if (pin->io->s.held || hc_sys_is_off(hc_pmm_sys(pin->io->pmm)))
        return;
    if ((value[REN] & pin->bit) && !(value[DIR] & pin->bit))
        hc_wire_set_pull(m, pin->wire, !!(value[OUT] & pin->bit));
    hc_wire_drive(m, pin->wire, pin->driver, level_to_drive(pin));
}

static void feed_modules(struct pin *pin)
{
    struct hc_machine *m = pin->io->base.machine;

    for (int i = 0; i < pin->inputs; i++)
        if (pin->input[i].function == function_of(pin))
            hc_wire_drive(m, pin->input[i].wire, pin->input[i].driver, hc_wire_level(m, pin->wire) ? HC_HIGH : HC_LOW);
}

static void update_interrupt(struct hc_digital_io *io, int port)
{
    if (io->vector[port] >= 0)
        hc_interrupt(io->base.machine, io->vector[port], io->s.value[port][IFG] & io->s.value[port][IE]);
    if (io->s.value[port][IFG] & io->s.value[port][IE])
        hc_sys_wake(hc_pmm_sys(io->pmm));
}

static void pin_changed(void *owner, int32_t level, hc_time now)
{
    struct pin *pin = owner;
    uint8_t *value = pin->io->s.value[pin->port];
    bool falling = value[IES] & pin->bit;

    (void)now;
    if (pin->io->vector[pin->port] >= 0 && (level != 0) != falling) {
        value[IFG] |= pin->bit;
        update_interrupt(pin->io, pin->port);
    }
    feed_modules(pin);
}

static void output_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    (void)now;
    drive(owner);
}

/* The port after PORT that this part has, PJ being the last; HC_IO_PORTS when there is none. */
static int next_port(const struct hc_digital_io *io, int port)
{
    return ++port == io->ports ? HC_IO_PJ : port;
}

static void lock_changed(void *owner, bool locked)
{
    struct hc_digital_io *io = owner;

    io->s.held &= locked;
    for (int port = 0; port < HC_IO_PORTS; port = next_port(io, port))
        for (int i = 0; i < PINS; i++)
            drive(&io->pin[port][i]);
}

static uint8_t levels(const struct hc_digital_io *io, int port)
{
    unsigned value = 0;

    for (int i = 0; i < PINS; i++)
        value |= (hc_wire_level(io->base.machine, io->pin[port][i].wire) ? 1u : 0) << i;
    return (uint8_t)value;
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_digital_io *io = (struct hc_digital_io *)d;
    struct hc_sys *sys = hc_pmm_sys(io->pmm);

    (void)kind;
    io->s.held = hc_sys_is_off(sys) || hc_sys_is_waking(sys) || (io->s.held && !hc_sys_is_bor(sys));
    for (int port = 0; port < HC_IO_PORTS; port = next_port(io, port)) {
        uint8_t *value = io->s.value[port];

        if (hc_sys_is_off(sys)) {
            update_interrupt(io, port);
            continue;
        }
        value[DIR] = value[REN] = value[SEL0] = value[SEL1] = value[IE] = 0;
        for (int i = 0; i < PINS; i++)
            drive(&io->pin[port][i]);
        if (!hc_sys_is_waking(sys))
            value[IFG] = 0; /* last: letting go of the pins makes edges */
        update_interrupt(io, port);
        if (io->on_select[port].call)
            io->on_select[port].call(io->on_select[port].owner);
    }
}

static void power_off(struct hc_device *d)
{
    struct hc_digital_io *io = (struct hc_digital_io *)d;

    io->s.held = false;
    for (int port = 0; port < HC_IO_PORTS; port = next_port(io, port)) {
        io->s.value[port][OUT] = io->s.value[port][IES] = io->s.value[port][DIR] = 0;
        for (int i = 0; i < PINS; i++)
            hc_wire_drive(d->machine, io->pin[port][i].wire, io->pin[port][i].driver, HC_RELEASE);
    }
}

/* The port and register of one byte; IV stands for PxIV of the port. */
static enum io_register find_register(uint32_t address, int *port)
{
    uint32_t offset = address & 0x1f;
    enum io_register reg = (enum io_register)layout[offset / 2];

    *port = address >= BASE_PJ ? HC_IO_PJ : (int)((address - BASE) / PAIR * 2 + (address & 1));
    if (reg == IV && address < BASE_PJ)
        *port = (*port & ~1) + (offset >= 0x1e);
    if (*port == HC_IO_PJ && ((address & 1) || reg == IV || reg == IES || reg == IE || reg == IFG))
        return NO_REGISTER;
    return reg;
}

static uint16_t vector_word(const struct hc_digital_io *io, int port)
{
    unsigned pending = io->s.value[port][IFG] & io->s.value[port][IE];

    return pending ? (uint16_t)(2 * (__builtin_ctz(pending) + 1)) : 0;
}

static void clear_pending(struct hc_digital_io *io, int port)
{
    uint16_t word = vector_word(io, port);

    if (word)
        io->s.value[port][IFG] &= (uint8_t)~(1u << (word / 2 - 1));
    update_interrupt(io, port);
}

static uint8_t byte_at(const struct hc_digital_io *io, uint32_t address)
{
    int port;
    enum io_register reg = find_register(address, &port);

    if (reg == IV)
        return address & 1 ? 0 : (uint8_t)vector_word(io, port);
    return reg == IN ? levels(io, port) : reg < IO_REGISTERS ? io->s.value[port][reg] : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    const struct hc_digital_io *io = (struct hc_digital_io *)d;

    return size == 1 ? byte_at(io, address) : (uint16_t)(byte_at(io, address) | byte_at(io, address + 1) << 8);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    int port;
    enum io_register reg = find_register(address, &port);
    uint16_t value = peek(d, address, size);

    if (reg == NO_REGISTER)
        hc_unknown_register(d, address, false);
    if (reg == IV)
        clear_pending((struct hc_digital_io *)d, port);
    return value;
}

static void selection_changed(struct hc_digital_io *io, int port)
{
    for (int i = 0; i < PINS; i++) {
        drive(&io->pin[port][i]);
        feed_modules(&io->pin[port][i]);
    }
    if (io->on_select[port].call)
        io->on_select[port].call(io->on_select[port].owner);
}

static void write_byte(struct hc_digital_io *io, int port, enum io_register reg, uint8_t byte)
{
    uint8_t *value = io->s.value[port];
    uint8_t changed = reg < IO_REGISTERS ? value[reg] ^ byte : 0;

    if (reg == IN)
        return;
    if (reg == SELC) {
        value[SEL0] ^= byte;
        value[SEL1] ^= byte;
    } else {
        value[reg] = byte;
    }
    if (reg == SEL0 || reg == SEL1 || reg == SELC)
        selection_changed(io, port);
    else if (reg == IES) /* the detector sees pin XOR select: it rises where the new select differs from the level */
        value[IFG] |= (uint8_t)(changed & (levels(io, port) ^ byte));
    else if (reg != IE && reg != IFG)
        for (unsigned mask = changed; mask; mask &= mask - 1)
            drive(&io->pin[port][__builtin_ctz(mask)]);
    update_interrupt(io, port);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_digital_io *io = (struct hc_digital_io *)d;

    for (int i = 0; i < size; i++) {
        int port;
        enum io_register reg = find_register(address + (uint32_t)i, &port);

        if (reg == IV)
            clear_pending(io, port);
        else if (reg != NO_REGISTER)
            write_byte(io, port, reg, (uint8_t)(value >> 8 * i));
        else if (!i || BASE_PJ != (address & 0xfe0u)) /* the high half of PJ is not there: no harm */
            hc_unknown_register(d, address, true);
        if (reg == IV)
            return;
    }
}

static const struct hc_device_ops ops = {
    .name = "digital_io",
    .help = "ports P1 to P4 or P8, with interrupts, and PJ",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .power_off = power_off,
};

/* ---- wiring ---- */

static void make_pin(struct hc_digital_io *io, int port, int number)
{
    struct hc_machine *m = io->base.machine;
    struct pin *pin = &io->pin[port][number];
    char name[8];

    snprintf(name, sizeof name, "p%c.%d", letters[port], number);
    pin->io = io;
    pin->port = port;
    pin->bit = (uint8_t)(1u << number);
    pin->wire = hc_wire_new(m, name, 0);
    pin->driver = hc_wire_driver(m, pin->wire);
    for (int i = 0; i < FUNCTIONS; i++)
        pin->output[i] = HC_NO_WIRE;
    hc_wire_listen(m, pin->wire, pin_changed, pin);
}

struct hc_digital_io *hc_digital_io_new(struct hc_machine *m, struct hc_pmm *pmm, const int *vectors, int ports)
{
    struct hc_digital_io *io = HC_DEVICE_NEW(m, &ops, "digital_io", struct hc_digital_io);

    io->pmm = pmm;
    io->ports = ports;
    for (int port = 0; port < HC_IO_PORTS; port = next_port(io, port)) {
        io->vector[port] = port == HC_IO_PJ ? -1 : vectors[port];
        if (io->vector[port] >= 0)
            hc_device_owns_vector(&io->base, io->vector[port]);
        for (int i = 0; i < PINS; i++)
            make_pin(io, port, i);
    }
    hc_device_claim(&io->base, BASE, BASE + PAIR * (uint32_t)ports / 2 - 1);
    hc_device_claim(&io->base, BASE_PJ, BASE_PJ + PAIR - 1);
    hc_pmm_on_lock(pmm, lock_changed, io);
    return io;
}

hc_wire hc_digital_io_pin(const struct hc_digital_io *io, int port, int pin)
{
    return io->pin[port][pin].wire;
}

void hc_digital_io_output(struct hc_digital_io *io, int port, int pin, int function, hc_wire wire, bool always)
{
    struct pin *p = &io->pin[port][pin];

    p->output[function] = wire;
    if (always)
        p->always |= (uint8_t)(1u << function);
    hc_wire_listen(io->base.machine, wire, output_changed, p);
}

void hc_digital_io_input(struct hc_digital_io *io, int port, int pin, int function, hc_wire wire)
{
    struct pin *p = &io->pin[port][pin];

    assert(p->inputs < INPUTS_MAX);
    p->input[p->inputs].wire = wire;
    p->input[p->inputs].driver = hc_wire_driver(io->base.machine, wire);
    p->input[p->inputs++].function = function;
}

int hc_digital_io_function(const struct hc_digital_io *io, int port, int pin)
{
    return function_of(&io->pin[port][pin]);
}

void hc_digital_io_on_select(struct hc_digital_io *io, int port, hc_digital_io_fn *call, void *owner)
{
    io->on_select[port].call = call;
    io->on_select[port].owner = owner;
}
