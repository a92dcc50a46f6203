/* The flash chip M25P80 on USART0, as on the TelosB: SIMO, SOMI, UCLK on P3.1 to 3, chip select on P4.4, HOLD on P4.7.
 * The registers, and what both sinks for it do with them. */
#ifndef HC_SINK_M25P80_BUS_H
#define HC_SINK_M25P80_BUS_H

#include "critical.h"

enum {
    IE1 = 0x00,
    IFG1 = 0x02,
    ME1 = 0x04,
    P3SEL = 0x1b,
    P4OUT = 0x1d,
    P4DIR = 0x1e,
    P4SEL = 0x1f,
    U0CTL = 0x70,
    U0TCTL = 0x71,
    U0MCTL = 0x73,
    U0BR0 = 0x74,
    U0BR1 = 0x75,
    U0RXBUF = 0x76,
    U0TXBUF = 0x77,
    URXIFG0 = 0x40, /* IFG1 */
    SWRST = 0x01,   /* U0CTL */
    SELECT = 0x10,  /* P4OUT */
};

/* Commands of the chip. WIP: a bit of the status that RDSR reads. */
enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, PP = 0x02, SE = 0xd8, DP = 0xb9, RES = 0xab, WIP = 0x01 };

enum {
    WAKE_LOOPS = 80, /* 30 us, at up to 8 MHz */
    PATIENCE = 255,  /* polls for a byte, which takes 16 cycles of SMCLK */
};

/* The bits of registers that the bus needs, and their values, in this order. U0CTL: an SPI master of 8 bits, configured
 * in reset, which then ends. */
static const struct setting {
    uint8_t address, mask, value;
} settings[] = {
    { P4OUT, 0x90, 0x90 }, { P4DIR, 0x90, 0x90 }, { P4SEL, 0x90, 0 },     { IE1, 0xc0, 0 },
    { U0CTL, 0xff, 0x17 }, { P3SEL, 0x0e, 0x0e }, { U0TCTL, 0xff, 0xb2 }, { U0MCTL, 0xff, 0 },
    { U0BR0, 0xff, 2 },    { U0BR1, 0xff, 0 },    { ME1, 0xc0, 0x40 },
};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* Takes the bus, and saves the bits that differ from the program's settings. */
static void set_up(uint8_t saved[SETTINGS])
{
    for (const struct setting *s = settings; s != settings + SETTINGS; s++) {
        *saved = (HC_MEMORY8(s->address) ^ s->value) & s->mask;
        hc_atomic_flip8(s->address, *saved++);
    }
    hc_atomic_clear8(U0CTL, SWRST);
}

/* Restores the program's settings. */
static void set_back(const uint8_t saved[SETTINGS])
{
    hc_atomic_set8(U0CTL, SWRST);
    saved += SETTINGS;
    for (const struct setting *s = settings + SETTINGS; s-- != settings;)
        hc_atomic_flip8(s->address, *--saved);
}

static inline void send_byte(uint8_t byte)
{
    HC_MEMORY8(U0TXBUF) = byte;
}

/* The byte that comes while one is sent; 0xff: none does. */
static uint8_t receive(void)
{
    uint8_t patience = PATIENCE;

    while (!(HC_MEMORY8(IFG1) & URXIFG0))
        if (!--patience)
            return 0xff;
    return HC_MEMORY8(U0RXBUF);
}

static uint8_t exchange(uint8_t byte)
{
    send_byte(byte);
    return receive();
}

/* Selects the chip and sends a command; the chip stays selected. */
static void select_chip(uint8_t command)
{
    hc_atomic_clear8(P4OUT, SELECT);
    exchange(command);
}

static void release_chip(void)
{
    hc_atomic_set8(P4OUT, SELECT);
}

/* Whether the chip programs or erases. */
static bool is_busy(void)
{
    uint8_t status;

    select_chip(RDSR);
    status = exchange(0);
    release_chip();
    return status & WIP;
}

#endif
