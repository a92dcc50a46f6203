/* A unit's bitcode, for `hindcast slice`: what clang makes of the preprocessed text before it is instrumented. */
#ifndef HC_INSTRUMENT_DRIVER_BITCODE_H
#define HC_INSTRUMENT_DRIVER_BITCODE_H

#include "compile.h"

#include <stdio.h>

/* Writes the bitcode of TEXT, or why there is none, to TO as recorded/bitcode.h says. ARGUMENTS change what C means to
 * clang. Never fails: a unit that clang does not understand is recorded all the same. */
void hc_bitcode_add(const struct hc_compilation *c, const char *name, const char *text, size_t size,
                    const struct hc_argv *arguments, FILE *to);

#endif
