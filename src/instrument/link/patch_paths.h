/* Numbers of paths, which are known at the link: each function's own become unique in the program. */
#ifndef HC_INSTRUMENT_LINK_PATCH_PATHS_H
#define HC_INSTRUMENT_LINK_PATCH_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_patch_paths {
    uint8_t *map; /* the section .hindcast.paths */
    size_t size;
    /* The loaded bytes at an address; NULL if they are not there. */
    uint8_t *(*at)(void *owner, uint32_t address, uint32_t size);
    /* The name of the function that begins at an address; NULL if none does. */
    const char *(*name)(void *owner, uint32_t address);
    void *owner;
    const uint32_t *handlers; /* addresses in the vector table, but the reset's; those that are trusted left out */
    size_t handler_count;
    char message[300];
    unsigned numbers; /* result: how many there are, those below HC_PATH_FIRST included */
};

/* Changes the code and the map. False with a message: a function that paths lead to, or a handler, was not compiled
 * with the option; there are too many paths; the map makes no sense. */
bool hc_patch_paths(struct hc_patch_paths *p);

#endif
