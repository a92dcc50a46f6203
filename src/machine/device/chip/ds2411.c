#include "ds2411.h"

enum { FAMILY = 0x01, READ_ROM = 0x33, SEARCH_ROM = 0xf0, OVERDRIVE_SKIP_ROM = 0x3c, CRC_POLYNOMIAL = 0x8c };

enum { T_POWER_UP = 1200 }; /* microseconds before the first communication */

/* Microseconds, at standard speed and in overdrive; in brackets what the datasheet allows. */
static const struct {
    uint16_t reset;          /* low for longer is a reset: [480 or more; 48 to 80], and a bit [up to 120; 16] */
    uint16_t sample;         /* after the falling edge [15 to 60; 2 to 6]; a zero that the chip sends is held as long */
    uint16_t presence_delay; /* after the reset's rising edge [15 to 60; 2 to 6] */
    uint16_t presence;       /* [60 to 240; 8 to 24] */
} timing[2] = { { 240, 30, 30, 120 }, { 32, 3, 4, 14 } };

enum phase {
    WAITING,   /* for a reset */
    COMMAND,   /* eight bits in */
    READING,   /* the ROM's bits out */
    SEARCHING, /* for each bit: bit out, its complement out, the master's choice in */
};

struct hc_ds2411 {
    struct hc_device base;
    hc_wire line;
    int driver;
    hc_event pull_down, let_go;
    struct {
        uint64_t rom;
        hc_time fell;
        hc_time ready; /* the line is not watched before */
        uint8_t phase;
        uint8_t bit;     /* of the command or the ROM */
        uint8_t step;    /* of a search: 0, 1, 2 */
        uint8_t command; /* as received so far */
        bool sending;    /* the running slot is ours to answer */
        bool overdrive;
        bool powered;
        bool presenting; /* from a reset to the end of the presence pulse */
    } s;
};

static uint8_t crc8(uint64_t data, int bits)
{
    uint8_t crc = 0;
    for (int i = 0; i < bits; i++) {
        bool odd = (crc ^ data >> i) & 1;
        crc = (uint8_t)(crc >> 1 ^ (odd ? CRC_POLYNOMIAL : 0));
    }
    return crc;
}

static bool rom_bit(const struct hc_ds2411 *d)
{
    return d->s.rom >> d->s.bit & 1;
}

/* Past the last bit: nothing more to say until the next reset. */
static void next_rom_bit(struct hc_ds2411 *d)
{
    d->s.step = 0;
    if (++d->s.bit == 64)
        d->s.phase = WAITING;
}

static void command_bit(struct hc_ds2411 *d, bool bit)
{
    d->s.command = (uint8_t)(d->s.command >> 1 | (bit ? 0x80 : 0));
    if (++d->s.bit < 8)
        return;
    d->s.bit = 0;
    d->s.step = 0;
    d->s.phase = d->s.command == READ_ROM ? READING : d->s.command == SEARCH_ROM ? SEARCHING : WAITING;
    d->s.overdrive |= d->s.command == OVERDRIVE_SKIP_ROM;
}

static void bit_received(struct hc_ds2411 *d, bool bit)
{
    if (d->s.phase == COMMAND)
        command_bit(d, bit);
    else if (d->s.phase == SEARCHING && bit == rom_bit(d))
        next_rom_bit(d);
    else
        d->s.phase = WAITING;
}

/* A slot begins. If it is ours, a zero is sent by holding the line. */
static void slot_begins(struct hc_ds2411 *d, hc_time now)
{
    d->s.fell = now;
    if (d->s.presenting) /* our own pulse, or a master that does not wait for it */
        return;
    d->s.sending = d->s.phase == READING || (d->s.phase == SEARCHING && d->s.step < 2);
    if (!d->s.sending)
        return;
    bool bit = d->s.step == 1 ? !rom_bit(d) : rom_bit(d);
    if (d->s.phase == READING)
        next_rom_bit(d);
    else
        d->s.step++;
    if (bit)
        return;
    hc_wire_drive(d->base.machine, d->line, d->driver, HC_LOW);
    hc_event_arm(hc_events(d->base.machine), d->let_go, now + hc_us(timing[d->s.overdrive].sample));
}

