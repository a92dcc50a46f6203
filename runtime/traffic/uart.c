/* A wire: what goes to flash elsewhere is sent on USART1, byte by byte in the same order, and is gone. The program has
 * to set the UART up, and must not send anything of its own between the pieces of a page. Nothing is ever erased, and
 * everything looks blank. */
#include "critical.h"

enum { IFG2 = 0x03, U1TXBUF = 0x7f, UTXIFG1 = 0x20 };

static void put(uint16_t at, uint8_t byte)
{
    (void)at;
    while (!(HC_MEMORY8(IFG2) & UTXIFG1))
        ;
    HC_MEMORY8(U1TXBUF) = byte;
}

static uint8_t get(uint16_t at)
{
    (void)at;
    return 0xff;
}

#include "traffic/pieces.h"

void hc_piece_erase(uint16_t page)
{
    (void)page;
}
