#include "region_feed.h"

#include "../runtime/traffic/model.h"
#include "support/grow.h"

#include <stdio.h>
#include <string.h>

/* ---- pages ---- */

struct join {
    struct hc_region_log *out;
    size_t room;
    size_t index, boots; /* wanted; begun so far */
    const struct hc_region_map *map;
    bool foreign, odd, any;
    uint8_t build[8];
};

static bool add_code(struct join *j, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!hc_grow(&j->out->code, j->out->size, &j->room, 1))
            return false;
        j->out->code[j->out->size++] = bytes[i];
    }
    return true;
}

static void begin_boot(struct join *j, const uint8_t *bytes, uint16_t boot)
{
    const uint8_t *build = bytes + offsetof(struct hc_traffic_begin, build);

    j->any = false;
    if (j->boots++ != j->index)
        return;
    j->out->boot = boot;
    memcpy(j->build, build, 8);
    j->foreign = bytes[0] != HC_REGION_VERSION || memcmp(build, j->map->build, 8) != 0;
}

static bool add_piece(struct join *j, const uint8_t *piece, size_t size, uint16_t boot)
{
    bool odd = *piece & HC_PIECE_ODD, again = j->any && odd == j->odd;

    if (*piece == HC_PIECE_BEGIN && size >= sizeof(struct hc_traffic_begin)) {
        begin_boot(j, piece + 1, boot);
        return true;
    }
    if (*piece >= HC_PIECE_TABLES || again)
        return true;
    j->any = true;
    j->odd = odd;
    return j->boots != j->index + 1 || j->out->cut || add_code(j, piece + 1, size);
}

/* Of the bytes in a piece. */
static size_t piece_size(uint8_t head)
{
    return head >= HC_PIECE_TABLES ? (size_t)(head & 0x3f) * 4 : (size_t)(head & HC_PIECE_SIZE);
}

/* Pieces of code are odd and even in turn. A page ends where the next piece has no room. */
bool hc_region_pages_join(const struct hc_log_page *page, const struct hc_log_page *next)
{
    uint8_t first = next->payload[0], last = HC_PIECE_TABLES;

    if (next->boot != page->boot || next->sequence != ((page->sequence + 1) & 0xffffff) ||
        HC_PAGE_HEADER + page->length + piece_size(first) + 2 <= HC_PAGE_SIZE)
        return false;
    for (size_t at = 0; at < page->length; at += piece_size(page->payload[at]) + 2)
        last = page->payload[at];
    return !page->torn || last >= HC_PIECE_TABLES || first >= HC_PIECE_TABLES || (first ^ last) & HC_PIECE_ODD;
}

static bool add_page(struct join *j, const struct hc_log_page *page)
{
    for (size_t at = 0; at < page->length;) {
        size_t size = piece_size(page->payload[at]);
        if (!add_piece(j, page->payload + at, size, page->boot))
            return false;
        at += size + 2;
    }
    return true;
}

static bool explain(const struct join *j, size_t index, char *text, size_t size)
{
    if (!j->boots)
        snprintf(text, size, "the log has no page of a region; was it recorded with --record=region?");
    else if (index >= j->boots)
        snprintf(text, size, "there is no boot %zu in the log, which has %zu", index, j->boots);
    else
        snprintf(text, size,
                 "the log is of build %02x%02x%02x%02x%02x%02x%02x%02x, the program of build "
                 "%02x%02x%02x%02x%02x%02x%02x%02x; take the ELF file that was on the node",
                 j->build[0], j->build[1], j->build[2], j->build[3], j->build[4], j->build[5], j->build[6], j->build[7],
                 j->map->build[0], j->map->build[1], j->map->build[2], j->map->build[3], j->map->build[4],
                 j->map->build[5], j->map->build[6], j->map->build[7]);
    return false;
}

