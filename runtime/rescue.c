#include "rescue.h"

#include "checkpoint.h"
#include "critical.h"
#include "log.h"
#include "pieces.h"
#include "ram.h"
#include "record.h"
#include "ring.h"
#include "shelf.h"

#define ram __hc_ram
#define self __hc_ram.recorder
#define ended __hc_ram.application /* HC_ENDED_... */

enum {
    MAGIC = 0x6c69,
    PATIENCE = 0, /* 65,536 looks */
};

uint16_t hc_rescue_magic(void)
{
    return (uint16_t)(__hc_link.build[0] | __hc_link.build[1] << 8) ^ MAGIC;
}

#if HC_OPENS_AT_RESET && HC_CODEC_SETS == 0

/* ---- whether there is anything ---- */

static bool is_in_ring(uint16_t address)
{
    return !(address & 1) && (uint16_t)(address - HC_ADDRESS(ram.ring)) < HC_RING;
}

/* Where entries begin of the segment that the program is in, if some were lost before it, and what was encoded is of
 * the one before; else 0. */
static uint16_t crossed_gap(void)
{
    return self.beginning == HC_STREAM_RECOVERY ? self.boundary : 0;
}

static uint16_t oldest_entry(void)
{
    uint16_t crossed = crossed_gap();

    return crossed ? crossed : self.tail;
}

/* What RAM says of the life that ended, before the log is looked at. */
static void note_ended(void)
{
    ended[HC_ENDED_BOOT] = self.next.boot;
    ended[HC_ENDED_SEGMENT] = crossed_gap() ? self.present : __hc_coded_segment();
    ended[HC_ENDED_SEQUENCE] = self.next.sequence;
    ended[HC_ENDED_FLAGS] = self.flags & (uint16_t)~HC_RAM_FLAG_AHEAD;
    ended[HC_ENDED_FLAGS] |= hc_log_has_blank_ahead() ? HC_RAM_FLAG_AHEAD : 0;
    ended[HC_ENDED_SPARE] = HC_SHELF_NO_NUMBER(self.next.sequence);
    hc_barrier();
    ram.magic = (uint16_t)~ram.magic;
}

/* Whether RAM holds a life: one that has just ended, or one that was being rescued when another reset came. */
static bool has_life(void)
{
    if (ram.magic == hc_rescue_magic() && self.flags & HC_RAM_FLAG_OPENED)
        note_ended();
    else
        ended[HC_ENDED_FLAGS] &= (uint16_t)~HC_RAM_FLAG_AHEAD; /* a page there may be torn by the second reset */
    return ram.magic == (uint16_t)~hc_rescue_magic();
}

/* Nothing of it is believed blindly. AT: where it is put together. */
static bool is_plausible(uint16_t at)
{
    return __hc_link.free.end - at >= HC_RESCUE_ROOM && is_in_ring(ram.head) && is_in_ring(self.tail) &&
           (!HC_KEPT.changes || is_in_ring(HC_KEPT.tail_before)) && self.codec.mixed.coder.next <= HC_PAGE_PAYLOAD;
}

/* ---- putting it together, in memory that nobody uses ---- */

static uint16_t put(uint16_t to, uint16_t word)
{
    HC_MEMORY16(to) = word;
    return to + 2;
}

static uint16_t copy(uint16_t to, uint16_t from, uint16_t end)
{
    for (; from < end; from += 2)
        to = put(to, HC_MEMORY16(from));
    return to;
}

/* The code that there is: a trailer is none of it. */
static uint16_t code_size(void)
{
    uint16_t next = self.codec.mixed.coder.next;

    return next < HC_MIXED_FULL ? next : HC_MIXED_FULL;
}

static uint16_t put_code(uint16_t to)
{
    uint16_t page = HC_ADDRESS(self.codec.mixed.page);

    to = put(to, self.taken);
    to = put(to, HC_KEPT.check);
    to = put(to, HC_KEPT.bits);
    to = put(to, self.codec.mixed.coder.bits_at);
    to = put(to, code_size());
    return copy(to + 6, page, page + ((code_size() + 1) & ~1));
}

