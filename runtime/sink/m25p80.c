/* The flash chip M25P80 on USART0, as on the TelosB: SIMO, SOMI, UCLK on P3.1 to 3, chip select on P4.4, HOLD on P4.7.
 *
 * USART0 and the pins get back what the program had set; registers that a handler may write meanwhile are changed by
 * single instructions, only in the bits that are ours. The chip is woken up for us, and sleeps as soon as it has
 * finished what it was told; where the program uses it too (HC_SINK_SHARED) it is left awake. Interrupts may come at
 * any time: the chip stays selected meanwhile. */
#include "critical.h"
#include "ram.h"
#include "sink.h"

enum { IE1 = 0x00, IFG1 = 0x02, ME1 = 0x04, P3SEL = 0x1b, P4OUT = 0x1d, P4DIR = 0x1e, P4SEL = 0x1f };
enum { U0CTL = 0x70, U0TCTL, U0RCTL, U0MCTL, U0BR0, U0BR1, U0RXBUF, U0TXBUF };
enum { CONFIGURING = 0x17, RUNNING = 0x16 }; /* U0CTL: an SPI master of 8 bits; SWRST */
enum { URXIFG0 = 0x40, SELECT = 0x10 };
enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, PP = 0x02, SE = 0xd8, DP = 0xb9, RES = 0xab, WIP = 0x01 };
enum { WAKE_LOOPS = 80 }; /* 30 us, at up to 8 MHz */

/* Which bits of which registers we need, and how. */
static const struct {
    uint8_t address, mask, value, unused; /* so that no multiplication finds an element */
} setup[] = {
    { IE1, 0xc0, 0x00, 0 },    { U0CTL, 0xff, CONFIGURING, 0 }, { P4OUT, 0x90, 0x90, 0 },  { P4DIR, 0x90, 0x90, 0 },
    { P4SEL, 0x90, 0x00, 0 },  { P3SEL, 0x0e, 0x0e, 0 },        { U0TCTL, 0xff, 0xb2, 0 }, /* CKPH, SMCLK, three pins */
    { U0MCTL, 0xff, 0x00, 0 }, { U0BR0, 0xff, 0x02, 0 },        { U0BR1, 0xff, 0x00, 0 },  { ME1, 0xc0, 0x40, 0 },
};
enum { SETTINGS = sizeof setup / sizeof *setup };
_Static_assert(SETTINGS <= HC_SINK_SAVED, "room for what the program had set");

#define sink __hc_ram.recorder.sink

/* Not through a state that is neither. */
static void set(uint16_t address, uint8_t mask, uint8_t value)
{
    hc_atomic_set8(address, value);
    hc_atomic_clear8(address, mask & (uint8_t)~value);
}

static uint8_t exchange(uint8_t out)
{
    HC_MEMORY8(U0TXBUF) = out;
    while (!(HC_MEMORY8(IFG1) & URXIFG0))
        ;
    return HC_MEMORY8(U0RXBUF);
}

static void deselect(void)
{
    hc_atomic_set8(P4OUT, SELECT);
}

static void select(uint8_t command)
{
    hc_atomic_clear8(P4OUT, SELECT);
    exchange(command);
}

static void command(uint8_t code)
{
    select(code);
    deselect();
}

static void select_at(uint8_t code, uint16_t page, uint8_t offset)
{
    select(code);
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(offset);
}

void hc_sink_open(void)
{
    for (uint8_t i = 0; i < SETTINGS; i++) {
        sink.saved[i] = HC_MEMORY8(setup[i].address) & setup[i].mask;
        set(setup[i].address, setup[i].mask, setup[i].value);
    }
    HC_MEMORY8(U0CTL) = RUNNING;
    command(RES); /* whoever made it sleep; a chip that is busy does not hear it */
    for (volatile uint8_t i = WAKE_LOOPS; i; i--)
        ;
}

bool hc_sink_close(void)
{
    bool rests = HC_SINK_SHARED || hc_sink_ready();
    if (!HC_SINK_SHARED && rests)
        command(DP);
    HC_MEMORY8(U0CTL) = CONFIGURING;
    for (uint8_t i = SETTINGS; i--;)
        set(setup[i].address, setup[i].mask, sink.saved[i]);
    return rests;
}

bool hc_sink_ready(void)
{
    select(RDSR);
    uint8_t status = exchange(0);
    deselect();
    return !(status & WIP);
}

void hc_sink_read(uint16_t page, uint8_t offset, uint8_t *to, uint8_t count)
{
    select_at(READ, page, offset);
    while (count--)
        *to++ = exchange(0);
    deselect();
}

void hc_sink_program(uint16_t page, const uint8_t *bytes, uint16_t count)
{
    command(WREN);
    select_at(PP, page, 0);
    while (count--)
        exchange(*bytes++);
    deselect();
}

void hc_sink_erase(uint16_t page)
{
    command(WREN);
    select_at(SE, page, 0);
    deselect();
}