bool hc_region_log_read(struct hc_region_log *out, const struct hc_log *log, const struct hc_region_map *map,
                        size_t index, size_t *boots, char *text, size_t size)
{
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages);
    struct join j = { .out = out, .map = map, .index = index };

    *out = (struct hc_region_log){ 0 };
    for (size_t i = 0; i < count; i++) {
        if (pages[i].stream != HC_STREAM_REGION)
            continue;
        if (i && pages[i].boot == pages[i - 1].boot && !hc_region_pages_join(&pages[i - 1], &pages[i]) &&
            j.boots == index + 1)
            out->cut = true; /* what follows cannot be understood */
        if (!add_page(&j, &pages[i])) {
            snprintf(text, size, "out of memory");
            return false;
        }
    }
    *boots = j.boots;
    return (index < j.boots && !j.foreign) || explain(&j, index, text, size);
}

/* ---- bits ---- */

#define INLINE inline __attribute__((always_inline))

/* Where the log is read: the next bits, the first one highest, of which GOOD are good. A replay spends half of its time
 * here: the window is filled once for most records. */
struct window {
    const struct hc_region_log *log;
    size_t position;
    uint64_t bits;
    unsigned good;
};

/* Ones follow the log's last bit. */
static INLINE void fill(struct window *w)
{
    size_t byte = w->position / 8, rest = byte < w->log->size ? w->log->size - byte : 0;
    uint64_t bits = UINT64_MAX;

    if (rest >= sizeof bits)
        memcpy(&bits, w->log->code + byte, sizeof bits);
    else if (rest)
        memcpy(&bits, w->log->code + byte, rest);
    w->bits = __builtin_bswap64(bits) << w->position % 8; /* hosts have the lowest byte first */
    w->good = 64 - w->position % 8;
}

static INLINE struct window open_window(const struct hc_region_feed *f, const struct hc_region_log *log)
{
    struct window w = { .log = log, .position = f->position };

    fill(&w);
    return w;
}

static INLINE bool is_over(const struct window *w)
{
    return w->position > w->log->size * 8;
}

static INLINE void close_window(struct hc_region_feed *f, const struct window *w)
{
    f->over |= is_over(w);
    f->position = is_over(w) ? w->log->size * 8 : w->position;
}

/* COUNT < 64. */
static INLINE void skip(struct window *w, unsigned count)
{
    w->bits <<= count;
    w->good -= count;
    w->position += count;
}

/* At most 32. */
static INLINE uint32_t take_bits(struct window *w, unsigned count)
{
    if (w->good < count)
        fill(w);
    uint32_t value = (uint32_t)(w->bits >> 1 >> (63 - count));
    skip(w, count);
    return value;
}

/* Zeros up to a one, which is taken, too; at most MOST, and then there is none. */
static INLINE unsigned take_zeros(struct window *w, unsigned most)
{
    unsigned zeros = (unsigned)__builtin_clzll(w->bits | 1);

    if (zeros >= w->good) {
        fill(w);
        zeros = (unsigned)__builtin_clzll(w->bits | 1);
    }
    zeros = zeros < most ? zeros : most;
    skip(w, zeros + (zeros < most));
    return zeros;
}

static INLINE uint32_t take_number(struct window *w, uint8_t *level)
{
    unsigned least = *level >> 2, zeros = take_zeros(w, 32 - least), led = zeros > 0, more = least + zeros - led;

    *level = hc_region_learn(*level, (uint8_t)(least + zeros));
    return led << more | take_bits(w, more);
}

/* ---- records ---- */

/* The head of the record that is next. */
static INLINE void look(struct hc_region_feed *f, struct window *w)
{
    struct hc_region_groups *g = &f->groups;
    uint8_t *after = &g->after[g->group];

    f->escape = f->full = false;
    f->ticks = *after;
    if (!take_bits(w, 1)) {
        uint32_t number = take_number(w, &g->distance[g->group]);
        f->escape = !number;
        f->ticks = number - 1;
        *after = f->escape ? *after : f->ticks < 0xff ? (uint8_t)f->ticks : 0xff;
    }
    if (f->escape) {
        f->kind = (uint8_t)take_bits(w, 2);
        f->ticks = take_number(w, &g->rare);
        f->full = f->ticks == 0xffff;
    }
    close_window(f, w);
    if (f->over)
        f->ticks = 0;
}

