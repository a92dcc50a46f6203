/* The flash chip M25P80, like sink/m25p80.c, for pieces of pages. If handlers of the program use the bus
 * (HC_SINK_YIELDS), interrupts are off from opening to closing, which is for one or two pieces. */
#include "sink/m25p80_bus.h"
#include "traffic/model.h"
#include "traffic/sink.h"

_Static_assert(SETTINGS <= HC_SINK_KEPT, "room for the saved settings");

/* Pieces behind each other are programmed at once, which takes less long: the chip is selected, and takes what comes
 * next at this offset of this page; 0: it is not. */
static uint8_t next_offset;
static uint16_t next_page;

/* What was sent is programmed. */
static void end(void)
{
    if (next_offset)
        release_chip();
    next_offset = 0;
}

/* Waits, but not forever: in that case nothing is programmed, and the reader reports it. */
static bool wait(void)
{
    uint8_t patience = PATIENCE;

    end();
    while (is_busy())
        if (!--patience)
            return false;
    return true;
}

/* Sends COMMAND and an address; the chip stays selected. */
static void begin(uint8_t command, uint16_t page, uint8_t offset)
{
    wait();
    select_chip(WREN); /* no effect on commands that do not write */
    release_chip();
    select_chip(command);
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(offset);
}

bool hc_piece_open(uint8_t kept[HC_SINK_KEPT])
{
    set_up(kept);
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
    set_back(kept);
    return rests;
}

void hc_piece_erase(uint16_t page)
{
    begin(SE, page, 0);
    release_chip();
}

void hc_piece_write(uint16_t page, uint8_t offset, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    uint8_t sum = head;

    if (!offset || offset != next_offset || page != next_page)
        begin(PP, page, offset);
    next_page = page;
    next_offset = offset + size + 2;
    exchange(head);
    for (; size; size--) { /* the sum is computed while a byte is on its way */
        send_byte(*bytes);
        sum = hc_traffic_sum(sum, *bytes++);
        receive();
    }
    exchange(hc_traffic_check(sum));
    if (!next_offset)
        release_chip();
}

void hc_piece_read(uint16_t page, uint8_t *bytes, uint8_t size)
{
    begin(READ, page, 0);
    for (; size; size--)
        *bytes++ = exchange(0);
    release_chip();
}
