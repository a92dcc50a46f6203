/* The program's own flash, on parts of the F1xx family. It is erased in segments of 512 bytes; a sector of the log is
 * several segments. HC_LOG_START and HC_LOG_END must name an area that the linker script does not use.
 *
 * The flash controller needs a clock of 257 to 476 kHz: HC_FLASH_DIVIDER divides MCLK (default: for 4 MHz). The CPU
 * executes from flash and therefore stalls while a segment is erased (about 10 ms) or a word is written. Interrupts are
 * off for one segment or one word at a time. */
#include "always_ready.h"
#include "critical.h"
#include "ram.h"

#ifndef HC_FLASH_DIVIDER
#define HC_FLASH_DIVIDER 10
#endif

enum {
    FCTL1 = 0x0128,
    FCTL2 = 0x012a,
    FCTL3 = 0x012c,
    KEY = 0xa500,
    ERASE = 0x02,
    WRT = 0x40,
    MCLK = 0x40,
    LOCK = 0x10
};
enum { SEGMENT = 512 };

static struct {
    bool programs;
    uint8_t first; /* byte of a word */
    uint16_t address;
} *const state = (void *)__hc_ram.recorder.saved;

/* Writes VALUE in MODE, then restores the program's settings of the controller. Its registers read 0x96 where the key
 * is written. */
static void write(uint16_t address, uint16_t value, uint16_t mode)
{
    uint16_t sr = hc_critical_enter();
    uint16_t divider = HC_MEMORY16(FCTL2), lock = HC_MEMORY16(FCTL3);
    HC_MEMORY16(FCTL2) = KEY | MCLK | (HC_FLASH_DIVIDER - 1);
    HC_MEMORY16(FCTL3) = KEY;
    HC_MEMORY16(FCTL1) = KEY | mode;
    HC_MEMORY16(address) = value;
    HC_MEMORY16(FCTL1) = KEY;
    HC_MEMORY16(FCTL3) = KEY | (lock & LOCK);
    HC_MEMORY16(FCTL2) = KEY | (divider & 0xff);
    hc_critical_leave(sr);
}

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
    uint16_t at = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += SEGMENT)
        write(at + i, 0, ERASE);
}
