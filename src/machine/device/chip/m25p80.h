/* ST M25P80: 1 MB of serial flash, 16 sectors of 64 KB, pages of 256 bytes.
 *
 * All commands of the datasheet, write enable and block protection, busy times (typical ones), deep power-down, the
 * Hold and Write Protect pins. Program and erase cycles end by an event; a power cut in the middle of one leaves what
 * the cells had reached by then: bytes are programmed one after the other, an erase first programs the sector to zeros
 * (first quarter of its time) and then lets its bits come up in an order drawn from the seed.
 *
 * Not modelled: clock frequency limits, the set-up and hold times of the pins, wear. */
#ifndef HC_MACHINE_DEVICE_CHIP_M25P80_H
#define HC_MACHINE_DEVICE_CHIP_M25P80_H

#include "machine/device.h"
#include "machine/device/bus/spi.h"

#include <stdio.h>

enum { HC_M25P80_SIZE = 1 << 20, HC_M25P80_SECTOR = 1 << 16, HC_M25P80_PAGE = 256 };

/* What the wire "NAME.state" carries. */
enum hc_m25p80_state {
    HC_M25P80_OFF,
    HC_M25P80_STANDBY,
    HC_M25P80_DEEP_POWER_DOWN,
    HC_M25P80_ACTIVE, /* selected */
    HC_M25P80_PROGRAM,
    HC_M25P80_ERASE,
    HC_M25P80_WRITE_STATUS,
};

enum hc_m25p80_error {
    HC_M25P80_FILE_UNREADABLE = -1,
    HC_M25P80_FILE_SIZE = -2,
    HC_M25P80_FILE_UNWRITABLE = -3,
    HC_M25P80_NO_MEMORY = -4,
};

/* Active-low pins. HC_NO_WIRE is a pin that is tied high. */
struct hc_m25p80_pins {
    hc_wire s;    /* chip select */
    hc_wire hold; /* pauses a transfer */
    hc_wire w;    /* protects the status register */
};

struct hc_m25p80;

/* Erased, unpowered until the machine's first reset. SEED decides what torn writes look like. */
struct hc_m25p80 *hc_m25p80_new(struct hc_machine *m, const char *name, struct hc_spi_bus *bus,
                                struct hc_m25p80_pins pins, uint64_t seed);

/* What a programmer in a socket would do: at once, regardless of protection and of a cycle in progress.
 * ADDRESS + SIZE must be within the chip. write replaces the bytes; -4 when memory is exhausted. */
void hc_m25p80_read(const struct hc_m25p80 *f, uint32_t address, uint8_t *to, size_t size);
int hc_m25p80_write(struct hc_m25p80 *f, uint32_t address, const uint8_t *from, size_t size);

/* Contents from and to a file of exactly 1 MB. A missing file is erased flash. On errors, a negative hc_m25p80_error
 * and a message in MESSAGE (SIZE bytes, always terminated); the contents (of the chip, of the file) are as they were.
 */
int hc_m25p80_load_file(struct hc_m25p80 *f, const char *path, char *message, size_t size);
int hc_m25p80_save_file(const struct hc_m25p80 *f, const char *path, char *message, size_t size);
/* The same to a file that is open; 0 or a negative hc_m25p80_error. */
int hc_m25p80_write_file(const struct hc_m25p80 *f, FILE *out);

#endif
