#include "sht11.h"

#include <stdio.h>

enum {
    MEASURE_TEMPERATURE = 0x03,
    MEASURE_HUMIDITY = 0x05,
    WRITE_STATUS = 0x06,
    READ_STATUS = 0x07,
    SOFT_RESET = 0x1e
};

/* Status register */
enum { LOW_RESOLUTION = 0x01, NO_RELOAD = 0x02, HEATER = 0x04, LOW_VOLTAGE = 0x40, WRITABLE = 0x07, CRC_PART = 0x0f };

enum { CRC_POLYNOMIAL = 0x31, LOW_VOLTAGE_MILLIVOLTS = 2470, HEATER_MILLIDEGREES = 7500 };

/* Microseconds. Masters are asked to wait 11 ms after power-up and reset; drivers in the field wait 10, so chips are
 * ready before. */
enum { T_START_UP = 8000, T_8_BIT = 11000, T_12_BIT = 55000, T_14_BIT = 210000, T_RELOAD = 8200 };

enum phase {
    IDLE,        /* waits for a transmission start */
    COMMAND,     /* eight bits in */
    COMMAND_ACK, /* our acknowledgement out */
    WRITING,     /* status register, eight bits in */
    WRITING_ACK, /* our acknowledgement out */
    MEASURING,   /* DATA let go until done */
    SENDING,     /* eight bits out */
    SENDING_ACK, /* the master's acknowledgement in */
};

/* How far a transmission start has come. */
enum start { NO_START, DATA_FELL, SCK_FELL, SCK_ROSE };

struct hc_sht11 {
    struct hc_device base;
    struct hc_sht11_pins pins;
    int driver;
    hc_event measured;
    hc_wire state;
    hc_sht11_source_fn *source;
    void *source_owner;
    struct {
        hc_time ready; /* commands are not answered before */
        uint8_t phase;
        uint8_t start;
        uint8_t status;
        uint8_t command;
        uint8_t shift; /* bits as they come in */
        uint8_t bits;  /* clocked of this byte */
        uint8_t out[3], out_size, out_at;
        bool powered;
        bool acknowledged;
    } s;
};

static const char *const state_names[] = {
    [HC_SHT11_OFF] = "off", [HC_SHT11_IDLE] = "idle", [HC_SHT11_MEASURING] = "measuring", NULL
};

static void show_state(struct hc_sht11 *d)
{
    enum hc_sht11_state state = !d->s.powered             ? HC_SHT11_OFF
                                : d->s.phase == MEASURING ? HC_SHT11_MEASURING
                                                          : HC_SHT11_IDLE;
    hc_wire_set(d->base.machine, d->state, (int32_t)state);
}

/* ---- what is measured ---- */

static struct hc_sht11_world room(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return (struct hc_sht11_world){ .millidegrees = 23500, .humidity_permille = 450, .supply_millivolts = 3000 };
}

/* d1 of the temperature conversion depends on the supply; linear between the datasheet's rows. */
static int32_t temperature_offset(int32_t millivolts)
{
    static const struct {
        int32_t millivolts, millidegrees;
    } d1[] = { { 2500, -39550 }, { 3000, -39600 }, { 3500, -39660 }, { 4000, -39750 }, { 5000, -40000 } };
    enum { ROWS = sizeof d1 / sizeof d1[0] };
    if (millivolts <= d1[0].millivolts)
        return d1[0].millidegrees;
    for (int i = 1; i < ROWS; i++) {
        if (millivolts > d1[i].millivolts)
            continue;
        int32_t span = d1[i].millivolts - d1[i - 1].millivolts, into = millivolts - d1[i - 1].millivolts;
        return d1[i - 1].millidegrees + (d1[i].millidegrees - d1[i - 1].millidegrees) * into / span;
    }
    return d1[ROWS - 1].millidegrees;
}

static uint16_t temperature_reading(const struct hc_sht11_world *world, bool low_resolution)
{
    int32_t above = world->millidegrees - temperature_offset(world->supply_millivolts);
    int32_t step = low_resolution ? 40 : 10, most = low_resolution ? 0xfff : 0x3fff;
    int32_t reading = above <= 0 ? 0 : (above + step / 2) / step;
    return (uint16_t)(reading > most ? most : reading);
}

/* What the datasheet's formula makes of a 12-bit reading, in 1e-7 percent. */
static int64_t humidity_of(int64_t reading, int32_t millidegrees)
{
    int64_t linear = -40000000 + 405000 * reading - 28 * reading * reading;
    return linear + (int64_t)(millidegrees - 25000) * (1000 + 8 * reading) / 10;
}

/* The formula rises with the reading: the smallest reading that gives at least the humidity. */
static uint16_t humidity_reading(const struct hc_sht11_world *world, bool low_resolution)
{
    int64_t wanted = (int64_t)world->humidity_permille * 1000000;
    int64_t low = 0, high = 0xfff;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (humidity_of(middle, world->millidegrees) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low_resolution)
        return (uint16_t)low;
    return (uint16_t)(low > 0xff0 ? 0xff : (low + 8) / 16);
}

