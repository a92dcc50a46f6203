#include "i2c.h"

#include <assert.h>
#include <string.h>

enum { SLAVES_MAX = 8, MASTERS_MAX = 4, CONTENDER_BYTES = 8, NOBODY = -2 };

struct hc_i2c_bus {
    struct hc_device base;
    int slaves, masters;
    struct hc_i2c_slave slave[SLAVES_MAX];
    struct hc_i2c_master master[MASTERS_MAX];
    struct {
        int owner;         /* master between START and STOP, or NOBODY */
        uint8_t addressed; /* slaves that acknowledged their address, a bit each */
        uint8_t contender[CONTENDER_BYTES];
        uint8_t contender_bytes; /* 0: none */
        uint8_t contender_sent;
        bool contending;
    } s;
};

static struct hc_device *slave_device(const struct hc_i2c_bus *bus, int i)
{
    return bus->slave[i].device;
}

/* The slaves of the last address are told that they are no longer meant. */
static void end_addressing(struct hc_i2c_bus *bus, hc_time now)
{
    uint8_t addressed = bus->s.addressed;

    bus->s.addressed = 0;
    for (int i = 0; i < bus->slaves; i++)
        if ((addressed >> i & 1) && bus->slave[i].stopped)
            bus->slave[i].stopped(slave_device(bus, i), now);
}

/* Masters other than the owner hear that the bus is taken or free. */
static void tell_busy(struct hc_i2c_bus *bus, int owner, bool busy, hc_time now)
{
    for (int i = 0; i < bus->masters; i++)
        if (i != owner && bus->master[i].busy)
            bus->master[i].busy(bus->master[i].device, busy, now);
}

bool hc_i2c_busy(const struct hc_i2c_bus *bus)
{
    return bus->s.owner != NOBODY;
}

bool hc_i2c_ready(struct hc_i2c_bus *bus, bool read)
{
    for (int i = 0; i < bus->slaves; i++)
        if ((bus->s.addressed >> i & 1) && bus->slave[i].ready && !bus->slave[i].ready(slave_device(bus, i), read))
            return false;
    return true;
}

bool hc_i2c_start(struct hc_i2c_bus *bus, int master, hc_time now)
{
    bool was_free = bus->s.owner == NOBODY;

    if (!was_free && bus->s.owner != master)
        return false;
    bus->s.owner = master;
    bus->s.contending = was_free && master != HC_I2C_OUTSIDE && bus->s.contender_bytes;
    bus->s.contender_sent = 0;
    if (was_free)
        tell_busy(bus, master, true, now);
    for (int i = 0; i < bus->slaves; i++)
        if (bus->slave[i].started)
            bus->slave[i].started(slave_device(bus, i), now);
    return true;
}

bool hc_i2c_address(struct hc_i2c_bus *bus, struct hc_i2c_address address, hc_time now)
{
    uint8_t before = bus->s.addressed, after = 0;

    for (int i = 0; i < bus->slaves; i++)
        if (bus->slave[i].addressed(slave_device(bus, i), address, now))
            after |= (uint8_t)(1u << i);
    bus->s.addressed = before & (uint8_t)~after;
    end_addressing(bus, now);
    bus->s.addressed = after;
    return after;
}

bool hc_i2c_write(struct hc_i2c_bus *bus, uint8_t byte, hc_time now)
{
    bool acknowledged = false;

    for (int i = 0; i < bus->slaves; i++)
        if (bus->s.addressed >> i & 1)
            acknowledged |= bus->slave[i].write(slave_device(bus, i), byte, now);
    return acknowledged;
}

uint8_t hc_i2c_read(struct hc_i2c_bus *bus, bool acknowledge, hc_time now)
{
    uint8_t out = 0xff;

    for (int i = 0; i < bus->slaves; i++)
        if (bus->s.addressed >> i & 1)
            out &= bus->slave[i].read(slave_device(bus, i), acknowledge, now);
    return out;
}

void hc_i2c_stop(struct hc_i2c_bus *bus, hc_time now)
{
    int owner = bus->s.owner;

    end_addressing(bus, now);
    if (owner == NOBODY)
        return;
    bus->s.owner = NOBODY;
    bus->s.contending = false;
    tell_busy(bus, owner, false, now);
}

void hc_i2c_release(struct hc_i2c_bus *bus, hc_time now)
{
    int owner = bus->s.owner;

    if (owner >= 0 && bus->master[owner].released)
        bus->master[owner].released(bus->master[owner].device, now);
}

void hc_i2c_contend(struct hc_i2c_bus *bus, const uint8_t *bytes, int count)
{
    assert(count <= CONTENDER_BYTES);
    memcpy(bus->s.contender, bytes, (size_t)count);
    bus->s.contender_bytes = (uint8_t)count;
}

/* Bytes go out highest bit first and low wins, so the first difference decides as the order of numbers does. */
bool hc_i2c_arbitrate(struct hc_i2c_bus *bus, uint8_t byte, hc_time now)
{
    if (!bus->s.contending)
        return true;
    uint8_t other = bus->s.contender[bus->s.contender_sent++];
    if (byte == other && bus->s.contender_sent < bus->s.contender_bytes)
        return true;

    bus->s.contending = false;
    bus->s.contender_bytes = 0;
    if (byte <= other)
        return true;
    int loser = bus->s.owner;
    bus->s.owner = HC_I2C_OUTSIDE;
    end_addressing(bus, now);
    if (loser >= 0 && bus->master[loser].busy)
        bus->master[loser].busy(bus->master[loser].device, true, now);
    return false;
}

/* ---- the device ---- */

/* The chips on the bus have no reset line: a POR frees it, as a power-on does. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_i2c_bus *bus = (struct hc_i2c_bus *)d;

    if (kind != HC_POR)
        return;
    bus->s.owner = NOBODY;
    bus->s.addressed = 0;
    bus->s.contending = false;
    bus->s.contender_bytes = 0;
}

static const struct hc_device_ops ops = {
    .name = "i2c",
    .help = "I2C bus",
    .reset = reset,
};

struct hc_i2c_bus *hc_i2c_bus_new(struct hc_machine *m, const char *name)
{
    struct hc_i2c_bus *bus = HC_DEVICE_NEW(m, &ops, name, struct hc_i2c_bus);

    bus->s.owner = NOBODY;
    return bus;
}

void hc_i2c_attach_slave(struct hc_i2c_bus *bus, struct hc_i2c_slave slave)
{
    assert(bus->slaves < SLAVES_MAX);
    bus->slave[bus->slaves++] = slave;
}

int hc_i2c_attach_master(struct hc_i2c_bus *bus, struct hc_i2c_master master)
{
    assert(bus->masters < MASTERS_MAX);
    bus->master[bus->masters] = master;
    return bus->masters++;
}
