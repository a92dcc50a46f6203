#include "checkpoint.h"

#include "critical.h"
#include "log.h"
#include "pieces.h"
#include "ram.h"
#include "ring.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    TRIES = 8,      /* attempts at a checkpoint before interrupts are kept off for it */
    MARGIN = 64,    /* bytes below the stack that are left alone */
    CHUNK = 240,    /* bytes of memory in a page */
    BLOCK = 60,     /* bytes that have two sums; CHUNK is a multiple */
    RECORD = 4,     /* bytes of a record's head */
    BEGIN_MAX = 14, /* bytes of the page that makes a beginning valid */
};

/* ---- pieces ---- */

/* The stack's region takes the place of the first piece that is not copied. */

static struct hc_link_range range_at(uint16_t place)
{
    struct hc_link_range range = hc_piece_at(place);

    if (place == HC_PIECE(HC_PIECES_NOINIT)) {
        range.start = self.lowest;
        range.end = __hc_link.free.end;
    }
    return range;
}

static uint16_t block_end(uint16_t at, uint16_t end)
{
    return end - at > BLOCK ? at + BLOCK : end;
}

/* ---- copy ---- */

/* The first word of unused memory that is not zero, less a margin. */
static uint16_t find_lowest(void)
{
    uint16_t at = __hc_link.free.start;

    while (at < __hc_link.free.end) {
        uint16_t word = HC_MEMORY16(at);
        at += 2;
        if (word)
            break;
    }
    return at - MARGIN;
}

void hc_checkpoint_begin(void)
{
    self.tries++;
    if (self.tries & (self.tries - 1))
        return;
    self.lowest = find_lowest();
    self.sums_end = self.start = __hc_link.free.start;
    if ((int16_t)(self.lowest - self.start) < 2 * CHUNK) {
        self.copied = HC_COPIED_ALL; /* all of it in the end, with interrupts off */
        return;
    }
    self.copied = HC_PIECE(0);
    self.copied_at = 0;
}

/* Another attempt is made later; up to END memory is ours, and is made zero first. */
static void abandon(uint16_t end)
{
    self.page = end;
    self.copied = HC_COPIED_CLEAR;
}

/* The program's stack has come below ADDRESS, in memory that no section lies in. One elsewhere, of a thread, cannot. */
static bool is_below(uint16_t address)
{
    return ram.application_sp >= __hc_link.free.start && ram.application_sp < address;
}

/* The program's stack is deeper than it ever was before the checkpoint began: what is below `lowest` was not copied. If
 * it has come to what is ours, memory is not what the log says any more. */
static bool has_met_stack(void)
{
    if (!is_below(self.lowest))
        return false;
    abandon(self.sums_end);
    return true;
}

/* Nothing was copied yet: records begin with one that says so, as those of an attempt that was given up do not count.
 */
static bool is_first(void)
{
    return self.sums_end == __hc_link.free.start;
}

/* Goes on with the piece under way, or with the next one that is not empty. False: all is copied. */
static bool find_chunk(struct hc_link_range *chunk)
{
    uint16_t place = self.copied, at = self.copied_at;

    for (;;) {
        *chunk = range_at(place);
        if (at)
            chunk->start = at;
        if (chunk->start < chunk->end)
            break;
        if (place == HC_PIECE(HC_PIECES_NOINIT))
            return false;
        at = 0;
        place = hc_next_piece(place);
    }
    self.copied = place;
    uint16_t most = is_first() ? CHUNK - BLOCK : CHUNK;
    if (chunk->end - chunk->start > most)
        chunk->end = chunk->start + most;
    return true;
}

struct sums {
    uint16_t a, b;
};

static void mix(uint16_t *a, uint16_t *b, uint16_t word)
{
    *a = (uint16_t)(*a + word);
    *b = (uint16_t)(*b + *a);
    *a = (uint16_t)(*a << 8 | *a >> 8);
}

/* Of a block. Plain sums do not see small changes that cancel each other; these hardly ever miss one. */
static struct sums sum_block(uint16_t at, uint16_t end)
{
    struct sums s = { 0, 0 };

    while (at != end) {
        mix(&s.a, &s.b, HC_MEMORY16(at));
        at += 2;
        if (at == end)
            break;
        mix(&s.b, &s.a, HC_MEMORY16(at));
        at += 2;
    }
    return s;
}

/* Copies a block to TO; its sums go to the table. Returns a word that is not 0 if any of it is not. */
static uint16_t copy_block(uint16_t at, uint16_t end, uint16_t to)
{
    struct sums sums = sum_block(at, end);
    uint16_t any = 0;

    for (; at != end; at += 2, to += 2) {
        uint16_t word = HC_MEMORY16(at);
        HC_MEMORY16(to) = word;
        any |= word;
    }
    HC_MEMORY16(self.sums_end) = sums.a;
    HC_MEMORY16(self.sums_end + 2) = sums.b;
    self.sums_end += 4;
    return any;
}