static uint8_t crc8(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = (uint8_t)(crc << 1 ^ (crc & 0x80 ? CRC_POLYNOMIAL : 0));
    return crc;
}

static uint8_t reversed(uint8_t byte)
{
    uint8_t r = 0;
    for (int i = 0; i < 8; i++)
        r |= (uint8_t)((byte >> i & 1) << (7 - i));
    return r;
}

/* ---- the answer ---- */

static void drive(struct hc_sht11 *d, bool low)
{
    hc_wire_drive(d->base.machine, d->pins.data, d->driver, low ? HC_LOW : HC_RELEASE);
}

static void send_bit(struct hc_sht11 *d)
{
    drive(d, !(d->s.out[d->s.out_at] >> (7 - d->s.bits) & 1));
}

/* Queues SIZE bytes and their checksum, which starts from the lower half of the status register, reversed, covers the
 * command and is sent with its lowest bit first. */
static void send(struct hc_sht11 *d, const uint8_t *bytes, uint8_t size)
{
    uint8_t crc = crc8(reversed(d->s.status & CRC_PART), d->s.command);
    for (uint8_t i = 0; i < size; i++) {
        d->s.out[i] = bytes[i];
        crc = crc8(crc, bytes[i]);
    }
    d->s.out[size] = reversed(crc);
    d->s.out_size = (uint8_t)(size + 1);
    d->s.out_at = 0;
    d->s.bits = 0;
    d->s.phase = SENDING;
    show_state(d);
    send_bit(d);
}

static hc_time measured(void *owner, hc_time now)
{
    struct hc_sht11 *d = owner;
    struct hc_sht11_world world = d->source(d->source_owner, now);
    bool low_resolution = d->s.status & LOW_RESOLUTION;
    if (d->s.status & HEATER) {
        /* Warmer air holds more: about a third off the relative humidity. */
        world.millidegrees += HEATER_MILLIDEGREES;
        world.humidity_permille = world.humidity_permille * 65 / 100;
    }
    d->s.status &= (uint8_t)~LOW_VOLTAGE;
    if (world.supply_millivolts < LOW_VOLTAGE_MILLIVOLTS)
        d->s.status |= LOW_VOLTAGE;
    uint16_t reading = d->s.command == MEASURE_TEMPERATURE ? temperature_reading(&world, low_resolution)
                                                           : humidity_reading(&world, low_resolution);
    /* The highest bit is always 0: DATA low both announces the result and is its first bit. */
    send(d, (const uint8_t[]){ (uint8_t)(reading >> 8), (uint8_t)reading }, 2);
    return HC_NEVER;
}

static void start_measurement(struct hc_sht11 *d, hc_time now)
{
    bool low_resolution = d->s.status & LOW_RESOLUTION;
    uint64_t us = d->s.command == MEASURE_TEMPERATURE ? (low_resolution ? T_12_BIT : T_14_BIT)
                                                      : (low_resolution ? T_8_BIT : T_12_BIT);
    if (d->s.status & NO_RELOAD)
        us -= T_RELOAD;
    d->s.phase = MEASURING;
    show_state(d);
    hc_event_arm(hc_events(d->base.machine), d->measured, now + hc_us(us));
}

/* ---- commands ---- */

static bool is_answered(const struct hc_sht11 *d, uint8_t command, hc_time now)
{
    if (now < d->s.ready)
        return false;
    switch (command) {
    case MEASURE_TEMPERATURE:
    case MEASURE_HUMIDITY:
    case WRITE_STATUS:
    case READ_STATUS:
    case SOFT_RESET:
        return true;
    default:
        return false;
    }
}

/* At the falling edge that ends our acknowledgement. */
static void execute(struct hc_sht11 *d, hc_time now)
{
    d->s.phase = IDLE;
    d->s.bits = 0;
    switch (d->s.command) {
    case MEASURE_TEMPERATURE:
    case MEASURE_HUMIDITY:
        start_measurement(d, now);
        break;
    case WRITE_STATUS:
        d->s.phase = WRITING;
        break;
    case READ_STATUS:
        send(d, &d->s.status, 1);
        break;
    case SOFT_RESET:
        d->s.status = 0;
        d->s.ready = now + hc_us(T_START_UP);
        break;
    }
}

/* ---- the two wires ---- */

static void begin_transmission(struct hc_sht11 *d)
{
    hc_event_cancel(hc_events(d->base.machine), d->measured);
    drive(d, false);
    d->s.start = NO_START;
    d->s.phase = COMMAND;
    d->s.bits = 0;
    show_state(d);
}

static void data_changed(void *owner, int32_t level, hc_time now)
{
    (void)now;
    struct hc_sht11 *d = owner;
    if (!d->s.powered)
        return;
    bool sck = hc_wire_level(d->base.machine, d->pins.sck);
    if (level && sck && d->s.start == SCK_ROSE)
        begin_transmission(d);
    else
        d->s.start = !level && sck ? DATA_FELL : NO_START;
}

