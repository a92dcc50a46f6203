/* Writes to the program's own flash, on parts of the F1xx family.
 *
 * The flash controller needs a clock of 257 to 476 kHz: HC_FLASH_DIVIDER divides MCLK (default: for 4 MHz). The CPU
 * executes from flash and therefore stalls while a segment is erased (about 10 ms) or a word is written. */
#ifndef HC_SINK_FLASH_CONTROLLER_H
#define HC_SINK_FLASH_CONTROLLER_H

#include "critical.h"
#include "sink.h"

#ifndef HC_FLASH_DIVIDER
#define HC_FLASH_DIVIDER 10
#endif

enum {
    FCTL1 = 0x0128,
    FCTL2 = 0x012a,
    FCTL3 = 0x012c,
    KEY = 0xa500,
    ERASE = 0x02,
    WRT = 0x40,
    MCLK = 0x40,
    LOCK = 0x10,
};
enum { SEGMENT = 512 };

/* Writes VALUE in MODE, with interrupts off, then restores the program's settings of the controller. Its registers read
 * 0x96 where the key is written. */
static void write(uint16_t address, uint16_t value, uint16_t mode)
{
    uint16_t sr = hc_critical_enter();
    uint16_t divider = HC_MEMORY16(FCTL2), lock = HC_MEMORY16(FCTL3);
    HC_MEMORY16(FCTL2) = KEY | MCLK | (HC_FLASH_DIVIDER - 1);
    HC_MEMORY16(FCTL3) = KEY;
    HC_MEMORY16(FCTL1) = KEY | mode;
    HC_MEMORY16(address) = value;
    HC_MEMORY16(FCTL1) = KEY;
    HC_MEMORY16(FCTL3) = KEY | (lock & LOCK);
    HC_MEMORY16(FCTL2) = KEY | (divider & 0xff);
    hc_critical_leave(sr);
}

/* Erases the sector that starts with PAGE, segment by segment. */
static void erase_sector(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += SEGMENT)
        write(at + i, 0, ERASE);
}

#endif
