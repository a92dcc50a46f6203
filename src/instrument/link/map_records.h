/* Records of the map, as a unit of C writes them: top-level assembly that fills the section .hindcast.
 *
 * map.h says what records there are. These add:
 *   unit FILE PART             the file was instrumented, for that part
 *   compiler WORD...           what compiled it, and for which CPU: how the link step compiles the recorder
 *   uninstrumented FILE        linked, but not made by us
 *   recorder NAME              a function or an object of the recorder's own */
#ifndef HC_INSTRUMENT_LINK_MAP_RECORDS_H
#define HC_INSTRUMENT_LINK_MAP_RECORDS_H

#include "instrument/command/argv.h"
#include "recorded/names.h"

#include <stdio.h>

/* One record of the words in FIELDS. */
void hc_record_write(FILE *to, const struct hc_argv *fields);

/* "recorder NAME" for every function and object in memory that the object file at PATH defines. */
void hc_record_recorder(FILE *to, const char *path);

/* "plain FUNCTION bytes" for every function that the object file at PATH defines; nothing if it is not an ELF file. */
void hc_record_plain_sizes(FILE *to, const char *path);

/* The symbols that the object file at PATH refers to and does not define. */
void hc_object_needs(const char *path, struct hc_argv *out);

/* The symbols that the link step defines for calls in loops and handlers, and what they then call. */
enum { HC_UPDATE_LOOP, HC_UPDATE_MAIN, HC_UPDATE_HANDLER, HC_UPDATE_SYMBOLS };
extern const struct hc_update_symbol {
    enum hc_recorder_symbol symbol;
    const char *function;
} hc_update_symbols[HC_UPDATE_SYMBOLS];

/* What the inputs of a link are. A zeroed one is empty. */
struct hc_link_inputs {
    size_t instrumented;           /* units */
    struct hc_argv uninstrumented; /* objects, libraries */
    struct hc_argv compiler;       /* of the first unit */
    struct hc_argv parts;          /* of all units, no two equal */
    bool dma;
    bool calls_update; /* something that was not instrumented, assembly or a library, calls hc_update or hc_update_later
                        */
    bool needs_update[HC_UPDATE_SYMBOLS]; /* the symbols in hc_update_symbols */
};

/* Looks at the file at PATH: an object, an archive of them, or neither, which is passed over. */
void hc_inputs_add(struct hc_link_inputs *inputs, const char *path);
void hc_inputs_free(struct hc_link_inputs *inputs);

#endif
