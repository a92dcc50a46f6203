#include "map.h"

#include "image/image.h"
#include "names.h"
#include "support/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_map_class_names[4] = { "state", "timer", "data", "vector" };

enum { DESCRIPTOR_BYTES = sizeof(struct hc_site), SITES_MAX = 0x10000 / DESCRIPTOR_BYTES, FIELDS_MAX = 64 };

struct reader {
    const struct hc_image *image;
    struct hc_map *map;
    struct hc_map_message *message;
    uint32_t sites_start;
    size_t offset; /* in .hindcast, of the record */
    size_t skip_room, update_room, plain_room, value_room, note_room;
    char *field[FIELDS_MAX];
    int fields;
};

static int bad(struct reader *r, const char *format, ...)
{
    va_list arguments;
    char cause[200];

    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    snprintf(r->message->text, sizeof r->message->text, "%.100s: map, offset 0x%zx: %s", hc_image_name(r->image),
             r->offset, cause);
    return HC_MAP_BAD;
}

static int no_memory(struct reader *r)
{
    snprintf(r->message->text, sizeof r->message->text, "out of memory");
    return HC_MAP_NO_MEMORY;
}

/* ---- the table of sites ---- */

static void name_lap(struct hc_map_site *s)
{
    s->register_name = "none";
    s->file = "recorder";
    s->function = "__hc_lap";
}

static int read_sites(struct reader *r)
{
    struct hc_image_section table;

    if (!hc_image_section(r->image, HC_SITES_SECTION, &table))
        return HC_MAP_OK; /* a program that reads nothing */
    uint32_t end = table.address + table.size, size = table.size;
    if (size % DESCRIPTOR_BYTES || size > 0x10000 || end > 0x10000)
        return bad(r, "the table of sites has %u bytes at 0x%x", (unsigned)size, (unsigned)table.address);
    r->sites_start = table.address;
    r->map->site = calloc(size / DESCRIPTOR_BYTES + 1, sizeof *r->map->site);
    if (!r->map->site)
        return no_memory(r);
    for (uint32_t at = table.address; at < end; at += DESCRIPTOR_BYTES) {
        uint32_t place, mask;
        if (!hc_recorded_word(r->image, at, &place) || !hc_recorded_word(r->image, at + 2, &mask))
            return bad(r, "no descriptor at 0x%04x", (unsigned)at);
        struct hc_site site = { (uint16_t)place, (uint16_t)mask };
        r->map->site[r->map->sites] = (struct hc_map_site){ .index = (uint16_t)r->map->sites,
                                                            .descriptor = (uint16_t)at,
                                                            .address = HC_SITE_ADDRESS(&site),
                                                            .class = HC_SITE_CLASS(&site),
                                                            .word = HC_SITE_WORD(&site),
                                                            .mask = site.mask,
                                                            .register_name = "",
                                                            .file = "",
                                                            .function = "" };
        if (!mask) /* the recorder's own: loops that go round 2^16 times without an event make one */
            name_lap(&r->map->site[r->map->sites]);
        r->map->sites++;
    }
    return HC_MAP_OK;
}

/* ---- records ---- */

