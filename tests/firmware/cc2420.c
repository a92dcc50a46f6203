/* Drives the CC2420 as an application would: starts it, sends a frame timed by the SFD capture, encrypts a block, then
 * sleeps until FIFOP announces a frame and reads that. */
#include <kit.h>

enum { SXOSCON = 1, SRXON = 3, STXON = 4, SAES = 14, MDMCTRL0 = 0x11, MANFIDL = 0x1e, TXFIFO = 0x3e, RXFIFO = 0x3f };
enum { XOSC16M_STABLE = 0x40, ENC_BUSY = 0x10, TX_ACTIVE = 0x08 };
enum { FIFOP = 0x01, FIFO = 0x08, SFD = 0x02, CSN = 0x04, VREG_EN = 0x20, RESETN = 0x40 };

volatile uint16_t finished;
volatile uint16_t result[8];
volatile uint8_t block[16];
volatile uint8_t frame[128];
volatile uint16_t listening;

static const uint8_t hello[] = { 9, 0x41, 0x88, 1, 0xff, 0xff, 0xff, 0xff };

static uint8_t exchange(uint8_t byte)
{
    U0TXBUF = byte;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void chip_select(int selected)
{
    if (selected)
        P4OUT &= (uint8_t)~CSN;
    else
        P4OUT |= CSN;
}

static uint8_t strobe(uint8_t which)
{
    chip_select(1);
    uint8_t status = exchange(which);
    chip_select(0);
    return status;
}

static uint16_t get(uint8_t reg)
{
    chip_select(1);
    exchange(0x40 | reg);
    uint16_t value = (uint16_t)(exchange(0) << 8);
    value |= exchange(0);
    chip_select(0);
    return value;
}

static void set(uint8_t reg, uint16_t value)
{
    chip_select(1);
    exchange(reg);
    exchange((uint8_t)(value >> 8));
    exchange((uint8_t)value);
    chip_select(0);
}

static void wait_us(uint16_t us) /* at least, with TBR counting at 1 MHz or less */
{
    uint16_t start = TBR;
    while ((uint16_t)(TBR - start) < us)
        ;
}

static void start_spi(void)
{
    P4OUT = CSN | RESETN;
    P4DIR = CSN | RESETN | VREG_EN;
    P3SEL = 0x0e;
    P3DIR = 0x0a;
    U0CTL = SWRST;
    U0CTL |= CHAR | SYNC | MM;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

static void start_radio(void)
{
    P4OUT |= VREG_EN;
    wait_us(600);
    P4OUT &= (uint8_t)~RESETN;
    P4OUT |= RESETN;
    result[0] = get(MANFIDL);
    strobe(SXOSCON);
    while (!(strobe(0) & XOSC16M_STABLE))
        ;
    set(MDMCTRL0, 0x02e2); /* no address recognition */
}

static void send(void)
{
    P4SEL |= SFD;
    TBCCTL1 = CM_3 | CCIS_0 | CAP | SCS;
    chip_select(1);
    exchange(TXFIFO);
    for (uint8_t i = 0; i < sizeof hello; i++)
        exchange(hello[i]);
    chip_select(0);
    strobe(STXON);
    result[1] = strobe(0) & TX_ACTIVE;
    while (!(TBCCTL1 & CCIFG))
        ;
    uint16_t rise = TBCCR1;
    TBCCTL1 &= (uint16_t)~CCIFG;
    while (!(TBCCTL1 & CCIFG))
        ;
    result[2] = TBCCR1 - rise;
    result[3] = strobe(0) & TX_ACTIVE;
}

static void encrypt(void)
{
    chip_select(1);
    exchange(0x80 | 0x30); /* KEY1 and SABUF are 0x10 apart in bank 2 */
    exchange(0x80);
    for (uint8_t i = 0; i < 16; i++)
        exchange((uint8_t)(15 - i));
    chip_select(0);
    chip_select(1);
    exchange(0x80 | 0x20);
    exchange(0x80);
    for (uint8_t i = 0; i < 16; i++)
        exchange((uint8_t)(0x11 * i));
    chip_select(0);
    strobe(SAES);
    while (strobe(0) & ENC_BUSY)
        ;
    chip_select(1);
    exchange(0x80 | 0x20);
    exchange(0xa0);
    for (uint8_t i = 0; i < 16; i++)
        block[i] = exchange(0);
    chip_select(0);
}

KIT_INTERRUPT(PORT1_VECTOR) void fifop_rose(void)
{
    P1IFG = 0;
    result[4]++;
    KIT_WAKE_ON_EXIT();
}

static void receive(void)
{
    P1IES &= (uint8_t)~FIFOP;
    P1IFG = 0;
    P1IE = FIFOP;
    listening = 1;
    kit_sleep(LPM3_bits | GIE);
    kit_disable_interrupts();
    chip_select(1);
    exchange(0x40 | RXFIFO);
    frame[0] = exchange(0);
    for (uint8_t i = 1; i <= frame[0]; i++)
        frame[i] = exchange(0);
    chip_select(0);
    result[5] = P1IN & (FIFO | FIFOP);
}

int main(void)
{
    TBCTL = TBSSEL_2 | MC_2;
    start_spi();
    start_radio();
    send();
    encrypt();
    receive();
    finished = 0xd09e;
    return 0;
}
