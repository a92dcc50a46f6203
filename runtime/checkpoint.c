/* The state in which a segment begins. After a reset, in one page:
 *
 *     boot     | hc_page_begin | form | state ...
 *
 * Otherwise a page for each chunk of memory that is not all zero, then one that makes them valid:
 *
 *     chunk    | address | form in bit 0 | bytes ...             address: even, two bytes
 *     commit   | hc_page_begin | form | state ...
 *
 *     state    r4 ... r15, SP; the registers that __hc_dump names, in its order; in a boot page then section .noinit
 * but for the recorder's RAM form     1: as it is; 0: zero bytes are coded, 00 n is n of them
 *
 * A chunk that comes twice is what it was the second time; memory in no chunk is zero. PC is __hc_cut_update_end, the
 * position counter is 0 in a commit; they are those after __hc_reset in a boot page. The recorder's RAM is in no chunk.
 *
 * The program stands still meanwhile, but for its interrupt handlers. A chunk is coded without an interrupt in between,
 * and remembered by a sum; chunks that handlers change are written again, until all are found unchanged, and the rest
 * of the state has been read, without an interrupt in between. */
#include "critical.h"
#include "link.h"
#include "ram.h"
#include "record.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

extern const volatile struct hc_link __hc_link;

/* {address, bytes}; ends with no bytes. Tools read it from the ELF file. */
const struct hc_dump {
    uint16_t address, bytes;
} __hc_dump[] = { HC_DUMP, { 0, 0 } };

enum { TRIES = 8, PACKED = 0, PLAIN = 1 };

/* ---- coding ---- */

/* Where bytes go: a page's payload. */
struct writer {
    uint8_t *at, *end;
    uint8_t *zeros; /* the count of the zeros that were put last, or NULL */
    uint8_t form;
};

/* Once there is no room left `at` is NULL. */
static void put(struct writer *w, uint8_t byte)
{
    if (byte == 0 && w->zeros && *w->zeros < 255) {
        ++*w->zeros;
        return;
    }
    if (!w->at || w->at >= w->end - 1) {
        w->at = 0;
        return;
    }
    *w->at++ = byte;
    w->zeros = 0;
    if (byte == 0 && w->form == PACKED) {
        w->zeros = w->at;
        *w->at++ = 1;
    }
}

static void put_memory(struct writer *w, uint16_t start, uint16_t end)
{
    for (; start < end; start++) {
        if (start >= HC_BYTES_END && start < HC_PERIPHERALS_END) {
            uint16_t word = HC_MEMORY16(start);
            put(w, (uint8_t)word);
            put(w, (uint8_t)(word >> 8));
            start++;
        } else {
            put(w, HC_MEMORY8(start));
        }
    }
}

static void put_registers(struct writer *w)
{
    const uint8_t *from = (const uint8_t *)ram.application;
    for (uint8_t i = 0; i < sizeof ram.application + sizeof ram.application_sp; i++)
        put(w, from[i]);
    for (const struct hc_dump *d = __hc_dump; d->bytes; d++)
        put_memory(w, d->address, d->address + d->bytes);
}

static void begin(struct writer *w, uint8_t form)
{
    uint8_t *to = self.spare + HC_PAGE_HEADER;
    *to++ = HC_TRACE_VERSION;
    *to++ = HC_CODEC_SETS;
    for (uint8_t i = 0; i < 8; i++)
        *to++ = __hc_link.build[i];
    *to++ = form;
    *w = (struct writer){ .at = to, .end = self.spare + HC_PAGE_SIZE + 1, .form = form };
}

static uint8_t length_of(const struct writer *w)
{
    return w->at ? (uint8_t)(w->at - self.spare - HC_PAGE_HEADER) : 0;
}

uint8_t hc_checkpoint_boot(void)
{
    struct writer w;
    for (uint8_t i = 0; i < 12; i++)
        ram.application[i] = 0;
    ram.application_sp = 0;
    begin(&w, PACKED);
    put_registers(&w);
    struct hc_link_range own = __hc_link.recorder, noinit = __hc_link.noinit;
    if (own.start >= noinit.start && own.end <= noinit.end) {
        put_memory(&w, noinit.start, own.start);
        noinit.start = own.end;
    }
    put_memory(&w, noinit.start, noinit.end);
    return length_of(&w);
}

/* ---- chunks ---- */

