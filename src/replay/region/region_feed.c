#include "region_feed.h"

#include "../runtime/region/model.h"
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

/* ---- records ---- */

static uint32_t take_number(struct hc_region_feed *f, const struct hc_region_log *log)
{
    uint32_t number = 0;

    for (unsigned shift = 0; f->at < log->size; shift += 7) {
        uint8_t byte = log->code[f->at++];
        if (shift < 32)
            number |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    f->over = true; /* cut short */
    return number;
}

static uint8_t take_byte(struct hc_region_feed *f, const struct hc_region_log *log)
{
    if (f->at < log->size)
        return log->code[f->at++];
    f->over = true;
    return 0;
}

/* The head of the record that is next. */
static void look(struct hc_region_feed *f, const struct hc_region_log *log)
{
    if (f->at >= log->size) {
        f->over = true;
        return;
    }
    uint8_t head = log->code[f->at++];
    f->kind = head >> 6;
    f->ticks = head & HC_REGION_TICKS;
    if (f->ticks == HC_REGION_TICKS)
        f->ticks += take_number(f, log);
    f->full = f->ticks == 0xffff;
    if (f->over)
        f->ticks = 0;
}

void hc_region_feed_start(struct hc_region_feed *f, const struct hc_region_log *log)
{
    *f = (struct hc_region_feed){ 0 };
    look(f, log);
}

enum hc_region_answer hc_region_feed_check(struct hc_region_feed *f, const struct hc_region_log *log)
{
    while (!f->over && !f->ticks && f->kind == HC_REGION_CHECK) {
        if (f->at < log->size && log->code[f->at] != (uint8_t)f->hash)
            return HC_REGION_DIFFERS;
        take_byte(f, log);
        f->checks += !f->over;
        look(f, log);
    }
    /* What made it end may have changed the region's objects. */
    return !f->over && !f->ticks && f->kind == HC_REGION_END ? HC_REGION_OVER : HC_REGION_ANSWER;
}

/* An input is wanted: whether it is as expected, in the record that is next, or behind an entry. */
static enum hc_region_answer advance(struct hc_region_feed *f, const struct hc_region_log *log, bool *expected)
{
    *expected = !f->over && f->ticks;
    if (*expected) {
        f->ticks--;
        return !f->ticks && f->full ? hc_region_feed_check(f, log) : HC_REGION_ANSWER;
    }
    if (f->over || f->kind == HC_REGION_END)
        return HC_REGION_OVER;
    if (f->kind == HC_REGION_ENTER)
        return HC_REGION_ENTERS;
    return f->kind == HC_REGION_VALUE ? HC_REGION_ANSWER : HC_REGION_DIFFERS;
}

static enum hc_region_answer take(struct hc_region_feed *f, const struct hc_region_log *log, uint32_t expected,
                                  unsigned bits, uint32_t *value)
{
    uint32_t mask = bits == 32 ? 0xffffffff : (1u << bits) - 1;
    bool as_expected;
    enum hc_region_answer answer = advance(f, log, &as_expected);

    *value = expected;
    if (answer != HC_REGION_ANSWER || as_expected)
        return answer;
    *value = (expected + hc_region_unfold(take_number(f, log))) & mask;
    if (f->over)
        return HC_REGION_OVER;
    look(f, log);
    return HC_REGION_ANSWER;
}

enum hc_region_answer hc_region_feed_in(struct hc_region_feed *f, const struct hc_region_log *log, uint16_t *last,
                                        unsigned bits, uint32_t *value)
{
    uint32_t expected = bits == 32 ? last[0] | (uint32_t)last[1] << 16 : last[0];
    enum hc_region_answer answer = take(f, log, expected, bits, value);

    if (answer != HC_REGION_ANSWER)
        return answer;
    last[0] = (uint16_t)*value;
    if (bits == 32)
        last[1] = (uint16_t)(*value >> 16);
    return answer;
}

/* ---- memory ---- */

static unsigned line_of(const struct hc_region_map *map, uint32_t start)
{
    return start >> (map->unit == 4 ? 2 : 1) & (map->cache - 1); /* a division would take most of a load's time */
}

enum hc_region_answer hc_region_feed_load(struct hc_region_feed *f, const struct hc_region_log *log,
                                          const struct hc_region_map *map, uint32_t start, uint32_t *value)
{
    unsigned line = line_of(map, start);
    bool known = f->tag[line] == start + 1;
    enum hc_region_answer answer = take(f, log, known ? f->unit[line] : 0, map->unit * 8, value);

    if (answer != HC_REGION_ANSWER)
        return answer;
    f->tag[line] = start + 1;
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
        f->tag[line] = start + 1;
        f->unit[line] = value;
    } else if (f->tag[line] == start + 1) {
        uint32_t mask = ((1u << 8 * bytes) - 1) << shift;
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

/* ---- entries ---- */

enum hc_region_answer hc_region_feed_step(struct hc_region_feed *f, const struct hc_region_log *log)
{
    bool expected;
    enum hc_region_answer answer = advance(f, log, &expected);

    return answer == HC_REGION_ANSWER && !expected ? HC_REGION_DIFFERS : answer;
}

enum hc_region_answer hc_region_feed_back(struct hc_region_feed *f, const struct hc_region_log *log)
{
    enum hc_region_answer answer = hc_region_feed_check(f, log);

    return answer == HC_REGION_ANSWER ? hc_region_feed_step(f, log) : answer;
}

enum hc_region_answer hc_region_feed_enter(struct hc_region_feed *f, const struct hc_region_log *log, bool idle,
                                           uint8_t *entry)
{
    bool expected;
    enum hc_region_answer answer = idle ? hc_region_feed_check(f, log) : HC_REGION_ANSWER;

    if (answer != HC_REGION_ANSWER)
        return answer;
    answer = advance(f, log, &expected);
    if (answer == HC_REGION_ANSWER) {
        if (!expected || !idle || !f->next[f->entry])
            return HC_REGION_DIFFERS;
        *entry = f->next[f->entry] - 1;
    } else if (answer == HC_REGION_ENTERS) {
        *entry = take_byte(f, log);
        if (f->over)
            return HC_REGION_OVER;
        look(f, log);
    } else {
        return answer;
    }
    if (idle) {
        f->next[f->entry] = *entry + 1;
        f->entry = *entry + 1;
    }
    return HC_REGION_ANSWER;
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
    uint8_t why = !f->over && f->kind == HC_REGION_END && f->at < log->size ? log->code[f->at] : HC_REGION_ENDS;

    if (why < HC_REGION_ENDS)
        snprintf(out, size, "%s", ends[why]);
    else
        snprintf(out, size, "the log ends here%s", log->cut ? ": the next page is missing" : "");
    return out;
}
