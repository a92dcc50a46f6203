/* The state in which a segment begins. After a reset, in one page:
 *
 *     boot     | hc_page_begin | registers ... | .noinit ...     section .noinit without the recorder's RAM
 *
 * Otherwise a page for each chunk of memory that is not all zero, then one that makes them valid:
 *
 *     chunk    | address | bytes ...                             address: two bytes
 *     commit   | hc_page_begin | r4 ... r15 SP | registers ...
 *
 * Registers are those of peripherals that __hc_dump names, in its order. A chunk that comes twice is what it was the
 * second time; memory in no chunk is zero, and the recorder's own is in none. In a commit, PC is __hc_cut_update_end
 * and the position counter 0; in a boot page all is as __hc_reset leaves it.
 *
 * The program stands still meanwhile, but for its interrupt handlers. A chunk is copied without an interrupt in
 * between, and remembered by a sum; chunks that handlers change are written again, until all are found unchanged, and
 * the rest of the state has been read, without an interrupt in between. */
#include "critical.h"
#include "link.h"
#include "ram.h"
#include "record.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

extern const volatile struct hc_link __hc_link;

/* {address, bytes}; ends with no bytes. Tools read it from the ELF file. The link step adds up to four places in flash
 * that a node's installer changes, its address for one: it is read through a pointer to volatile. */
const struct hc_dump {
    uint16_t address, bytes;
} __hc_dump[] = { HC_DUMP, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } };

enum { TRIES = 8 };

/* ---- state ---- */

/* Copies memory to AT in the spare page; NULL when it does not fit. */
static uint8_t *put(uint8_t *at, uint16_t from, uint16_t end)
{
    for (; from < end && at; from++) {
        if (at == self.spare + HC_PAGE_SIZE)
            return 0;
        uint16_t word = from >= HC_BYTES_END ? HC_MEMORY16(from & 0xfffe) : HC_MEMORY8(from);
        *at++ = from >= HC_BYTES_END && from & 1 ? (uint8_t)(word >> 8) : (uint8_t)word;
    }
    return at;
}

static uint8_t *put_begin(void)
{
    uint8_t *at = self.spare + HC_PAGE_HEADER;
    *at++ = HC_TRACE_VERSION;
    *at++ = HC_CODEC_SETS;
    for (uint8_t i = 0; i < 8; i++)
        *at++ = __hc_link.build[i];
    return at;
}

static uint8_t *put_peripherals(uint8_t *at)
{
    for (const volatile struct hc_dump *d = __hc_dump; d->bytes; d++)
        at = put(at, d->address, d->address + d->bytes);
    return at;
}

static uint8_t length_to(const uint8_t *at)
{
    return at ? (uint8_t)(at - self.spare - HC_PAGE_HEADER) : 0;
}

uint8_t hc_checkpoint_boot(void)
{
    uint8_t *at = put_peripherals(put_begin());
    uint16_t start = __hc_link.noinit.start;
    if (start <= __hc_link.recorder.start && __hc_link.noinit.end >= __hc_link.recorder.end) {
        at = put(at, start, __hc_link.recorder.start);
        start = __hc_link.recorder.end;
    }
    return length_to(put(at, start, __hc_link.noinit.end));
}

/* ---- chunks ---- */

/* The chunk at START without what is the recorder's of it. */
static struct hc_link_range chunk(uint16_t start)
{
    struct hc_link_range c = { start, start + HC_CHUNK };
    if (c.end > __hc_link.memory.end)
        c.end = __hc_link.memory.end;
    if (c.start < __hc_link.recorder.start) {
        if (c.end > __hc_link.recorder.start)
            c.end = __hc_link.recorder.start;
    } else if (c.start < __hc_link.recorder.end) {
        c.start = __hc_link.recorder.end;
    }
    return c;
}

/* Weights are odd, and all different: a change of one word is always seen. 0 only of zeros. */
static uint16_t sum(struct hc_link_range c)
{
    uint16_t a = 0, b = 0, any = 0;
    for (uint16_t p = c.start; p < c.end; p += 2) {
        uint16_t word = HC_MEMORY16(p);
        any |= word;
        a += word;
        b += a;
    }
    a += 2 * b;
    return any && !a ? 1 : a;
}

/* Writes the chunk at START if its sum is not LAST; true if so. */
static bool dump(uint16_t start, uint16_t *last)
{
    struct hc_link_range c = chunk(start);
    uint8_t *at = self.spare + HC_PAGE_HEADER, tries = 0;
    uint16_t seen, sr = hc_status();
    if (c.start >= c.end || sum(c) == *last)
        return false;
    *at++ = (uint8_t)c.start;
    *at++ = (uint8_t)(c.start >> 8);
    do {
        if (tries++ == TRIES)
            hc_critical_enter();
        seen = ram.interrupts;
        *last = sum(c);
        put(at, c.start, c.end);
    } while (seen != ram.interrupts);
    hc_critical_leave(sr);
    hc_log_write(HC_STREAM_CHECKPOINT, self.segment + 1, self.spare, (uint8_t)(c.end - c.start + 2));
    return true;
}

/* ---- commit ---- */

/* Returns with interrupts off, at a moment at which all chunks and the state in the spare page are as they should be.
 * The sink is closed: its registers are the program's. */
__attribute__((noinline)) static uint8_t agree(void)
{
    uint8_t tries = 0;
    for (;;) {
        bool changed = false;
        if (tries++ == TRIES)
            hc_critical_enter();
        uint16_t seen = ram.interrupts;
        uint16_t start = __hc_link.memory.start, *last = self.sums;
        for (; start < __hc_link.memory.end; start += HC_CHUNK)
            changed |= dump(start, last++);
        if (changed)
            continue;
        hc_sink_close();
        uint8_t *at = put_begin();
        at = put_peripherals(put(at, HC_ADDRESS(ram.application), HC_ADDRESS(ram.application + 13)));
        uint16_t sr = hc_critical_enter();
        if (seen == ram.interrupts)
            return length_to(at);
        hc_critical_leave(sr);
        hc_sink_open();
    }
}

void hc_checkpoint_take(void)
{
    uint16_t sr = hc_status();
    for (uint8_t n = 0; n < HC_CHUNKS; n++)
        self.sums[n] = 0;
    uint8_t length = agree();
    /* What the ring holds belongs to the old segment, which ends here. */
    uint16_t end = ram.head, lost = ram.lost;
    ram.room = (int16_t)(HC_RING - 4 - ((end - self.tail) & (HC_RING - 1)));
    ram.lost = ram.count = ram.laps = 0;
    ram.segment++;
    hc_critical_leave(sr);
    hc_sink_open();
    hc_log_write(HC_STREAM_COMMIT, ram.segment, self.spare, length);
    hc_record_finish(end);
    if (lost)
        hc_log_mark(HC_MARK_OVERFLOW, lost);
    self.flags &= (uint16_t)~HC_LOG_CHECKPOINT;
    hc_record_begin();
}
