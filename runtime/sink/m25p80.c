/* The flash chip M25P80 on USART0 (m25p80_bus.h). m25p80.S is the same in assembly.
 *
 * The program's settings of USART0 and of the pins are restored. Registers that a handler may write meanwhile are
 * changed by single instructions, and only in the bits that the sink needs. The sink wakes the chip up and sends it to
 * sleep when it has finished; if the program uses the chip, too (HC_SINK_SHARED), it stays awake. Interrupts may come
 * at any time: the chip stays selected meanwhile. If the clock is stopped, the sink does not wait: the chip is never
 * ready.
 *
 * If handlers of the program use the bus (HC_SINK_YIELDS), interrupts are off while the sink has it, for 64 bytes at a
 * time. In between the program has the bus and its handlers run; the sink continues when no other chip is selected. So
 * a page is programmed in pieces, in several updates if there is time. The part after its payload stays blank. */
#include "m25p80_bus.h"
#include "ram.h"
#include "sink.h"

enum { OTHERS = HC_SINK_SELECTS & ~SELECT };

enum {
    BURST = 64,                                      /* bytes that are programmed at a time */
    READ_BURST = HC_SINK_YIELDS ? 16 : HC_PAGE_SIZE, /* bytes that are read at a time */
    READY_LOOKS = 64,                                /* polls of a chip that programs a piece */
    CRC_AT = HC_PAGE_SIZE - 2,
};

_Static_assert(SETTINGS + 1 <= HC_SINK_SAVED, "room for the saved settings and the status");

#if HC_SINK_YIELDS
#define status __hc_ram.recorder.saved[SETTINGS] /* whether interrupts were on before they went off for the bus */
#define crc_so_far (*(uint16_t *)(void *)(__hc_ram.recorder.saved + HC_SINK_CRC))

/* Takes the bus, with interrupts off, as soon as no other chip is selected. Returns false if one stays selected. */
static bool take(void)
{
    uint16_t patience = 0;

    do {
        status = (uint8_t)(hc_critical_enter() & HC_STATUS_ENABLED);
        if (!(HC_MEMORY8(P4DIR) & (uint8_t)~HC_MEMORY8(P4OUT) & OTHERS)) {
            set_up(__hc_ram.recorder.saved);
            return true;
        }
        hc_critical_leave(status); /* lets handlers finish their transfers */
    } while (--patience);
    return false;
}

static void give(void)
{
    set_back(__hc_ram.recorder.saved);
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

/* A command of one byte. */
static void command(uint8_t byte)
{
    select_chip(byte);
    release_chip();
}

/* Sends a command and an address; the chip stays selected. Returns false if the bus cannot be taken. */
static bool begin(uint8_t byte, uint16_t page, uint8_t offset)
{
    if (!take())
        return false;
    command(WREN); /* no effect on commands that do not write */
    select_chip(byte);
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
        set_up(__hc_ram.recorder.saved);
    if (!take())
        return;
    command(RES); /* wakes it up; a busy chip ignores this */
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
        set_back(__hc_ram.recorder.saved);
    return rests;
}

bool hc_sink_ready(void)
{
    if (!take())
        return false;
    bool busy = is_busy();
    give();
    return !busy;
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

/* Does not wait forever for a chip that never becomes ready. */
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

/* Sends SIZE bytes of PAYLOAD as the next piece; the first piece starts with the header. The CRC is computed while the
 * chip programs. */
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
    crc = send(crc, (const uint8_t *)next,
               (uint8_t)(HC_PAGE_PAYLOAD - next->length)); /* memory may end after the payload */
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
