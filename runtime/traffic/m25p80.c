/* The flash chip M25P80 on USART0, as sink/m25p80.c has it, for pieces of pages. Where handlers of the program use the
 * bus (HC_SINK_YIELDS), interrupts are off from opening to closing: that is for one piece or two. */
#include "codec/page.h"
#include "critical.h"
#include "traffic/model.h"
#include "traffic/sink.h"

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

enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, PP = 0x02, SE = 0xd8, DP = 0xb9, RES = 0xab, WIP = 0x01 };

enum {
    WAKE_LOOPS = 80, /* 30 us, at up to 8 MHz */
    PATIENCE = 255,  /* looks for a byte, and at a chip that programs a piece */
};

/* Which bits of which registers we need, and how, in this order. */
static const struct setting {
    uint8_t address, mask, value;
} settings[] = {
    { P4OUT, 0x90, 0x90 }, { P4DIR, 0x90, 0x90 }, { P4SEL, 0x90, 0 },     { IE1, 0xc0, 0 },
    { U0CTL, 0xff, 0x17 }, { P3SEL, 0x0e, 0x0e }, { U0TCTL, 0xff, 0xb2 }, { U0MCTL, 0xff, 0 },
    { U0BR0, 0xff, 2 },    { U0BR1, 0xff, 0 },    { ME1, 0xc0, 0x40 },
};

enum { SETTINGS = sizeof settings / sizeof *settings };
_Static_assert(SETTINGS <= HC_SINK_KEPT, "room for what was there");

static uint8_t exchange(uint8_t byte)
{
    uint8_t patience = PATIENCE;

    HC_MEMORY8(U0TXBUF) = byte;
    while (!(HC_MEMORY8(IFG1) & URXIFG0))
        if (!--patience)
            return 0xff;
    return HC_MEMORY8(U0RXBUF);
}

static void select_chip(uint8_t command)
{
    hc_atomic_clear8(P4OUT, SELECT);
    exchange(command);
}

static void release_chip(void)
{
    hc_atomic_set8(P4OUT, SELECT);
}

static bool is_busy(void)
{
    uint8_t status;

    select_chip(RDSR);
    status = exchange(0);
    release_chip();
    return status & WIP;
}

/* Not for ever: then nothing is programmed, and the reader will say so. */
static bool wait(void)
{
    uint8_t patience = PATIENCE;

    while (is_busy())
        if (!--patience)
            return false;
    return true;
}

/* COMMAND and an address; the chip stays selected. */
static void begin(uint8_t command, uint16_t page, uint8_t offset)
{
    wait();
    select_chip(WREN); /* of no effect on what does not write */
    release_chip();
    select_chip(command);
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(offset);
}

bool hc_piece_open(uint8_t kept[HC_SINK_KEPT])
{
    for (const struct setting *s = settings; s != settings + SETTINGS; s++) {
        *kept = (HC_MEMORY8(s->address) ^ s->value) & s->mask; /* the bits that differ */
        hc_atomic_flip8(s->address, *kept++);
    }
    hc_atomic_clear8(U0CTL, SWRST);
    select_chip(RES);
    release_chip();
    for (volatile uint8_t i = WAKE_LOOPS; i; i--)
        ;
    return !is_busy();
}

bool hc_piece_close(const uint8_t kept[HC_SINK_KEPT])
{
    bool rests = wait();

#if !HC_SINK_SHARED
    select_chip(DP);
    release_chip();
#endif
    hc_atomic_set8(U0CTL, SWRST);
    kept += SETTINGS;
    for (const struct setting *s = settings + SETTINGS; s-- != settings;)
        hc_atomic_flip8(s->address, *--kept);
    return rests;
}

void hc_piece_erase(uint16_t page)
{
    begin(SE, page, 0);
    release_chip();
}

void hc_piece_write(uint16_t page, uint8_t offset, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    uint16_t crc = hc_page_crc(0xffff, &head, 1);

    begin(PP, page, offset);
    exchange(head);
    crc = hc_page_crc(crc, bytes, size);
    for (; size; size--)
        exchange(*bytes++);
    exchange(hc_traffic_check(crc));
    release_chip();
}

void hc_piece_read(uint16_t page, uint8_t *bytes, uint8_t size)
{
    begin(READ, page, 0);
    for (; size; size--)
        *bytes++ = exchange(0);
    release_chip();
}
