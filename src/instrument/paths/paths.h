/* Paths: the assembly of a unit, with instructions that record which way chosen functions go.
 *
 * Works on what the compiler wrote, so that it is exact for what the CPU executes, whatever was inlined or moved. Each
 * function that is chosen gets numbers (numbers.h); what calls a function that is not chosen, but might lead to one
 * that is, ends a stretch like any other call. Interrupt handlers that may lead to a chosen function are chosen, too.
 *
 * Refused, with file and line: computed jumps other than through a table, calls of setjmp, code that cannot be read. */
#ifndef HC_INSTRUMENT_PATHS_PATHS_H
#define HC_INSTRUMENT_PATHS_PATHS_H

#include "target/target.h"

#include <stddef.h>

struct hc_paths_request {
    const char *text; /* assembly */
    size_t size;
    const char *name;            /* of the source, for messages */
    const char *const *patterns; /* names of functions with * and ?; "!NAME": not those; the last that fits counts */
    size_t pattern_count;
    const char *const *trusted; /* functions that lead to none that is chosen, and are not */
    size_t trusted_count;
    const struct hc_target *target;
};

struct hc_paths_result {
    char *text; /* free it; NULL if it failed */
    size_t size;
    size_t functions;  /* that are recorded */
    char message[400]; /* "FILE:LINE: error: ..." */
};

/* False with a message, else the text. */
bool hc_paths_instrument(const struct hc_paths_request *request, struct hc_paths_result *result);

/* Whether the function NAME is chosen by PATTERNS. */
bool hc_paths_chosen(const char *const *patterns, size_t count, const char *name);

#endif
