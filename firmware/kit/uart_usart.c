/* USART1 of the F1611 as a UART, 8N1, polled. */
#include "kit.h"

#ifndef KIT_FR5969

/* The modulation bits spread the remainder of SMCLK / BAUD over the bits of a frame: bit i is longer by one clock
 * wherever the accumulated eighths pass a whole one. */
static uint8_t modulation(uint16_t eighths)
{
    uint8_t bits = 0, sum = 4;
    for (uint8_t i = 0; i < 8; i++) {
        sum = (uint8_t)(sum + eighths);
        if (sum >= 8) {
            sum -= 8;
            bits |= (uint8_t)(1 << i);
        }
    }
    return bits;
}

void kit_uart_init(uint32_t smclk_hz, uint32_t baud)
{
    uint16_t divisor = (uint16_t)(smclk_hz / baud);
    P3SEL |= BIT6 | BIT7;
    UCTL1 = SWRST;
    UCTL1 |= CHAR;
    UTCTL1 = SSEL1;
    UBR01 = (uint8_t)divisor;
    UBR11 = (uint8_t)(divisor >> 8);
    UMCTL1 = modulation((uint16_t)((smclk_hz % baud * 8 + baud / 2) / baud));
    ME2 |= UTXE1 | URXE1;
    UCTL1 &= (uint8_t)~SWRST;
}

void kit_put_char(char c)
{
    while (!(IFG2 & UTXIFG1))
        ;
    TXBUF1 = (uint8_t)c;
}

void kit_uart_drain(void)
{
    while (!(UTCTL1 & TXEPT))
        ;
}

#endif
