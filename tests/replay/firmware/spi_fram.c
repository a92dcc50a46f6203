/* An FR5969 whose recorder ends each checkpoint in one call of hc_update, which then goes on to the first self-check of
 * the new segment: the CPU sleeps for as long as a byte takes, and nothing comes before that. */
#include <kit.h>
volatile uint8_t sent, received;
KIT_INTERRUPT(USCI_A0_VECTOR) void moved(void)
{
    switch (UCA0IV) {
    case USCI_SPI_UCRXIFG:
        received += UCA0RXBUF;
        KIT_WAKE_ON_EXIT();
        break;
    case USCI_SPI_UCTXIFG:
        UCA0TXBUF = sent;
        UCA0IE &= ~UCTXIE;
        break;
    }
}
int main(void)
{
    PM5CTL0 &= ~LOCKLPM5;
    P1SEL1 |= BIT5;
    P2SEL1 |= BIT0 | BIT1;
    UCA0CTLW0 = UCSWRST;
    UCA0CTLW0 |= UCMST | UCSYNC | UCCKPL | UCMSB | UCSSEL__SMCLK;
    UCA0BRW = 32;
    UCA0CTLW0 &= ~UCSWRST;
    UCA0IE |= UCRXIE;
    for (;;) {
        UCA0IE |= UCTXIE;
        kit_sleep(LPM0_bits | GIE);
        __delay_cycles(2000);
        sent++;
    }
}