/* Interrupts are off while it is copied: what is in the page is what has the sums. False: the table is full. */
static bool copy_chunk(const struct hc_link_range *chunk, uint16_t to, uint16_t *any)
{
    uint16_t status = hc_critical_enter();
    bool fits = true;

    for (uint16_t at = chunk->start, end; fits && at != chunk->end; at = end) {
        end = block_end(at, chunk->end);
        fits = self.sums_end + 4 < self.lowest;
        if (fits)
            *any |= copy_block(at, end, to);
        to += end - at;
    }
    hc_critical_leave(status);
    return fits;
}

void hc_checkpoint_copy(void)
{
    struct hc_link_range chunk;
    uint16_t any = is_first(), head = HC_ADDRESS(self.spare);

    if (has_met_stack())
        return;
    if (!find_chunk(&chunk)) {
        self.copied = HC_COPIED_ALL;
        return;
    }
    if (any) {
        HC_MEMORY16(head) = HC_RECORD_FIRST;
        HC_MEMORY16(head + 2) = 0;
        head += RECORD;
    }
    HC_MEMORY16(head) = chunk.start;
    HC_MEMORY16(head + 2) = chunk.end - chunk.start;
    head += RECORD;
    if (!copy_chunk(&chunk, head, &any)) {
        abandon(self.sums_end);
        return;
    }
    self.copied_at = chunk.end;
    if (!any) /* memory is zero where no record is */
        return;
    self.spare_stream = HC_STREAM_CHECKPOINT;
    self.spare_length = (uint8_t)(head - HC_ADDRESS(self.spare) + chunk.end - chunk.start);
    self.spare_segment = self.present + 1;
    self.flags |= HC_RAM_FLAG_SPARE;
    hc_log_flush();
}

/* ---- records ---- */

/* Where records go. */
struct maker {
    uint16_t at, end;
    uint16_t summed; /* up to here the checksum has it all */
    bool at_once;    /* interrupts are off for good: what does not fit is written */
};

static void put(struct maker *m, uint16_t word)
{
    HC_MEMORY16(m->at) = word;
    m->at += 2;
}

static void write_page(void)
{
    uint16_t length = self.made - self.page, from = self.page;
    uint16_t segment = self.copied ? self.present + 1 : self.present; /* it has not begun yet */

    if (length > HC_PAGE_PAYLOAD)
        length = HC_PAGE_PAYLOAD;
    self.page |= 1; /* while it is written: hc_log_write goes on */
    hc_log_write(HC_STREAM_CHECKPOINT, segment, HC_BYTES_AT(from), (uint8_t)length);
    if (self.page & 1)
        self.page = self.made; /* the sink is dead, or full */
}

/* All pages of memory that wait. */
static void write_pages(void)
{
    while (self.page != self.made)
        write_page();
}

static void write_at_once(struct maker *m)
{
    self.made = m->at;
    hc_sink_open();
    write_pages();
    hc_sink_close();
    m->at = m->summed = self.page = self.start;
    self.checksum = self.made = 0;
}

/* Memory as a record. False: there is no room. */
static bool put_record(struct maker *m, uint16_t at, uint16_t end)
{
    if (m->end - m->at < BLOCK + RECORD + BEGIN_MAX) {
        if (!m->at_once)
            return false;
        write_at_once(m);
    }
    put(m, at);
    put(m, end - at);
    while (at < end) {
        put(m, HC_MEMORY16(at));
        at += 2;
    }
    return true;
}

/* The registers of peripherals: a word each, in the order of the table. */
static void put_peripherals(struct maker *m)
{
    uint16_t head = m->at, address = 0;

    put(m, 1);
    put(m, 0);
    for (uint16_t i = 0; i < HC_DUMP_SIZE; i += 2) {
        address += HC_GAP * HC_DUMP_TABLE[i];
        for (uint8_t count = HC_DUMP_TABLE[i + 1]; count; count--) {
            bool narrow = address < HC_BYTES_END;
            put(m, narrow ? HC_MEMORY8(address) : HC_MEMORY16(address));
            address += narrow ? 1 : 2;
        }
    }
    HC_MEMORY16(head + 2) = m->at - head - RECORD;
}

/* What makes a beginning valid: two words behind the program's own, of which a commit has the first. */
static void put_begin(struct maker *m, uint16_t stream, uint16_t first, uint16_t second)
{
    const volatile uint8_t *own = (const volatile uint8_t *)&__hc_link + HC_LINK_BEGIN;

    self.beginning = stream;
    self.made = m->at;
    for (uint8_t i = 0; i < HC_LINK_BEGIN_SIZE; i += 2)
        put(m, (uint16_t)(own[i] | own[i + 1] << 8));
    put(m, first);
    if (stream == HC_STREAM_BOOT)
        put(m, second);
}