static void sck_rose(struct hc_sht11 *d)
{
    bool data = hc_wire_level(d->base.machine, d->pins.data);
    switch ((enum phase)d->s.phase) {
    case COMMAND:
    case WRITING:
        d->s.shift = (uint8_t)(d->s.shift << 1 | data);
        d->s.bits++;
        break;
    case SENDING_ACK:
        d->s.acknowledged = !data;
        break;
    default:
        break;
    }
}

/* A byte has come in: acknowledged by DATA low, from here to the next falling edge. */
static void acknowledge(struct hc_sht11 *d, enum phase next)
{
    d->s.phase = next;
    drive(d, true);
}

static void next_byte_or_sleep(struct hc_sht11 *d)
{
    d->s.bits = 0;
    d->s.phase = IDLE;
    if (!d->s.acknowledged || ++d->s.out_at >= d->s.out_size)
        return;
    d->s.phase = SENDING;
    send_bit(d);
}

static void sck_fell(struct hc_sht11 *d, hc_time now)
{
    switch ((enum phase)d->s.phase) {
    case COMMAND:
        if (d->s.bits < 8)
            break;
        d->s.command = d->s.shift;
        d->s.phase = IDLE;
        if (is_answered(d, d->s.command, now))
            acknowledge(d, COMMAND_ACK);
        break;
    case COMMAND_ACK:
        drive(d, false);
        execute(d, now);
        break;
    case WRITING:
        if (d->s.bits < 8)
            break;
        d->s.status = (uint8_t)((d->s.status & ~WRITABLE) | (d->s.shift & WRITABLE));
        acknowledge(d, WRITING_ACK);
        break;
    case WRITING_ACK:
        drive(d, false);
        d->s.phase = IDLE;
        break;
    case SENDING:
        if (++d->s.bits < 8) {
            send_bit(d);
        } else {
            drive(d, false);
            d->s.phase = SENDING_ACK;
        }
        break;
    case SENDING_ACK:
        next_byte_or_sleep(d);
        break;
    case IDLE:
    case MEASURING:
        break;
    }
}

static void sck_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_sht11 *d = owner;
    if (!d->s.powered)
        return;
    if (level) {
        d->s.start = d->s.start == SCK_FELL ? SCK_ROSE : NO_START;
        sck_rose(d);
    } else {
        d->s.start = d->s.start == DATA_FELL ? SCK_FELL : NO_START;
        sck_fell(d, now);
    }
}

/* ---- power ---- */

static void power_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_sht11 *d = owner;
    hc_event_cancel(hc_events(d->base.machine), d->measured);
    drive(d, false);
    if (d->pins.power != HC_NO_WIRE)
        hc_wire_set_pull(d->base.machine, d->pins.data, level);
    d->s.powered = level;
    d->s.phase = IDLE;
    d->s.start = NO_START;
    d->s.status = 0;
    d->s.ready = now + hc_us(T_START_UP);
    show_state(d);
}

/* A reset of the microcontroller does not reach the chip, but the first one finds it unpowered. */
static void reset(struct hc_device *base, enum hc_reset kind)
{
    struct hc_sht11 *d = (struct hc_sht11 *)base;
    bool supply = d->pins.power == HC_NO_WIRE || hc_wire_level(base->machine, d->pins.power);
    if (kind == HC_POR && supply != d->s.powered)
        power_changed(d, supply, hc_now(base->machine));
}

static void power_off(struct hc_device *base)
{
    power_changed((struct hc_sht11 *)base, 0, hc_now(base->machine));
}

static const struct hc_device_ops ops = {
    .name = "sht11",
    .help = "temperature and humidity sensor",
    .reset = reset,
    .power_off = power_off,
};

void hc_sht11_set_source(struct hc_sht11 *d, hc_sht11_source_fn *source, void *owner)
{
    d->source = source;
    d->source_owner = owner;
}

struct hc_sht11 *hc_sht11_new(struct hc_machine *m, const char *name, struct hc_sht11_pins pins)
{
    struct hc_sht11 *d = HC_DEVICE_NEW(m, &ops, name, struct hc_sht11);
    d->pins = pins;
    d->driver = hc_wire_driver(m, pins.data);
    d->source = room;
    char wire[40];
    snprintf(wire, sizeof wire, "%s.state", name);
    d->state = hc_wire_new_wide(m, wire, 2, state_names);
    d->measured = hc_event_new(hc_events(m), "sht11 measured", measured, d);
    hc_wire_listen(m, pins.data, data_changed, d);
    hc_wire_listen(m, pins.sck, sck_changed, d);
    if (pins.power == HC_NO_WIRE)
        hc_wire_set_pull(m, pins.data, 1);
    else
        hc_wire_listen(m, pins.power, power_changed, d);
    return d;
}
