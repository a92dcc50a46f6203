/* The bus: what answers at an address, and what it costs to ask.
 *
 * The CPU reads and writes `memory` directly unless a page's flags say otherwise. A page is slow for reads or writes
 * because of what it is (I/O, vacant, a mirror; ROM and flash for writes), because a device guards it (busy flash),
 * because a hook watches it, or because decoded code lies there and a write must be seen. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { VACANT_WORD = 0x3fff }; /* what an F1xx reads where nothing drives the bus: JMP $ */

void hc_memory_init(struct hc_machine *m)
{
    memset(m->page_kind, HC_VACANT, sizeof m->page_kind);
    for (const struct hc_region *r = m->part->regions; r->name; r++) {
        for (uint32_t page = r->start >> HC_PAGE_BITS; page <= r->end >> HC_PAGE_BITS; page++)
            m->page_kind[page] = (uint8_t)r->kind;
        if (r->end + 1 > m->memory_size)
            m->memory_size = r->end + 1;
    }
    /* Decoding may look a few bytes past the end of a code page. */
    m->memory = calloc(1, m->memory_size + 16);
    for (const struct hc_region *r = m->part->regions; m->memory && r->name; r++)
        if (r->kind == HC_FLASH || r->kind == HC_ROM)
            memset(m->memory + r->start, 0xff, r->end - r->start + 1);
    hc_pages_refresh_all(m);
}

void hc_page_refresh(struct hc_machine *m, uint32_t page)
{
    int kind = m->page_kind[page];
    uint8_t flags = 0;
    if (kind == HC_VACANT || kind == HC_IO || kind == HC_MIRROR)
        flags = HC_SLOW_READ | HC_SLOW_WRITE;
    if (kind == HC_ROM || kind == HC_FLASH || m->page_code[page] || m->watch_all_writes)
        flags |= HC_SLOW_WRITE;
    if ((m->page_guard[page] | m->page_watch[page]) & HC_WATCH_READ)
        flags |= HC_SLOW_READ;
    if ((m->page_guard[page] | m->page_watch[page]) & HC_WATCH_WRITE)
        flags |= HC_SLOW_WRITE;
    m->page_flags[page] = flags;
}

void hc_pages_refresh_all(struct hc_machine *m)
{
    for (uint32_t page = 0; page < HC_PAGES; page++)
        hc_page_refresh(m, page);
}

uint32_t hc_memory_canonical(const struct hc_machine *m, uint32_t address)
{
    if (m->page_kind[address >> HC_PAGE_BITS] != HC_MIRROR)
        return address;
    for (const struct hc_region *r = m->part->regions; r->name; r++)
        if (r->kind == HC_MIRROR && address >= r->start && address <= r->end)
            return address - r->start + r->mirrors;
    return address;
}

void hc_device_claim(struct hc_device *d, uint32_t start, uint32_t end)
{
    struct hc_machine *m = d->machine;
    int index = 0;
    while (m->device[index] != d)
        index++;
    for (uint32_t a = start; a <= end && a < HC_IO_BYTES; a++)
        m->io_owner[a] = (uint8_t)(index + 1);
}

void hc_device_guard(struct hc_device *d, uint32_t start, uint32_t end, int watch)
{
    struct hc_machine *m = d->machine;
    if ((m->page_guard[start >> HC_PAGE_BITS] ^ watch) & HC_WATCH_READ)
        hc_code_drop(m, start, end);
    for (uint32_t page = start >> HC_PAGE_BITS; page <= end >> HC_PAGE_BITS; page++) {
        m->page_guard[page] = (uint8_t)watch;
        m->page_owner[page] = d;
        hc_page_refresh(m, page);
    }
}

uint8_t hc_memory_get(const struct hc_machine *m, uint32_t address)
{
    return address < m->memory_size ? m->memory[address] : 0xff;
}

void hc_memory_set(struct hc_machine *m, uint32_t address, uint8_t value)
{
    if (address >= m->memory_size || m->memory[address] == value)
        return;
    m->memory[address] = value;
    if (m->page_code[address >> HC_PAGE_BITS])
        hc_code_changed(m, address);
}

/* ---- peripheral registers ---- */

