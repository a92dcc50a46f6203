/* The program's own flash, like sink/flash.c, for pieces of pages. A byte is programmed as a word whose other byte
 * is blank, which leaves that one as it is. */
#include "sink/flash_controller.h"

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
    erase_sector(page);
}
