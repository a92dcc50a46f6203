/* The flash that the program is in, on parts of the F1xx family: segments of 512 bytes, the sectors of the log being
 * several of them. HC_LOG_START and HC_LOG_END must name an area that the linker script leaves alone.
 *
 * The flash controller needs 257 to 476 kHz: HC_FLASH_DIVIDER divides MCLK (default for 4 MHz). While a segment is
 * erased (some 10 ms) or a word is written the CPU stands still, as it executes from flash, and interrupts wait: each
 * of them is off for one segment or one word only. */
#include "critical.h"
#include "sink.h"

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

/* Writes VALUE in MODE; the controller's registers are the program's again afterwards. They read with 0x96 in the place
 * of the key. */
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

void hc_sink_program(uint16_t page, const uint8_t *bytes, uint16_t count)
{
    uint16_t to = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < count; i += 2)
        write(to + i, (uint16_t)(bytes[i] | bytes[i + 1] << 8), WRT);
}

void hc_sink_erase(uint16_t page)
{
    uint16_t at = (uint16_t)(page << 8);
    for (uint16_t i = 0; i < HC_LOG_SECTOR; i += SEGMENT)
        write(at + i, 0, ERASE);
}
