/* An SPI bus, byte by byte: the master's shift register exchanges with the selected slave at the end of each byte.
 * Firmware that clocks the bus by hand through port pins is served too: the bus watches the pins' wires and
 * collects bits (mode 0: sampled on the rising edge, changed on the falling one, most significant first). */
#ifndef HC_MACHINE_DEVICE_BUS_SPI_H
#define HC_MACHINE_DEVICE_BUS_SPI_H

#include "machine/device.h"

struct hc_spi_bus;

struct hc_spi_slave {
    /* Selected (chip select low) and driving SOMI. */
    bool (*selected)(struct hc_device *d);
    /* One byte exchanged: MOSI in, the byte that was shifted out is returned. Called only when selected. */
    uint8_t (*exchange)(struct hc_device *d, uint8_t mosi, hc_time now);
    /* The byte that the next exchange will shift out: bit-banged reads need it before the byte is complete. */
    uint8_t (*next)(struct hc_device *d);
    struct hc_device *device;
};

/* The bus owned by M (freed with it). */
struct hc_spi_bus *hc_spi_bus_new(struct hc_machine *m, const char *name);
void hc_spi_attach(struct hc_spi_bus *bus, struct hc_spi_slave slave);

/* Serves firmware that drives these pins by hand. Clock edges count only while the USART does not drive the pins. */
void hc_spi_watch_pins(struct hc_spi_bus *bus, hc_wire sck, hc_wire mosi, hc_wire miso);

/* A byte has begun to shift, by the USART or by hand, and is not complete: a chip whose select rises now may have to
 * reject what it was told. */
bool hc_spi_mid_byte(const struct hc_spi_bus *bus, hc_time now);

/* A slave's chip select has changed: a byte in progress by hand is dropped, and the slave's first bit stands on MISO
 * before the first clock edge. A slave that does not call this is still served from the first edge on. */
void hc_spi_select_changed(struct hc_spi_bus *bus);

/* ---- for the master ---- */

/* The USART's SPI master is (not) enabled: while it is, hand-made clock edges do not count. */
void hc_spi_drive(struct hc_spi_bus *bus, bool driven);

/* The master begins to shift a character, or gives it up (false). An exchange ends it. */
void hc_spi_begin(struct hc_spi_bus *bus, bool begun);

/* 0xff when no slave is selected. Two selected slaves: wired AND, noted once. */
uint8_t hc_spi_exchange(struct hc_spi_bus *bus, uint8_t mosi, hc_time now);

/* One clock pulse: MOSI's level in, MISO's out. Slaves see a byte after eight; how 7-bit characters are exchanged. */
bool hc_spi_clock(struct hc_spi_bus *bus, bool mosi, hc_time now);

#endif
