#include "code_map.h"

#include "support/grow.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NAME_MOST = 32, VECTORS_MOST = 64 };

struct hc_code_map {
    struct hc_image *image;
    struct hc_program *program;
    struct hc_code_function *function;
    size_t functions, functions_room;
    struct hc_key_table by_name; /* hash of name, hash of file, try: number + 1 */
    struct hc_key_table by_pc;   /* number + 1 */
    struct hc_code_place *place;
    size_t places, places_room;
    char **text; /* names that are nobody else's */
    size_t texts, texts_room;
    char *vector[VECTORS_MOST];
};

/* ---- functions ---- */

static uint32_t hash_of(const char *text)
{
    return text ? (uint32_t)XXH3_64bits(text, strlen(text)) : 0;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static uint32_t *find(struct hc_code_map *map, const char *name, const char *file)
{
    for (uint32_t i = 0;; i++) {
        uint32_t *value = hc_key_table_at(&map->by_name, hash_of(name), hash_of(file), i);
        if (!value || !*value ||
            (same(map->function[*value - 1].name, name) && same(map->function[*value - 1].file, file)))
            return value;
    }
}

static bool add_function(struct hc_code_map *map, struct hc_code_function function, uint32_t *out)
{
    uint32_t *value = find(map, function.name, function.file);

    if (!value)
        return false;
    if (!*value) {
        if (!hc_grow(&map->function, map->functions, &map->functions_room, sizeof *map->function))
            return false;
        map->function[map->functions++] = function;
        *value = (uint32_t)map->functions;
    }
    *out = *value - 1;
    map->function[*out].alone |= function.alone;
    return true;
}

/* Keeps TEXT as long as the map. */
static const char *keep(struct hc_code_map *map, const char *text)
{
    if (!hc_grow(&map->text, map->texts, &map->texts_room, sizeof *map->text))
        return NULL;
    char *copy = strdup(text);
    if (copy)
        map->text[map->texts++] = copy;
    return copy;
}

static bool add_vector(struct hc_code_map *map, uint32_t vector, uint32_t *out)
{
    char name[NAME_MOST];
    const char *known = vector < VECTORS_MOST ? map->vector[vector] : NULL;

    if (known)
        snprintf(name, sizeof name, "[%.28s]", known);
    else
        snprintf(name, sizeof name, "[vector %u]", vector);
    const char *kept = keep(map, name);
    return kept && add_function(map, (struct hc_code_function){ .name = kept, .alone = true }, out);
}

static bool add_nameless(struct hc_code_map *map, uint32_t address, uint32_t *out)
{
    char name[NAME_MOST];

    snprintf(name, sizeof name, "0x%04x", address);
    const char *kept = keep(map, name);
    return kept && add_function(map, (struct hc_code_function){ .name = kept, .address = address, .alone = true }, out);
}

static bool add_named(struct hc_code_map *map, const struct hc_profiled_function *f, uint32_t *out)
{
    const struct hc_function *source = hc_program_function_at(map->program, f->low);
    bool known = source && source->low == f->low && source->name;

    return add_function(map,
                        (struct hc_code_function){ .name = known ? source->name : f->name,
                                                   .file = known ? hc_program_declared_in(&source->die) : NULL,
                                                   .address = f->low,
                                                   .alone = true },
                        out);
}

/* ---- places ---- */

/* The outermost: a function of its own, or what stands for one. */
static bool add_outermost(struct hc_code_map *map, const struct hc_contexts *c, uint32_t function, uint32_t *out)
{
    if (function >= HC_VECTOR_0)
        return add_vector(map, function - HC_VECTOR_0, out);
    if (function >= c->functions)
        return add_nameless(map, 0, out);
    const struct hc_profiled_function *f = &c->function[function];
    return f->name ? add_named(map, f, out) : add_nameless(map, f->low, out);
}

/* Where the code of an inlined function begins; of several pieces, the first. */
static bool begins_at(Dwarf_Die *die, uint32_t pc)
{
    Dwarf_Addr entry, end, base;

    if (!dwarf_entrypc(die, &entry))
        return entry == pc;
    return dwarf_ranges(die, 0, &base, &entry, &end) > 0 && entry == pc;
}

static bool add_inlined(struct hc_code_map *map, uint32_t pc, struct hc_code_place *place)
{
    struct hc_inlined inlined[HC_INLINED_MAX];
    int n = hc_program_inlined_at(map->program, pc, inlined);

    for (int i = n - 1; i >= 0; i--) {
        struct hc_code_function f = { .name = inlined[i].name,
                                      .file = hc_program_declared_in(&inlined[i].die),
                                      .address = pc };
        if (!f.name)
            continue;
        if (!add_function(map, f, &place->function[place->depth]))
            return false;
        place->call_file[place->depth] = inlined[i].call_file;
        place->call_line[place->depth] = inlined[i].call_line;
        place->entry[place->depth] = begins_at(&inlined[i].die, pc);
        place->depth++;
    }
    return true;
}

static bool look_up(struct hc_code_map *map, const struct hc_contexts *c, uint32_t function, uint32_t pc,
                    struct hc_code_place *place)
{
    struct hc_line line;

    *place = (struct hc_code_place){ .depth = 1 };
    if (!add_outermost(map, c, function, &place->function[0]))
        return false;
    if (function >= c->named)
        return true;
    if (hc_image_line_at(map->image, pc, &line)) {
        place->file = line.file;
        place->line = line.line;
    }
    return add_inlined(map, pc, place);
}

bool hc_code_map_at(struct hc_code_map *map, const struct hc_contexts *contexts, uint32_t context, uint32_t pc,
                    const struct hc_code_place **out)
{
    bool of_image = context < contexts->named;
    uint32_t *known = hc_key_table_at(&map->by_pc, of_image ? 0 : context + 1, pc, 0);

    if (!known || !hc_grow(&map->place, map->places, &map->places_room, sizeof *map->place))
        return false;
    if (!*known) {
        if (!look_up(map, contexts, context, pc, &map->place[map->places]))
            return false;
        *known = (uint32_t)++map->places;
    }
    *out = &map->place[*known - 1];
    return true;
}

size_t hc_code_map_functions(const struct hc_code_map *map)
{
    return map->functions;
}

const struct hc_code_function *hc_code_map_function(const struct hc_code_map *map, uint32_t function)
{
    return &map->function[function];
}

bool hc_code_map_is_ambiguous(const struct hc_code_map *map, uint32_t function)
{
    for (size_t i = 0; i < map->functions; i++)
        if (i != function && !strcmp(map->function[i].name, map->function[function].name))
            return true;
    return false;
}

/* ---- beginning and end ---- */

struct hc_code_map *hc_code_map_new(struct hc_image *image, const char *const *vectors, size_t count)
{
    struct hc_code_map *map = calloc(1, sizeof *map);

    if (!map)
        return NULL;
    map->image = image;
    map->program = hc_program_new(image);
    bool well = map->program;
    for (size_t i = 0; well && i < count && i < VECTORS_MOST; i++)
        if (vectors[i])
            well = (map->vector[i] = strdup(vectors[i])) != NULL;
    if (well)
        return map;
    hc_code_map_free(map);
    return NULL;
}

void hc_code_map_free(struct hc_code_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->texts; i++)
        free(map->text[i]);
    for (size_t i = 0; i < VECTORS_MOST; i++)
        free(map->vector[i]);
    free(map->text);
    free(map->function);
    free(map->place);
    hc_key_table_free(&map->by_name);
    hc_key_table_free(&map->by_pc);
    hc_program_free(map->program);
    free(map);
}
