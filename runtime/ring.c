#include "ring.h"

#include "critical.h"
#include "ram.h"

#define ram __hc_ram

/* ---- taking ---- */

uint16_t hc_ring_word(uint16_t *at)
{
    uint16_t word = HC_MEMORY16(*at);
    *at += 2;
    return word;
}

uint8_t hc_ring_byte(uint16_t *at)
{
    return HC_MEMORY8((*at)++);
}

uint16_t hc_ring_next(uint16_t at)
{
    uint16_t end = HC_ADDRESS(ram.ring) + HC_RING;

    at = (at + 1) & (uint16_t)~1;
    return at < end ? at : at - HC_RING;
}

uint16_t hc_ring_size(uint16_t from, uint16_t to)
{
    return to >= from ? to - from : to - from + HC_RING;
}

/* ---- appending ---- */

void hc_ring_lose(void)
{
    ram.room = (int16_t)HC_ROOM_LOST;
    ram.newest = HC_ADDRESS(&ram.newest);
}

static bool reserve(uint16_t size)
{
    ram.room = (int16_t)(ram.room - size);
    if (ram.room >= 0)
        return true;
    hc_ring_lose();
    return false;
}

/* Returns what is behind it. */
static uint16_t put(uint16_t at, uint16_t word)
{
    HC_MEMORY16(at) = word;
    return at + 2;
}

/* An entry ends at AT. */
static void end_entry(uint16_t at)
{
    uint16_t next = hc_ring_next(at);

    if (next < at)
        ram.top = (at + 1) & (uint16_t)~1;
    ram.head = next;
}

/* Adds a byte to the newest entry, which is of the same site. False: it has all that it may have. */
static bool add_byte(uint8_t byte)
{
    uint16_t entry = ram.newest;
    uint8_t more = HC_MEMORY8(entry + 3);

    if (more == HC_RING_MORE)
        return false;
    if (!(more & 1)) {
        if (!reserve(2))
            return true;
        end_entry(entry + 4 + more + 2);
        if (ram.head < entry) /* it does not go on at the ring's other end */
            ram.newest = HC_ADDRESS(&ram.newest);
    }
    HC_MEMORY8(entry + 4 + more) = byte;
    HC_MEMORY8(entry + 3) = more + 1;
    return true;
}

/* Counts one more read of the newest entry, which is of the same site. False: that has another value. */
static bool add_again(uint8_t value)
{
    uint16_t entry = ram.newest;

    if (HC_MEMORY8(entry + 2) != value)
        return false;
    if (++HC_MEMORY8(entry + 3) == HC_RING_AGAIN)
        ram.newest = HC_ADDRESS(&ram.newest);
    return true;
}

void hc_ring_put_read(uint16_t descriptor, uint16_t value, enum hc_ring_read kind)
{
    uint16_t at = ram.head;
    bool same = HC_MEMORY16(ram.newest) == descriptor;

    if (same && kind == HC_RING_READ_DATA && add_byte((uint8_t)value))
        return;
    if (same && kind == HC_RING_READ_BYTE && add_again((uint8_t)value))
        return;
    if (!reserve(4))
        return;
    ram.newest = at;
    end_entry(put(put(at, descriptor), value));
}

static uint16_t interrupt_size(uint16_t tag)
{
    uint16_t size = tag & HC_RING_ASLEEP ? 2 : HC_RING_AWAKE;

    return size + (tag & HC_RING_HASHED ? 4 : 0) + (tag & HC_RING_TIMER ? 2 : 0);
}

void hc_ring_put_interrupt(const struct hc_ring_interrupt *i)
{
    uint16_t at = ram.head;

    if (!reserve(interrupt_size(i->tag)))
        return;
    ram.newest = at;
    at = put(at, i->tag);
    if (i->tag & HC_RING_TIMER)
        at = put(at, i->ccr0);
    if (!(i->tag & HC_RING_ASLEEP)) {
        at = put(put(at, i->pc), i->count);
#if !HC_ORDERED
        at = put(at, ram.laps);
#endif
    }
    if (i->tag & HC_RING_HASHED)
        at = put(put(at, (uint16_t)i->hash), (uint16_t)(i->hash >> 16));
    end_entry(at);
}

#if HC_DMA
void hc_ring_put_memory(uint16_t address, uint8_t size)
{
    uint16_t at = ram.head;

    if (!reserve((uint16_t)(4 + ((size + 1) & ~1))))
        return;
    ram.newest = at;
    at = put(put(at, (uint16_t)(HC_RING_MEMORY + 2 * size)), address);
    for (uint8_t i = 0; i < size; i++)
        HC_MEMORY8(at++) = HC_MEMORY8(address++);
    end_entry(at);
}
#endif
