/* What an ELF with a region says about it: section .hindcast.region (FORMAT.md), and where the hooks are. */
#ifndef HC_REPLAY_REGION_REGION_MAP_H
#define HC_REPLAY_REGION_REGION_MAP_H

#include "image/image.h"

/* The runtime's functions at which a replay answers; stores run as on the node. */
enum hc_region_hook {
    HC_HOOK_ENTER,
    HC_HOOK_LEAVE,
    HC_HOOK_CALL,
    HC_HOOK_BACK,
    HC_HOOK_IN8,
    HC_HOOK_IN16,
    HC_HOOK_IN32,
    HC_HOOK_OUT16,
    HC_HOOK_OUT32,
    HC_HOOK_READ8,
    HC_HOOK_READ16,
    HC_HOOK_READ32,
    HC_HOOK_WRITE8,
    HC_HOOK_WRITE16,
    HC_HOOK_WRITE32,
    HC_HOOK_LOAD8,
    HC_HOOK_LOAD16,
    HC_HOOK_LOAD32,
    HC_HOOK_STORE8,
    HC_HOOK_STORE16,
    HC_HOOK_STORE32,
    HC_HOOK_PUT,
    HC_HOOK_STABLE8,
    HC_HOOK_STABLE16,
    HC_REGION_HOOKS,
};

extern const char *const hc_region_hook_names[HC_REGION_HOOKS];

struct hc_region_map {
    unsigned unit; /* bytes of a pointer */
    bool interrupts;
    size_t slots, entries;
    struct hc_region_map_entry {
        const char *name; /* in the image; "": nobody outside calls it */
        uint32_t address;
    } *entry;
    size_t owns;
    struct hc_region_map_entry *own; /* objects that nobody outside can reach */
    uint32_t hook[HC_REGION_HOOKS];  /* 0: the program does not have it */
    uint8_t build[8];
    unsigned cache;  /* lines */
    unsigned checks; /* outermost visits from one check to the next; 0: none */
};

/* Whether IMAGE has a region. */
bool hc_region_map_is(const struct hc_image *image);
/* False, with a sentence in TEXT: damaged, or out of memory. Free in any case. */
bool hc_region_map_read(struct hc_region_map *map, const struct hc_image *image, char *text, size_t size);
void hc_region_map_free(struct hc_region_map *map);

#endif
