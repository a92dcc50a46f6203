/* The flash chip M25P80 on USART0, as on the TelosB: SIMO, SOMI, UCLK on P3.1 to 3, chip select on P4.4, HOLD on P4.7.
 * m25p80.S is the same in assembly.
 *
 * USART0 and the pins get back what the program had set; registers that a handler may write meanwhile are changed by
 * single instructions, only in the bits that are ours. The chip is woken up for us, and sleeps as soon as it has
 * finished what it was told; where the program uses it too (HC_SINK_SHARED) it is left awake. Interrupts may come at
 * any time: the chip stays selected meanwhile. A clock that stands still is not waited for: then the chip is never
 * ready.
 *
 * Where handlers of the program use the bus (HC_SINK_YIELDS), interrupts are off while anything of it is ours, for 64
 * bytes at a time. In between all is the program's, handlers run, and we go on when no other chip is selected any more.
 * So a page is programmed in pieces, in several updates if there is time. What is behind its payload stays blank. */
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
    SWRST = 0x01,   /* U0CTL */
    TXEPT = 0x01,   /* U0TCTL */
    SELECT = 0x10,  /* P4OUT */
    OTHERS = HC_SINK_SELECTS & ~SELECT,
};

enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, SE = 0xd8, DP = 0xb9, RES = 0xab, WIP = 0x01 };

enum {
    WAKE_LOOPS = 80,                                 /* 30 us, at up to 8 MHz */
    PATIENCE = 255,                                  /* looks for a byte, which takes 16 cycles of SMCLK */
    BURST = 64,                                      /* bytes that are programmed at a time */
    READ_BURST = HC_SINK_YIELDS ? 16 : HC_PAGE_SIZE, /* read */
    READY_LOOKS = 64,                                /* at a chip that programs a piece */
    CRC_AT = HC_PAGE_SIZE - 2,
};

/* Which bits of which registers we need, and how, in this order. U0CTL: an SPI master of 8 bits, configured in reset,
 * which then ends. */
static const struct setting {
    uint8_t address, mask, value;
} settings[] = {
    { P4OUT, 0x90, 0x90 }, { P4DIR, 0x90, 0x90 }, { P4SEL, 0x90, 0 },     { IE1, 0xc0, 0 },
    { U0CTL, 0xff, 0x17 }, { P3SEL, 0x0e, 0x0e }, { U0TCTL, 0xff, 0xb2 }, { U0MCTL, 0xff, 0 },
    { U0BR0, 0xff, 2 },    { U0BR1, 0xff, 0 },    { ME1, 0xc0, 0x40 },
};

enum { SETTINGS = sizeof settings / sizeof *settings };
_Static_assert(SETTINGS + 1 <= HC_SINK_SAVED, "room for what was there, and for the status");

static void set_up(void)
{
    uint8_t *saved = __hc_ram.recorder.saved;

    for (const struct setting *s = settings; s != settings + SETTINGS; s++) {
        *saved = (HC_MEMORY8(s->address) ^ s->value) & s->mask; /* the bits that differ */
        hc_atomic_flip8(s->address, *saved++);
    }
    hc_atomic_clear8(U0CTL, SWRST);
}

static void set_back(void)
{
    const uint8_t *saved = __hc_ram.recorder.saved + SETTINGS;

    hc_atomic_set8(U0CTL, SWRST);
    for (const struct setting *s = settings + SETTINGS; s-- != settings;)
        hc_atomic_flip8(s->address, *--saved);
}

#if HC_SINK_YIELDS
#define status __hc_ram.recorder.saved[SETTINGS] /* whether interrupts were on before they went off for the bus */
#define crc_so_far (*(uint16_t *)(void *)(__hc_ram.recorder.saved + HC_SINK_CRC))

/* The bus is ours as soon as no other chip is selected; interrupts are off then. False: one is, for good. */
static bool take(void)
{
    uint16_t patience = 0;

    do {
        status = (uint8_t)(hc_critical_enter() & HC_STATUS_ENABLED);
        if (!(HC_MEMORY8(P4DIR) & (uint8_t)~HC_MEMORY8(P4OUT) & OTHERS)) {
            set_up();
            return true;
        }
        hc_critical_leave(status); /* handlers go on, and come to an end with it */
    } while (--patience);
    return false;
}

static void give(void)
{
    set_back();
    hc_critical_leave(status);
}
#else
static bool take(void)
{
    return true;
}

static void give(void)
{
}
#endif

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

/* Sends a command and an address; the chip stays selected. False: the bus is not to be had. */
static bool begin(uint8_t byte, uint16_t page, uint8_t offset)
{
    if (!take())
        return false;
    command(WREN); /* of no effect on what does not write */
    select_chip();
    exchange(byte);
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(offset);
    return true;
}

static void end(void)
{
    release_chip();
    give();
}

void hc_sink_open(void)
{
    if (!HC_SINK_YIELDS)
        set_up();
    if (!take())
        return;
    command(RES); /* whoever made it sleep; a chip that is busy does not hear it */
    give();
    for (volatile uint8_t i = WAKE_LOOPS; i; i--)
        ;
}