static uint16_t sum_words(uint16_t at, uint16_t end)
{
    uint16_t sum = 0;

    for (; at != end; at += 2)
        sum += HC_MEMORY16(at);
    return sum;
}

static uint16_t sum_begin(void)
{
    return HC_MEMORY16(self.made) + HC_MEMORY16(self.made + HC_LINK_BEGIN_SIZE);
}

/* Sums all words that wait. True if the sum is what it was. */
static bool sum_made(void)
{
    uint16_t before = self.checksum;

    self.checksum = sum_words(self.start, self.made) + sum_begin();
    return self.checksum == before;
}

/* ---- last ---- */

/* Whether the block is as the table says at SUMS; a block that was never copied is not. */
static bool is_same(uint16_t at, uint16_t end, uint16_t sums)
{
    if (sums >= self.sums_end)
        return false;
    struct sums now = sum_block(at, end);
    return now.a == HC_MEMORY16(sums) && now.b == HC_MEMORY16(sums + 2);
}

/* Blocks of a piece that are not as the table says from SUMS on, which goes on. False: there is no room. */
static bool put_changes(struct maker *m, struct hc_link_range piece, uint16_t *sums)
{
    for (uint16_t at = piece.start, end; at < piece.end; at = end) {
        end = block_end(at, piece.end);
        if (!is_same(at, end, *sums) && !put_record(m, at, end))
            return false;
        if (*sums < self.sums_end)
            *sums += 4;
    }
    return true;
}

static bool put_all_changes(struct maker *m)
{
    uint16_t sums = __hc_link.free.start, place = HC_PIECE(0);

    while (put_changes(m, range_at(place), &sums)) {
        if (place == HC_PIECE(HC_PIECES_NOINIT))
            return true;
        place = hc_next_piece(place);
    }
    return false;
}

/* In unused memory, or where that is too small, with interrupts off, in the ring. False: not now. */
static bool find_room(struct maker *m)
{
    m->at = self.sums_end;
    m->end = self.lowest;
    if ((int16_t)(m->end - m->at) < 2 * CHUNK) {
        hc_critical_enter(); /* the caller has the status */
        self.tries = TRIES;
        m->at_once = true;
        if (self.flags & HC_RAM_FLAG_SPARE || ram.head != self.tail)
            return false;
        m->at = HC_ADDRESS(ram.ring);
        m->end = m->at + HC_RING;
    }
    self.start = self.page = m->at;
    return true;
}

static bool is_in_ring(void)
{
    return self.start == HC_ADDRESS(ram.ring);
}

/* Another number after an interrupt: it left an entry, or was lost. */
static uint16_t count_interrupts(void)
{
    return ram.head + ram.interrupts;
}

/* The registers, and, with interrupts off from there on, memory. False: not now, or never if it does not fit. */
static bool make_last(struct maker *m, bool *fits)
{
    const volatile struct hc_link_range *registers = &__hc_link.pieces[HC_PIECES_REGISTERS];
    uint16_t interrupts = count_interrupts();

    *fits = true;
    if (!find_room(m))
        return false;
    if (is_first()) {
        put(m, HC_RECORD_FIRST);
        put(m, 0);
    }
    put_peripherals(m);
    put_record(m, registers->start, registers->end);
    self.checksum = sum_words(self.start, m->at); /* before interrupts are off */
    m->summed = m->at;
    hc_critical_enter();
    if (count_interrupts() != interrupts)
        return false;
#if HC_CODEC_SETS
    if (ram.head != self.tail)
        return false;
#endif
    *fits = put_all_changes(m);
    return *fits;
}

/* The program is in the segment now: what is in the ring is of the one before. Interrupts are off. */
static void cross(struct maker *m)
{
    uint16_t stream = HC_STREAM_COMMIT;

    self.present++;
    self.boundary = ram.head;
    if (ram.room < 0) {
        stream = HC_STREAM_RECOVERY;
        ram.room = (int16_t)(HC_ROOM - hc_ring_size(self.tail, ram.head));
    }
    put_begin(m, stream, ram.count, 0);
    ram.newest = HC_ADDRESS(&ram.newest);
    hc_atomic_clear(&ram.work, HC_WORK_CHECKPOINT);
    self.copied = HC_COPIED_NONE;
#if HC_CODEC_SETS
    ram.count = 0;
#if !HC_ORDERED
    ram.laps = 0;
#endif
    hc_sink_open();
    hc_log_flush();
    __hc_record_begin_segment();
    hc_sink_close();
#endif
}

static void zero(uint16_t from, uint16_t end)
{
    for (; from < end; from += 2)
        HC_MEMORY16(from) = 0;
}

