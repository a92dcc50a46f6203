/* An I2C bus, byte by byte: conditions (START, STOP) and bytes with their acknowledge bits. The masters take care of
 * time.
 *
 * A slave sees addressed → bytes → stopped. It may hold SCL low: the master asks hc_i2c_ready before each byte, and is
 * told by `released` when the slave lets go. */
#ifndef HC_MACHINE_DEVICE_BUS_I2C_H
#define HC_MACHINE_DEVICE_BUS_I2C_H

#include "machine/device.h"

struct hc_i2c_bus;

/* What follows a START. The general call is address 0, not read, not extended. */
struct hc_i2c_address {
    uint16_t address; /* 7 bits, or 10 if extended */
    bool extended;
    bool read;
};

struct hc_i2c_slave {
    /* A (repeated) START and an address: true acknowledges. */
    bool (*addressed)(struct hc_device *d, struct hc_i2c_address address, hc_time now);
    /* A byte from the master: true acknowledges. */
    bool (*write)(struct hc_device *d, uint8_t byte, hc_time now);
    /* A byte for the master, which acknowledged it (false: it was the last). */
    uint8_t (*read)(struct hc_device *d, bool acknowledged, hc_time now);
    /* STOP, or a START for another one. May be NULL. */
    void (*stopped)(struct hc_device *d, hc_time now);
    /* A START was seen, addressed to whomever; before `addressed`. May be NULL. */
    void (*started)(struct hc_device *d, hc_time now);
    /* False while the slave holds SCL low before the next byte (read: one for the master). NULL: never. */
    bool (*ready)(struct hc_device *d, bool read);
    struct hc_device *device;
};

struct hc_i2c_master {
    /* A slave that was not ready is. May be NULL. */
    void (*released)(struct hc_device *d, hc_time now);
    /* The bus has become busy or free through another master. May be NULL. */
    void (*busy)(struct hc_device *d, bool busy, hc_time now);
    struct hc_device *device;
};

/* The bus owned by M (freed with it). */
struct hc_i2c_bus *hc_i2c_bus_new(struct hc_machine *m, const char *name);
void hc_i2c_attach_slave(struct hc_i2c_bus *bus, struct hc_i2c_slave slave);
/* Returns the master's number on this bus, for the calls below. */
int hc_i2c_attach_master(struct hc_i2c_bus *bus, struct hc_i2c_master master);

/* From the slave: it no longer holds SCL low. */
void hc_i2c_release(struct hc_i2c_bus *bus, hc_time now);

/* ---- for masters; those that are not devices (a test, a script) are number HC_I2C_OUTSIDE ---- */

enum { HC_I2C_OUTSIDE = -1 };

/* Between a START and its STOP. */
bool hc_i2c_busy(const struct hc_i2c_bus *bus);
bool hc_i2c_ready(struct hc_i2c_bus *bus, bool read);

/* START: takes a free bus, or repeats on one's own. False when another master has it. */
bool hc_i2c_start(struct hc_i2c_bus *bus, int master, hc_time now);
/* After START: true when a slave acknowledged. */
bool hc_i2c_address(struct hc_i2c_bus *bus, struct hc_i2c_address address, hc_time now);
/* To and from the addressed slave: true when it acknowledged; 0xff when there is none. */
bool hc_i2c_write(struct hc_i2c_bus *bus, uint8_t byte, hc_time now);
uint8_t hc_i2c_read(struct hc_i2c_bus *bus, bool acknowledge, hc_time now);
void hc_i2c_stop(struct hc_i2c_bus *bus, hc_time now);

/* ---- arbitration ---- */

/* From now on a master outside takes part in the next START of a device, and sends these bytes (address byte first; at
 * most 8) as long as it wins. When it does, the bus is its own until it is given back by hc_i2c_stop. */
void hc_i2c_contend(struct hc_i2c_bus *bus, const uint8_t *bytes, int count);
/* A master sends BYTE: false when another one sends a lower bit at the same time; the bus is then lost. */
bool hc_i2c_arbitrate(struct hc_i2c_bus *bus, uint8_t byte, hc_time now);

#endif
