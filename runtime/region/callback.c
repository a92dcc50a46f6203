/* The program's own way out: it defines hc_sink_put, which is called by hc_update for every byte of the log, in order.
 * Nothing is ever erased, and everything looks blank. */
#include "critical.h"

void hc_sink_put(uint8_t byte);

static void put(uint16_t at, uint8_t byte)
{
    (void)at;
    hc_sink_put(byte);
}

static uint8_t get(uint16_t at)
{
    (void)at;
    return 0xff;
}

#include "traffic/pieces.h"

void hc_piece_erase(uint16_t page)
{
    (void)page;
}
