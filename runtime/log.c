#include "log.h"

#include "critical.h"
#include "ram.h"
#include "shelf.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    FIRST = HC_LOG_START >> 8,
    END = HC_LOG_END >> 8,
    SECTOR = HC_LOG_SECTOR >> 8,
    FREEZE = END - 1,
    NOWHERE = 1, /* no sector begins here */
};

/* ---- finding the end ---- */

static bool begins_sector(uint16_t page)
{
    return (page & (SECTOR - 1)) == 0;
}

/* The header of PAGE is in `next` afterwards. True if the page is a whole one. */
static bool is_whole(uint16_t page)
{
    return hc_sink_transfer(HC_SINK_READ, page, 0) == 0;
}

/* The first page of the sector that was begun last, by the number of its first page; NOWHERE if there is none. LOOK
 * says whether there is a page, and leaves its header in `next`. */
static uint16_t find_newest(bool (*look)(uint16_t page))
{
    uint16_t newest = NOWHERE, number = 0;

    for (uint16_t page = FIRST; page != END; page += SECTOR) {
        if (!look(page))
            continue;
        if (newest != NOWHERE && (int16_t)(self.next.sequence - number) < 0)
            continue;
        newest = page;
        number = self.next.sequence;
    }
    return newest;
}

/* The last page of the sector begun at PAGE that is not blank. Behind the log's end pages may be used, by something
 * else: then it is one of those. */
static uint16_t find_last_used(uint16_t page)
{
    uint16_t blank = page + SECTOR == END ? FREEZE : page + SECTOR;

    while (blank - page > 1) {
        uint16_t middle = page + (blank - page) / 2;
        if (hc_sink_used(middle, HC_PAGE_SIZE))
            page = middle;
        else
            blank = middle;
    }
    return page;
}

static void advance(void)
{
    self.flags &= (uint16_t)~(HC_RAM_FLAG_BLANK | HC_RAM_FLAG_ERASING);
    if (++self.place == FREEZE)
        self.place = FIRST;
    if (begins_sector(self.place)) {
        self.flags |= HC_RAM_FLAG_TRUSTED;
        hc_atomic_set(&ram.work, HC_WORK_CHECKPOINT);
    }
}

static void count_page(uint16_t pages)
{
    uint16_t before = self.next.sequence;

    self.next.sequence += pages;
    self.next.sequence_high += self.next.sequence < before;
}

/* NEWEST is the first page of the sector that was begun last, and whole. */
static void continue_log(uint16_t newest)
{
    uint16_t page = find_last_used(newest);

    while (!is_whole(page)) /* torn */
        page--;
    self.place = page;
    advance();
    self.next.boot++;
    count_page(HC_LOG_SKIPPED);
    self.next.segment++; /* there may be a beginning of the next one */
}

/* USED: there is something in the place of the freeze mark, by something else, as there was no log. */
static void begin_log(bool used)
{
    self.next = (struct hc_page_header){ .segment = 0xffff };
    self.place = used ? END - SECTOR : FIRST;
    if (!used)
        self.erased = FIRST; /* very probably: pages that are not blank are passed over */
}

static void open_log(void)
{
    bool frozen = hc_sink_used(FREEZE, HC_PAGE_SIZE);
    uint16_t newest = find_newest(hc_sink_look);

    self.flags |= HC_RAM_FLAG_OPENED;
    if (!(self.flags & HC_RAM_FLAG_AHEAD))
        self.erased = NOWHERE;
    if (newest != NOWHERE && !is_whole(newest))
        newest = find_newest(is_whole); /* headers may lie */
    if (newest == NOWHERE) {
        begin_log(frozen);
    } else {
        self.flags |= frozen ? HC_RAM_FLAG_FROZEN : 0;
        continue_log(newest);
    }
    self.next.magic = HC_PAGE_MAGIC;
    self.segment = self.next.segment;
    self.present = self.segment + 1;
    if (self.flags & HC_RAM_FLAG_SPARE) /* a page that was full before */
        self.spare_segment = self.present;
}

/* ---- writing ---- */

static void erase(uint16_t page)
{
    self.flags |= HC_RAM_FLAG_ERASING;
    hc_barrier(); /* a reset must not take it for blank */
    self.erased = page;
    hc_sink_erase(page);
}

/* A sector is to be used that was not erased. */
static bool begin_sector(void)
{
    if (self.flags & HC_RAM_FLAG_FROZEN) {
        self.flags |= HC_RAM_FLAG_FULL;
        return true;
    }
    erase(self.place);
    return false;
}

/* A page that is not blank is passed over. The first one may be torn: all of it is looked at, which takes as long as
 * programming, and whoever does that has done enough. Behind it may only be what somebody else left there, which begins
 * with a page. */
