#include "spi.h"

#include <assert.h>

enum { SLAVES_MAX = 8 };

struct hc_spi_bus {
    struct hc_device base;
    int slaves;
    struct hc_spi_slave slave[SLAVES_MAX];
    hc_wire sck, mosi, miso; /* HC_NO_WIRE: nobody clocks by hand */
    int miso_driver;
    struct {
        uint8_t shift;  /* bits of MOSI so far, the latest lowest */
        uint8_t bits;   /* 0..7 of them */
        uint8_t answer; /* what the slaves shift out, taken at the byte's first edge */
        bool driven;    /* by the USART */
        bool begun;     /* the USART shifts a character */
        bool noted;     /* that two slaves are selected */
    } s;
};

static bool is_selected(const struct hc_spi_bus *bus, int i)
{
    return bus->slave[i].selected(bus->slave[i].device);
}

static bool any_selected(const struct hc_spi_bus *bus)
{
    for (int i = 0; i < bus->slaves; i++)
        if (is_selected(bus, i))
            return true;
    return false;
}

/* What stands on MISO for the next byte: selected slaves together, as wired AND; high when nobody drives. */
static uint8_t next_output(const struct hc_spi_bus *bus)
{
    uint8_t out = 0xff;

    for (int i = 0; i < bus->slaves; i++)
        if (is_selected(bus, i))
            out &= bus->slave[i].next(bus->slave[i].device);
    return out;
}

uint8_t hc_spi_exchange(struct hc_spi_bus *bus, uint8_t mosi, hc_time now)
{
    bool selected[SLAVES_MAX];
    uint8_t out = 0xff;
    int count = 0;

    bus->s.begun = false;
    bus->s.bits = 0;
    for (int i = 0; i < bus->slaves; i++)
        count += selected[i] = is_selected(bus, i);
    for (int i = 0; i < bus->slaves; i++)
        if (selected[i])
            out &= bus->slave[i].exchange(bus->slave[i].device, mosi, now);
    if (count > 1 && !bus->s.noted) {
        bus->s.noted = true;
        hc_note(bus->base.machine, "%s: %d slaves are selected at once", bus->base.name, count);
    }
    return out;
}

bool hc_spi_clock(struct hc_spi_bus *bus, bool mosi, hc_time now)
{
    if (bus->s.bits == 0)
        bus->s.answer = next_output(bus);
    bool out = bus->s.answer >> (7 - bus->s.bits) & 1;

    bus->s.shift = (uint8_t)(bus->s.shift << 1 | mosi);
    if (++bus->s.bits == 8)
        hc_spi_exchange(bus, bus->s.shift, now);
    return out;
}

bool hc_spi_mid_byte(const struct hc_spi_bus *bus, hc_time now)
{
    (void)now;
    return bus->s.begun || bus->s.bits;
}

/* ---- by hand ---- */

/* The bit that the next rising edge samples. */
static void drive_miso(struct hc_spi_bus *bus)
{
    enum hc_drive drive = HC_RELEASE;

    if (bus->miso == HC_NO_WIRE)
        return;
    if (!bus->s.driven && any_selected(bus)) {
        uint8_t out = bus->s.bits ? bus->s.answer : next_output(bus);
        drive = out >> (7 - bus->s.bits) & 1 ? HC_HIGH : HC_LOW;
    }
    hc_wire_drive(bus->base.machine, bus->miso, bus->miso_driver, drive);
}

static void clock_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_spi_bus *bus = owner;

    if (bus->s.driven)
        return;
    if (!any_selected(bus)) {
        bus->s.bits = 0;
    } else if (level) {
        if (bus->s.bits == 0)
            drive_miso(bus);
        hc_spi_clock(bus, hc_wire_level(bus->base.machine, bus->mosi) != 0, now);
        return; /* MISO holds until the falling edge */
    }
    drive_miso(bus);
}

void hc_spi_watch_pins(struct hc_spi_bus *bus, hc_wire sck, hc_wire mosi, hc_wire miso)
{
    bus->sck = sck;
    bus->mosi = mosi;
    bus->miso = miso;
    bus->miso_driver = hc_wire_driver(bus->base.machine, miso);
    hc_wire_listen(bus->base.machine, sck, clock_changed, bus);
}

void hc_spi_select_changed(struct hc_spi_bus *bus)
{
    bus->s.bits = 0;
    drive_miso(bus);
}

void hc_spi_drive(struct hc_spi_bus *bus, bool driven)
{
    if (bus->s.driven == driven)
        return;
    bus->s.driven = driven;
    bus->s.begun = false;
    bus->s.bits = 0;
    drive_miso(bus);
}

void hc_spi_begin(struct hc_spi_bus *bus, bool begun)
{
    bus->s.begun = begun;
}

/* ---- the device ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_spi_bus *bus = (struct hc_spi_bus *)d;

    (void)kind;
    bus->s.bits = 0;
    bus->s.begun = false;
}

static const struct hc_device_ops ops = {
    .name = "spi",
    .help = "SPI bus",
    .reset = reset,
};

struct hc_spi_bus *hc_spi_bus_new(struct hc_machine *m, const char *name)
{
    struct hc_spi_bus *bus = HC_DEVICE_NEW(m, &ops, name, struct hc_spi_bus);

    bus->sck = bus->mosi = bus->miso = HC_NO_WIRE;
    return bus;
}

void hc_spi_attach(struct hc_spi_bus *bus, struct hc_spi_slave slave)
{
    assert(bus->slaves < SLAVES_MAX);
    bus->slave[bus->slaves++] = slave;
}
