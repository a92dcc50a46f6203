/* The flash memory controller of the F1xx family, with the memory it programs and erases.
 *
 *              15..8   7       6      5     4     3     2        1      0
 *     0x128 FCTL1 key  BLKWRT  WRT    -     -     -     MERAS    ERASE  -
 *     0x12a FCTL2 key  FSSEL1  FSSEL0 FN5   FN4   FN3   FN2      FN1    FN0
 *     0x12c FCTL3 key  -       -      EMEX  LOCK  WAIT  ACCVIFG  KEYV   BUSY
 *
 * The key is 0xa5 to write and reads as 0x96; a wrong one (every byte access has a wrong one) sets KEYV and makes a
 * PUC.
 *
 *     BLKWRT WRT MERAS ERASE   a write to flash
 *     0      1   0     0       programs a byte or word                        35 periods of the timing generator
 *     1      1   0     0       programs within one 64-byte block              30, then 21 each, and 6 to end
 *     0      0   0     1       erases the segment that it lies in             4819
 *     0      0   1     0       into main memory erases all of it              5297
 *     0      0   1     1       erases main and information memory             5297
 *     any other, or LOCK       sets ACCVIFG and changes nothing
 *
 * Programming clears bits and never sets them. The result is there at the end of the operation; one that is cut off by
 * EMEX, a reset or a loss of power leaves some of its bits changed (always the same ones for the same history).
 *
 * An operation that code in flash starts holds the CPU to its end. Code in RAM runs on; while BUSY is 1, flash reads as
 * 0x3fff, a write sets ACCVIFG (in block mode it is accepted when WAIT is 1; when WAIT is 0 any access sets ACCVIFG and
 * LOCK). FCTL1 and FCTL2 written while BUSY is 1 set ACCVIFG and keep their values.
 *
 * Instructions fetched from busy flash are 0x3fff too: JMP to itself, until the operation ends.
 *
 * Not modelled: an interrupt during an operation that holds the CPU is taken after it (the hardware fetches 0x3fff as
 * its vector, and a program that lets that happen is lost), and the ACCVIFG of an instruction fetch during a block
 * write by code in RAM. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_FLASH_CONTROLLER_H
#define HC_MACHINE_DEVICE_MSP430X1XX_FLASH_CONTROLLER_H

#include "machine/device.h"
#include "sfr.h"

/* On 256-byte borders, ends inclusive. */
struct hc_flash_layout {
    uint32_t main_start, main_end, main_segment;
    uint32_t info_start, info_end, info_segment;
};

struct hc_flash_controller;

/* LAYOUT is copied. */
struct hc_flash_controller *hc_flash_controller_new(struct hc_machine *m, const struct hc_flash_layout *layout,
                                                    struct hc_sfr *sfr, struct hc_clock *aclk, struct hc_clock *smclk);

#endif