static bool look_at_place(void)
{
    uint16_t seen = self.flags & HC_RAM_FLAG_SEEN;

    self.flags |= HC_RAM_FLAG_BLANK;
    if (!hc_sink_used(self.place, seen ? HC_LOG_LOOK : HC_PAGE_SIZE)) {
        self.flags |= HC_RAM_FLAG_SEEN;
        return seen;
    }
    if (begins_sector(self.place))
        return begin_sector();
    advance();
    return false;
}

bool hc_log_ready(void)
{
    if (!hc_sink_ready())
        return false;
    if (!(self.flags & HC_RAM_FLAG_OPENED)) {
        open_log();
        if (!hc_sink_ready())
            return false;
    }
    if (begins_sector(self.place) && self.place != self.erased)
        return begin_sector();
    return self.flags & (HC_RAM_FLAG_TRUSTED | HC_RAM_FLAG_BLANK) || look_at_place();
}

/* False: the sink is dead. */
static bool wait_until_ready(void)
{
    uint16_t patience = 0;

    while (!hc_log_ready())
        if (!--patience)
            return false;
    return true;
}

#if HC_SINK_YIELDS
/* False: a piece of the page, which may be left half done, was programmed, or none. Where it may not, and the bus is
 * gone for good, it is lost. */
static bool program(uint16_t place, const uint8_t *payload)
{
    uint16_t result;

    while ((result = hc_sink_transfer(HC_SINK_PROGRAM, place, payload)) == HC_SINK_MORE)
        if (self.flags & HC_RAM_FLAG_PIECES)
            return false;
    if (result == HC_SINK_GONE && self.flags & HC_RAM_FLAG_PIECES)
        return false;
    hc_sink_written = 0;
    return true;
}

bool hc_log_is_writing(void)
{
    return hc_sink_written;
}

void hc_log_give_up(void)
{
    if (!hc_sink_written)
        return;
    hc_sink_written = 0;
    advance();
}
#else
static bool program(uint16_t place, const uint8_t *payload)
{
    hc_sink_transfer(HC_SINK_PROGRAM, place, payload);
    return true;
}

bool hc_log_is_writing(void)
{
    return false;
}

void hc_log_give_up(void)
{
}
#endif

void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length)
{
    self.next.stream = stream;
    self.next.segment = segment;
    self.next.length = length;
    if (!wait_until_ready() || self.flags & HC_RAM_FLAG_FULL)
        return;
    if (stream == HC_STREAM_MARK)
        self.flags |= HC_RAM_FLAG_FROZEN;
    if (!program(stream == HC_STREAM_MARK ? FREEZE : self.place, payload))
        return;
    if (stream != HC_STREAM_MARK)
        advance();
    /* No other page is written while the spare one waits, but those of the shelf. In this order: a reset in between
     * must neither lose it nor write it twice. */
    if (!(self.flags & HC_RAM_FLAG_SHELF))
        self.flags &= (uint16_t)~HC_RAM_FLAG_SPARE;
    if (self.page & 1) /* so with a page of a beginning */
        self.page += length - 1;
    hc_barrier();
    count_page(1);
}

void hc_log_write_stretch(uint8_t stream, uint16_t segment, uint16_t at, uint16_t end)
{
    for (uint16_t next; at != end; at = next) {
        next = end - at > HC_PAGE_PAYLOAD ? at + HC_PAGE_PAYLOAD : end;
        hc_log_write(stream, segment, HC_BYTES_AT(at), (uint8_t)(next - at));
    }
}

static void flush_spare(void)
{
    if (!(self.flags & HC_RAM_FLAG_SPARE))
        return;
    hc_log_write(self.spare_stream, self.spare_segment, self.spare, self.spare_length);
    if (!hc_log_is_writing())
        self.flags &= (uint16_t)~HC_RAM_FLAG_SPARE; /* if it was given up */
}

void hc_log_flush(void)
{
    if (HC_SINK_YIELDS && HC_CODEC_SETS == 0 && ram.room >= HC_PIECES_ROOM)
        self.flags |= HC_RAM_FLAG_PIECES;
    if (self.flags & HC_RAM_FLAG_SHELF)
        hc_shelf_write();
    else
        flush_spare();
    self.flags &= (uint16_t)~HC_RAM_FLAG_PIECES;
}

static uint16_t next_sector(void)
{
    uint16_t next = (self.place | (SECTOR - 1)) + 1;

    return next == END ? FIRST : next;
}

bool hc_log_has_blank_ahead(void)
{
    return !begins_sector(self.place) && !(self.flags & HC_RAM_FLAG_ERASING) && self.erased == next_sector();
}

void hc_log_erase_ahead(void)
{
    uint16_t next = next_sector();

    if (self.place & SECTOR / 2 && !(self.flags & HC_RAM_FLAG_FROZEN) && self.erased != next)
        erase(next);
}
