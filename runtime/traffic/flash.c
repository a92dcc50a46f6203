/* The program's own flash, as sink/flash.c has it, for pieces of pages. A byte is programmed as a word whose other byte
 * is blank, which leaves that one as it is. */
#include "critical.h"

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
    SEGMENT = 512,
};

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

static void put(uint16_t at, uint8_t byte)
{
    write(at & 0xfffe, at & 1 ? (uint16_t)(byte << 8 | 0xff) : (uint16_t)(0xff00 | byte), WRT);
}

static uint8_t get(uint16_t at)
{
    return HC_MEMORY8(at);
}

#include "traffic/pieces.h"

void hc_piece_erase(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);

    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += SEGMENT)
        write(at + i, 0, ERASE);
}
