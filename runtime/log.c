/* The log: pages one after the other, round a ring of sectors.
 *
 *     | sector              | sector              |                     | sector                     |
 *     | c c c C e e e ... e | e c c c C e e place |   erased ahead      | ...                 freeze |
 *
 * c, C: a checkpoint's memory and its commit, e: events. Events go on while a checkpoint is being written; each page
 * says which segment it belongs to. Every sector gets a checkpoint soon after its beginning, so that the log is of use
 * wherever it begins. The next sector is erased when half of this one is used, and no sector is begun that was not
 * erased since the start: an erase that was cut short may have left anything. The very last page is the freeze mark's:
 * anything in it means that the log is frozen. */
#include "critical.h"
#include "ram.h"
#include "record.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    FIRST = HC_LOG_START >> 8,
    FREEZE = (HC_LOG_END >> 8) - 1,
    SECTOR = HC_LOG_SECTOR >> 8,
    NOWHERE = 1, /* no sector begins here */
};

static bool begins_sector(uint16_t page)
{
    return !(page & (SECTOR - 1));
}

static void advance(void)
{
    if (++self.place == FREEZE)
        self.place = FIRST;
    if (begins_sector(self.place)) {
        self.flags |= HC_LOG_TRUSTED;
        hc_atomic_set(&ram.work, HC_WORK_CHECKPOINT);
    }
}

static void erase(uint16_t sector)
{
    self.erased = sector;
    hc_sink_erase(sector);
}

static void skip_numbers(uint8_t n)
{
    self.next.sequence += n;
    if (self.next.sequence < n)
        self.next.sequence_high++;
}

/* ---- finding the end ---- */

/* Reads the header of PAGE to `next`; false if there is no whole page. */
static bool whole(uint16_t page)
{
    return hc_sink_transfer(HC_SINK_READ, page, self.spare) == 0;
}

/* The last page of the sector that was begun last, or 0. */
static uint16_t newest(void)
{
    uint16_t newest = 0, sequence = 0;
    for (uint16_t last = FIRST + SECTOR - 1; last <= FREEZE; last += SECTOR) {
        if (!whole(last + 1 - SECTOR))
            continue;
        if (newest && (int16_t)(self.next.sequence - sequence) < 0)
            continue;
        newest = last;
        sequence = self.next.sequence;
    }
    return newest;
}

static void open(void)
{
    uint16_t last = newest();
    self.erased = NOWHERE;
    self.flags |= HC_LOG_OPENED;
    if (hc_sink_used(FREEZE))
        self.flags |= HC_LOG_FROZEN;
    if (last) {
        if (last == FREEZE)
            last--;
        while (!whole(last))
            last--; /* ends at the sector's first page at the latest */
        self.place = last;
        advance();
    } else {
        self.next.boot = 0xffff;
        self.next.sequence = self.next.segment = 0xfffe;
        self.next.sequence_high = 0xff;
        self.place = FIRST;
        if (self.flags & HC_LOG_FROZEN) {
            /* By something else, as there was no log: that is erased first. */
            self.flags ^= HC_LOG_FROZEN;
            self.place = FREEZE + 1 - SECTOR;
        } else if (!hc_sink_used(FIRST)) {
            self.erased = FIRST; /* very probably: pages that are not blank will be passed over */
        }
    }
    self.next.magic = HC_PAGE_MAGIC;
    self.next.boot++;
    skip_numbers(2);                      /* of a torn page, or the mark */
    self.segment = self.next.segment + 1; /* there may be a beginning of the next one */
    self.present = self.segment + 1;
}

/* ---- writing ---- */

bool hc_log_ready(void)
{
    if (!hc_sink_ready())
        return false;
    if (!(self.flags & HC_LOG_OPENED))
        open();
    for (;;) {
        if (begins_sector(self.place) && self.place != self.erased) {
            if (!(self.flags & HC_LOG_FROZEN)) {
                erase(self.place);
                return false;
            }
            self.flags |= HC_LOG_FULL;
        }
        if (self.flags & (HC_LOG_TRUSTED | HC_LOG_FULL) || !hc_sink_used(self.place))
            return true;
        advance();
    }
}

void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length)
{
    while (!hc_log_ready())
        ;
    if (self.flags & HC_LOG_FULL)
        return;
    self.next.stream = stream;
    self.next.segment = segment;
    self.next.length = length;
    if (stream == HC_STREAM_MARK) {
        self.flags |= HC_LOG_FROZEN;
        hc_sink_transfer(HC_SINK_PROGRAM, FREEZE, payload);
    } else {
        hc_sink_transfer(HC_SINK_PROGRAM, self.place, payload);
        advance();
    }
    skip_numbers(1);
}

void hc_log_flush(void)
{
    if (!(self.flags & HC_LOG_SPARE))
        return;
    self.flags &= (uint16_t)~HC_LOG_SPARE;
    hc_log_write(self.spare_stream, self.segment, self.spare, self.spare_length);
}

void hc_log_erase_ahead(void)
{
    uint16_t next = (self.place | (SECTOR - 1)) + 1;
    if (next > FREEZE)
        next = FIRST;
    if (self.place & SECTOR / 2 && next != self.erased && !(self.flags & HC_LOG_FROZEN))
        erase(next);
}
