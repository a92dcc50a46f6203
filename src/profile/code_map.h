/* What code is, in the words of the source: for each address its function, the functions that were inlined there, and
 * its line. One for an image, for any number of runs of it.
 *
 * Functions have numbers. Two of one name are one if they are of the same source file: a function that is inlined here
 * and called there. */
#ifndef HC_PROFILE_CODE_MAP_H
#define HC_PROFILE_CODE_MAP_H

#include "contexts.h"
#include "debug/dwarf/program.h"

struct hc_code_map;

enum { HC_PLACE_DEEPEST = HC_INLINED_MAX + 1 };

struct hc_code_place {
    int depth;                               /* 1: nothing is inlined there */
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
    bool alone;       /* it has code of its own: it was not only inlined */
};

/* IMAGE must live longer. VECTORS are names of interrupts, by vector, or NULL; they are copied. NULL when memory is
 * exhausted. */
struct hc_code_map *hc_code_map_new(struct hc_image *image, const char *const *vectors, size_t count);
void hc_code_map_free(struct hc_code_map *map);

/* Of PC, which is code of function CONTEXT of a run's contexts. False when memory is exhausted. */
bool hc_code_map_at(struct hc_code_map *map, const struct hc_contexts *contexts, uint32_t context, uint32_t pc,
                    const struct hc_code_place **out);

size_t hc_code_map_functions(const struct hc_code_map *map);
const struct hc_code_function *hc_code_map_function(const struct hc_code_map *map, uint32_t function);
/* Whether another function has the same name. */
bool hc_code_map_is_ambiguous(const struct hc_code_map *map, uint32_t function);

#endif