static void line_reset(struct hc_ds2411 *d, hc_time now)
{
    d->s.phase = COMMAND;
    d->s.bit = 0;
    d->s.command = 0;
    d->s.presenting = true;
    hc_event_arm(hc_events(d->base.machine), d->pull_down, now + hc_us(timing[d->s.overdrive].presence_delay));
}

/* A reset of standard length ends overdrive, too. */
static void line_rose(struct hc_ds2411 *d, hc_time now)
{
    hc_time low = now - d->s.fell;
    if (low >= hc_us(timing[0].reset))
        d->s.overdrive = false;
    if (low >= hc_us(timing[d->s.overdrive].reset))
        line_reset(d, now);
    else if (!d->s.presenting && !d->s.sending && d->s.phase != WAITING)
        bit_received(d, low < hc_us(timing[d->s.overdrive].sample));
}

static void line_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_ds2411 *d = owner;
    if (now < d->s.ready) {
        d->s.fell = now;
        return;
    }
    if (level)
        line_rose(d, now);
    else
        slot_begins(d, now);
}

static hc_time begin_presence(void *owner, hc_time now)
{
    struct hc_ds2411 *d = owner;
    hc_event_arm(hc_events(d->base.machine), d->let_go, now + hc_us(timing[d->s.overdrive].presence));
    hc_wire_drive(d->base.machine, d->line, d->driver, HC_LOW);
    return HC_NEVER;
}

static hc_time let_go(void *owner, hc_time now)
{
    (void)now;
    struct hc_ds2411 *d = owner;
    hc_wire_drive(d->base.machine, d->line, d->driver, HC_RELEASE);
    d->s.presenting = false;
    return HC_NEVER;
}

/* Only the supply's coming resets it. */
static void reset(struct hc_device *base, enum hc_reset kind)
{
    struct hc_ds2411 *d = (struct hc_ds2411 *)base;
    if (kind != HC_POR || d->s.powered)
        return;
    d->s.powered = true;
    d->s.ready = d->s.fell = hc_now(base->machine) + hc_us(T_POWER_UP);
}

static void power_off(struct hc_device *base)
{
    struct hc_ds2411 *d = (struct hc_ds2411 *)base;
    hc_event_cancel(hc_events(base->machine), d->pull_down);
    hc_event_cancel(hc_events(base->machine), d->let_go);
    hc_wire_drive(base->machine, d->line, d->driver, HC_RELEASE);
    d->s.phase = WAITING;
    d->s.powered = d->s.sending = d->s.presenting = d->s.overdrive = false;
}

static const struct hc_device_ops ops = {
    .name = "ds2411",
    .help = "silicon serial number on a 1-Wire bus",
    .reset = reset,
    .power_off = power_off,
};

void hc_ds2411_set_serial(struct hc_ds2411 *d, uint64_t serial)
{
    uint64_t rom = FAMILY | (serial & 0xffffffffffffu) << 8;
    d->s.rom = rom | (uint64_t)crc8(rom, 56) << 56;
}

uint64_t hc_ds2411_rom(const struct hc_ds2411 *d)
{
    return d->s.rom;
}

struct hc_ds2411 *hc_ds2411_new(struct hc_machine *m, const char *name, hc_wire line, uint64_t serial)
{
    struct hc_ds2411 *d = HC_DEVICE_NEW(m, &ops, name, struct hc_ds2411);
    d->line = line;
    d->driver = hc_wire_driver(m, line);
    d->pull_down = hc_event_new(hc_events(m), "ds2411 presence", begin_presence, d);
    d->let_go = hc_event_new(hc_events(m), "ds2411 let go", let_go, d);
    hc_ds2411_set_serial(d, serial);
    hc_wire_listen(m, line, line_changed, d);
    return d;
}
