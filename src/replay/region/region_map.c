#include "region_map.h"

#include "../runtime/region/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION ".hindcast.region"

const char *const hc_region_hook_names[HC_REGION_HOOKS] = {
    "__hcr_enter",  "__hcr_leave",   "__hcr_call",    "__hcr_back",  "__hcr_in8",     "__hcr_in16",
    "__hcr_in32",   "__hcr_out16",   "__hcr_out32",   "__hcr_read8", "__hcr_read16",  "__hcr_read32",
    "__hcr_write8", "__hcr_write16", "__hcr_write32", "__hcr_load8", "__hcr_load16",  "__hcr_load32",
    "__hcr_store8", "__hcr_store16", "__hcr_store32", "__hcr_put",   "__hcr_stable8", "__hcr_stable16",
};

bool hc_region_map_is(const struct hc_image *image)
{
    struct hc_image_section section;

    return hc_image_section(image, SECTION, &section) && section.bytes;
}

static uint32_t number(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;

    while (size--)
        value = value << 8 | bytes[size];
    return value;
}

/* COUNT symbols from *AT on: the address of each, its name. */
static bool read_symbols(const struct hc_image_section *s, size_t *at, unsigned unit, size_t count,
                         struct hc_region_map_entry **out)
{
    struct hc_region_map_entry *list = *out = calloc(count + 1, sizeof *list);

    for (size_t i = 0; list && i < count; i++) {
        size_t name = *at + unit;
        const uint8_t *end = name < s->size ? memchr(s->bytes + name, '\0', s->size - name) : NULL;
        if (!end)
            return false;
        list[i] = (struct hc_region_map_entry){ (const char *)s->bytes + name, number(s->bytes + *at, unit) };
        *at = (size_t)(end - s->bytes) + 1;
    }
    return list != NULL;
}

static bool read_section(struct hc_region_map *map, const struct hc_image_section *s)
{
    enum { HEAD = 10 };
    size_t at = HEAD;

    if (s->size < HEAD || s->bytes[0] != 1 || (s->bytes[1] != 2 && s->bytes[1] != 4))
        return false;
    map->unit = s->bytes[1];
    map->interrupts = s->bytes[2];
    map->slots = number(s->bytes + 4, 2);
    map->entries = number(s->bytes + 6, 2);
    map->owns = number(s->bytes + 8, 2);
    return read_symbols(s, &at, map->unit, map->entries, &map->entry) &&
           read_symbols(s, &at, map->unit, map->owns, &map->own);
}

/* As the log has it: the link step writes it into the note, too. */
static bool read_build(struct hc_region_map *map, const struct hc_image *image)
{
    enum { HEAD = 12, NAME = 12, ID = 20 };
    struct hc_image_section note;

    if (!hc_image_section(image, ".note.hindcast", &note) || !note.bytes || note.size < HEAD + NAME + ID)
        return false;
    memcpy(map->build, note.bytes + HEAD + NAME, sizeof map->build);
    return true;
}

bool hc_region_map_read(struct hc_region_map *map, const struct hc_image *image, char *text, size_t size)
{
    struct hc_image_section section;
    struct hc_symbol symbol;

    *map = (struct hc_region_map){ .cache = HC_REGION_CACHE };
    if (!hc_image_section(image, SECTION, &section) || !section.bytes || !read_section(map, &section) ||
        !read_build(map, image)) {
        snprintf(text, size, "%s: its section " SECTION " is damaged; build it again", hc_image_name(image));
        return false;
    }
    for (int i = 0; i < HC_REGION_HOOKS; i++)
        if (hc_image_symbol(image, hc_region_hook_names[i], &symbol) && symbol.function)
            map->hook[i] = symbol.address;
    if (hc_image_symbol(image, "__hcr_cache", &symbol))
        map->cache = symbol.address; /* an absolute number */
    if (hc_image_symbol(image, "__hcr_checks", &symbol))
        map->checks = symbol.address;
    return true;
}

void hc_region_map_free(struct hc_region_map *map)
{
    free(map->entry);
    free(map->own);
}
