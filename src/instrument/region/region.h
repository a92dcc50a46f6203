/* A region: a set of functions whose inputs are recorded, and nothing else. This turns the bitcode of the units that
 * contain it into one module in which everything that crosses the region's border goes through a hook (runtime/region):
 *
 *   in       arguments of calls from outside, results of calls to the outside, volatile reads, loads of memory that
 *            others may write, results of inline assembly
 *   out      results, arguments of calls to the outside, volatile writes, stores that others may see: for checks only
 *
 * On a node a hook takes what came and writes it down; in a replay the same code asks the same hook, and the log
 * answers. What is proved to be the region's own (locals and objects whose address stays inside) has no hooks.
 *
 * Cost: that of compiling the units once more. */
#ifndef HC_INSTRUMENT_REGION_REGION_H
#define HC_INSTRUMENT_REGION_REGION_H

#include "instrument/command/argv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hc_region_request {
    char *const *units; /* files of LLVM's textual form, one for each unit of the program that has it */
    size_t unit_count;
    const struct hc_argv *unit_needs; /* by unit: symbols that it refers to */
    char *const *patterns;            /* "net/", "ctp.c", "route_*"; which functions are inside */
    size_t pattern_count;
    char *const *needed; /* symbols that the rest of the program refers to */
    size_t needed_count;
    const char *output; /* where the module's bitcode goes */
    bool interrupts;    /* the region may be entered while it runs: no object is its own */
    bool frames;        /* record where locals lie that others may write: there is no machine for the part */
    FILE *errors;       /* "file:line: error: ...", a line each */
};

struct hc_region_result {
    bool *used;     /* by unit: it is part of the module, and its object is not to be linked; free it */
    size_t reached; /* entries that somebody outside may call */
    size_t functions, entries, calls_out, loads, stores, reads, own; /* own: objects without hooks */
    size_t slots;                                                    /* words of predictions */
    char message[256];                                               /* of a failure */
};

/* Returns false with a message: no function matches, bitcode that cannot be read, or (with lines in `errors`) code that
 * cannot be recorded exactly. */
bool hc_region_build(const struct hc_region_request *request, struct hc_region_result *result);

#endif
