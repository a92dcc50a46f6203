#include "path_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hc_path_map {
    struct hc_path_function *function;
    size_t functions;
    struct hc_path_map_block *block;
    struct hc_path_map_edge *edge;
};

static uint32_t get(const uint8_t *at, int bytes)
{
    uint32_t value = 0;

    for (int i = bytes; i--;)
        value = value << 8 | at[i];
    return value;
}

/* ---- reading ---- */

struct counts {
    size_t functions, blocks, edges;
};

/* Bytes of the record at AT; 0 if there is none. */
static size_t record_size(const uint8_t *at, size_t left)
{
    if (left < HC_PATHS_HEAD || get(at, 4) != HC_PATHS_MAGIC)
        return 0;
    size_t size = HC_PATHS_HEAD + get(at + 20, 2) * HC_PATHS_BLOCK + get(at + 22, 2) * HC_PATHS_EDGE +
                  get(at + 24, 2) * HC_PATHS_PLACE;
    return size <= left ? size : 0;
}

/* The linker threw others away; handlers that lead to nothing that is recorded have no blocks. */
static bool counts(const uint8_t *record)
{
    return get(record + 4, 4) && get(record + 18, 2) && get(record + 20, 2);
}

static void read_block(const uint8_t *at, struct hc_path_map_block *out)
{
    *out = (struct hc_path_map_block){ .address = get(at, 4),
                                       .end = get(at + 4, 4),
                                       .callee = get(at + 8, 4),
                                       .next = (uint16_t)get(at + 12, 2),
                                       .first = (uint16_t)get(at + 14, 2),
                                       .paths = (uint16_t)get(at + 16, 2),
                                       .ending = at[18],
                                       .flags = at[19] };
}

static bool is_sound(const struct hc_path_function *f)
{
    for (uint16_t b = 0; b < f->blocks; b++) {
        const struct hc_path_map_block *block = &f->block[b];
        if (block->ending >= HC_PATH_END_ENDS || (block->next != HC_PATHS_NO_BLOCK && block->next >= f->blocks) ||
            block->end < block->address || block->end - block->address > 0x10000)
            return false;
    }
    for (uint16_t e = 0; e < f->edges; e++)
        if (f->edge[e].from >= f->blocks || f->edge[e].to >= f->blocks || (e && f->edge[e].from < f->edge[e - 1].from))
            return false;
    return f->first >= HC_PATH_FIRST && f->entry < f->numbers;
}

static void read_function(struct hc_path_map *map, const uint8_t *at, struct counts *n)
{
    struct hc_path_map_block *block = map->block + n->blocks;
    struct hc_path_map_edge *edge = map->edge + n->edges;
    struct hc_path_function f = { .address = get(at + 4, 4),
                                  .end = get(at + 8, 4),
                                  .first = get(at + 12, 4),
                                  .handler = get(at + 16, 2) & HC_PATHS_HANDLER,
                                  .numbers = (uint16_t)get(at + 18, 2),
                                  .blocks = (uint16_t)get(at + 20, 2),
                                  .edges = (uint16_t)get(at + 22, 2),
                                  .entry = (uint16_t)get(at + 26, 2),
                                  .block = block,
                                  .edge = edge };

    at += HC_PATHS_HEAD;
    for (uint16_t i = 0; i < f.blocks; i++, at += HC_PATHS_BLOCK)
        read_block(at, block++);
    for (uint16_t i = 0; i < f.edges; i++, at += HC_PATHS_EDGE)
        *edge++ = (struct hc_path_map_edge){ (uint16_t)get(at, 2), (uint16_t)get(at + 2, 2), (uint16_t)get(at + 4, 2),
                                             get(at + 6, 2) != 0 };
    map->function[n->functions++] = f;
    n->blocks += f.blocks;
    n->edges += f.edges;
}