/* A byte of a record; false: the log ends within it. */
static bool take_byte(struct hc_region_feed *f, const struct hc_region_log *log, uint8_t *byte)
{
    struct window w = open_window(f, log);

    *byte = (uint8_t)take_bits(&w, 8);
    close_window(f, &w);
    return !f->over;
}

static void look_on(struct hc_region_feed *f, const struct hc_region_log *log)
{
    struct window w = open_window(f, log);

    look(f, &w);
}

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log)
{
    *f = (struct hc_region_feed){ 0 };
    look_on(f, log);
}

static bool is_next(const struct hc_region_feed *f, enum hc_region_escape kind)
{
    return !f->over && !f->ticks && f->escape && f->kind == kind;
}

/* Checks that stand here; what made the log end may have changed the region's objects. */
static enum hc_region_answer check(struct hc_region_feed *f, const struct hc_region_log *log)
{
    while (is_next(f, HC_REGION_CHECK)) {
        uint8_t was;
        if (!take_byte(f, log, &was))
            break;
        if (was != hc_region_sum(f->hash))
            return HC_REGION_DIFFERS;
        f->position = (f->position + 7) / 8 * 8;
        f->checks++;
        look_on(f, log);
    }
    return is_next(f, HC_REGION_END) ? HC_REGION_OVER : HC_REGION_ANSWER;
}

/* An input is wanted: whether it is as expected, in the record that is next, or behind an entry. */
static enum hc_region_answer advance(struct hc_region_feed *f, const struct hc_region_log *log, bool *expected)
{
    *expected = !f->over && f->ticks;
    if (*expected) {
        f->ticks--;
        return !f->ticks && f->full ? check(f, log) : HC_REGION_ANSWER;
    }
    if (f->over || is_next(f, HC_REGION_END))
        return HC_REGION_OVER;
    if (!f->escape)
        return HC_REGION_ANSWER;
    return f->kind == HC_REGION_ENTER ? HC_REGION_ENTERS : HC_REGION_DIFFERS;
}

/* The number in the record that is next; false: the log ends within it. */
static bool take_record(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t group, uint32_t *number)
{
    group &= HC_REGION_GROUPS - 1;
    f->groups.group = (uint8_t)group;
    struct window w = open_window(f, log);
    *number = take_number(&w, &f->groups.number[group]);
    if (is_over(&w)) {
        close_window(f, &w);
        return false;
    }
    look(f, &w);
    return true;
}

enum hc_region_answer hc_region_feed_take(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t expected,
                                          uint32_t last, uint32_t slot, unsigned bits, uint32_t *value)
{
    bool as_expected;
    enum hc_region_answer answer = advance(f, log, &as_expected);

    *value = expected;
    if (answer != HC_REGION_ANSWER || as_expected)
        return answer;
    uint32_t number;
    if (!take_record(f, log, slot, &number))
        return HC_REGION_OVER;
    *value = (last + hc_region_unfold(number)) & hc_region_mask(bits);
    return HC_REGION_ANSWER;
}

/* ---- entries ---- */

enum hc_region_answer hc_region_feed_pass(struct hc_region_feed *f, const struct hc_region_log *log)
{
    bool expected;
    enum hc_region_answer answer = advance(f, log, &expected);

    return answer == HC_REGION_ANSWER && !expected ? HC_REGION_DIFFERS : answer;
}

/* What crosses the border while the outside runs: an entry and one, 0: a call returns. */
static enum hc_region_answer cross(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t *event)
{
    bool expected;
    enum hc_region_answer answer = advance(f, log, &expected);

    *event = f->next[f->context];
    if (answer != HC_REGION_ANSWER || expected)
        return answer;
    if (!take_record(f, log, HC_REGION_EVENT, event))
        return HC_REGION_OVER;
    if (*event > 0xff)
        return HC_REGION_DIFFERS;
    f->next[f->context] = (uint8_t)*event;
    return HC_REGION_ANSWER;
}