/* All that waits, at once. */
static void write_out(void)
{
    write_pages();
    hc_checkpoint_write();
    self.copied = HC_COPIED_NONE;
    if (!is_in_ring())
        zero(__hc_link.free.start, self.page);
}

/* It is in the ring, which is needed. */
static void empty_ring(void)
{
    __hc_record_begin_segment();
    hc_sink_open();
    hc_log_flush(); /* the last page of the segment before comes before the one that ends it */
    write_out();
    hc_sink_close();
    zero(__hc_link.free.start, self.sums_end);
}

bool hc_checkpoint_last(void)
{
    struct maker m = { .at = self.sums_end, .at_once = self.tries >= TRIES };
    uint16_t status = m.at_once ? hc_critical_enter() : hc_status();
    bool fits, made = !has_met_stack() && make_last(&m, &fits);

    if (made) {
        cross(&m);
        self.checksum += sum_words(m.summed, self.made) + sum_begin();
        if (is_in_ring())
            empty_ring();
    } else if (self.copied == HC_COPIED_ALL) {
        self.tries += fits;
        if (!is_in_ring())
            zero(self.sums_end, m.at);
        if (!fits)
            abandon(self.sums_end);
    }
    hc_critical_leave(status);
    if (made && !is_in_ring())
        __hc_record_more();
    return self.copied != HC_COPIED_ALL;
}

bool hc_checkpoint_needs_ring(void)
{
    return (int16_t)(self.lowest - self.sums_end) < 2 * CHUNK;
}

/* ---- write, clear ---- */

/* The page that makes all of them valid. */
static void write_begin(void)
{
    uint16_t made = self.made;

    if (sum_made()) {
        self.segment = self.present;
        hc_log_write((uint8_t)self.beginning, self.present, HC_BYTES_AT(made),
                     self.beginning == HC_STREAM_BOOT ? BEGIN_MAX : BEGIN_MAX - 2);
    } else {
        __hc_record_lose(); /* somebody uses the memory that it is in */
    }
    abandon(made + BEGIN_MAX);
    self.made = 0; /* not before: a reset must not lose it */
}

void hc_checkpoint_write(void)
{
    if (self.page != self.made)
        write_page();
    else if (!self.boundary) /* else pages of the segment before, which this ends, are still to come */
        write_begin();
}

void hc_checkpoint_clear(void)
{
    uint16_t end = self.page;

    if (is_below(end)) { /* the stack has met it */
        end = ram.application_sp;
        __hc_record_lose();
    }
    zero(__hc_link.free.start, end);
    self.copied = HC_COPIED_NONE;
}

/* ---- boot ---- */

void hc_checkpoint_boot(uint16_t cause, uint16_t found)
{
    struct maker m = { .at = __hc_link.free.start, .end = __hc_link.free.end, .at_once = true };
    uint16_t no_sums = 0xffff;

    if (m.end - m.at < 2 * CHUNK) {
        m.at = HC_ADDRESS(ram.ring);
        m.end = m.at + HC_RING;
    }
    self.start = self.page = m.at;
    put_peripherals(&m);
    for (uint8_t i = HC_PIECES_LASTING; i < HC_PIECES; i++)
        put_changes(&m, hc_piece_at(HC_PIECE(i)), &no_sums);
    put_begin(&m, HC_STREAM_BOOT, cause, found);
    self.lowest = m.at;
    sum_made();
}

void hc_checkpoint_boot_write(void)
{
    write_out();
}

void hc_checkpoint_boot_end(void)
{
    if (!is_in_ring() || !self.made)
        return;
    self.made = 0; /* the ring is needed */
    __hc_record_lose();
}

/* ---- a beginning that a reset found waiting ---- */

static bool is_whole(void)
{
    uint16_t checksum = self.checksum;
    bool whole = sum_made();

    self.checksum = checksum;
    return whole;
}

uint16_t hc_checkpoint_waiting(bool crossed_gap)
{
    uint16_t start = self.start, made = self.made;

    if ((made | start) & 1 || start < __hc_link.free.start || self.page < start || made < self.page || start >= made ||
        made + BEGIN_MAX > __hc_link.free.end)
        return 0;
    if (self.boundary && !crossed_gap)
        return 0;
    return is_whole() ? made + BEGIN_MAX : 0;
}

void hc_checkpoint_write_waiting(uint16_t segment, bool begun)
{
    uint16_t left = self.made - (self.page & ~1);

    if (begun && self.page & 1)
        self.page += left < HC_PAGE_PAYLOAD ? left : HC_PAGE_PAYLOAD;
    self.page &= ~1;
    hc_log_write_stretch(HC_STREAM_CHECKPOINT, segment, self.page, self.made);
    hc_log_write((uint8_t)self.beginning, segment, HC_BYTES_AT(self.made),
                 self.beginning == HC_STREAM_BOOT ? BEGIN_MAX : BEGIN_MAX - 2);
}
