/* FRAM, on parts of the FR59xx family: written like RAM. HC_LOG_START and HC_LOG_END must name an area that the linker
 * script leaves alone, and that the memory protection unit lets us write. A page that is erased is made blank, so that
 * the log's end is found after a reset; the page's magic is written last, so that a page that was cut short is none. */
#include "critical.h"
#include "sink.h"

void hc_sink_open(void)
{
}

bool hc_sink_close(void)
{
    return true;
}

bool hc_sink_ready(void)
{
    return true;
}

void hc_sink_read(uint16_t page, uint8_t offset, uint8_t *to, uint8_t count)
{
    uint16_t from = (uint16_t)(page << 8) + offset;
    while (count--)
        *to++ = HC_MEMORY8(from++);
}

void hc_sink_program(uint16_t page, const uint8_t *bytes, uint16_t count)
{
    uint16_t to = (uint16_t)(page << 8);
    while (count--)
        HC_MEMORY8(to + count) = bytes[count];
}

void hc_sink_erase(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += 2)
        HC_MEMORY16(at + i) = 0xffff;
}