/* Nothing of the segment is encoded. */
static uint16_t put_no_code(uint16_t to)
{
    HC_MEMORY16(HC_ADDRESS(self.codec.mixed.page)) = 0xff;
    to = put(to, 0);
    to = put(to, 0);
    to = put(to, 1);
    to = put(to, 1);
    to = put(to, 2);
    return put(to + 6, 0xff);
}

/* The rest of the head. */
static void put_state(uint16_t to)
{
    to = put(to, ram.count);
    to = put(to, ram.state);
    put(to, hc_ring_size(oldest_entry(), ram.head));
}

/* The encoder was putting its state away. */
static void take_back(void)
{
    if (!HC_KEPT.changes)
        return;
    self.tail = HC_KEPT.tail_before;
    self.taken = HC_KEPT.taken_before;
    HC_KEPT.check = HC_KEPT.check_before;
    HC_KEPT.bits = HC_KEPT.bits_before;
}

/* From AT on. Where it ends; 0: the ring makes no sense. */
static uint16_t collect(uint16_t at)
{
    uint16_t limit = HC_ADDRESS(ram.ring) + HC_RING + HC_RING_SLACK, to;

    take_back();
    to = crossed_gap() ? put_no_code(at) : put_code(at);
    put_state(at + HC_RESCUE_HEAD - 6);
    if (oldest_entry() <= ram.head)
        return copy(to, oldest_entry(), ram.head);
    if (ram.top > limit)
        return 0;
    to = copy(to, oldest_entry(), ram.top);
    return copy(to, ram.top - HC_RING, ram.head);
}

/* ---- writing it ---- */

/* The log is open: whether its last page is of that life, and of a segment that leads to the one that it was in, or, if
 * a checkpoint was being copied, of the one behind it. */
static bool is_that_life(void)
{
    return self.next.boot == (uint16_t)(ended[HC_ENDED_BOOT] + 1) &&
           (uint16_t)(ended[HC_ENDED_SEGMENT] - self.segment + 2) < 4;
}

/* No page is missing. If the mark, which is elsewhere, was the last page, its number is missing among the others. */
static void number_next(void)
{
    if (self.next.sequence != ended[HC_ENDED_SEQUENCE])
        self.next.sequence_high -= self.next.sequence-- == 0;
}

/* The page that was being written when the reset came is there: it was the spare one, unless there is a shelf. */
static bool has_begun(void)
{
    return self.next.sequence != ended[HC_ENDED_SEQUENCE];
}

static void write_spare(bool begun)
{
    if (!(ended[HC_ENDED_FLAGS] & HC_RAM_FLAG_SPARE) || hc_shelf_is_in_log(ended[HC_ENDED_SPARE]) ||
        (begun && self.shelf == self.shelf_end))
        return;
    ended[HC_ENDED_SPARE] = self.next.sequence;
    hc_barrier();
    hc_log_write(self.spare_stream, self.spare_segment, self.spare, self.spare_length);
}

/* What lies from AT to END, and the beginning that WAITS, if that is not 0. */
static bool write_all(uint16_t waits, uint16_t at, uint16_t end)
{
    uint16_t segment = ended[HC_ENDED_SEGMENT];

    if (!is_that_life())
        return false;
    self.next.boot--;
    number_next();
    bool begun = has_begun();
    if (hc_shelf_rescue()) {
        write_spare(begun);
        if (waits)
            hc_checkpoint_write_waiting(segment, begun);
        hc_log_write_stretch(HC_STREAM_RESCUE, segment, at, end);
    }
    self.next.boot++;
    self.segment = segment + 1; /* there may be a beginning of that */
    self.present = segment + 2;
    return true;
}

/* A second reset meanwhile does all of it again: nothing that it takes is changed before all is written. */
bool hc_rescue(void)
{
    uint16_t at;

    if (!has_life() || !hc_shelf_find(&at))
        return false;
    uint16_t waits = hc_checkpoint_waiting(crossed_gap());
    at = waits ? waits : at;
    uint16_t end = is_plausible(at) ? collect(at) : 0;
    if (!end)
        return false;
    self.flags = ended[HC_ENDED_FLAGS] & HC_RAM_FLAG_AHEAD;
    bool written = hc_record_open_log(PATIENCE) && write_all(waits, at, end);
    hc_record_close_log();
    return written;
}

#else

bool hc_rescue(void)
{
    return false;
}

#endif
