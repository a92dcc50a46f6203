/* FRAM, on parts of the FR59xx family: written like RAM, without an erase. By default the log is above 0x10000, which
 * programs with 16-bit pointers do not use. HC_LOG_START and HC_LOG_END may name another area that the linker script
 * does not use, entirely below or entirely above 0x10000; the memory protection unit must allow writes there. Erasing a
 * page clears its first byte only, so that the end of the log is found after a reset. */
#include "always_ready.h"
#include "far.h"
#include "ram.h"

static struct {
    bool programs;
    uint16_t address;
} *const state = (void *)__hc_ram.recorder.saved;

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

void hc_sink_put(const uint8_t *bytes, uint8_t size)
{
    uint16_t address = state->address;

    for (; size; size--)
        hc_far_put(address++, *bytes++);
    state->address = address;
}

void hc_sink_erase(uint16_t page)
{
    for (uint16_t i = 0; i < HC_LOG_SECTOR / HC_PAGE_SIZE; i++)
        hc_far_put((uint16_t)((page + i) << 8), 0xff);
}

bool hc_sink_used(uint16_t page, uint16_t size)
{
    (void)size;
    return hc_far_get((uint16_t)(page << 8)) != 0xff;
}
