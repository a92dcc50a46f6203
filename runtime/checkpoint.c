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
    FAILS = 1000,    /* attempts at the last step that interrupts meet before interrupts are kept off for it */
    FAILS_ONE = 32,  /* so many is one that a single interrupt met, while events are lost */
    GIVEN_UP = 32,   /* calls between two attempts after one that was given up, at least: then always twice as many */
    LONGEST = 16384, /* but no more than these */
    MARGIN = 64,     /* bytes below the stack that are left alone */
    BLOCK = 60,      /* bytes that have two sums */
    LOOKED_AT = 12,  /* blocks in an update */
    RECORD = 4,      /* bytes of a record's head */
    BEGIN_MAX = 14,  /* bytes of the page that makes a beginning valid */
    LEAST_ROOM = 480,
    CLEARED = 3072,           /* bytes that are made zero in an update: half of its time */
    CHANGED = BLOCK + RECORD, /* bytes of a block that changed */
    SUM_A = 0x55aa,           /* where the sums of a block begin */
    SUM_B = 0x55ab,
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

/* Another attempt is made later; up to END memory is ours, and is made zero first. */
static void abandon(uint16_t end)
{
    self.page = end;
    self.copied = HC_COPIED_CLEAR;
}

/* It does not fit, into memory or into the time of an update, however often it is tried: the segment goes on. After a
 * loss attempts go on. */
static void give_up(void)
{
    if (self.tries < GIVEN_UP)
        self.tries = GIVEN_UP;
    if (ram.room >= 0)
        hc_atomic_clear(&ram.work, HC_WORK_CHECKPOINT);
}

/* Events are lost: what a stack that was deeper has left below it is of no use any more. False: that is not enough. */
static bool make_room(void)
{
    if (ram.room >= 0 || ram.application_sp < __hc_link.free.start || ram.application_sp > __hc_link.free.end)
        return false;
    uint16_t end = ram.application_sp - MARGIN;
    if ((int16_t)(end - __hc_link.free.start) < LEAST_ROOM)
        return false;
    abandon(end);
    return true;
}

static void begin_pass(uint16_t pass)
{
    self.pass = pass;
    self.copied = HC_PIECE(0);
    self.copied_at = 0;
    self.sums_at = __hc_link.free.start;
}

