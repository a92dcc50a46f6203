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

static bool add_page(struct join *j, const struct hc_log_page *page)
{
    for (size_t at = 0; at < page->length;) {
        uint8_t head = page->payload[at];
        size_t size = head >= HC_PIECE_TABLES ? (size_t)(head & 0x3f) * 4 : (size_t)(head & HC_PIECE_SIZE);
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
        bool follows = i && pages[i].boot == pages[i - 1].boot;
        if (pages[i].stream != HC_STREAM_REGION)
            continue;
        if (follows && pages[i].sequence != ((pages[i - 1].sequence + 1) & 0xffffff) && j.boots == index + 1)
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

/* The next bits, the first one highest, and how many they are; 0: few are left, and they are taken one by one. */
static unsigned peek(const struct hc_region_feed *f, const struct hc_region_log *log, uint64_t *bits)
{
    size_t byte = f->at - (f->bits > 0);
    unsigned gone = f->bits ? 8 - f->bits : 0;

    if (log->size < 8 || byte > log->size - 8)
        return 0;
    memcpy(bits, log->code + byte, 8);
    *bits = __builtin_bswap64(*bits) << gone; /* hosts have the lowest byte first */
    return 64 - gone;
}

static void skip(struct hc_region_feed *f, unsigned count)
{
    size_t end = f->at * 8 - f->bits + count;

    f->at = (end + 7) / 8;
    f->bits = (unsigned)(f->at * 8 - end);
}

static bool take_bit(struct hc_region_feed *f, const struct hc_region_log *log)
{
    if (!f->bits) {
        if (f->at >= log->size) {
            f->over = true;
            return true; /* which ends numbers */
        }
        f->at++;
        f->bits = 8;
    }
    return log->code[f->at - 1] >> --f->bits & 1;
}

static uint32_t take_bits(struct hc_region_feed *f, const struct hc_region_log *log, unsigned count)
{
    uint64_t bits;
    uint32_t value = 0;

    if (peek(f, log, &bits) >= 32) {
        skip(f, count);
        return count ? (uint32_t)(bits >> (64 - count)) : 0;
    }
    while (count--)
        value = value << 1 | take_bit(f, log);
    return value;
}

/* Zeros up to a one, which is taken, too; at most MOST, and then there is none. */
static unsigned take_zeros(struct hc_region_feed *f, const struct hc_region_log *log, unsigned most)
{
    uint64_t bits;
    unsigned zeros = 0;

    if (peek(f, log, &bits) > most) {
        zeros = bits ? (unsigned)__builtin_clzll(bits) : 64;
        zeros = zeros < most ? zeros : most;
        skip(f, zeros + (zeros < most));
        return zeros;
    }
    while (zeros < most && !take_bit(f, log))
        zeros++;
    return zeros;
}

static uint32_t take_number(struct hc_region_feed *f, const struct hc_region_log *log, uint8_t *level)
{
    unsigned least = *level >> 2, zeros = take_zeros(f, log, 32 - least);

    *level = hc_region_learn(*level, (uint8_t)(least + zeros));
    if (!zeros)
        return take_bits(f, log, least);
    unsigned more = least + zeros - 1;
    return 1u << (more & 31) | take_bits(f, log, more);
}

/* ---- records ---- */

/* The head of the record that is next. */
static void look(struct hc_region_feed *f, const struct hc_region_log *log)
{
    struct hc_region_groups *g = &f->groups;
    uint8_t *after = &g->after[g->group];

    f->escape = f->full = false;
    f->ticks = *after;
    if (!take_bit(f, log)) {
        uint32_t number = take_number(f, log, &g->distance[g->group]);
        f->escape = !number;
        f->ticks = number - 1;
    }
    if (f->escape) {
        f->kind = (uint8_t)take_bits(f, log, 2);
        f->ticks = take_number(f, log, &g->rare);
        f->full = f->ticks == 0xffff;
    } else {
        *after = f->ticks < 0xff ? (uint8_t)f->ticks : 0xff;
    }
    if (f->over)
        f->ticks = 0;
}

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log)
{
    *f = (struct hc_region_feed){ 0 };
    look(f, log);
}

static bool is_next(const struct hc_region_feed *f, enum hc_region_escape kind)
{
    return !f->over && !f->ticks && f->escape && f->kind == kind;
}

/* Checks that stand here; what made the log end may have changed the region's objects. */
static enum hc_region_answer check(struct hc_region_feed *f, const struct hc_region_log *log)
{
    while (is_next(f, HC_REGION_CHECK)) {
        uint8_t was = (uint8_t)take_bits(f, log, 8);
        if (!f->over && was != hc_region_sum(f->hash))
            return HC_REGION_DIFFERS;
        f->bits = 0;
        f->checks += !f->over;
        if (!f->over)
            look(f, log);
    }
    return is_next(f, HC_REGION_END) ? HC_REGION_OVER : HC_REGION_ANSWER;
}

/* The usual case, in short: a tick, and nothing happens behind it. */
static inline bool is_tick(struct hc_region_feed *f)
{
    bool more = f->ticks > 1;

    f->ticks -= more;
    return more;
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
    *number = take_number(f, log, &f->groups.number[group]);
    if (f->over)
        return false;
    look(f, log);
    return true;
}

static uint32_t mask_of(unsigned bits)
{
    return bits == 32 ? 0xffffffff : (1u << bits) - 1;
}

/* EXPECTED: if it came as expected; else the difference is to LAST. */
static enum hc_region_answer take(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t expected,
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
    *value = (last + hc_region_unfold(number)) & mask_of(bits);
    return HC_REGION_ANSWER;
}

static uint32_t last_of(const uint16_t *last, unsigned bits)
{
    return bits == 32 ? last[0] | (uint32_t)last[1] << 16 : last[0];
}

static void remember(uint16_t *last, unsigned bits, uint32_t value)
{
    last[0] = (uint16_t)value;
    if (bits == 32)
        last[1] = (uint16_t)(value >> 16);
}

enum hc_region_answer hc_region_feed_in(struct hc_region_feed *f, const struct hc_region_log *log, uint16_t *last,
                                        uint32_t slot, unsigned bits, uint32_t *value)
{
    uint32_t expected = last_of(last + slot, bits);

    if (is_tick(f)) {
        *value = expected;
        return HC_REGION_ANSWER;
    }
    enum hc_region_answer answer = take(f, log, expected, expected, slot, bits, value);

    if (answer == HC_REGION_ANSWER)
        remember(last + slot, bits, *value);
    return answer;
}

/* ---- memory ---- */

/* Shifts and masks: divisions would take most of a load's time. */
static uint32_t number_of(const struct hc_region_map *map, uint32_t start)
{
    return start >> (map->unit == 4 ? 2 : 1);
}

static unsigned line_of(const struct hc_region_map *map, uint32_t start)
{
    return number_of(map, start) & (map->cache - 1);
}

/* Of units that share a line; 0 for the first. */
static uint32_t tag_of(const struct hc_region_map *map, uint32_t start)
{
    return number_of(map, start) & ~(map->cache - 1);
}

enum hc_region_answer hc_region_feed_load(struct hc_region_feed *f, const struct hc_region_log *log,
                                          const struct hc_region_map *map, uint16_t *last, uint32_t slot,
                                          uint32_t start, uint32_t *value)
{
    unsigned line = line_of(map, start), bits = map->unit * 8;
    uint32_t before = last_of(last + slot, bits);
    bool known = f->tag[line] == tag_of(map, start);
    enum hc_region_answer answer = HC_REGION_ANSWER;

    if (is_tick(f))
        *value = known ? f->unit[line] : before;
    else
        answer = take(f, log, known ? f->unit[line] : before, before, slot, bits, value);
    if (answer != HC_REGION_ANSWER)
        return answer;
    remember(last + slot, bits, *value);
    f->tag[line] = tag_of(map, start);
    f->unit[line] = *value;
    return answer;
}

void hc_region_feed_out(struct hc_region_feed *f, uint32_t value, unsigned bits)
{
    f->hash = hc_region_hash(f->hash, (uint16_t)value);
    if (bits == 32)
        f->hash = hc_region_hash(f->hash, (uint16_t)(value >> 16));
}

void hc_region_feed_write(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bits)
{
    hc_region_feed_out(f, at, map->unit * 8);
    hc_region_feed_out(f, value, bits);
}

static void stored(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                   unsigned bytes)
{
    uint32_t start = at & ~(map->unit - 1);
    unsigned line = line_of(map, start), shift = 8 * (at - start);

    if (bytes == map->unit) {
        f->tag[line] = tag_of(map, start);
        f->unit[line] = value;
    } else if (f->tag[line] == tag_of(map, start)) {
        uint32_t mask = (uint32_t)(((uint64_t)1 << 8 * bytes) - 1) << shift;
        f->unit[line] = (f->unit[line] & ~mask) | (value << shift & mask);
    }
}

void hc_region_feed_store(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                          unsigned bytes)
{
    hc_region_feed_write(f, map, at, value, 8 * bytes);
    if (bytes > map->unit) {
        stored(f, map, at, value & 0xffff, 2);
        stored(f, map, at + 2, value >> 16, 2);
    } else {
        stored(f, map, at, value, bytes);
    }
}

void hc_region_feed_put(struct hc_region_feed *f, const struct hc_region_map *map, uint32_t at, uint32_t value,
                        unsigned bytes)
{
    value &= mask_of(8 * bytes);
    hc_region_feed_write(f, map, at, value, 8 * map->unit);
    if (bytes == map->unit && at % bytes == 0)
        stored(f, map, at, value, bytes);
    else
        for (unsigned i = 0; i < bytes; i++)
            stored(f, map, at + i, value >> 8 * i & 0xff, 1);
}

/* ---- entries ---- */

enum hc_region_answer hc_region_feed_step(struct hc_region_feed *f, const struct hc_region_log *log)
{
    bool expected;

    if (is_tick(f))
        return HC_REGION_ANSWER;
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
    *entry = (uint8_t)take_bits(f, log, 8);
    if (f->over)
        return HC_REGION_OVER;
    look(f, log);
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
        uint8_t was = (uint8_t)take_bits(f, log, 8);
        if (f->over)
            return HC_REGION_OVER;
        if (was != hc_region_sum(f->hash))
            return HC_REGION_DIFFERS;
        f->checks++;
        look(f, log);
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
    uint32_t why = is_next(f, HC_REGION_END) ? take_bits(&behind, log, 8) : HC_REGION_ENDS;

    if (why < HC_REGION_ENDS && !behind.over)
        snprintf(out, size, "%s", ends[why]);
    else
        snprintf(out, size, "the log ends here%s", log->cut ? ": the next page is missing" : "");
    return out;
}