enum hc_region_answer hc_region_feed_interrupt(struct hc_region_feed *f, const struct hc_region_log *log,
                                               uint8_t *entry)
{
    if (!is_next(f, HC_REGION_ENTER))
        return HC_REGION_DIFFERS;
    if (!take_byte(f, log, entry))
        return HC_REGION_OVER;
    look_on(f, log);
    return HC_REGION_ANSWER;
}

enum hc_region_answer hc_region_feed_back(struct hc_region_feed *f, const struct hc_region_log *log, bool again,
                                          uint8_t *entry)
{
    enum hc_region_answer answer = check(f, log);
    uint32_t event;

    if (!again)
        f->context = 0;
    if (answer != HC_REGION_ANSWER)
        return answer;
    if (f->context) {
        answer = cross(f, log, &event);
        *entry = (uint8_t)(event - 1);
        return answer == HC_REGION_ENTERS            ? HC_REGION_DIFFERS
               : answer == HC_REGION_ANSWER && event ? HC_REGION_ENTERS
                                                     : answer;
    }
    answer = hc_region_feed_step(f, log);
    if (answer != HC_REGION_ENTERS)
        return answer;
    answer = hc_region_feed_interrupt(f, log, entry);
    return answer == HC_REGION_ANSWER ? HC_REGION_ENTERS : answer;
}

enum hc_region_answer hc_region_feed_enter(struct hc_region_feed *f, const struct hc_region_log *log, uint8_t *entry)
{
    enum hc_region_answer answer = check(f, log);
    uint32_t event = 0;

    if (answer == HC_REGION_ANSWER)
        answer = cross(f, log, &event);
    *entry = (uint8_t)(event - 1);
    return answer == HC_REGION_ENTERS || (answer == HC_REGION_ANSWER && !event) ? HC_REGION_DIFFERS : answer;
}

enum hc_region_answer hc_region_feed_leave(struct hc_region_feed *f, const struct hc_region_log *log,
                                           const struct hc_region_map *map, uint8_t entry, bool inner)
{
    uint8_t *count = inner ? &f->inner : &f->visits;
    unsigned every = !map->checks ? 0 : inner ? HC_REGION_INNER : map->checks;

    f->context = entry + 1;
    if (every && ++*count >= every) {
        *count = 0;
        if (f->over || is_next(f, HC_REGION_END))
            return HC_REGION_OVER;
        if (f->ticks || f->escape)
            return HC_REGION_DIFFERS;
        f->groups.group = HC_REGION_SUM;
        uint8_t was;
        if (!take_byte(f, log, &was))
            return HC_REGION_OVER;
        if (was != hc_region_sum(f->hash))
            return HC_REGION_DIFFERS;
        f->checks++;
        look_on(f, log);
    }
    return check(f, log);
}

const char *hc_region_feed_text(const struct hc_region_feed *f, const struct hc_region_log *log, char *out, size_t size)
{
    static const char *const ends[HC_REGION_ENDS] = {
        [HC_REGION_LOST] = "the node's ring was full, and recording ended; call hc_update more often, or give "
                           "--define=HC_REGION_RING=BYTES",
        [HC_REGION_INTERRUPT] = "an interrupt entered the region while it ran, which this build does not record; build "
                                "with --region-interrupts",
        [HC_REGION_TANGLED] = "a call to the outside did not return before another one began inside it: threads that "
                              "share a region, or longjmp, cannot be recorded",
        [HC_REGION_DEEP] = "more than 31 calls into the region were within each other, and recording ended",
    };
    struct hc_region_feed behind = *f;
    uint8_t why = HC_REGION_ENDS;

    if (is_next(f, HC_REGION_END) && take_byte(&behind, log, &why) && why < HC_REGION_ENDS)
        snprintf(out, size, "%s", ends[why]);
    else
        snprintf(out, size, "the log ends here%s", log->cut ? ": what follows is damaged or missing" : "");
    return out;
}
