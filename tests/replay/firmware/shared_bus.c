/* Drivers that share the flash chip's bus, as those of operating systems do: a radio whose memory is written and read
 * back in a timer's handler, at any time, unless a transfer of the main loop's is under way, which goes on from
 * interrupt to interrupt and ends in the last one. A tick's handler reads the time, and leaves the CPU asleep. A byte
 * that comes back wrong, or register bits that are not as they were left, end the program. */
#include <kit.h>

#ifndef WAKES
#define WAKES 7 /* of eight ticks one does not leave the CPU asleep */
#endif

enum {
    SELECT = 0x04, /* P4OUT: the radio's */
    VREG = 0x20,
    RESET = 0x40,
    SXOSCON = 0x01,
    STABLE = 0x40, /* of the radio's status */
    BYTES = 12,
    BAUD = 4, /* not what the recorder takes */
};

volatile uint16_t rounds, transfers, refused, spread;
static volatile uint8_t owner, left;
static uint8_t pattern;

static void fail(void)
{
    kit_disable_interrupts();
    for (;;)
        ;
}

static uint8_t exchange(uint8_t byte)
{
    U0TXBUF = byte;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void begin(void)
{
    P4OUT &= ~SELECT;
}

static void end(void)
{
    P4OUT |= SELECT;
}

static uint8_t strobe(uint8_t command)
{
    begin();
    uint8_t status = exchange(command);
    end();
    return status;
}

/* BYTES at 0x100 of the radio's memory. */
static void put_pattern(void)
{
    begin();
    exchange(0x80);
    exchange(0x80);
    for (uint8_t i = 0; i < BYTES; i++)
        exchange((uint8_t)(pattern + 7 * i));
    end();
}

static void check_pattern(void)
{
    begin();
    exchange(0x80);
    exchange(0xa0);
    for (uint8_t i = 0; i < BYTES; i++)
        if (exchange(0) != (uint8_t)(pattern + 7 * i))
            fail();
    end();
}

/* What the recorder uses, too, and nobody else changes. */
static void check_registers(void)
{
    if ((P4OUT & (0x90 | SELECT)) != (0x90 | SELECT) || U0BR0 != BAUD || P4SEL || !(ME1 & USPIE0) ||
        (P3SEL & 0x0e) != 0x0e || IE1 & URXIE0)
        fail();
}

/* At intervals of 12 to 20 ms that meet all of what the recorder does. */
KIT_INTERRUPT(TIMERB0_VECTOR) void alarm(void)
{
    spread = spread * 25173 + 13849;
    TBCCR0 = TBR + 400 + (spread >> 8);
    if (owner) {
        refused++;
        return;
    }
    check_registers();
    pattern++;
    put_pattern();
    check_pattern();
    rounds++;
}

KIT_INTERRUPT(USART0RX_VECTOR) void received(void)
{
    if (!(U0RXBUF & STABLE))
        fail();
    if (--left) {
        U0TXBUF = 0;
        return;
    }
    IE1 &= ~URXIE0;
    end();
    owner = 0;
    transfers++;
}

static void transfer(void)
{
    kit_disable_interrupts();
    if (!owner) {
        owner = 1;
        left = BYTES;
        begin();
        IE1 |= URXIE0;
        U0TXBUF = 0;
    }
    kit_enable_interrupts();
}

KIT_INTERRUPT(TIMERA1_VECTOR) void tick(void)
{
    static uint8_t ticks;
    if (TAIV != 2)
        return;
    TACCR1 = TAR + 256;
    for (uint8_t i = 0; i < 6; i++)
        spread += TAR & 1;
    if (!(++ticks & WAKES))
        KIT_WAKE_ON_EXIT();
}

static void start(void)
{
    BCSCTL1 = XT2OFF | 7; /* about 4 MHz */
    DCOCTL = DCO1 | DCO0;
    P4OUT = 0x90 | SELECT;
    P4DIR = 0x90 | SELECT | VREG | RESET;
    P3SEL |= 0x0e;
    P3DIR |= 0x0a;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = BAUD;
    U0BR1 = U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= ~SWRST;
    P4OUT |= VREG;
    __delay_cycles(8000);
    P4OUT |= RESET;
    __delay_cycles(8000);
    strobe(SXOSCON);
    while (!(strobe(0) & STABLE))
        ;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    TBCCR0 = 100;
    TBCCTL0 = CCIE;
    TACTL = TASSEL_1 | MC_2 | TACLR;
    TACCR1 = 256;
    TACCTL1 = CCIE;
}

int main(void)
{
    start();
    kit_enable_interrupts();
    for (uint8_t turns = 0;; turns++) {
        if (!(turns & 3))
            transfer();
        kit_disable_interrupts();
        kit_sleep(LPM1_bits | GIE);
    }
}
