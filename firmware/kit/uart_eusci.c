/* eUSCI_A0 of the FR5969 as a UART, 8N1, polled. */
#include "kit.h"

#ifdef KIT_FR5969

/* The second modulation spreads the remainder of SMCLK / BAUD over the bits of a frame: bit i, which the register has
 * at 7 - i, is longer by one clock wherever the accumulated eighths pass a whole one. */
static uint8_t modulation(uint16_t eighths)
{
    uint8_t bits = 0, sum = 4;
    for (uint8_t i = 0; i < 8; i++) {
        sum = (uint8_t)(sum + eighths);
        if (sum >= 8) {
            sum -= 8;
            bits |= (uint8_t)(0x80 >> i);
        }
    }
    return bits;
}

void kit_uart_init(uint32_t smclk_hz, uint32_t baud)
{
    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    P2SEL1 |= BIT0 | BIT1;
    P2SEL0 &= (uint8_t)~(BIT0 | BIT1);
    UCA0CTLW0 = UCSWRST | UCSSEL__SMCLK;
    UCA0BRW = (uint16_t)(smclk_hz / baud);
    UCA0MCTLW = (uint16_t)(modulation((uint16_t)((smclk_hz % baud * 8 + baud / 2) / baud)) << 8);
    UCA0CTLW0 &= (uint16_t)~UCSWRST;
}

void kit_put_char(char c)
{
    while (!(UCA0IFG & UCTXIFG))
        ;
    UCA0TXBUF = (uint8_t)c;
}

void kit_uart_drain(void)
{
    while (UCA0STATW & UCBUSY)
        ;
}

#endif
