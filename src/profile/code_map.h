/* Source positions of code: for each address its function, the functions inlined there, and its line. One map serves
 * any number of runs of an image.
 *
 * Functions are numbered. Two functions with the same name and source file share a number: one that is inlined in some
 * places and called in others. */
#ifndef HC_PROFILE_CODE_MAP_H
#define HC_PROFILE_CODE_MAP_H

#include "contexts.h"
#include "debug/dwarf/program.h"

struct hc_code_map;

enum { HC_PLACE_DEEPEST = HC_INLINED_MAX + 1 };

struct hc_code_place {
    int depth;                               /* 1: no inlined function */
    uint32_t function[HC_PLACE_DEEPEST];     /* the outermost first */
    bool entry[HC_PLACE_DEEPEST];            /* an inlined function's first instruction */
    const char *call_file[HC_PLACE_DEEPEST]; /* of each but the outermost: where it is inlined */
    int call_line[HC_PLACE_DEEPEST];
    const char *file; /* of the innermost; NULL: not known */
    int line;
};

struct hc_code_function {
    const char *name;
    const char *file; /* in which it is declared; NULL: not known */
    uint32_t address; /* where it was seen */
    bool alone;       /* it has code of its own, besides inlined copies */
};

/* IMAGE must outlive the map. VECTORS: names of interrupts by vector, or NULL; they are copied. Returns NULL on
 * out-of-memory. */
struct hc_code_map *hc_code_map_new(struct hc_image *image, const char *const *vectors, size_t count);
void hc_code_map_free(struct hc_code_map *map);

/* The source position of PC, which is code of function CONTEXT of a run's contexts. Returns false on out-of-memory. */
bool hc_code_map_at(struct hc_code_map *map, const struct hc_contexts *contexts, uint32_t context, uint32_t pc,
                    const struct hc_code_place **out);

size_t hc_code_map_functions(const struct hc_code_map *map);
const struct hc_code_function *hc_code_map_function(const struct hc_code_map *map, uint32_t function);
/* Whether another function has the same name. */
bool hc_code_map_is_ambiguous(const struct hc_code_map *map, uint32_t function);

#endif
