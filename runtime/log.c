/* The log: pages one after the other, round a ring of sectors.
 *
 *     | sector              | sector              |                     | sector                     |
 *     | c c c C e e e ... e | e c c c C e e place |   erased ahead      | ...                 freeze |
 *
 * c, C: a checkpoint's memory and its commit, e: events. Events go on while a checkpoint is being written; each page
 * says which segment it belongs to. Every sector gets a checkpoint soon after its beginning, so that the log is of use
 * wherever it begins. The next sector is erased when half of this one is used. The very last page is the freeze mark's:
 * anything in it means that the log is frozen. */
#include "port.h"
#include "ram.h"
#include "record.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    FIRST = HC_LOG_START >> 8,
    FREEZE = (HC_LOG_END >> 8) - 1,
    SECTOR = HC_LOG_SECTOR >> 8,
    PIECE = 8, /* bytes read at a time */
};

bool hc_log_reach(bool urgent)
{
    if (self.flags & HC_LOG_SINK)
        return true;
    if (!hc_port_may_write(urgent))
        return false;
    hc_sink_open();
    self.flags |= HC_LOG_SINK;
    return true;
}

/* ---- finding the end ---- */

static bool blank(uint16_t page)
{
    uint8_t piece[PIECE];
    uint8_t offset = 0;
    do {
        hc_sink_read(page, offset, piece, PIECE);
        for (uint8_t i = 0; i < PIECE; i++)
            if (piece[i] != 0xff)
                return false;
        offset += PIECE;
    } while (offset);
    return true;
}

/* Reads the header of PAGE to `next`; false if there is no whole page. */
static bool whole(uint16_t page)
{
    uint8_t piece[PIECE];
    hc_sink_read(page, 0, (uint8_t *)&self.next, HC_PAGE_HEADER);
    uint8_t length = self.next.length;
    if (self.next.magic != HC_PAGE_MAGIC || length > HC_PAGE_PAYLOAD)
        return false;
    uint16_t crc = hc_page_crc(0xffff, (uint8_t *)&self.next, 10);
    for (uint8_t offset = HC_PAGE_HEADER; length;) {
        uint8_t n = length < PIECE ? length : PIECE;
        hc_sink_read(page, offset, piece, n);
        crc = hc_page_crc(crc, piece, n);
        offset += n;
        length -= n;
    }
    return self.next.crc == crc;
}

/* Of two numbers in a log of less than 2^15 pages. */
static bool later(uint16_t a, uint16_t b)
{
    return (int16_t)(a - b) >= 0;
}

static void skip_numbers(uint16_t n)
{
    uint16_t sequence = self.next.sequence + n;
    if (sequence < n)
        self.next.sequence_high++;
    self.next.sequence = sequence;
}

