/* Reads the TelosB's flash in three ways: pins clocked by hand, USART0 polled with double-buffered writes, and two
 * channels of DMA, one fed by URXIFG0 and one by UTXIFG0, started as TinyOS does it. */
#include <kit.h>

enum { SIMO = 0x02, SOMI = 0x04, UCLK = 0x08, SELECT = 0x10, HOLD = 0x80, COMMAND = 4, DATA = 8 };

volatile uint16_t finished;
volatile uint16_t result[4];
volatile uint8_t by_hand[DATA], by_usart[DATA], by_dma[DATA];

static const uint8_t read_command[COMMAND] = { 0x03, 0x01, 0x23, 0x45 };
static uint8_t sent[COMMAND + DATA];
static volatile uint8_t received[COMMAND + DATA];

static uint8_t clock_by_hand(uint8_t out)
{
    uint8_t in = 0;
    for (uint8_t i = 0; i < 8; i++, out = (uint8_t)(out << 1)) {
        if (out & 0x80)
            P3OUT |= SIMO;
        else
            P3OUT &= ~SIMO;
        P3OUT |= UCLK;
        in = (uint8_t)(in << 1 | (P3IN & SOMI ? 1 : 0));
        P3OUT &= ~UCLK;
    }
    return in;
}

static void read_by_hand(void)
{
    P3SEL &= ~(SIMO | SOMI | UCLK);
    P3OUT &= ~(SIMO | UCLK);
    P3DIR |= SIMO | UCLK;
    P4OUT &= ~SELECT;
    clock_by_hand(0x9f);
    result[0] = (uint16_t)(clock_by_hand(0) << 8);
    result[0] |= clock_by_hand(0);
    result[1] = clock_by_hand(0);
    P4OUT |= SELECT;
    P4OUT &= ~SELECT;
    for (uint8_t i = 0; i < COMMAND; i++)
        clock_by_hand(read_command[i]);
    for (uint8_t i = 0; i < DATA; i++)
        by_hand[i] = clock_by_hand(0);
    P4OUT |= SELECT;
}

static void set_up_usart(void)
{
    U0CTL = SWRST | SYNC | CHAR | MM;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    P3SEL |= SIMO | SOMI | UCLK;
    ME1 |= USPIE0;
    U0CTL &= ~SWRST;
}

/* The next character is written while the last one shifts. */
static void read_by_usart(void)
{
    P4OUT &= ~SELECT;
    for (uint8_t i = 0; i < COMMAND; i++) {
        while (!(IFG1 & UTXIFG0))
            ;
        U0TXBUF = read_command[i];
    }
    while (!(U0TCTL & TXEPT))
        ;
    (void)U0RXBUF;
    U0TXBUF = 0;
    for (uint8_t i = 0; i < DATA; i++) {
        if (i < DATA - 1) {
            while (!(IFG1 & UTXIFG0))
                ;
            U0TXBUF = 0;
        }
        while (!(IFG1 & URXIFG0))
            ;
        by_usart[i] = U0RXBUF;
    }
    P4OUT |= SELECT;
}

static void read_by_dma(void)
{
    for (uint8_t i = 0; i < COMMAND; i++)
        sent[i] = read_command[i];
    P4OUT &= ~SELECT;
    IFG1 &= ~(UTXIFG0 | URXIFG0);
    DMACTL0 = DMA1TSEL_3 | DMA2TSEL_4;
    DMA1SA = (uint16_t)U0RXBUF_;
    DMA1DA = (uint16_t)received;
    DMA1SZ = sizeof received;
    DMA1CTL = DMADT_0 | DMASBDB | DMADSTINCR_3 | DMAEN;
    DMA2SA = (uint16_t)sent;
    DMA2DA = (uint16_t)U0TXBUF_;
    DMA2SZ = sizeof sent;
    DMA2CTL = DMADT_0 | DMASBDB | DMASRCINCR_3 | DMAEN;
    IFG1 |= UTXIFG0;
    while (!(DMA1CTL & DMAIFG))
        ;
    P4OUT |= SELECT;
    for (uint8_t i = 0; i < DATA; i++)
        by_dma[i] = received[COMMAND + i];
}

int main(void)
{
    P4OUT |= SELECT | HOLD;
    P4DIR |= SELECT | HOLD;
    for (volatile uint16_t i = 0; i < 3000; i++) /* the flash powers up */
        ;
    read_by_hand();
    set_up_usart();
    read_by_usart();
    read_by_dma();
    finished = 0xd09e;
    return 0;
}
