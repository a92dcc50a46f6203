#include "size.h"

#include "image/image.h"
#include "map.h"
#include "names.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

uint32_t hc_size_flash_bytes(const struct hc_image *image)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    uint32_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += segments[i].size;
    return bytes;
}

static uint32_t between(const struct hc_image *image, const char *start_name, const char *end_name)
{
    struct hc_symbol start, end;

    if (!hc_image_symbol(image, start_name, &start) || !hc_image_symbol(image, end_name, &end))
        return 0;
    return end.address > start.address ? end.address - start.address : 0;
}

/* That of paths is beside the rest. */
uint32_t hc_size_runtime_ram(const struct hc_image *image)
{
    static const char *const beside[] = { "__hc_paths_ram", "__hc_path_sum", "path_kept", "path_depth" };
    uint32_t size = between(image, hc_recorder_symbols[HC_SYMBOL_RAM], hc_recorder_symbols[HC_SYMBOL_RAM_END]);
    struct hc_symbol symbol;

    if (!hc_image_symbol(image, beside[0], &symbol))
        return size;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (hc_image_symbol(image, beside[i], &symbol) && symbol.sized)
            size += symbol.size;
    return size;
}

uint32_t hc_size_sites_bytes(const struct hc_image *image)
{
    struct hc_image_section table;

    return hc_image_section(image, HC_SITES_SECTION, &table) ? table.size : 0;
}

bool hc_size_update_made(const struct hc_image *image, const char *what)
{
    static const struct {
        const char *what;
        enum hc_recorder_symbol symbol;
    } kinds[] = { { "loop that reads", HC_SYMBOL_UPDATE_LOOP },
                  { "loop of main", HC_SYMBOL_UPDATE_MAIN },
                  { "handler", HC_SYMBOL_UPDATE_HANDLER } };
    const struct hc_target *target = hc_target_of_elf(hc_image_machine(image));
    uint32_t address = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].what, what) && !hc_recorder_address(image, kinds[i].symbol, &address))
            return true;
    if (!address || !target || !target->code)
        return true;
    const uint8_t *code = hc_image_bytes(image, address, target->code->returns_size);
    return !code || memcmp(code, target->code->returns, target->code->returns_size) != 0;
}

/* ---- the recorder's symbols ---- */

struct names {
    const char **name; /* in order */
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The link step lists them; without, they are told by how they begin. */
static bool collect(struct names *names, const struct hc_map *map)
{
    names->name = calloc(map->notes + 1, sizeof *names->name);
    if (!names->name)
        return false;
    for (size_t i = 0; i < map->notes; i++)
        if (!strcmp(map->note[i].kind, "recorder"))
            names->name[names->count++] = map->note[i].text;
    if (names->count)
        qsort(names->name, names->count, sizeof *names->name, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++)
        if (!kept || strcmp(names->name[kept - 1], names->name[i]) != 0)
            names->name[kept++] = names->name[i];
    names->count = kept;
    return true;
}

static bool is_recorder(const struct names *names, const char *name)
{
    if (!names->count)
        return hc_is_recorder_name(name);
    return bsearch(&name, names->name, names->count, sizeof name, by_name);
}

static bool is_programmed_in_place(const struct hc_image *image, uint32_t address)
{
    uint32_t programmed;

    return hc_image_initial_value(image, address, &programmed) && programmed == address;
}

static uint32_t sum(const struct hc_image *image, const struct names *names)
{
    const struct hc_symbol *functions;
    size_t count = hc_image_functions(image, &functions);
    struct hc_symbol object;
    bool in_assembly = false; /* labels without a size belong to the function before them */
    uint32_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bool named = is_recorder(names, functions[i].name);
        in_assembly = !functions[i].sized && (named || in_assembly);
        if (named || in_assembly)
            bytes += functions[i].size;
    }
    for (size_t i = 0; i < names->count; i++)
        if (hc_image_symbol(image, names->name[i], &object) && !object.function &&
            is_programmed_in_place(image, object.address))
            bytes += object.size;
    if (!names->count && hc_image_symbol(image, hc_recorder_symbols[HC_SYMBOL_LINK], &object))
        bytes += object.size;
    return bytes;
}

uint32_t hc_size_runtime_bytes(const struct hc_image *image)
{
    struct hc_map_message message;
    struct names names = { 0 };
    struct hc_map *map;
    uint32_t bytes = 0;

    if (hc_map_read(&map, image, &message))
        return 0;
    if (collect(&names, map))
        bytes = sum(image, &names);
    free(names.name);
    hc_map_free(map);
    return bytes;
}
