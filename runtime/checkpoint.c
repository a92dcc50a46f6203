/* The state in which a segment begins. After a reset, in one page:
 *
 *     boot     | hc_page_begin | registers ... | pieces ...      0 to 5 of link.h
 *
 * Otherwise pages with pieces of memory, then one that makes them valid:
 *
 *     chunk    | address | bytes ...                             address: two bytes
 *     commit   | hc_page_begin | r4 ... r15 SP | registers ...     or recovery, after events were lost
 *
 * Registers are those of peripherals that __hc_dump names, in its order. Memory in no chunk is zero, and the recorder's
 * own is in none. In a commit, PC is __hc_cut_update_end and the position counter 0; in a boot page all is as
 * __hc_reset leaves it.
 *
 * The program must not wait until all that is written. Memory that no section lies in is zero but for the stack, which
 * comes from above: the pages are made there, below anything that the stack ever reached, in one go; should an
 * interrupt come meanwhile, once more. A segment has begun then, and the program goes on; each hc_update writes a page
 * and clears where it was. A program that comes there in between, with a stack deeper than ever, is noticed by a page's
 * sum: the segment is void, and another checkpoint is taken. Where memory is too small, pages are written at once, with
 * interrupts off. */
#include "critical.h"
#include "link.h"
#include "ram.h"
#include "record.h"
#include "sink.h"
#include "words.h"

#define ram __hc_ram
#define self __hc_ram.recorder

extern const volatile struct hc_link __hc_link;

/* {address, bytes}; ends with no bytes. Tools read it from the ELF file. */
const struct hc_dump {
    uint16_t address, bytes;
} __hc_dump[] = { HC_DUMP, { 0, 0 } };

enum { TRIES = 8 };

/* ---- pages ---- */

/* Copies memory to AT in the spare page; NULL when it does not fit. Words are on even addresses. */
static uint8_t *put(uint8_t *at, uint16_t from, uint16_t end)
{
    while (from < end && at) {
        if (at >= self.spare + HC_PAGE_PAYLOAD - 1)
            return 0;
        if (from >= HC_BYTES_END) {
            uint16_t word = HC_MEMORY16(from);
            *at++ = (uint8_t)word;
            *at++ = (uint8_t)(word >> 8);
            from += 2;
        } else {
            *at++ = HC_MEMORY8(from++);
        }
    }
    return at;
}

static uint8_t *put_begin(void)
{
    uint8_t *at = self.spare;
    *at++ = HC_TRACE_VERSION;
    *at++ = HC_CODEC_SETS;
    for (uint8_t i = 0; i < 8; i++)
        *at++ = __hc_link.build[i];
    return at;
}

static uint8_t *put_peripherals(uint8_t *at)
{
    for (const struct hc_dump *d = __hc_dump; d->bytes; d++)
        at = put(at, d->address, d->address + d->bytes);
    return at;
}

__attribute__((noinline)) static uint8_t length_to(const uint8_t *at)
{
    return at ? (uint8_t)(at - self.spare) : 0;
}

uint8_t hc_checkpoint_boot(void)
{
    uint8_t *at = put_peripherals(put_begin());
    for (uint8_t i = 0; i < HC_PIECES_VOLATILE; i++)
        at = put(at, __hc_link.pieces[i].start, __hc_link.pieces[i].end);
    return length_to(at);
}

/* ---- making ---- */

/* A page that waits in memory. What is not used of it is zero, and so is the sum of its words. */
struct waiting {
    uint16_t stream, length, check, unused[3], payload[HC_PAGE_PAYLOAD / 2];
};
_Static_assert(sizeof(struct waiting) == HC_PAGE_SIZE, "pages of memory");

enum { HEADER = offsetof(struct waiting, payload) };

/* self.page: where the next page is made. It waits there, or is the spare page, and is written at once. */
enum { ENDED = 1 }; /* in self.page: there is no room for another, or an interrupt came */
#define SPARE (HC_ADDRESS(self.spare) - HEADER)

/* Whether a page may wait here: nothing has ever been here, and the stack is above. And whether it is worth the effort.
 */
static bool is_free(uint16_t page)
{
    uint16_t end = page + HC_PAGE_SIZE;
    return self.seen == ram.interrupts && end <= __hc_link.free.end && end <= ram.application[12] &&
           hc_words_zero(page, end) == end;
}

