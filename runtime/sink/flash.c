/* The program's own flash, on parts of the F1xx family. It is erased in segments of 512 bytes; a sector of the log is
 * several segments. HC_LOG_START and HC_LOG_END must name an area that the linker script does not use. Interrupts
 * are off for one segment or one word at a time. */
#include "always_ready.h"
#include "ram.h"
#include "sink/flash_controller.h"

static struct {
    bool programs;
    uint8_t first; /* byte of a word */
    uint16_t address;
} *const state = (void *)__hc_ram.recorder.saved;

void hc_sink_begin(uint8_t what, uint16_t page)
{
    state->programs = what == HC_SINK_PROGRAM;
    state->address = (uint16_t)(page << 8);
}

/* Programs whole words, when their second byte comes: byte by byte, a row would exceed its cumulative program time. */
uint8_t hc_sink_exchange(uint8_t byte)
{
    uint16_t address = state->address++;
    if (!state->programs)
        return HC_MEMORY8(address);
    if (address & 1)
        write(address - 1, (uint16_t)(state->first | byte << 8), WRT);
    state->first = byte;
    return byte;
}

void hc_sink_erase(uint16_t page)
{
    erase_sector(page);
}
