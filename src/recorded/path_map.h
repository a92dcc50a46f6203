/* The map of paths in an ELF file that was built with --record=messages+paths (runtime/traffic/path_map.h). */
#ifndef HC_RECORDED_PATH_MAP_H
#define HC_RECORDED_PATH_MAP_H

#include "../runtime/traffic/path_map.h"
#include "image/image.h"

struct hc_path_map_block {
    uint32_t address, end; /* of its instructions */
    uint32_t callee;       /* of the call that ends it; 0: none, or unknown */
    uint16_t next;         /* behind that call; HC_PATHS_NO_BLOCK: it does not return */
    uint16_t first, paths; /* of the stretch that begins here, counted in the function */
    uint8_t ending;        /* enum hc_path_end */
    uint8_t flags;         /* HC_PATHS_BEGINS ... */
};

struct hc_path_map_edge {
    uint16_t from, to, value;
    bool cut;
};

struct hc_path_function {
    uint32_t address, end;
    uint32_t first;   /* number of its paths: from here, `numbers` of them */
    uint16_t numbers; /* at least 1 */
    uint16_t entry;   /* the first of those that begin at the entry, counted in the function */
    bool handler;
    const struct hc_path_map_block *block;
    const struct hc_path_map_edge *edge; /* in order of `from` */
    uint16_t blocks, edges;
};

struct hc_path_map;

/* Returns NULL with a message if IMAGE has none or it makes no sense. Free it with hc_path_map_free. */
struct hc_path_map *hc_path_map_load(const struct hc_image *image, struct hc_image_message *message);
void hc_path_map_free(struct hc_path_map *map);

/* All functions, by their first number. */
size_t hc_path_map_functions(const struct hc_path_map *map, const struct hc_path_function **out);
/* By a path's number, and by address; NULL if there is none. */
const struct hc_path_function *hc_path_map_find(const struct hc_path_map *map, uint32_t number);
const struct hc_path_function *hc_path_map_at(const struct hc_path_map *map, uint32_t address);

/* The blocks of path NUMBER, counted in F, in order; *COUNT of them, at most F->blocks. *CUT: the block to which a cut
 * edge leads at its end, HC_PATHS_NO_BLOCK if none does. False if there is no such path. */
bool hc_path_expand(const struct hc_path_function *f, uint16_t number, uint16_t *out, size_t *count, uint16_t *cut);
/* The same from block START on, which begins a stretch of one path. */
bool hc_path_follow_rest(const struct hc_path_function *f, uint16_t start, uint16_t *out, size_t *count);

#endif
