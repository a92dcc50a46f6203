/* Nothing is kept: for measuring what recording costs without writing, and for programs whose sink is not ready yet. */
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
    (void)page;
    (void)offset;
    while (count--)
        *to++ = 0xff;
}

void hc_sink_program(uint16_t page, const uint8_t *bytes, uint16_t count)
{
    (void)page;
    (void)bytes;
    (void)count;
}

void hc_sink_erase(uint16_t page)
{
    (void)page;
}
