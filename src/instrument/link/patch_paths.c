#include "patch_paths.h"

#include "../runtime/traffic/path_map.h"

#include <stdio.h>

static uint32_t get(const uint8_t *at, int bytes)
{
    uint32_t value = 0;

    for (int i = bytes; i--;)
        value = value << 8 | at[i];
    return value;
}

static void put(uint8_t *at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        at[i] = (uint8_t)value;
}

/* Bytes of the record at OFFSET; 0 if there is none. */
static size_t record_size(const struct hc_patch_paths *p, size_t offset)
{
    const uint8_t *at = p->map + offset;

    if (p->size - offset < HC_PATHS_HEAD || get(at, 4) != HC_PATHS_MAGIC)
        return 0;
    size_t size = HC_PATHS_HEAD + get(at + 20, 2) * HC_PATHS_BLOCK + get(at + 22, 2) * HC_PATHS_EDGE +
                  get(at + 24, 2) * HC_PATHS_PLACE;
    return size <= p->size - offset ? size : 0;
}

/* Else the linker threw the function away: then its address is an offset in a section that is not there. */
static bool is_linked(const struct hc_patch_paths *p, const uint8_t *record)
{
    uint32_t address = get(record + 4, 4);

    return address && p->at(p->owner, address, 2) && p->name(p->owner, address);
}

/* Whether there is a record for the function at ADDRESS. */
static bool has_record(const struct hc_patch_paths *p, uint32_t address)
{
    for (size_t offset = 0, size; (size = record_size(p, offset)); offset += size)
        if (get(p->map + offset + 4, 4) == address && is_linked(p, p->map + offset))
            return true;
    return false;
}

static const char *name_of(const struct hc_patch_paths *p, uint32_t address)
{
    const char *name = p->name(p->owner, address);

    return name ? name : "a function without a name";
}

static bool check_callees(struct hc_patch_paths *p, const uint8_t *record)
{
    const uint8_t *block = record + HC_PATHS_HEAD;

    for (unsigned n = get(record + 20, 2); n--; block += HC_PATHS_BLOCK) {
        uint32_t callee = get(block + 8, 4);
        if (callee && !has_record(p, callee)) {
            snprintf(p->message, sizeof p->message,
                     "%s is chosen by --paths, but was not compiled by hindcast cc with that option: compile it, or "
                     "leave it out everywhere: --paths='!%s'",
                     name_of(p, callee), name_of(p, callee));
            return false;
        }
    }
    return true;
}

static bool check_handlers(struct hc_patch_paths *p)
{
    for (size_t i = 0; i < p->handler_count; i++)
        if (!has_record(p, p->handlers[i])) {
            snprintf(p->message, sizeof p->message,
                     "%s, an interrupt handler, was not compiled by hindcast cc: if it leads to a function whose paths "
                     "are recorded, they are mixed up; if it does not, say so: --trust=%s",
                     name_of(p, p->handlers[i]), name_of(p, p->handlers[i]));
            return false;
        }
    return true;
}

/* The words in the code that hold the function's first numbers. */
static bool patch_code(struct hc_patch_paths *p, uint8_t *record, uint32_t first)
{
    const uint8_t *place =
        record + HC_PATHS_HEAD + get(record + 20, 2) * HC_PATHS_BLOCK + get(record + 22, 2) * HC_PATHS_EDGE;

    put(record + 12, first, 4);
    for (unsigned n = get(record + 24, 2); n--; place += HC_PATHS_PLACE) {
        uint8_t *word = p->at(p->owner, get(place, 4), 2);
        if (!word) {
            snprintf(p->message, sizeof p->message, "its map of paths names code at 0x%04x that is not there",
                     (unsigned)get(place, 4));
            return false;
        }
        put(word, get(word, 2) - HC_PATHS_BIAS + first, 2);
    }
    return true;
}

bool hc_patch_paths(struct hc_patch_paths *p)
{
    size_t offset = 0, size;

    p->numbers = HC_PATH_FIRST;
    if (!check_handlers(p))
        return false;
    for (; (size = record_size(p, offset)); offset += size) {
        uint8_t *record = p->map + offset;
        if (!is_linked(p, record)) {
            put(record + 4, 0, 4);
            continue;
        }
        unsigned count = get(record + 18, 2);
        if (p->numbers + count > HC_PATHS_LIMIT) {
            snprintf(p->message, sizeof p->message,
                     "its functions have more than 32764 paths in all: record those of fewer of them (--paths)");
            return false;
        }
        if (!check_callees(p, record) || !patch_code(p, record, p->numbers))
            return false;
        p->numbers += count;
    }
    if (offset != p->size)
        snprintf(p->message, sizeof p->message, "its map of paths is damaged at byte %zu", offset);
    return offset == p->size;
}
