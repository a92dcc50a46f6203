/* Nothing is kept: for measuring what recording costs without writing, and for programs whose sink is not ready yet. */
#include "bytes.h"

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