static int parse_number(struct reader *r, const char *text, unsigned long *out)
{
    char *end;

    *out = strtoul(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end ? HC_MAP_OK : bad(r, "'%.40s' is not a number", text);
}

static int need_fields(struct reader *r, int count)
{
    return r->fields >= count ? HC_MAP_OK
                              : bad(r, "record '%.20s' has %d fields, not %d", r->field[0], r->fields, count);
}

static int read_site(struct reader *r, uint16_t descriptor)
{
    unsigned long line;
    uint32_t offset = descriptor - r->sites_start;
    int error = need_fields(r, 7);

    if (!error)
        error = parse_number(r, r->field[5], &line);
    if (error)
        return error;
    /* Of a unit whose functions the linker left out: an offset within what is not there. */
    if (!r->map->sites || descriptor < r->sites_start)
        return HC_MAP_OK;
    if (offset % DESCRIPTOR_BYTES || offset / DESCRIPTOR_BYTES >= r->map->sites)
        return bad(r, "there is no descriptor at 0x%04x", descriptor);
    struct hc_map_site *site = &r->map->site[offset / DESCRIPTOR_BYTES];
    site->register_name = r->field[1];
    site->via = !strcmp(r->field[1], "*");
    site->file = r->field[4];
    site->line = (int)line;
    site->function = r->field[6];
    return HC_MAP_OK;
}

static int read_skip(struct reader *r)
{
    unsigned long line;
    int error = need_fields(r, 6);

    if (!error)
        error = parse_number(r, r->field[4], &line);
    if (error)
        return error;
    if (!hc_grow(&r->map->skip, r->map->skips, &r->skip_room, sizeof *r->map->skip))
        return no_memory(r);
    r->map->skip[r->map->skips++] =
        (struct hc_map_skip){ r->field[1], r->field[2], r->field[3], r->field[5], (int)line };
    return HC_MAP_OK;
}

static int read_update(struct reader *r)
{
    unsigned long line;
    int error = need_fields(r, 5);

    if (!error)
        error = parse_number(r, r->field[3], &line);
    if (error)
        return error;
    if (!hc_grow(&r->map->update, r->map->updates, &r->update_room, sizeof *r->map->update))
        return no_memory(r);
    r->map->update[r->map->updates++] = (struct hc_map_update){ r->field[1], r->field[2], r->field[4], (int)line };
    return HC_MAP_OK;
}

static int read_plain(struct reader *r)
{
    unsigned long bytes;
    int error = need_fields(r, 3);

    if (!error)
        error = parse_number(r, r->field[2], &bytes);
    if (error)
        return error;
    if (!hc_grow(&r->map->plain, r->map->plains, &r->plain_room, sizeof *r->map->plain))
        return no_memory(r);
    r->map->plain[r->map->plains++] = (struct hc_map_plain){ r->field[1], (uint32_t)bytes };
    return HC_MAP_OK;
}

static int read_runtime(struct reader *r)
{
    for (int i = 1; i < r->fields; i++) {
        char *equals = strchr(r->field[i], '=');
        if (!equals)
            return bad(r, "'%.40s': expected key=value", r->field[i]);
        *equals = 0;
        if (!hc_grow(&r->map->value, r->map->values, &r->value_room, sizeof *r->map->value))
            return no_memory(r);
        r->map->value[r->map->values++] = (struct hc_map_value){ r->field[i], equals + 1 };
    }
    return HC_MAP_OK;
}

static int read_note(struct reader *r, char *kind)
{
    /* The other fields are one text again. */
    for (int i = 2; i < r->fields; i++)
        *(r->field[i] - 1) = '\t';
    if (!hc_grow(&r->map->note, r->map->notes, &r->note_room, sizeof *r->map->note))
        return no_memory(r);
    r->map->note[r->map->notes++] = (struct hc_map_note){ kind, r->fields > 1 ? r->field[1] : "" };
    return HC_MAP_OK;
}

static int read_record(struct reader *r, uint16_t descriptor, char *text)
{
    char *kind = text;

    r->fields = 0;
    for (char *rest = text; rest && r->fields < FIELDS_MAX;)
        r->field[r->fields++] = strsep(&rest, "\t");
    if (!strcmp(kind, "site"))
        return read_site(r, descriptor);
    if (!strcmp(kind, "skip"))
        return read_skip(r);
    if (!strcmp(kind, "update"))
        return read_update(r);
    if (!strcmp(kind, "plain"))
        return read_plain(r);
    if (!strcmp(kind, "runtime"))
        return read_runtime(r);
    if (!strcmp(kind, "part") && r->fields > 1)
        r->map->part = r->field[1];
    else if (!strcmp(kind, "uses") && r->fields > 1 && !strcmp(r->field[1], "dma"))
        r->map->dma = true;
    else if (!strcmp(kind, "uses") && r->fields > 1 && !strcmp(r->field[1], "bus"))
        r->map->bus = true;
    else if (!strcmp(kind, "uses") && r->fields > 1 && !strcmp(r->field[1], "handlers only"))
        r->map->handlers_only = true;
    else
        return read_note(r, kind);
    return HC_MAP_OK;
}

static int read_records(struct reader *r, char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        char *end = size - at > 2 ? memchr(text + at + 2, 0, size - at - 2) : NULL;

        r->offset = at;
        if (!end)
            return bad(r, "the last record is cut short");
        uint16_t descriptor = (uint16_t)((uint8_t)text[at] | (uint8_t)text[at + 1] << 8);
        int error = read_record(r, descriptor, text + at + 2);
        if (error)
            return error;
        at = (size_t)(end - text) + 1;
    }
    return HC_MAP_OK;
}

/* ---- order ---- */

static int by_function(const void *a, const void *b)
{
    return strcmp(((const struct hc_map_plain *)a)->function, ((const struct hc_map_plain *)b)->function);
}

/* Static functions of one name in several units, and inline ones, come several times: they add up. */
static void sort_plains(struct hc_map *map)
{
    size_t kept = 0;

    if (map->plains)
        qsort(map->plain, map->plains, sizeof *map->plain, by_function);
    for (size_t i = 0; i < map->plains; i++) {
        if (kept && !strcmp(map->plain[kept - 1].function, map->plain[i].function))
            map->plain[kept - 1].bytes += map->plain[i].bytes;
        else
            map->plain[kept++] = map->plain[i];
    }
    map->plains = kept;
}

/* ---- all of it ---- */

int hc_map_read(struct hc_map **out, const struct hc_image *image, struct hc_map_message *message)
{
    struct hc_image_section section;
    struct reader r = { .image = image, .message = message };
    int error;

    *out = NULL;
    if (!hc_image_section(image, HC_MAP_SECTION, &section) || !section.bytes) {
        snprintf(message->text, sizeof message->text, "%.200s: is not instrumented: it has no section .hindcast",
                 hc_image_name(image));
        return HC_MAP_NONE;
    }
    r.map = calloc(1, sizeof *r.map);
    if (!r.map)
        return no_memory(&r);
    r.map->part = "";
    r.map->text = malloc(section.size);
    error = r.map->text ? read_sites(&r) : no_memory(&r);
    if (!error) {
        memcpy(r.map->text, section.bytes, section.size);
        error = read_records(&r, r.map->text, section.size);
    }
    if (error) {
        hc_map_free(r.map);
        return error;
    }
    sort_plains(r.map);
    *out = r.map;
    return HC_MAP_OK;
}

void hc_map_free(struct hc_map *map)
{
    if (!map)
        return;
    free(map->site);
    free(map->skip);
    free(map->update);
    free(map->plain);
    free(map->value);
    free(map->note);
    free(map->text);
    free(map);
}

const char *hc_map_value(const struct hc_map *map, const char *key)
{
    for (size_t i = 0; i < map->values; i++)
        if (!strcmp(map->value[i].key, key))
            return map->value[i].value;
    return NULL;
}

bool hc_map_plain(const struct hc_map *map, const char *function, uint32_t *bytes)
{
    struct hc_map_plain key = { function, 0 };
    const struct hc_map_plain *found =
        map->plains ? bsearch(&key, map->plain, map->plains, sizeof key, by_function) : NULL;

    if (found)
        *bytes = found->bytes;
    return found;
}
