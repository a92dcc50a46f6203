/* FRAM, on parts of the FR59xx family: written like RAM. HC_LOG_START and HC_LOG_END must name an area that the linker
 * script leaves alone, and that the memory protection unit lets us write. A page that is erased is made blank, so that
 * the log's end is found after a reset. */
#include "bytes.h"
#include "critical.h"
#include "ram.h"

static struct {
    bool programs;
    uint16_t address;
} *const state = (void *)__hc_ram.recorder.saved;

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
    state->programs = what == HC_SINK_PROGRAM;
    state->address = (uint16_t)(page << 8);
}

uint8_t hc_sink_exchange(uint8_t byte)
{
    uint16_t address = state->address++;
    if (state->programs)
        HC_MEMORY8(address) = byte;
    return HC_MEMORY8(address);
}

void hc_sink_erase(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += 2)
        HC_MEMORY16(at + i) = 0xffff;
}
