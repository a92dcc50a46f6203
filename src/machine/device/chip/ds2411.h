/* Maxim DS2411: silicon serial number on a 1-Wire bus.
 *
 *     ROM, sent least significant bit first:  family 0x01 (8) | serial number (48) | CRC-8 of both (8)
 *
 * The chip sees only the line: how long it was low tells a reset from a bit. It answers a reset with a presence pulse,
 * and knows the commands Read ROM and Search ROM; after anything else it waits for the next reset.
 *
 * The datasheet gives the master limits within which every chip works; this one samples in the middle of them. */
#ifndef HC_MACHINE_DEVICE_CHIP_DS2411_H
#define HC_MACHINE_DEVICE_CHIP_DS2411_H

#include "machine/device.h"

struct hc_ds2411;

/* LINE must have a pull-up. SERIAL: 48 bits. */
struct hc_ds2411 *hc_ds2411_new(struct hc_machine *m, const char *name, hc_wire line, uint64_t serial);

/* Another number, from the next reset of the line on. */
void hc_ds2411_set_serial(struct hc_ds2411 *d, uint64_t serial);

/* All 64 bits, family in the lowest byte. */
uint64_t hc_ds2411_rom(const struct hc_ds2411 *d);

#endif
