/* The map that an instrumented ELF carries in its section .hindcast: what each site reads, what was proved away and
 * why, how the recorder was built.
 *
 *   .hindcast, not loaded, alignment 1: records one after the other
 *   +--------------------+----------------------------------------------+
 *   | u16 descriptor or 0| text, NUL-terminated, fields parted by TABs  |
 *   +--------------------+----------------------------------------------+
 *     site REGISTER class mask file line function   descriptor: the address of its 4 bytes in section hc_sites
 *     skip REGISTER reason file line function       a read that is not recorded, and why
 *     plain FUNCTION bytes                          its size when compiled without the recorder
 *     update WHAT file line function                a call of hc_update or hc_update_later, ours or the program's
 *     uses dma
 *     uses bus                                      on which the recorder's flash chip is
 *     uses handlers only                            once it sleeps, which is for good
 *     part NAME
 *     runtime key=value ...                         from the recorder's own object
 *     unit FILE PART                                the file was instrumented, for that part
 *     compiler WORD ...                             what compiled it, and for which CPU
 *     uninstrumented FILE                           linked, but not made by hindcast cc
 *     recorder NAME                                 a function or an object of the recorder's own
 *     ANYTHING ...                                  kept as a note, as are the last four
 *
 *   hc_sites, loaded: a descriptor of 4 bytes for each site, in the order of their numbers
 *     runtime/site.h draws it
 *
 * The table of sites is made from hc_sites alone, so that a site that no record describes still has its number, class
 * and mask. The map is the caller's; it keeps no reference to the image. */
#ifndef HC_RECORDED_MAP_H
#define HC_RECORDED_MAP_H

#include "../runtime/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_image;

struct hc_map_site {
    uint16_t index;
    uint16_t descriptor; /* its address */
    uint16_t address;    /* of the register; 0 if the address is known only at run time ("via") */
    uint8_t class;       /* enum hc_site_class */
    bool word;           /* 16 bits are read, else 8 */
    bool via;
    uint16_t mask;             /* mask of the bits that are recorded */
    const char *register_name; /* "" if no record describes the site; so are the next three */
    const char *file;
    const char *function;
    int line; /* 0 */
};

struct hc_map_skip {
    const char *register_name, *reason, *file, *function;
    int line;
};

struct hc_map_update {
    const char *what; /* "before sleep" ... as in struct hc_unit_update */
    const char *file, *function;
    int line;
};

struct hc_map_plain {
    const char *function;
    uint32_t bytes;
};

struct hc_map_value {
    const char *key, *value;
};

struct hc_map_note {
    const char *kind, *text; /* TEXT: the other fields, separated by TABs */
};

struct hc_map {
    const char *part; /* "msp430f1611"; "" if the map does not say */
    bool dma, bus, handlers_only;
    size_t sites;
    struct hc_map_site *site; /* site[i].index is i */
    size_t skips;
    struct hc_map_skip *skip;
    size_t updates;
    struct hc_map_update *update;
    size_t plains; /* by name of the function; no two equal */
    struct hc_map_plain *plain;
    size_t values; /* of the runtime, in the order of the map */
    struct hc_map_value *value;
    size_t notes;
    struct hc_map_note *note;
    char *text; /* storage for the strings above */
};

struct hc_map_message {
    char text[320]; /* one line, without a newline; written only when a call fails */
};

enum hc_map_error {
    HC_MAP_OK = 0,
    HC_MAP_NONE = -1, /* the image is not instrumented (no .hindcast, or not an ELF file) */
    HC_MAP_BAD = -2,  /* damaged: the message says where */
    HC_MAP_NO_MEMORY = -3,
};

/* On success the caller owns *OUT and frees it with hc_map_free; otherwise it is NULL. */
int hc_map_read(struct hc_map **out, const struct hc_image *image, struct hc_map_message *message);
void hc_map_free(struct hc_map *map);

/* A value of the runtime ("codec.mixed", "ring" ...); NULL if the map has no such key. */
const char *hc_map_value(const struct hc_map *map, const char *key);

/* The size of FUNCTION without the recorder; returns false if the map does not contain it. O(log n). */
bool hc_map_plain(const struct hc_map *map, const char *function, uint32_t *bytes);

extern const char *const hc_map_class_names[4]; /* "state", "timer", "data", "vector" */

#endif