/* A page of FIRST and the words at FROM. */
static void make(uint16_t stream, uint16_t first, uint16_t from, uint16_t words)
{
    uint16_t page = self.page;
    struct waiting *to = HC_POINTER(page);
    if (page != SPARE && (page & ENDED || !is_free(page))) {
        self.page = page | ENDED;
        return;
    }
    to->payload[0] = first;
    uint16_t sum = hc_words_copy(page + HEADER + 2, from, words);
    words += words + 2;
    if (page == SPARE) {
        hc_log_write((uint8_t)stream, self.segment + 1, self.spare, (uint8_t)words);
        return;
    }
    to->stream = stream;
    to->length = words;
    to->check = -(sum + first + stream + words);
    self.page += HC_PAGE_SIZE;
}

/* Pages of the memory from FROM to END. */
static void make_chunks(uint16_t from, uint16_t end)
{
    while (!(self.page & ENDED) && (from = hc_words_zero(from, end)) != end) {
        uint16_t bytes = end - from;
        if (bytes > HC_CHUNK)
            bytes = HC_CHUNK;
        make(HC_STREAM_CHECKPOINT, from, from, bytes >> 1);
        from += bytes;
    }
}

/* Everything. */
static void make_all(void)
{
    for (uint8_t i = HC_PIECES_LASTING; i < HC_PIECES; i++)
        make_chunks(__hc_link.pieces[i].start, __hc_link.pieces[i].end);
    make_chunks(self.page == SPARE ? __hc_link.free.start : self.page, __hc_link.free.end);
    hc_sink_close(); /* its registers are the program's */
    uint16_t commit = HC_ADDRESS(self.spare);
    uint8_t *at = put(put_begin(), HC_ADDRESS(ram.application), HC_ADDRESS(ram.application + 13));
    self.spare_length = length_to(put_peripherals(at));
    self.spare_stream = ram.lost ? HC_STREAM_RECOVERY : HC_STREAM_COMMIT;
    if (self.page != SPARE)
        make(self.spare_stream, *(uint16_t *)HC_POINTER(commit), commit + 2, (self.spare_length - 1) >> 1);
}

/* ---- taking ---- */

/* Returns with interrupts off, at a moment at which memory and registers are as in the pages. */
static void agree(void)
{
    for (uint8_t tries = 0;; tries++) {
        uint16_t sr = tries < TRIES ? hc_status() : hc_critical_enter();
        self.seen = ram.interrupts;
        self.page = tries > TRIES ? SPARE : __hc_link.free.start;
        make_all();
        hc_critical_enter();
        if (self.seen == ram.interrupts) {
            if (!(self.page & ENDED))
                return;
            tries = TRIES;
        }
        hc_words_clear(__hc_link.free.start, self.page & (uint16_t)~ENDED);
        hc_critical_leave(sr);
        hc_sink_open();
    }
}

void hc_checkpoint_take(void)
{
    uint16_t sr = hc_status();
    agree();
    /* What the ring holds belongs to the old segment, which ends here. */
    uint16_t end = ram.head;
    ram.room = (int16_t)(HC_RING - 4 - ((end - self.tail) & (HC_RING - 1)));
    ram.lost = ram.count = ram.laps = 0;
    ram.run_unit = ram.run_end = HC_RUN_NONE;
    ram.segment++;
    hc_critical_leave(sr);
    hc_sink_open();
    if (self.page == SPARE)
        hc_log_write(self.spare_stream, ram.segment, self.spare, self.spare_length);
    hc_record_finish(end);
    hc_record_begin();
    if (self.page != SPARE)
        self.flags |= HC_LOG_WAITING;
    self.page = __hc_link.free.start;
}

void hc_checkpoint_write(void)
{
    uint16_t page = self.page;
    const struct waiting *w = HC_POINTER(page);
    uint8_t stream = (uint8_t)w->stream;
    if (hc_words_sum(page, HC_PAGE_SIZE / 2)) {
        ram.room = (int16_t)HC_ROOM_LOST;
        ram.run_unit = ram.run_end = HC_RUN_NONE;
        ram.lost++;
        stream = HC_STREAM_COMMIT;
    } else {
        hc_log_write(stream, self.segment, (const uint8_t *)w->payload, (uint8_t)w->length);
        hc_words_clear(page, self.page = page + HC_PAGE_SIZE);
    }
    if (stream >= HC_STREAM_COMMIT)
        self.flags ^= HC_LOG_WAITING;
}