static int compare(const void *a, const void *b)
{
    const struct hc_path_function *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

static bool fill(struct hc_path_map *map, const struct hc_image_section *s, const struct counts *n)
{
    struct counts done = { 0 };

    map->function = calloc(n->functions + 1, sizeof *map->function);
    map->block = calloc(n->blocks + 1, sizeof *map->block);
    map->edge = calloc(n->edges + 1, sizeof *map->edge);
    if (!map->function || !map->block || !map->edge)
        return false;
    for (size_t offset = 0, size; (size = record_size(s->bytes + offset, s->size - offset)); offset += size)
        if (counts(s->bytes + offset))
            read_function(map, s->bytes + offset, &done);
    map->functions = done.functions;
    qsort(map->function, map->functions, sizeof *map->function, compare);
    for (size_t i = 0; i < map->functions; i++)
        if (!is_sound(&map->function[i]) ||
            (i && map->function[i].first < map->function[i - 1].first + map->function[i - 1].numbers))
            return false;
    return true;
}

struct hc_path_map *hc_path_map_load(const struct hc_image *image, struct hc_image_message *message)
{
    struct hc_image_section s;
    struct counts n = { 0 };
    size_t offset = 0, size;

    if (!hc_image_section(image, HC_PATHS_SECTION, &s) || !s.bytes) {
        snprintf(message->text, sizeof message->text,
                 "%s: records no paths: build it with hindcast cc --record=messages+paths --paths=PATTERN",
                 hc_image_name(image));
        return NULL;
    }
    for (; (size = record_size(s.bytes + offset, s.size - offset)); offset += size)
        if (counts(s.bytes + offset)) {
            n.functions++;
            n.blocks += get(s.bytes + offset + 20, 2);
            n.edges += get(s.bytes + offset + 22, 2);
        }
    struct hc_path_map *map = offset == s.size ? calloc(1, sizeof *map) : NULL;
    if (map && fill(map, &s, &n))
        return map;
    snprintf(message->text, sizeof message->text, "%s: its map of paths makes no sense: was it linked by hindcast?",
             hc_image_name(image));
    hc_path_map_free(map);
    return NULL;
}

void hc_path_map_free(struct hc_path_map *map)
{
    if (!map)
        return;
    free(map->function);
    free(map->block);
    free(map->edge);
    free(map);
}

/* ---- questions ---- */

size_t hc_path_map_functions(const struct hc_path_map *map, const struct hc_path_function **out)
{
    *out = map->function;
    return map->functions;
}

const struct hc_path_function *hc_path_map_find(const struct hc_path_map *map, uint32_t number)
{
    size_t low = 0, high = map->functions;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct hc_path_function *f = &map->function[middle];
        if (number < f->first)
            high = middle;
        else if (number >= f->first + f->numbers)
            low = middle + 1;
        else
            return f;
    }
    return NULL;
}

const struct hc_path_function *hc_path_map_at(const struct hc_path_map *map, uint32_t address)
{
    for (size_t i = 0; i < map->functions; i++)
        if (map->function[i].address == address)
            return &map->function[i];
    return NULL;
}

/* ---- paths ---- */

/* The edge of BLOCK with the highest value that is at most LEFT; NULL if it has none. */
static const struct hc_path_map_edge *choose(const struct hc_path_function *f, uint16_t block, unsigned left)
{
    const struct hc_path_map_edge *best = NULL;

    for (uint16_t e = 0; e < f->edges; e++)
        if (f->edge[e].from == block && f->edge[e].value <= left && (!best || f->edge[e].value > best->value))
            best = &f->edge[e];
    return best;
}

static bool follow(const struct hc_path_function *f, uint16_t block, unsigned left, uint16_t *out, size_t *count,
                   uint16_t *cut)
{
    *count = 0;
    *cut = HC_PATHS_NO_BLOCK;
    for (;;) {
        if (*count == f->blocks)
            return false;
        out[(*count)++] = block;
        if (f->block[block].ending != HC_PATH_END_EDGES)
            return left == 0;
        const struct hc_path_map_edge *e = choose(f, block, left);
        if (!e)
            return false;
        left -= e->value;
        if (e->cut) {
            *cut = e->to;
            return left == 0;
        }
        block = e->to;
    }
}

bool hc_path_expand(const struct hc_path_function *f, uint16_t number, uint16_t *out, size_t *count, uint16_t *cut)
{
    uint16_t start = HC_PATHS_NO_BLOCK;
    unsigned first = f->entry;

    if (number >= f->entry && number - f->entry < f->block[0].paths)
        start = 0;
    for (uint16_t b = 0; start == HC_PATHS_NO_BLOCK && b < f->blocks; b++)
        if (f->block[b].flags & HC_PATHS_BEGINS && number >= f->block[b].first &&
            number - f->block[b].first < f->block[b].paths) {
            start = b;
            first = f->block[b].first;
        }
    return start != HC_PATHS_NO_BLOCK && follow(f, start, number - first, out, count, cut);
}

bool hc_path_follow_rest(const struct hc_path_function *f, uint16_t start, uint16_t *out, size_t *count)
{
    uint16_t cut;

    return follow(f, start, 0, out, count, &cut) && cut == HC_PATHS_NO_BLOCK;
}