bool hc_sink_close(void)
{
    bool rests = true;
#if !HC_SINK_SHARED
    rests = hc_sink_ready();
    if (rests && take()) {
        command(DP);
        give();
    }
#endif
    if (!HC_SINK_YIELDS)
        set_back();
    return rests;
}

bool hc_sink_ready(void)
{
    if (!take())
        return false;
    select_chip();
    exchange(RDSR);
    uint8_t busy = exchange(0);
    release_chip();
    give();
    return !(busy & WIP);
}

void hc_sink_erase(uint16_t page)
{
    if (begin(SE, page, 0))
        end();
}

bool hc_sink_used(uint16_t page, uint16_t size)
{
    uint16_t i = 0;
    bool blank = true;

    while (blank && i < size) {
        if (!begin(READ, page, (uint8_t)i))
            return false;
        do
            blank = exchange(0) == 0xff;
        while (++i % READ_BURST && i < size && blank);
        end();
    }
    return !blank;
}

bool hc_sink_look(uint16_t page)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;

    if (!begin(READ, page, 0))
        return false;
    for (uint8_t i = 0; i < HC_PAGE_HEADER; i++)
        header[i] = exchange(0);
    end();
    return header[0] == HC_PAGE_MAGIC;
}

static uint16_t read_page(uint16_t page)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;
    uint16_t crc = 0xffff, i = 0;
    bool is_page = true;

    while (is_page && i < HC_PAGE_SIZE) {
        if (!begin(READ, page, (uint8_t)i))
            return 0xffff;
        do {
            uint8_t byte = exchange(0);
            if (i < HC_PAGE_HEADER)
                header[i] = byte;
            is_page = header[0] == HC_PAGE_MAGIC;
            crc = hc_page_crc(crc, &byte, 1);
        } while (++i % READ_BURST && is_page);
        end();
    }
    return is_page ? crc : 0xffff;
}

#if HC_SINK_YIELDS
static void send(const uint8_t *bytes, uint16_t size)
{
    while (size--)
        exchange(*bytes++);
}

/* A chip that is dead is not waited for. */
static void wait_until_programmed(void)
{
    uint8_t looks = READY_LOOKS;

    while (!hc_sink_ready() && --looks)
        ;
}

static uint16_t send_crc(uint16_t page, uint16_t crc)
{
    if (!begin(HC_SINK_PROGRAM, page, CRC_AT))
        return HC_SINK_GONE;
    exchange((uint8_t)(crc >> 8));
    exchange((uint8_t)crc);
    end();
    hc_sink_written = 0;
    return HC_SINK_DONE;
}

/* The next piece of PAYLOAD, SIZE bytes of it; the header goes in front of the first. Its sum is made while the chip
 * programs. */
static bool send_piece(uint16_t page, const uint8_t *payload, uint8_t size)
{
    const uint8_t *header = (const uint8_t *)&__hc_ram.recorder.next;
    uint16_t at = hc_sink_written;

    if (!begin(HC_SINK_PROGRAM, page, (uint8_t)at))
        return false;
    if (!at)
        send(header, HC_PAGE_HEADER);
    send(payload, size);
    end();
    if (!at)
        crc_so_far = hc_page_crc(0xffff, header, HC_PAGE_HEADER);
    crc_so_far = hc_page_crc(crc_so_far, payload, size);
    hc_sink_written = at + size + (at ? 0 : HC_PAGE_HEADER);
    return true;
}

static uint16_t write_page(uint16_t page, const uint8_t *payload)
{
    static const uint8_t blank = 0xff;
    uint16_t at = hc_sink_written, done = at ? at - HC_PAGE_HEADER : 0, size = BURST - (at ? 0 : HC_PAGE_HEADER);

    wait_until_programmed();
    if (at == CRC_AT)
        return send_crc(page, crc_so_far);
    uint16_t left = __hc_ram.recorder.next.length - done;
    if (size > left)
        size = left;
    if (!send_piece(page, payload + done, (uint8_t)size))
        return HC_SINK_GONE;
    if (size == left)
        for (; hc_sink_written < CRC_AT; hc_sink_written++)
            crc_so_far = hc_page_crc(crc_so_far, &blank, 1);
    return HC_SINK_MORE;
}
#else
static uint16_t send(uint16_t crc, const uint8_t *bytes, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++)
        exchange(bytes[i]);
    return hc_page_crc(crc, bytes, size);
}

static uint16_t write_page(uint16_t page, const uint8_t *payload)
{
    const struct hc_page_header *next = &__hc_ram.recorder.next;

    begin(HC_SINK_PROGRAM, page, 0);
    uint16_t crc = send(0xffff, (const uint8_t *)next, HC_PAGE_HEADER);
    crc = send(crc, payload, next->length);
    crc = send(crc, (const uint8_t *)next, (uint8_t)(HC_PAGE_PAYLOAD - next->length)); /* behind it memory may end */
    exchange((uint8_t)(crc >> 8));
    exchange((uint8_t)crc);
    end();
    return HC_SINK_DONE;
}
#endif

uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload)
{
    if (what == HC_SINK_READ)
        return read_page(page);
    return write_page(page, payload);
}