static void note_unknown(struct hc_machine *m, const char *who, uint32_t address, bool write)
{
    uint8_t bit = write ? 2 : 1;
    if (address >= HC_IO_BYTES || (m->io_unknown[address] & bit))
        return;
    m->io_unknown[address] |= bit;
    hc_note(m, "%s: %s of unknown register 0x%04x at pc 0x%04x", who, write ? "write" : "read", (unsigned)address,
            (unsigned)hc_current_pc(m));
}

void hc_unknown_register(struct hc_device *d, uint32_t address, bool write)
{
    note_unknown(d->machine, d->name, address, write);
}

static struct hc_device *io_device(const struct hc_machine *m, uint32_t address)
{
    uint8_t owner = address < HC_IO_BYTES ? m->io_owner[address] : 0;
    return owner ? m->device[owner - 1] : NULL;
}

static uint16_t io_read(struct hc_machine *m, uint32_t address, int size)
{
    struct hc_device *d = io_device(m, address);
    if (d && d->ops->read)
        return d->ops->read(d, address, size);
    note_unknown(m, m->part->name, address, false);
    return 0;
}

static void io_write(struct hc_machine *m, uint32_t address, uint16_t value, int size)
{
    struct hc_device *d = io_device(m, address);
    if (d && d->ops->write)
        d->ops->write(d, address, value, size);
    else
        note_unknown(m, m->part->name, address, true);
}

/* ---- the slow paths ---- */

/* A device may have armed an event that comes before the end of the slice. */
static void look_at_events(struct hc_machine *m)
{
    if (hc_queue_next(&m->queue) < m->slice_horizon)
        hc_end_slice(m);
}

static uint16_t plain_read(const struct hc_machine *m, uint32_t address, int size)
{
    return size == 1 ? m->memory[address] : (uint16_t)(m->memory[address] | m->memory[address + 1] << 8);
}

static uint16_t vacant_read(struct hc_machine *m, uint32_t address, int size)
{
    if (!m->lenient)
        hc_fault(m, "read of vacant memory 0x%04x", (unsigned)address);
    return size == 1 ? VACANT_WORD & 0xff : VACANT_WORD;
}

static uint16_t read_by_kind(struct hc_machine *m, uint32_t address, int size)
{
    uint32_t page = address >> HC_PAGE_BITS;
    if (m->page_guard[page] & HC_WATCH_READ)
        return m->page_owner[page]->ops->read(m->page_owner[page], address, size);
    switch (m->page_kind[page]) {
    case HC_IO:
        return io_read(m, address, size);
    case HC_VACANT:
        return vacant_read(m, address, size);
    case HC_MIRROR:
        return plain_read(m, hc_memory_canonical(m, address), size);
    default:
        return plain_read(m, address, size);
    }
}

uint16_t hc_slow_read(struct hc_machine *m, uint32_t address, int size)
{
    address &= size == 2 ? m->address_mask & ~1u : m->address_mask;
    uint16_t value = read_by_kind(m, address, size);
    look_at_events(m);
    if (m->page_watch[address >> HC_PAGE_BITS] & HC_WATCH_READ)
        hc_hooks_access(m, address, value, value, size, false);
    return value;
}

static void plain_write(struct hc_machine *m, uint32_t address, uint16_t value, int size)
{
    hc_memory_set(m, address, (uint8_t)value);
    if (size == 2)
        hc_memory_set(m, address + 1, (uint8_t)(value >> 8));
}

static void write_by_kind(struct hc_machine *m, uint32_t address, uint16_t value, int size)
{
    uint32_t page = address >> HC_PAGE_BITS;
    if (m->page_guard[page] & HC_WATCH_WRITE) {
        m->page_owner[page]->ops->write(m->page_owner[page], address, value, size);
        return;
    }
    switch (m->page_kind[page]) {
    case HC_IO:
        io_write(m, address, value, size);
        break;
    case HC_VACANT:
        if (!m->lenient)
            hc_fault(m, "write of 0x%04x to vacant memory 0x%04x", value, (unsigned)address);
        break;
    case HC_ROM:
    case HC_FLASH: /* flash without a controller is ROM */
        if (!m->lenient)
            hc_fault(m, "write of 0x%04x to read-only memory 0x%04x", value, (unsigned)address);
        break;
    case HC_MIRROR:
        plain_write(m, hc_memory_canonical(m, address), value, size);
        break;
    default:
        plain_write(m, address, value, size);
        break;
    }
}

