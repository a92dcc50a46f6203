#include "shelf.h"

#include "checkpoint.h"
#include "critical.h"
#include "log.h"
#include "pieces.h"
#include "ram.h"
#include "record.h"
#include "rescue.h"

#if HC_CODEC_SETS == 0

#define ram __hc_ram
#define self __hc_ram.recorder

enum { LENGTH_AND_STREAM = 0, SEGMENT = 2, NUMBER = 4, SUM = 6, HEAD = 8, MARGIN = 64 };

static uint16_t length_at(uint16_t at)
{
    return HC_MEMORY16(at + LENGTH_AND_STREAM) & 0xff;
}

static uint16_t behind(uint16_t at)
{
    return at + HEAD + ((length_at(at) + 1) & ~1);
}

static uint16_t sum(uint16_t at)
{
    uint16_t end = behind(at), s = HC_MEMORY16(at + LENGTH_AND_STREAM) + HC_MEMORY16(at + SEGMENT);

    for (at += HEAD; at != end; at += 2)
        s += HC_MEMORY16(at);
    return s;
}

/* ---- putting ---- */

/* Memory from AT up to END is nobody's: it was never used, and a rescue has room behind it. */
static bool is_unused(uint16_t at, uint16_t end)
{
    uint16_t limit = end + MARGIN;

    if ((int16_t)(__hc_link.free.end - end) < HC_RESCUE_ROOM)
        return false;
    if (ram.application_sp >= __hc_link.free.start && ram.application_sp < limit)
        return false;
    for (; at != limit; at += 2)
        if (HC_MEMORY16(at))
            return false;
    return true;
}

static void put_page(uint16_t at)
{
    HC_MEMORY16(at + LENGTH_AND_STREAM) = self.spare_length | self.spare_stream << 8;
    HC_MEMORY16(at + SEGMENT) = self.spare_segment;
    HC_MEMORY16(at + NUMBER) = HC_SHELF_NO_NUMBER(self.next.sequence);
    for (uint16_t i = HEAD, end = behind(at) - at; i != end; i += 2)
        HC_MEMORY16(at + i) = HC_MEMORY16(HC_ADDRESS(self.spare) + i - HEAD);
    HC_MEMORY16(at + SUM) = sum(at);
}

bool hc_shelf_put(void)
{
    uint16_t at = self.shelf_end ? self.shelf_end : __hc_link.free.start;
    uint16_t end = at + HEAD + ((self.spare_length + 1) & ~1);

    if (self.copied || self.made || !(self.flags & HC_RAM_FLAG_OPENED) || !is_unused(at, end))
        return false;
    put_page(at);
    if (!self.shelf_end)
        self.shelf = at;
    hc_barrier();
    self.shelf_end = end | 1; /* a reset finds it there, and not in the spare page any more */
    hc_barrier();
    self.flags = (self.flags & (uint16_t)~HC_RAM_FLAG_SPARE) | HC_RAM_FLAG_SHELF;
    hc_barrier();
    self.shelf_end = end;
    return true;
}

bool hc_shelf_is_half_full(void)
{
    uint32_t end = (uint32_t)__hc_link.free.end - HC_RESCUE_ROOM;

    return self.shelf_end >= (uint16_t)((__hc_link.free.start + end) >> 1);
}

/* ---- writing ---- */

static void write_page(uint16_t at)
{
    HC_MEMORY16(at + NUMBER) = self.next.sequence;
    hc_barrier();
    hc_log_write((uint8_t)(HC_MEMORY16(at + LENGTH_AND_STREAM) >> 8), HC_MEMORY16(at + SEGMENT), HC_BYTES_AT(at + HEAD),
                 (uint8_t)length_at(at));
    hc_barrier();
}

/* Its memory becomes zero again. */
static void end_shelf(void)
{
    self.page = self.shelf_end;
    self.shelf = self.shelf_end = 0;
    self.flags &= (uint16_t)~HC_RAM_FLAG_SHELF;
    self.copied = HC_COPIED_CLEAR;
}

/* The stack has met it: what comes behind is of a segment that has no beginning. */
static void drop(void)
{
    self.present++;
    self.spare_segment = self.present;
    __hc_record_lose();
    hc_log_give_up();
    end_shelf();
}

void hc_shelf_write(void)
{
    uint16_t next = behind(self.shelf);

    if (sum(self.shelf) != HC_MEMORY16(self.shelf + SUM)) {
        drop();
        return;
    }
    write_page(self.shelf);
    if (hc_log_is_writing())
        return;
    self.shelf = next;
    if (next == self.shelf_end)
        end_shelf();
}

/* ---- after a reset ---- */

bool hc_shelf_find(uint16_t *end)
{
    uint16_t at = self.shelf;

    *end = __hc_link.free.start;
    if (self.shelf_end & 1) { /* the spare page was just being moved */
        self.shelf_end--;
        ram.application[HC_ENDED_FLAGS] &= (uint16_t)~HC_RAM_FLAG_SPARE;
    }
    if (self.shelf == self.shelf_end)
        return true;
    while (at >= __hc_link.free.start && at < __hc_link.free.end - HEAD && !(at & 1) &&
           length_at(at) <= HC_PAGE_PAYLOAD) {
        at = behind(at);
        if (at == self.shelf_end) {
            *end = at;
            return true;
        }
    }
    return false;
}

bool hc_shelf_is_in_log(uint16_t number)
{
    return (int16_t)(self.next.sequence - number) > 0;
}

bool hc_shelf_rescue(void)
{
    for (uint16_t at = self.shelf; at != self.shelf_end; at = behind(at)) {
        if (sum(at) != HC_MEMORY16(at + SUM))
            return false;
        if (!hc_shelf_is_in_log(HC_MEMORY16(at + NUMBER)))
            write_page(at);
    }
    return true;
}

#else

void hc_shelf_write(void)
{
}

#endif
