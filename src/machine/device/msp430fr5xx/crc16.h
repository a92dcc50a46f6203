/* CRC16 of the FRAM families: CRC-CCITT (x^16 + x^12 + x^5 + 1), a byte or a word (low byte first) at a time.
 *
 *     0x150 CRCDI       data, its bits taken from the lowest up
 *     0x152 CRCDIRB     data with the bits of each byte reversed: the usual order, from the highest down
 *     0x154 CRCINIRES   seed and result
 *     0x156 CRCRESR     the result with its 16 bits reversed
 *
 * The result is there at once. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_CRC16_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_CRC16_H

#include "machine/device.h"

struct hc_crc16 *hc_crc16_new(struct hc_machine *m);

#endif
