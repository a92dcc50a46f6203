/* FRAM, on parts of the FR59xx family: written like RAM. The log is by itself above 0x10000, where programs with
 * pointers of 16 bits have nothing. HC_LOG_START and HC_LOG_END may name another area, on one side of that border, that
 * the linker script leaves alone; the memory protection unit must let us write it. A page that is erased loses its
 * first byte, so that the log's end is found after a reset; nothing needs to be erased before it is written. */
#include "bytes.h"
#include "far.h"
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
    if (!state->programs)
        return hc_far_get(address);
    hc_far_put(address, byte);
    return byte;
}

void hc_sink_erase(uint16_t page)
{
    for (uint16_t i = 0; i < HC_LOG_SECTOR / HC_PAGE_SIZE; i++)
        hc_far_put((uint16_t)((page + i) << 8), 0xff);
}

bool hc_sink_used(uint16_t page)
{
    return hc_far_get((uint16_t)(page << 8)) != 0xff;
}
