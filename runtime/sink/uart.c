/* A wire: pages go out on USART1 one after the other, each 256 bytes as it would be in flash, and are gone. The program
 * has to set the UART up; pages are told from whatever else it sends by their magic and CRC. Of a page nobody can say
 * where it was lost, so the log never ends and is never erased: places are counted, and look blank. */
#include "critical.h"
#include "sink.h"

enum { IFG2 = 0x03, U1TXBUF = 0x7f, UTXIFG1 = 0x20 };

void hc_sink_open(void)
{
}

bool hc_sink_close(void)
{
    return true;
}

bool hc_sink_ready(void)
{
    return HC_MEMORY8(IFG2) & UTXIFG1;
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
    for (uint16_t i = 0; i < 256; i++) {
        while (!(HC_MEMORY8(IFG2) & UTXIFG1))
            ;
        HC_MEMORY8(U1TXBUF) = i < count ? bytes[i] : 0xff;
    }
}

void hc_sink_erase(uint16_t page)
{
    (void)page;
}
