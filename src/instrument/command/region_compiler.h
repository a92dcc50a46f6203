/* The compiler that makes a region's bitcode, and its object: it must be clang 19. Units that GCC compiles are compiled
 * by clang a second time, with what makes C mean the same to both; the rest of the program stays GCC's. */
#ifndef HC_INSTRUMENT_COMMAND_REGION_COMPILER_H
#define HC_INSTRUMENT_COMMAND_REGION_COMPILER_H

#include "argv.h"

#include <stdbool.h>

/* WORDS: a compiler and its options. */
bool hc_compiler_is_clang(const struct hc_argv *words);

/* WORDS: the compiler and its options for the CPU. TRIPLE and GCC_MEANING (options that give clang GCC's meaning of C,
 * which ends with NULL) are the target's; a NULL GCC_MEANING: of GCC's units there can be no region. Appends the
 * command to OUT; false: there is none. */
bool hc_region_compiler(const struct hc_argv *words, const char *triple, const char *const *gcc_meaning,
                        struct hc_argv *out);

#endif
