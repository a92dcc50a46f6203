#include "log.h"

#include "flatten.h"
#include "traffic.h"

#include "../runtime/traffic/model.h"
#include "../support/grow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hc_log {
    char *name;
    uint8_t *bytes;
    size_t size;
    struct hc_log_page *page;
    uint32_t *missing; /* pages before this one that are not there */
    size_t pages, page_room;
    struct hc_log_page *torn; /* headers that seem to begin a page */
    size_t torns, torn_room;
    struct hc_log_damage *damage;
    size_t damages, damage_room;
    struct hc_log_segment *segment;
    size_t segments, segment_room;
    struct hc_log_boot *boot;
    size_t boots, boot_room;
};

enum { SEQUENCES = 1 << 24 };

static enum hc_log_error fail(struct hc_log_message *message, enum hc_log_error error, const char *name,
                              const char *text)
{
    snprintf(message->text, sizeof message->text, "%.200s: %s", name, text);
    return error;
}

/* ---- finding pages ---- */

static uint16_t word(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* What may be the header of a page at OFFSET. */
static bool read_header(const struct hc_log *log, size_t offset, struct hc_log_page *page)
{
    const uint8_t *b = log->bytes + offset;
    if (b[0] != HC_PAGE_MAGIC || b[1] >= HC_STREAMS)
        return false;
    if (b[1] < HC_STREAM_OF_PIECES && (b[9] == 0 || b[9] > HC_PAGE_PAYLOAD))
        return false;
    *page = (struct hc_log_page){ .offset = offset,
                                  .stream = b[1],
                                  .boot = word(b + 2),
                                  .segment = word(b + 4),
                                  .sequence = word(b + 6) | (uint32_t)b[8] << 16,
                                  .length = b[9],
                                  .payload = b + HC_PAGE_HEADER };
    return true;
}

/* Whether anything but a page's header follows the pieces of PAGE. */
static bool is_torn(const struct hc_log *log, const struct hc_log_page *page)
{
    size_t at = page->offset + HC_PAGE_HEADER + page->length, end = page->offset + HC_PAGE_SIZE;
    if (end > log->size)
        end = log->size;
    if (at < end && log->bytes[at] == HC_PAGE_MAGIC)
        return false;
    while (at < end && log->bytes[at] == 0xff)
        at++;
    return at < end;
}

/* Pages of messages are written piece by piece: what is there of one is good. */
static bool is_message_page(const struct hc_log *log, struct hc_log_page *page)
{
    const uint8_t *b = log->bytes + page->offset;
    if (hc_traffic_check_of(b, HC_PAGE_HEADER - 1) != b[HC_PAGE_HEADER - 1])
        return false;
    page->length = hc_traffic_pieces(page->payload, log->size - page->offset - HC_PAGE_HEADER);
    page->torn = is_torn(log, page);
    return page->length;
}

static bool is_whole(const struct hc_log *log, struct hc_log_page *page)
{
    const uint8_t *b = log->bytes + page->offset;
    if (page->stream >= HC_STREAM_OF_PIECES)
        return is_message_page(log, page);
    return log->size - page->offset >= HC_PAGE_SIZE && hc_page_crc(0xffff, b, HC_PAGE_SIZE) == 0;
}

static size_t page_size(const struct hc_log_page *page)
{
    return page->stream >= HC_STREAM_OF_PIECES ? HC_PAGE_HEADER + (size_t)page->length : HC_PAGE_SIZE;
}

static bool find_pages(struct hc_log *log)
{
    struct hc_log_page page;
    for (size_t at = 0; at + HC_PAGE_HEADER < log->size; at++) {
        if (!read_header(log, at, &page))
            continue;
        if (is_whole(log, &page)) {
            if (!hc_grow(&log->page, log->pages, &log->page_room, sizeof page))
                return false;
            log->page[log->pages++] = page;
            at += page_size(&page) - 1;
        } else if (page.stream < HC_STREAM_OF_PIECES) {
            if (!hc_grow(&log->torn, log->torns, &log->torn_room, sizeof page))
                return false;
            log->torn[log->torns++] = page;
        }
    }
    return true;
}

/* ---- order ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Numbers count round a circle of SIZE; the log is a piece of it. Returns where it begins: behind the largest gap. */
static uint32_t circle_start(uint32_t *numbers, size_t count, uint32_t size)
{
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    uint32_t start = numbers[0];
    uint32_t largest = (numbers[0] - numbers[count - 1]) & (size - 1);
    for (size_t i = 1; i < count; i++) {
        uint32_t gap = numbers[i] - numbers[i - 1];
        if (gap > largest && numbers[i] != numbers[i - 1]) {
            largest = gap;
            start = numbers[i];
        }
    }
    return start;
}

struct key {
    uint32_t boot, sequence;
    size_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a;
    const struct key *y = b;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Fills KEYS, in the order of the pages as they were found. */
static void make_keys(const struct hc_log *log, struct key *keys, uint32_t *numbers)
{
    for (size_t i = 0; i < log->pages; i++)
        numbers[i] = log->page[i].boot;
    uint32_t boot = circle_start(numbers, log->pages, 1 << 16);
    for (size_t i = 0; i < log->pages; i++)
        numbers[i] = log->page[i].sequence;
    uint32_t sequence = circle_start(numbers, log->pages, SEQUENCES);
    for (size_t i = 0; i < log->pages; i++)
        keys[i] = (struct key){ (log->page[i].boot - boot) & 0xffff,
                                (log->page[i].sequence - sequence) & (SEQUENCES - 1), i };
}

static bool sort_pages(struct hc_log *log)
{
    struct key *keys = malloc(log->pages * sizeof *keys);
    uint32_t *numbers = malloc(log->pages * sizeof *numbers);
    struct hc_log_page *sorted = malloc(log->pages * sizeof *sorted);
    bool good = keys && numbers && sorted;
    if (good) {
        make_keys(log, keys, numbers);
        qsort(keys, log->pages, sizeof *keys, compare_keys);
        for (size_t i = 0; i < log->pages; i++)
            sorted[i] = log->page[keys[i].index];
        free(log->page);
        log->page = sorted;
        sorted = NULL;
    }
    free(keys);
    free(numbers);
    free(sorted);
    return good;
}

/* ---- damage ---- */

static struct hc_log_damage *add_damage(struct hc_log *log, enum hc_log_damage_kind kind, size_t offset, size_t page)
{
    if (!hc_grow(&log->damage, log->damages, &log->damage_room, sizeof *log->damage))
        return NULL;
    struct hc_log_damage *d = &log->damage[log->damages++];
    *d = (struct hc_log_damage){ .kind = kind, .offset = offset, .page = page };
    return d;
}

/* Of two pages of one number the one that was found first is believed. */
static bool drop_duplicates(struct hc_log *log)
{
    struct hc_log_page *page = log->page;
    size_t kept = 0;
    for (size_t i = 0; i < log->pages; i++) {
        const struct hc_log_page *p = &page[i];
        const struct hc_log_page *last = kept ? &page[kept - 1] : p;
        if (!kept || last->boot != p->boot || last->sequence != p->sequence) {
            page[kept++] = *p;
            continue;
        }
        if (page_size(last) == page_size(p) &&
            !memcmp(last->payload - HC_PAGE_HEADER, p->payload - HC_PAGE_HEADER, page_size(p)))
            continue;
        struct hc_log_damage *d = add_damage(log, HC_DAMAGE_CONFLICT, p->offset, kept - 1);
        if (!d)
            return false;
        snprintf(d->text, sizeof d->text,
                 "page %u of boot %u is at 0x%zx too, with other contents; this one is left out", p->sequence, p->boot,
                 last->offset);
    }
    log->pages = kept;
    for (size_t i = 0; i < log->damages; i++)
        if (log->damage[i].kind == HC_DAMAGE_TORN)
            log->damage[i].page = kept; /* none */
    return true;
}

static bool find_missing(struct hc_log *log)
{
    log->missing = calloc(log->pages + 1, sizeof *log->missing);
    if (!log->missing)
        return false;
    for (size_t i = 1; i < log->pages; i++) {
        const struct hc_log_page *p = &log->page[i];
        if (p->boot != p[-1].boot)
            continue;
        uint32_t gap = (p->sequence - p[-1].sequence - 1) & (SEQUENCES - 1);
        log->missing[i] = gap;
        if (!gap)
            continue;
        struct hc_log_damage *d = add_damage(log, HC_DAMAGE_MISSING, p->offset, i);
        if (!d)
            return false;
        d->count = gap;
        snprintf(d->text, sizeof d->text, "%u page%s missing between pages %u and %u of boot %u", gap,
                 gap == 1 ? " is" : "s are", p[-1].sequence, p->sequence, p->boot);
    }
    return true;
}

/* A page that a reset has torn is written again, from RAM, elsewhere. */
static bool is_there(const struct hc_log *log, const struct hc_log_page *torn)
{
    for (size_t i = 0; i < log->pages; i++)
        if (log->page[i].boot == torn->boot && log->page[i].sequence == torn->sequence)
            return true;
    return false;
}

/* Headers with a wrong CRC are pages only if they fit to those that were found before or after them. */
static bool fits(const struct hc_log_page *torn, const struct hc_log_page *p)
{
    enum { NEAR = 1024 };
    uint32_t distance = (torn->sequence - p->sequence + NEAR) & (SEQUENCES - 1);
    uint16_t segments = (uint16_t)(torn->segment - p->segment + 1);
    return torn->boot == p->boot && segments <= 2 && distance <= 2 * NEAR;
}

/* Whether TORN lies as the pages do, if all of them lie in places for pages: what lies elsewhere in a dump of a node's
 * whole memory is the page that the recorder was filling. */
static bool is_in_place(const struct hc_log *log, const struct hc_log_page *torn)
{
    size_t place = log->page[0].offset % HC_PAGE_SIZE;
    for (size_t i = 1; i < log->pages; i++)
        if (log->page[i].offset % HC_PAGE_SIZE != place)
            return true;
    return torn->offset % HC_PAGE_SIZE == place;
}

static bool find_torn(struct hc_log *log)
{
    enum { TOO_MANY = 1000 };
    size_t next = 0; /* page behind it */
    for (size_t i = 0; i < log->torns && log->damages < TOO_MANY; i++) {
        const struct hc_log_page *t = &log->torn[i];
        while (next < log->pages && log->page[next].offset < t->offset)
            next++;
        if (!(next < log->pages && fits(t, &log->page[next])) && !(next && fits(t, &log->page[next - 1])))
            continue;
        if (is_there(log, t) || !is_in_place(log, t))
            continue;
        struct hc_log_damage *d = add_damage(log, HC_DAMAGE_TORN, t->offset, 0);
        if (!d)
            return false;
        snprintf(d->text, sizeof d->text, "page %u of boot %u, segment %u is torn", t->sequence, t->boot, t->segment);
    }
    return true;
}

/* ---- segments ---- */

bool hc_log_lane(const struct hc_log_page *page, enum hc_lane lane, const uint8_t **bytes, uint8_t *length)
{
    unsigned end = HC_LANES;
    if (page->length < HC_LANES)
        return false;
    for (enum hc_lane i = 0; i < HC_LANES; i++) {
        if (i == lane)
            *bytes = page->payload + end;
        end += page->payload[i];
    }
    *length = page->payload[lane];
    return end == page->length;
}

/* Among the last ones up to END; pages of a segment and its neighbours mix, no others. NULL: it is not there. */
static struct hc_log_segment *find_segment(struct hc_log *log, size_t end, uint16_t boot, uint16_t number)
{
    enum { FAR = 8 };
    size_t near = end > FAR ? end - FAR : 0;
    for (size_t i = end; i > near; i--)
        if (log->segment[i - 1].boot == boot && log->segment[i - 1].number == number)
            return &log->segment[i - 1];
    return NULL;
}

static struct hc_log_segment *segment_of(struct hc_log *log, size_t index)
{
    const struct hc_log_page *p = &log->page[index];
    struct hc_log_segment *found = find_segment(log, log->segments, p->boot, p->segment);
    if (found)
        return found;
    if (!hc_grow(&log->segment, log->segments, &log->segment_room, sizeof *log->segment))
        return NULL;
    struct hc_log_segment *s = &log->segment[log->segments++];
    *s = (struct hc_log_segment){ .boot = p->boot, .number = p->segment, .first_page = index, .begin_page = index };
    return s;
}

static void note_begin(struct hc_log_segment *s, const struct hc_log_page *p, size_t index)
{
    bool boot = p->stream == HC_STREAM_BOOT;
    const uint8_t *more = p->payload + sizeof(struct hc_page_begin);
    const struct hc_page_begin *begin = (const struct hc_page_begin *)p->payload;
    if (p->length < sizeof *begin || s->begin != HC_BEGIN_LOST)
        return;
    s->version = begin->version;
    if (s->version != HC_TRACE_VERSION ||
        p->length < (boot ? sizeof(struct hc_page_boot) : sizeof(struct hc_page_commit)))
        return;
    s->begin = boot ? HC_BEGIN_BOOT : HC_BEGIN_CHECKPOINT;
    s->begin_page = index;
    s->cause = boot ? word(more) : 0;
    s->found = boot && word(more + 2);
    s->count = boot ? 0 : word(more);
    s->sets = begin->sets & HC_PAPER_ALL;
    s->has_build = true;
    memcpy(s->build, begin->build, sizeof s->build);
}

static void note_lanes(struct hc_log_segment *s, const struct hc_log_page *p)
{
    const uint8_t *bytes;
    uint8_t length;
    for (int i = 0; i < HC_LANES; i++)
        if (hc_log_lane(p, i, &bytes, &length))
            s->lanes[i] += length;
}

/* Of a page of messages that begins a segment: its version is one of its own. */
static void note_messages(struct hc_log_segment *s, const struct hc_log_page *p, size_t index)
{
    const struct hc_traffic_begin *begin = (const struct hc_traffic_begin *)(p->payload + 1);
    const uint8_t *tables = p->payload + sizeof *begin + 2;
    if (p->payload[0] != HC_PIECE_BEGIN || s->begin != HC_BEGIN_LOST)
        return;
    bool tabled = p->length > sizeof *begin + 2 + HC_TRAFFIC_TABLES_HEAD && tables[0] >= HC_PIECE_TABLES;
    uint8_t flags = tabled ? tables[1 + offsetof(struct hc_traffic_tables, flags)] : 0;
    s->begin = flags & HC_TRAFFIC_FRESH || p->stream == HC_STREAM_REGION ? HC_BEGIN_BOOT : HC_BEGIN_CHECKPOINT;
    s->begin_page = index;
    s->version = HC_TRACE_VERSION;
    s->messages = s->has_build = true;
    s->overflow = !(flags & HC_TRAFFIC_FRESH) && flags & HC_TRAFFIC_CUT;
    memcpy(s->build, begin->build, sizeof s->build);
}

static void note_page(struct hc_log_segment *s, const struct hc_log_page *p, size_t index)
{
    s->page_count = index + 1 - s->first_page;
    s->pages[p->stream]++;
    s->payload[p->stream] += p->length;
    if (p->stream == HC_STREAM_PAPER)
        note_lanes(s, p);
    if (p->stream == HC_STREAM_BOOT || p->stream == HC_STREAM_COMMIT || p->stream == HC_STREAM_RECOVERY)
        note_begin(s, p, index);
    if (p->stream >= HC_STREAM_OF_PIECES)
        note_messages(s, p, index);
    if (p->stream == HC_STREAM_MARK && p->length == 2 && !s->frozen) {
        s->frozen = true;
        s->frozen_because = word(p->payload);
    }
}

/* The segment before S, if it is there, lost events. */
static void note_recovery(struct hc_log *log, const struct hc_log_segment *s)
{
    struct hc_log_segment *before = find_segment(log, (size_t)(s - log->segment), s->boot, (uint16_t)(s->number - 1));
    if (before && s->pages[HC_STREAM_RECOVERY])
        before->overflow = true;
}

static bool has_events(const struct hc_log_segment *s)
{
    for (int i = 0; i < HC_CODEC_STREAMS; i++)
        if (s->pages[i])
            return true;
    return s->pages[HC_STREAM_RESCUE] || s->pages[HC_STREAM_MESSAGES] || s->pages[HC_STREAM_REGION];
}

/* A walk over the records of a checkpoint. */
struct walk {
    uint8_t head[HC_RECORD_HEAD];
    size_t got;              /* bytes of a head */
    size_t left;             /* bytes of a record */
    bool first, peripherals; /* seen, the latter behind the former */
    bool bad;
};

static void walk_head(struct walk *w)
{
    uint16_t address = word(w->head), length = word(w->head + 2);
    if (address == HC_RECORD_FIRST && length == 0) {
        w->first = true;
        w->peripherals = false;
    }
    w->peripherals |= address == HC_RECORD_PERIPHERALS;
    w->bad |= length % 2;
    w->left = length;
    w->got = 0;
}

static void walk_page(struct walk *w, const struct hc_log_page *page)
{
    for (size_t i = 0; i < page->length; i++) {
        if (w->left) {
            w->left--;
            continue;
        }
        w->head[w->got++] = page->payload[i];
        if (w->got == sizeof w->head)
            walk_head(w);
    }
}

/* Pages of other segments may lie between those of a checkpoint: nothing but its records tells where it begins. Those
 * of one that has lost its first pages make no sense, or have no first one. */
static bool has_first_record(const struct hc_log *log, const struct hc_log_segment *s)
{
    struct walk w = { 0 };
    size_t i = s->first_page;
    while ((i = hc_log_next_page(log, s, HC_STREAM_CHECKPOINT, i)) < s->begin_page)
        walk_page(&w, &log->page[i++]);
    return w.first && w.peripherals && !w.bad && !w.left && !w.got;
}

/* Whether records of a beginning may be missing before the first page that is there. A boot's pages lie together, and
 * after a reset some numbers are passed over. */
static bool may_be_cut(const struct hc_log *log, const struct hc_log_segment *s)
{
    enum { PASSED_OVER = 3 };
    const struct hc_log_page *p = &log->page[s->first_page];
    if (s->messages)
        return false;
    if (s->begin == HC_BEGIN_CHECKPOINT)
        return !has_first_record(log, s);
    if (p->stream != HC_STREAM_CHECKPOINT)
        return false;
    if (s->first_page == 0)
        return p->sequence != 0;
    if (p[-1].boot == p->boot)
        return log->missing[s->first_page];
    return ((p->sequence - p[-1].sequence) & (SEQUENCES - 1)) > PASSED_OVER;
}

/* What a beginning does not tell of memory is zero: that is not to be believed where its pages may be missing. */
static bool has_holes(const struct hc_log *log, const struct hc_log_segment *s)
{
    for (size_t i = s->first_page + 1; i <= s->begin_page; i++)
        if (log->missing[i])
            return true;
    return may_be_cut(log, s);
}

/* A segment whose beginning was erased, torn or never written. */
static bool judge_beginning(struct hc_log *log, struct hc_log_segment *s)
{
    if ((s->begin == HC_BEGIN_CHECKPOINT || s->begin == HC_BEGIN_BOOT) && has_holes(log, s))
        s->begin = HC_BEGIN_LOST;
    if (s->begin != HC_BEGIN_LOST)
        return true;
    if (!has_events(s) && (!s->version || s->version == HC_TRACE_VERSION)) {
        s->begin = HC_BEGIN_UNFINISHED;
        return true;
    }
    s->sets = (s->lanes[HC_LANE_INTERRUPTS] ? HC_PAPER_INTERRUPTS : 0) |
              (s->lanes[HC_LANE_REGISTERS] ? HC_PAPER_REGISTERS : 0) | (s->lanes[HC_LANE_DATA] ? HC_PAPER_DATA : 0);
    struct hc_log_damage *d = add_damage(log, HC_DAMAGE_BEGINNING, log->page[s->first_page].offset, s->first_page);
    if (!d)
        return false;
    if (s->version && s->version != HC_TRACE_VERSION)
        snprintf(d->text, sizeof d->text, "segment %u of boot %u was recorded in trace version %u, this is version %d",
                 s->number, s->boot, s->version, HC_TRACE_VERSION);
    else
        snprintf(d->text, sizeof d->text, "segment %u of boot %u has lost its start", s->number, s->boot);
    return true;
}

static bool find_segments(struct hc_log *log)
{
    for (size_t i = 0; i < log->pages; i++) {
        struct hc_log_segment *s = segment_of(log, i);
        if (!s)
            return false;
        note_page(s, &log->page[i], i);
    }
    for (size_t i = 0; i < log->segments; i++) {
        struct hc_log_segment *s = &log->segment[i];
        if (!judge_beginning(log, s))
            return false;
        note_recovery(log, s);
        for (size_t j = s->begin_page + 1; j < s->first_page + s->page_count; j++)
            s->damaged |= log->missing[j] != 0;
    }
    return true;
}

/* A log that another version of the recorder wrote, and nothing else: which; else 0. */
static unsigned foreign_version(const struct hc_log *log)
{
    unsigned version = 0;
    for (size_t i = 0; i < log->segments; i++) {
        if (log->segment[i].version == HC_TRACE_VERSION)
            return 0;
        if (log->segment[i].version)
            version = log->segment[i].version;
    }
    return version;
}

/* ---- boots ---- */

static void note_boot_segment(struct hc_log_boot *boot, const struct hc_log_segment *s)
{
    boot->segments++;
    boot->rescued += s->payload[HC_STREAM_RESCUE];
    boot->lost_starts += s->begin == HC_BEGIN_LOST;
    if (s->frozen)
        boot->end = HC_LIFE_FROZEN;
}

/* NEXT: the first segment of the boot after it; NULL: none follows. */
static void judge_end(struct hc_log_boot *boot, const struct hc_log_segment *next)
{
    bool known = next && next->begin == HC_BEGIN_BOOT && next->boot == (uint16_t)(boot->boot + 1);
    boot->cause_known = known;
    boot->cause = known ? next->cause : 0;
    if (boot->rescued)
        boot->end = HC_LIFE_RESCUED;
    else if (boot->end != HC_LIFE_FROZEN)
        boot->end = !next ? HC_LIFE_OPEN : !known ? HC_LIFE_UNKNOWN : next->found ? HC_LIFE_MISSING : HC_LIFE_LOST;
}

static bool find_boots(struct hc_log *log)
{
    for (size_t i = 0; i < log->segments; i++) {
        const struct hc_log_segment *s = &log->segment[i];
        if (i == 0 || s->boot != s[-1].boot) {
            if (!hc_grow(&log->boot, log->boots, &log->boot_room, sizeof *log->boot))
                return false;
            log->boot[log->boots++] =
                (struct hc_log_boot){ .boot = s->boot, .first_segment = i, .end = HC_LIFE_UNKNOWN };
        }
        note_boot_segment(&log->boot[log->boots - 1], s);
    }
    for (size_t i = 0, k = 0; i < log->pages; i++) {
        k += k + 1 < log->boots && log->page[i].boot != log->boot[k].boot;
        log->boot[k].missing += log->missing[i];
    }
    for (size_t i = 0; i < log->boots; i++)
        judge_end(&log->boot[i], i + 1 < log->boots ? &log->segment[log->boot[i + 1].first_segment] : NULL);
    return true;
}

/* ---- the log ---- */

/* Bytes without a page may be the text that a programmer makes of them. */
static bool flatten(struct hc_log *log)
{
    size_t size;
    uint8_t *memory = hc_flatten(log->name, log->bytes, log->size, &size);
    if (!memory)
        return false;
    free(log->bytes);
    log->bytes = memory;
    log->size = size;
    log->torns = 0;
    return true;
}

static enum hc_log_error arrange(struct hc_log *log, struct hc_log_message *message)
{
    if (!find_pages(log) || (!log->pages && flatten(log) && !find_pages(log)))
        return fail(message, HC_LOG_NO_MEMORY, log->name, "not enough memory");
    if (!log->pages)
        return fail(message, HC_LOG_EMPTY, log->name,
                    "there is no page of a recording in it: give the whole contents of what the recorder wrote to");
    if (!find_torn(log) || !sort_pages(log) || !drop_duplicates(log) || !find_missing(log) || !find_segments(log) ||
        !find_boots(log))
        return fail(message, HC_LOG_NO_MEMORY, log->name, "not enough memory");
    unsigned version = foreign_version(log);
    if (!version)
        return HC_LOG_OK;
    snprintf(
        message->text, sizeof message->text,
        "%.160s: was recorded in trace version %u, but this hindcast reads version %d: use the one that the program "
        "was built with",
        log->name, version, HC_TRACE_VERSION);
    return HC_LOG_MISMATCH;
}

/* Takes BYTES. */
static enum hc_log_error open_bytes(struct hc_log **out, const char *name, uint8_t *bytes, size_t size,
                                    struct hc_log_message *message)
{
    struct hc_log *log = calloc(1, sizeof *log);
    *out = NULL;
    if (log)
        log->name = strdup(name);
    if (!log || !log->name) {
        free(log);
        free(bytes);
        return fail(message, HC_LOG_NO_MEMORY, name, "not enough memory");
    }
    log->bytes = bytes;
    log->size = size;
    enum hc_log_error error = arrange(log, message);
    if (error)
        hc_log_free(log);
    else
        *out = log;
    return error;
}

enum hc_log_error hc_log_open_memory(struct hc_log **out, const char *name, const void *bytes, size_t size,
                                     struct hc_log_message *message)
{
    uint8_t *copy = malloc(size + 1);
    *out = NULL;
    if (!copy)
        return fail(message, HC_LOG_NO_MEMORY, name, "not enough memory");
    memcpy(copy, bytes, size);
    return open_bytes(out, name, copy, size, message);
}

enum hc_log_error hc_log_open_file(struct hc_log **out, const char *path, struct hc_log_message *message)
{
    struct stat status;
    *out = NULL;
    FILE *in = fopen(path, "rb");
    if (!in || fstat(fileno(in), &status) != 0 || S_ISDIR(status.st_mode)) {
        int cause = in && S_ISDIR(status.st_mode) ? EISDIR : errno;
        if (in)
            fclose(in);
        return fail(message, HC_LOG_UNREADABLE, path, strerror(cause));
    }
    size_t size = 0;
    size_t room = 1 << 20;
    uint8_t *bytes = malloc(room);
    while (bytes && (size += fread(bytes + size, 1, room - size, in)) == room && room <= HC_LOG_FILE_MAX) {
        uint8_t *more = realloc(bytes, room *= 2);
        if (!more)
            free(bytes);
        bytes = more;
    }
    bool failed = ferror(in);
    fclose(in);
    if (!bytes || failed || size > HC_LOG_FILE_MAX) {
        free(bytes);
        return bytes && !failed ? fail(message, HC_LOG_UNREADABLE, path, "is larger than any recording can be")
               : failed         ? fail(message, HC_LOG_UNREADABLE, path, "cannot be read")
                                : fail(message, HC_LOG_NO_MEMORY, path, "not enough memory");
    }
    return open_bytes(out, path, bytes, size, message);
}

void hc_log_free(struct hc_log *log)
{
    if (!log)
        return;
    free(log->name);
    free(log->bytes);
    free(log->page);
    free(log->missing);
    free(log->torn);
    free(log->damage);
    free(log->segment);
    free(log->boot);
    free(log);
}

const char *hc_log_name(const struct hc_log *log)
{
    return log->name;
}

size_t hc_log_pages(const struct hc_log *log, const struct hc_log_page **out)
{
    *out = log->page;
    return log->pages;
}

size_t hc_log_damages(const struct hc_log *log, const struct hc_log_damage **out)
{
    *out = log->damage;
    return log->damages;
}

size_t hc_log_segments(const struct hc_log *log, const struct hc_log_segment **out)
{
    *out = log->segment;
    return log->segments;
}

size_t hc_log_boots(const struct hc_log *log, const struct hc_log_boot **out)
{
    *out = log->boot;
    return log->boots;
}

size_t hc_log_next_page(const struct hc_log *log, const struct hc_log_segment *s, int stream, size_t from)
{
    size_t end = s->first_page + s->page_count;
    for (size_t i = from; i < end; i++)
        if (log->page[i].boot == s->boot && log->page[i].segment == s->number && log->page[i].stream == stream)
            return i;
    return log->pages;
}

uint32_t hc_log_missing_before(const struct hc_log *log, size_t page)
{
    return log->missing[page];
}