/* The first page of the sector that begins at PAGE which holds nothing, or the page after the sector. */
static uint16_t end_of(uint16_t page)
{
    uint16_t low = page, high = page + SECTOR; /* low holds something */
    if (high > FREEZE)
        high = FREEZE;
    while (high - low > 1) {
        uint16_t middle = low + (high - low) / 2;
        if (blank(middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void next_sector(void)
{
    uint16_t flags = self.flags & (uint16_t)~(HC_LOG_ERASED | HC_LOG_TRUSTED);
    if (self.flags & HC_LOG_ERASED)
        flags |= HC_LOG_TRUSTED;
    else if (!(flags & HC_LOG_FROZEN))
        flags |= HC_LOG_ERASE_HERE;
    self.flags = flags | HC_LOG_CHECKPOINT;
    if (self.place > FREEZE)
        self.place = FIRST;
}

static bool begins_sector(uint16_t page)
{
    return ((page - FIRST) & (SECTOR - 1)) == 0;
}

static void advance(void)
{
    self.place++;
    if (self.place == FREEZE)
        self.place++;
    if (begins_sector(self.place))
        next_sector();
}

static void open(void)
{
    uint16_t newest = 0, sequence = 0;
    for (uint16_t page = FREEZE + 1; page > FIRST;) {
        page -= SECTOR;
        if (whole(page) && (!newest || later(self.next.sequence, sequence))) {
            newest = page + 1;
            sequence = self.next.sequence;
        }
    }
    self.flags |= HC_LOG_OPENED;
    self.place = FIRST;
    bool frozen = whole(FREEZE);
    sequence = self.next.sequence;
    if (!blank(FREEZE))
        self.flags |= HC_LOG_FROZEN;
    if (newest) {
        uint16_t page = self.place = end_of(newest - 1);
        while (!whole(--page))
            ; /* ends at the sector's first page at the latest */
        skip_numbers(self.place - page);
        if (frozen && sequence == self.next.sequence)
            skip_numbers(1); /* the mark was the last page */
        self.next.boot++;
        self.segment = self.next.segment + 2; /* there may be a checkpoint of the next one before that page */
        self.place--;
        advance();
    } else {
        self.next.boot = self.next.sequence = self.segment = 0;
        self.next.sequence_high = 0;
        if (self.flags & HC_LOG_FROZEN) {
            /* By something else, as there was no log. The last sector is the first to be erased, and that with it. */
            self.flags ^= HC_LOG_FROZEN | HC_LOG_ERASE_HERE;
            self.place = FREEZE + 1 - SECTOR;
        } else if (!blank(FIRST)) {
            self.flags |= HC_LOG_ERASE_HERE;
        }
    }
    self.next.magic = HC_PAGE_MAGIC;
    ram.segment = self.segment;
}

/* ---- writing ---- */

bool hc_log_ready(void)
{
    if (!hc_sink_ready())
        return false;
    if (!(self.flags & HC_LOG_OPENED))
        open();
    if (self.flags & HC_LOG_ERASE_HERE) {
        self.flags ^= HC_LOG_ERASE_HERE | HC_LOG_TRUSTED;
        hc_sink_erase(self.place);
        return hc_sink_ready();
    }
    while (!(self.flags & (HC_LOG_TRUSTED | HC_LOG_FULL)) && !blank(self.place)) {
        if (self.flags & HC_LOG_FROZEN && begins_sector(self.place))
            self.flags |= HC_LOG_FULL;
        else
            advance();
        if (self.flags & HC_LOG_ERASE_HERE)
            return false;
    }
    return true;
}

static void program(uint16_t place, uint8_t stream, uint16_t segment, uint8_t *page, uint8_t length)
{
    uint16_t *to = (uint16_t *)(void *)page;
    const uint16_t *from = (const uint16_t *)(const void *)&self.next;
    self.next.stream = stream;
    self.next.segment = segment;
    self.next.length = length;
    for (uint8_t i = 0; i < 5; i++)
        *to++ = *from++;
    *to = hc_page_crc(hc_page_crc(0xffff, page, 10), page + HC_PAGE_HEADER, length);
    skip_numbers(1);
    hc_sink_program(place, page, HC_PAGE_HEADER + length);
}

void hc_log_write(uint8_t stream, uint16_t segment, uint8_t *page, uint8_t length)
{
    while (!hc_log_ready())
        ;
    if (self.flags & HC_LOG_FULL)
        return;
    program(self.place, stream, segment, page, length);
    advance();
}

void hc_log_flush(void)
{
    if (!(self.flags & HC_LOG_SPARE))
        return;
    while (self.flags & HC_LOG_WAITING)
        hc_checkpoint_write(); /* a segment's events come after its beginning */
    self.flags &= (uint16_t)~HC_LOG_SPARE;
    hc_log_write(self.spare[1], self.segment, self.spare, self.spare[9]);
}

bool hc_log_has_room(uint16_t n)
{
    uint16_t used = (self.place - FIRST) & (SECTOR - 1);
    if (self.flags & (HC_LOG_ERASED | HC_LOG_FROZEN))
        return true;
    if (n <= SECTOR && used + n < SECTOR) /* where sectors are small they are erased at once */
        return true;
    uint16_t next = self.place - used + SECTOR;
    self.flags |= HC_LOG_ERASED;
    hc_sink_erase(next > FREEZE ? FIRST : next);
    return hc_sink_ready();
}

void hc_log_mark(uint8_t code, uint16_t value)
{
    uint8_t *payload = self.spare + HC_PAGE_HEADER;
    payload[0] = code;
    payload[1] = (uint8_t)value;
    payload[2] = (uint8_t)(value >> 8);
    payload[3] = payload[4] = 0;
    if (code == HC_MARK_OVERFLOW) {
        hc_log_write(HC_STREAM_MARK, self.segment, self.spare, sizeof(struct hc_page_mark));
        return;
    }
    while (!hc_sink_ready())
        ;
    program(FREEZE, HC_STREAM_MARK, self.segment, self.spare, sizeof(struct hc_page_mark));
    self.flags |= HC_LOG_FROZEN;
}
