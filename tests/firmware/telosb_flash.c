/* Talks to the TelosB's flash chip as drivers do: by USART0, and once by hand.
 * result: 0 signature by hand, 1-3 identification, 4 status after WREN, 5 first status of a program cycle, 6 how often
 * it was polled, 7 words that differ, 8 a byte beyond, 9 status in deep power-down, 10 signature by USART */
#include <kit.h>

volatile uint16_t result[16];
volatile uint16_t finished;

enum { SELECT = 0x10, HOLD = 0x80, SIMO = 0x02, SOMI = 0x04, UCLK = 0x08 };
enum { WREN = 0x06, RDID = 0x9f, RDSR = 0x05, READ = 0x03, PP = 0x02, DP = 0xb9, RES = 0xab };

static void chip_select(int selected)
{
    if (selected)
        P4OUT &= (uint8_t)~SELECT;
    else
        P4OUT |= SELECT;
}

static uint8_t by_hand(uint8_t out)
{
    uint8_t in = 0;
    for (int i = 7; i >= 0; i--) {
        if (out >> i & 1)
            P3OUT |= SIMO;
        else
            P3OUT &= (uint8_t)~SIMO;
        P3OUT |= UCLK;
        in = (uint8_t)(in << 1 | ((P3IN & SOMI) ? 1 : 0));
        P3OUT &= (uint8_t)~UCLK;
    }
    return in;
}

static uint8_t exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void usart_init(void)
{
    P3SEL |= SIMO | SOMI | UCLK;
    U0CTL = SWRST;
    U0CTL |= CHAR | SYNC | MM;
    U0TCTL = CKPH | SSEL1 | SSEL0 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

static void command(uint8_t code)
{
    chip_select(1);
    exchange(code);
}

static uint8_t status(void)
{
    command(RDSR);
    uint8_t value = exchange(0);
    chip_select(0);
    return value;
}

static void address(uint8_t code, uint8_t high, uint8_t middle, uint8_t low)
{
    command(code);
    exchange(high);
    exchange(middle);
    exchange(low);
}

static void program(void)
{
    command(WREN);
    chip_select(0);
    result[4] = status();
    address(PP, 1, 2, 0);
    for (unsigned i = 0; i < 256; i++)
        exchange((uint8_t)(i ^ 0x5a));
    chip_select(0);
    result[5] = status();
    while (status() & 1)
        result[6]++;
    address(READ, 1, 2, 0);
    for (unsigned i = 0; i < 256; i++)
        if (exchange(0) != (uint8_t)(i ^ 0x5a))
            result[7]++;
    result[8] = exchange(0);
    chip_select(0);
}

int main(void)
{
    DCOCTL = 0xe0;
    BCSCTL1 = 0x87;
    P4OUT = SELECT | HOLD | 0x04; /* the radio is not selected */
    P4DIR = SELECT | HOLD | 0x04;
    P3OUT = 0;
    P3DIR = SIMO | UCLK;
    for (volatile unsigned i = 0; i < 5000; i++)
        ;
    chip_select(1);
    by_hand(RES);
    for (int i = 0; i < 3; i++)
        by_hand(0);
    result[0] = by_hand(0);
    chip_select(0);
    usart_init();
    command(RDID);
    for (int i = 1; i < 4; i++)
        result[i] = exchange(0);
    chip_select(0);
    program();
    command(DP);
    chip_select(0);
    for (volatile unsigned i = 0; i < 10; i++)
        ;
    result[9] = status();
    address(RES, 0, 0, 0);
    result[10] = exchange(0);
    chip_select(0);
    finished = 0xd09e;
    for (;;)
        ;
}