void hc_slow_write(struct hc_machine *m, uint32_t address, uint16_t value, int size)
{
    address &= size == 2 ? m->address_mask & ~1u : m->address_mask;
    bool watched = m->page_watch[address >> HC_PAGE_BITS] & HC_WATCH_WRITE;
    bool is_memory = m->page_kind[address >> HC_PAGE_BITS] > HC_IO;
    uint16_t before = watched && is_memory ? plain_read(m, hc_memory_canonical(m, address), size) : 0;
    write_by_kind(m, address, value, size);
    look_at_events(m);
    if (m->hashing)
        m->write_hash =
            (m->write_hash ^ ((uint64_t)address << 24 | (uint64_t)size << 16 | value)) * 0x9fb21c651e98df25u;
    if (watched)
        hc_hooks_access(m, address, value, before, size, true);
}

uint16_t hc_bus_read(struct hc_machine *m, uint32_t address, int size)
{
    address &= size == 2 ? m->address_mask & ~1u : m->address_mask;
    if (m->page_flags[address >> HC_PAGE_BITS] & HC_SLOW_READ)
        return hc_slow_read(m, address, size);
    return plain_read(m, address, size);
}

void hc_bus_write(struct hc_machine *m, uint32_t address, uint16_t value, int size)
{
    address &= size == 2 ? m->address_mask & ~1u : m->address_mask;
    if (m->page_flags[address >> HC_PAGE_BITS] & HC_SLOW_WRITE)
        hc_slow_write(m, address, value, size);
    else
        plain_write(m, address, value, size);
    if (m->follower)
        m->follower->wrote(m->follower->owner, address, (uint32_t)size);
}

/* ---- from outside ---- */

enum hc_region_kind hc_region_kind(const struct hc_machine *m, uint32_t address)
{
    return (enum hc_region_kind)m->page_kind[(address & m->address_mask) >> HC_PAGE_BITS];
}

uint8_t hc_peek(struct hc_machine *m, uint32_t address)
{
    address = hc_memory_canonical(m, address & m->address_mask);
    switch (hc_region_kind(m, address)) {
    case HC_VACANT:
        return 0xff;
    case HC_IO: {
        struct hc_device *d = io_device(m, address);
        return d && d->ops->peek ? (uint8_t)d->ops->peek(d, address, 1) : 0;
    }
    default:
        return m->memory[address];
    }
}

uint16_t hc_peek16(struct hc_machine *m, uint32_t address)
{
    address &= ~1u;
    if (hc_region_kind(m, address) == HC_IO) {
        struct hc_device *d = io_device(m, address);
        return d && d->ops->peek ? d->ops->peek(d, address, 2) : 0;
    }
    return (uint16_t)(hc_peek(m, address) | hc_peek(m, address + 1) << 8);
}

void hc_peek_bytes(struct hc_machine *m, uint32_t address, uint8_t *out, size_t size)
{
    while (size) {
        uint32_t at = hc_memory_canonical(m, address & m->address_mask);
        size_t left = HC_PAGE_BYTES - (at & (HC_PAGE_BYTES - 1)), n = left < size ? left : size;
        enum hc_region_kind kind = hc_region_kind(m, at);
        if (kind == HC_VACANT || kind == HC_IO)
            for (size_t i = 0; i < n; i++)
                out[i] = hc_peek(m, address + (uint32_t)i);
        else
            memcpy(out, m->memory + at, n);
        address += (uint32_t)n;
        out += n;
        size -= n;
    }
}

bool hc_poke(struct hc_machine *m, uint32_t address, uint8_t value)
{
    address = hc_memory_canonical(m, address & m->address_mask);
    enum hc_region_kind kind = hc_region_kind(m, address);
    if (kind == HC_VACANT || kind == HC_IO)
        return false;
    hc_memory_set(m, address, value);
    if (m->follower)
        m->follower->wrote(m->follower->owner, address, 1);
    return true;
}

bool hc_poke16(struct hc_machine *m, uint32_t address, uint16_t value)
{
    return hc_poke(m, address & ~1u, (uint8_t)value) && hc_poke(m, address | 1u, (uint8_t)(value >> 8));
}