void hc_checkpoint_begin(void)
{
    if (++self.tries == 0)
        self.tries = LONGEST;
    if (self.tries & (self.tries - 1))
        return;
    self.lowest = find_lowest();
    self.sums_end = __hc_link.free.start;
    self.fails = 0;
    if ((int16_t)(self.lowest - self.sums_end) < LEAST_ROOM) {
        if (!make_room())
            give_up();
        return;
    }
    begin_pass(HC_PASS_FIRST);
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

/* The next block, and goes on behind it. False: all is copied. */
static bool find_block(struct hc_link_range *block)
{
    for (;;) {
        *block = range_at(self.copied);
        if (self.copied_at)
            block->start = self.copied_at;
        if (block->start < block->end)
            break;
        if (self.copied == HC_PIECE(HC_PIECES_NOINIT))
            return false;
        self.copied_at = 0;
        self.copied = hc_next_piece(self.copied);
    }
    block->end = block_end(block->start, block->end);
    return true;
}

struct sums {
    uint16_t a, b;
};

static void mix(uint16_t *a, uint16_t *b, uint16_t word)
{
    *a ^= word;
    *b = (uint16_t)(*b + *a);
    *a = (uint16_t)(*a << 8 | *a >> 8);
}

/* Of a block. Plain sums do not see small changes that cancel each other; these hardly ever miss one. Two words that
 * are zero leave SUM_A and SUM_B as they are (and two zeros: from those small numbers lead back to zeros), so where
 * they begin is taken away at the end: zeros have sums 0. */
static struct sums sum_block(uint16_t at, uint16_t end)
{
    struct sums s = { SUM_A, SUM_B };

    for (; at != end; at += 2) {
        mix(&s.a, &s.b, HC_MEMORY16(at));
        at += 2;
        if (at == end) {
            mix(&s.b, &s.a, 0);
            break;
        }
        mix(&s.b, &s.a, HC_MEMORY16(at));
    }
    s.a = (uint16_t)(s.a - SUM_A);
    s.b = (uint16_t)(s.b - SUM_B);
    return s;
}

/* A page of records that is being made in the spare page. */
struct copies {
    uint16_t at;     /* where it goes on */
    uint16_t record; /* its last record */
    uint16_t behind; /* what that one is of ends here */
};

/* A block, which goes on where the last record ends, or begins another one. False: there is no room for it. */
static bool add_block(struct copies *c, const struct hc_link_range *block)
{
    uint16_t size = block->end - block->start, left = HC_ADDRESS(self.spare) + HC_PAGE_PAYLOAD - c->at;

    if (c->behind != block->start)
        left -= RECORD;
    if ((int16_t)left < (int16_t)size)
        return false;
    if (c->behind != block->start) {
        c->record = c->at;
        HC_MEMORY16(c->at) = block->start;
        HC_MEMORY16(c->at + 2) = 0;
        c->at += RECORD;
    }
    HC_MEMORY16(c->record + 2) += size;
    c->behind = block->end;
    for (uint16_t at = block->start; at != block->end; at += 2, c->at += 2)
        HC_MEMORY16(c->at) = HC_MEMORY16(at);
    return true;
}

static bool is_hot(uint16_t sums)
{
    return HC_MEMORY16(sums) == HC_HOT && HC_MEMORY16(sums + 2) == HC_HOT;
}

/* A block that is not as the table says is copied, and the table says so then; in the last pass it is marked instead. A
 * new table is zero, as memory is where no record is. False: there is no room. */
static bool copy_if_changed(struct copies *c, const struct hc_link_range *block)
{
    struct sums now = sum_block(block->start, block->end);

    if (self.pass != HC_PASS_FIRST &&
        ((now.a == HC_MEMORY16(self.sums_at) && now.b == HC_MEMORY16(self.sums_at + 2)) || is_hot(self.sums_at)))
        return true;
    if (self.pass == HC_PASS_HOT)
        now.a = now.b = HC_HOT;
    else if (!add_block(c, block))
        return false;
    HC_MEMORY16(self.sums_at) = now.a;
    HC_MEMORY16(self.sums_at + 2) = now.b;
    if (self.pass == HC_PASS_FIRST)
        self.pass = HC_PASS_ALL;
    return true;
}

/* The next block, with interrupts off: what is in the page is what has the sums. False: the page is full, or all is
 * copied, or cannot be. */
static bool copy_next(struct copies *c)
{
    struct hc_link_range block;

    if (!find_block(&block)) {
        self.copied = HC_COPIED_ALL;
        return false;
    }
    if (self.sums_at == self.sums_end && self.sums_end + LEAST_ROOM > self.lowest) { /* the table is full */
        give_up();
        abandon(self.sums_end);
        make_room();
        return false;
    }
    uint16_t status = hc_critical_enter();
    bool fits = copy_if_changed(c, &block);
    hc_critical_leave(status);
    if (!fits)
        return false;
    self.copied_at = block.end;
    self.sums_at += 4;
    if (self.sums_at > self.sums_end)
        self.sums_end = self.sums_at;
    return true;
}

static void hand_copies(const struct copies *c)
{
    uint16_t length = c->at - HC_ADDRESS(self.spare);

    if (!length)
        return;
    self.spare_stream = HC_STREAM_CHECKPOINT;
    self.spare_length = (uint8_t)length;
    self.spare_segment = self.present + 1;
    self.flags |= HC_RAM_FLAG_SPARE;
    hc_log_flush();
}

void hc_checkpoint_copy(void)
{
    struct copies c = { .at = HC_ADDRESS(self.spare), .behind = 1 };
    uint8_t left = LOOKED_AT;

    if (has_met_stack())
        return;
    if (self.pass == HC_PASS_FIRST) { /* records of an attempt that was given up do not count */
        HC_MEMORY16(c.at) = HC_RECORD_FIRST;
        HC_MEMORY16(c.at + 2) = 0;
        c.at += RECORD;
    }
    while (left-- && copy_next(&c))
        ;
    if (self.copied != HC_COPIED_CLEAR && self.pass != HC_PASS_FIRST)
        hand_copies(&c);
}

/* ---- records ---- */

/* Where records go. */
struct maker {
    uint16_t at, end;
    uint16_t summed; /* up to here the checksum has it all */
    uint16_t met;    /* not 0: interrupts came; if events are lost, how many */
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

/* Memory as a record. False: there is no room. At the beginning of a life there always is. */
static bool put_record(struct maker *m, uint16_t at, uint16_t end)
{
    if ((int16_t)(m->end - m->at) < BLOCK + RECORD + BEGIN_MAX) {
        if (self.pass != HC_PASS_BOOT)
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

/* A block that is not as the table says at SUMS. One that is not there, or hot, was never copied; any other takes more
 * time, of which there is less then. False: there is no room. */
static bool put_if_changed(struct maker *m, uint16_t at, uint16_t end, uint16_t sums)
{
    if (sums < self.sums_end && !is_hot(sums)) {
        struct sums now = sum_block(at, end);
        if (now.a == HC_MEMORY16(sums) && now.b == HC_MEMORY16(sums + 2))
            return true;
        m->end -= CHANGED;
    }
    return put_record(m, at, end);
}

/* Blocks of a piece that are not as the table says from SUMS on, which goes on. False: there is no room. */
static bool put_changes(struct maker *m, struct hc_link_range piece, uint16_t *sums)
{
    for (uint16_t at = piece.start, end; at < piece.end; at = end) {
        end = block_end(at, piece.end);
        if (!put_if_changed(m, at, end, *sums))
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

static uint16_t table_size(void)
{
    return self.sums_end - __hc_link.free.start;
}

/* For how many bytes of records there is time: the table has four for a block. At 4 MHz an update takes at most 5 ms,
 * of which looking at a block that did not change is 143 cycles and one that is hot 140 more; and interrupts are off
 * for at most 1 ms for each KB. So much at least: more than 6 KB take longer. */
static uint16_t time_left(void)
{
    int16_t update = (int16_t)(7700 - (table_size() << 4));
    int16_t off = (int16_t)(700 + (table_size() << 3) + (table_size() << 2)); /* no multiplication: that is not ours */

    if (update > off)
        update = off;
    return update > 512 ? (uint16_t)update : 512;
}

static bool is_in_ring(void)
{
    return self.start == HC_ADDRESS(ram.ring);
}

/* Another number after an interrupt: it left an entry, or was lost. */
static uint16_t count_interrupts(void)
{
    return ram.head + ram.idle;
}

/* The registers, and, with interrupts off from there on, memory. False: not now, or, if it does not fit, not so. */
static bool make_last(struct maker *m, bool *fits)
{
    const volatile struct hc_link_range *registers = &__hc_link.pieces[HC_PIECES_REGISTERS];
    uint16_t interrupts = count_interrupts();

    *fits = true;
    self.start = self.page = m->at;
    if (self.pass == HC_PASS_FIRST) {
        put(m, HC_RECORD_FIRST);
        put(m, 0);
    }
    put_peripherals(m);
    put_record(m, registers->start, registers->end);
    self.checksum = sum_words(self.start, m->at); /* before interrupts are off */
    m->summed = m->at;
    uint16_t least = m->at + time_left();
    if (m->end > least)
        m->end = least;
    hc_critical_enter(); /* the caller has the status */
    m->met = count_interrupts() - interrupts;
    if (m->met)
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

/* Interrupts came: again at the next update. Where many come, as bytes that nobody waits for, one that is kept off may
 * cost the program something; it costs us little, unless events are lost. */
static bool fail(struct maker *m)
{
    self.fails += ram.room < 0 && m->met == 1 ? FAILS_ONE : 1;
    zero(self.sums_end, m->at);
    return false;
}

/* What has changed is copied once more, and then marked. */
static bool go_on(struct maker *m)
{
    if (self.pass == HC_PASS_HOT) {
        give_up();
        abandon(m->at);
        make_room();
    } else {
        self.page = m->at;
        self.copied = HC_COPIED_AGAIN;
    }
    return true;
}

static bool take_last(uint16_t status)
{
    struct maker m = { .at = self.sums_end, .end = self.lowest };
    bool fits, made = make_last(&m, &fits);

    if (made) {
        cross(&m);
        self.checksum += sum_words(m.summed, self.made) + sum_begin();
    }
    hc_critical_leave(status);
    if (!made)
        return fits ? fail(&m) : go_on(&m);
    __hc_record_more();
    return true;
}

bool hc_checkpoint_last(void)
{
    if (has_met_stack())
        return true;
    return take_last(self.fails >= FAILS ? hc_critical_enter() : hc_status());
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
    uint16_t end = self.page, from = __hc_link.free.start;

    if (is_below(end)) { /* the stack has met it */
        end = ram.application_sp;
        __hc_record_lose();
        self.copied = HC_COPIED_CLEAR;
    }
    if (self.copied == HC_COPIED_AGAIN) {
        zero(self.sums_end, end);
        begin_pass(self.pass == HC_PASS_AGAIN ? HC_PASS_HOT : HC_PASS_AGAIN);
        return;
    }
    if ((uint16_t)(end - CLEARED) >= from) { /* the next update goes on */
        self.page = end - CLEARED;
        zero(self.page, end);
        return;
    }
    zero(from, end);
    self.copied = HC_COPIED_NONE;
}

/* ---- boot ---- */

void hc_checkpoint_boot(uint16_t cause, uint16_t found)
{
    struct maker m = { .at = __hc_link.free.start, .end = __hc_link.free.end };
    uint16_t no_sums = 0xffff;

    if (m.end - m.at < LEAST_ROOM) {
        m.at = HC_ADDRESS(ram.ring);
        m.end = m.at + HC_RING;
    }
    self.start = self.page = m.at;
    self.pass = HC_PASS_BOOT;
    put_peripherals(&m);
    for (uint8_t i = HC_PIECES_LASTING; i < HC_PIECES; i++)
        put_changes(&m, hc_piece_at(HC_PIECE(i)), &no_sums);
    put_begin(&m, HC_STREAM_BOOT, cause, found);
    self.lowest = m.at;
    sum_made();
}

void hc_checkpoint_boot_write(void)
{
    write_pages();
    hc_checkpoint_write();
    self.copied = HC_COPIED_NONE;
    if (!is_in_ring())
        zero(__hc_link.free.start, self.page);
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
