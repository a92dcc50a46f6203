/* Discards all pages: to measure the cost of recording without writing. */
#include "always_ready.h"

void hc_sink_begin(uint8_t what, uint16_t page)
{
    (void)what;
    (void)page;
}

uint8_t hc_sink_exchange(uint8_t byte)
{
    (void)byte;
    return 0xff;
}

void hc_sink_erase(uint16_t page)
{
    (void)page;
}
