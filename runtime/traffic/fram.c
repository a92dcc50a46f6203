/* FRAM, on parts of the FR59xx family, as sink/fram.c has it, for pieces of pages. It is not blank where it is erased,
 * so an erase makes it so. */
#include "sink/far.h"

static void put(uint16_t at, uint8_t byte)
{
    hc_far_put(at, byte);
}

static uint8_t get(uint16_t at)
{
    return hc_far_get(at);
}

#include "traffic/pieces.h"

void hc_piece_erase(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);

    for (uint16_t i = 0; i < HC_LOG_SECTOR; i++)
        put(at++, 0xff);
}