/* The part of chunk N that is not the recorder's; empty if there is none. */
static struct hc_link_range chunk(uint8_t n)
{
    struct hc_link_range c;
    c.start = __hc_link.memory.start + n * HC_CHUNK;
    c.end = c.start + HC_CHUNK;
    if (c.end > __hc_link.memory.end)
        c.end = __hc_link.memory.end;
    if (c.end > __hc_link.recorder.start && c.start < __hc_link.recorder.end) {
        if (c.start < __hc_link.recorder.start)
            c.end = __hc_link.recorder.start;
        else
            c.start = __hc_link.recorder.end;
    }
    return c;
}

/* Weights are odd, and all different: a change of one word is always seen. */
static uint16_t sum(struct hc_link_range c)
{
    uint16_t a = 0, b = 0;
    for (uint16_t p = c.start; p < c.end; p += 2) {
        a += HC_MEMORY16(p);
        b += a;
    }
    return a + 2 * b;
}

static uint8_t code(struct hc_link_range c, uint8_t form)
{
    uint8_t *to = self.spare + HC_PAGE_HEADER;
    to[0] = (uint8_t)c.start | form;
    to[1] = (uint8_t)(c.start >> 8);
    struct writer w = { .at = to + 2, .end = self.spare + HC_PAGE_SIZE + 1, .form = form };
    put_memory(&w, c.start, c.end);
    return length_of(&w);
}

/* Writes chunk C and sets its sum; one that is all zeros is not written the first time. */
static void dump(uint8_t n, bool first)
{
    struct hc_link_range c = chunk(n);
    uint8_t length, tries = 0;
    uint16_t seen, sr = hc_status();
    do {
        if (tries++ == TRIES)
            hc_critical_enter();
        seen = ram.interrupts;
        self.sums[n] = sum(c);
        length = code(c, PACKED);
        if (!length)
            length = code(c, PLAIN);
    } while (seen != ram.interrupts);
    hc_critical_leave(sr);
    if (first && length <= 4 && self.spare[HC_PAGE_HEADER + 2] == 0)
        return; /* nothing, or one run of zeros */
    hc_log_write(HC_STREAM_CHECKPOINT, self.segment + 1, self.spare, length);
}

static void dump_all(void)
{
    for (uint8_t n = 0; n < HC_CHUNKS; n++)
        if (chunk(n).start < chunk(n).end)
            dump(n, true);
}

/* Writes what has changed; true if nothing had. */
static bool verify(void)
{
    bool same = true;
    for (uint8_t n = 0; n < HC_CHUNKS; n++) {
        struct hc_link_range c = chunk(n);
        if (c.start < c.end && sum(c) != self.sums[n]) {
            dump(n, false);
            same = false;
        }
    }
    return same;
}

/* ---- commit ---- */

static uint8_t state(void)
{
    struct writer w;
    begin(&w, PACKED);
    put_registers(&w);
    if (!w.at) {
        begin(&w, PLAIN);
        put_registers(&w);
    }
    return length_of(&w);
}

/* Returns with interrupts off, at a moment at which all pages and the state in the spare page are what they should be.
 * The sink is closed: its registers are the program's. */
static uint8_t agree(void)
{
    uint8_t length, tries = 0;
    for (;;) {
        if (tries++ == TRIES)
            hc_critical_enter();
        uint16_t seen = ram.interrupts;
        if (!verify())
            continue;
        hc_sink_close();
        length = state();
        uint16_t now = hc_critical_enter();
        if (seen == ram.interrupts)
            return length;
        hc_critical_leave(now);
        hc_sink_open();
    }
}

/* What the ring holds belongs to the old segment, which ends here. */
static uint16_t commit(void)
{
    uint16_t lost = ram.lost;
    uint16_t used = ram.head - self.tail;
    ram.room = (int16_t)(HC_RING - 4 - (used < HC_RING ? used : used + HC_RING));
    ram.lost = ram.count = ram.laps = 0;
    ram.segment++;
    return lost;
}

void hc_checkpoint_take(void)
{
    uint16_t sr = hc_status();
    dump_all();
    uint8_t length = agree();
    uint16_t end = ram.head, lost = commit();
    hc_critical_leave(sr);
    hc_sink_open();
    hc_log_write(HC_STREAM_COMMIT, ram.segment, self.spare, length);
    hc_record_drain(end);
    hc_codec_finish(&self.codec);
    hc_log_flush();
    if (lost)
        hc_log_mark(HC_MARK_OVERFLOW, lost);
    self.flags &= (uint16_t)~HC_LOG_CHECKPOINT;
    hc_record_begin();
}
