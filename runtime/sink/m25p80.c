/* The flash chip M25P80 on USART0, as on the TelosB: SIMO, SOMI, UCLK on P3.1 to 3, chip select on P4.4, HOLD on P4.7.
 * m25p80.S is the same in assembly.
 *
 * USART0 and the pins get back what the program had set; registers that a handler may write meanwhile are changed by
 * single instructions, only in the bits that are ours. The chip is woken up for us, and sleeps as soon as it has
 * finished what it was told; where the program uses it too (HC_SINK_SHARED) it is left awake. Interrupts may come at
 * any time: the chip stays selected meanwhile. A clock that stands still is not waited for: then the chip is never
 * ready. */
#include "critical.h"
#include "ram.h"
#include "sink.h"

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
    SELECT = 0x10,  /* P4OUT */
};

enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, SE = 0xd8, DP = 0xb9, RES = 0xab, WIP = 0x01 };

enum {
    WAKE_LOOPS = 80, /* 30 us, at up to 8 MHz */
    PATIENCE = 255,  /* looks for a byte, which takes 16 cycles of SMCLK */
};

/* Which bits of which registers we need, and how, in this order; U0CTL: an SPI master of 8 bits, configured in reset.
 */
static const struct setting {
    uint8_t address, mask, value;
} settings[] = {
    { IE1, 0xc0, 0 },   { U0CTL, 0xff, 0x17 }, { P4OUT, 0x90, 0x90 },  { P4DIR, 0x90, 0x90 },
    { P4SEL, 0x90, 0 }, { P3SEL, 0x0e, 0x0e }, { U0TCTL, 0xff, 0xb2 }, { U0MCTL, 0xff, 0 },
    { U0BR0, 0xff, 2 }, { U0BR1, 0xff, 0 },    { ME1, 0xc0, 0x40 },    { U0CTL, 0x01, 0 },
};

enum { SETTINGS = sizeof settings / sizeof *settings };
_Static_assert(SETTINGS <= HC_SINK_SAVED, "room for what was there");

/* Sends BYTE; what came meanwhile, 0xff if nothing did. */
static uint8_t exchange(uint8_t byte)
{
    uint8_t patience = PATIENCE;

    HC_MEMORY8(U0TXBUF) = byte;
    while (!(HC_MEMORY8(IFG1) & URXIFG0))
        if (!--patience)
            return 0xff;
    return HC_MEMORY8(U0RXBUF);
}

static void select_chip(void)
{
    hc_atomic_clear8(P4OUT, SELECT);
}

static void release_chip(void)
{
    hc_atomic_set8(P4OUT, SELECT);
}

/* Of one byte. */
static void command(uint8_t byte)
{
    select_chip();
    exchange(byte);
    release_chip();
}

/* Sends a command and the address of PAGE; the chip stays selected. */
static void begin(uint8_t byte, uint16_t page)
{
    command(WREN); /* of no effect on what does not write */
    select_chip();
    exchange(byte);
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(0);
}

void hc_sink_open(void)
{
    uint8_t *saved = __hc_ram.recorder.saved;

    for (const struct setting *s = settings; s != settings + SETTINGS; s++) {
        *saved = (HC_MEMORY8(s->address) ^ s->value) & s->mask; /* the bits that differ */
        hc_atomic_flip8(s->address, *saved++);
    }
    command(RES); /* whoever made it sleep; a chip that is busy does not hear it */
    for (volatile uint8_t i = WAKE_LOOPS; i; i--)
        ;
}

bool hc_sink_close(void)
{
    bool rests = true;
#if !HC_SINK_SHARED
    rests = hc_sink_ready();
    if (rests)
        command(DP);
#endif
    const uint8_t *saved = __hc_ram.recorder.saved + SETTINGS;
    for (const struct setting *s = settings + SETTINGS; s-- != settings;)
        hc_atomic_flip8(s->address, *--saved);
    return rests;
}

bool hc_sink_ready(void)
{
    select_chip();
    exchange(RDSR);
    uint8_t status = exchange(0);
    release_chip();
    return !(status & WIP);
}

void hc_sink_erase(uint16_t page)
{
    begin(SE, page);
    release_chip();
}

bool hc_sink_used(uint16_t page)
{
    uint16_t left = HC_PAGE_SIZE;

    begin(READ, page);
    while (left && exchange(0) == 0xff)
        left--;
    release_chip();
    return left;
}

bool hc_sink_look(uint16_t page)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;

    begin(READ, page);
    for (uint8_t i = 0; i < HC_PAGE_HEADER; i++)
        header[i] = exchange(0);
    release_chip();
    return header[0] == HC_PAGE_MAGIC;
}

static uint16_t read_page(void)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;
    uint16_t crc = 0xffff;

    for (uint16_t i = 0; i < HC_PAGE_SIZE; i++) {
        uint8_t byte = exchange(0);
        if (i < HC_PAGE_HEADER)
            header[i] = byte;
        if (header[0] != HC_PAGE_MAGIC)
            break;
        crc = hc_page_crc(crc, &byte, 1);
    }
    return crc;
}

static uint16_t send(uint16_t crc, const uint8_t *bytes, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++)
        exchange(bytes[i]);
    return hc_page_crc(crc, bytes, size);
}

static void write_page(const uint8_t *payload)
{
    const struct hc_page_header *next = &__hc_ram.recorder.next;
    uint16_t crc = send(0xffff, (const uint8_t *)next, HC_PAGE_HEADER);

    crc = send(crc, payload, next->length);
    crc = send(crc, (const uint8_t *)next, (uint8_t)(HC_PAGE_PAYLOAD - next->length)); /* behind it memory may end */
    exchange((uint8_t)(crc >> 8));
    exchange((uint8_t)crc);
}

uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload)
{
    uint16_t crc = 0;

    begin(what, page);
    if (what == HC_SINK_READ)
        crc = read_page();
    else
        write_page(payload);
    release_chip();
    return crc;
}
