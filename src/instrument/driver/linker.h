/* Which linker clang uses for the MSP430. clang only knows msp430-elf-ld and ignores -fuse-ld= and --ld-path=. */
#ifndef HC_INSTRUMENT_DRIVER_LINKER_H
#define HC_INSTRUMENT_DRIVER_LINKER_H

#include "compile.h"

struct hc_linker {
    char *directory; /* contains the linker by the name that clang looks for; NULL: clang finds its own */
    bool named;      /* by -fuse-ld= or --ld-path=: goes before any -B, otherwise after them */
};

/* Chooses the linker for a C compiler's link command: the one that is named, otherwise lld. Compilers other than clang,
 * targets other than the MSP430, and a clang with --gcc-toolchain= choose themselves. Returns false with the
 * invocation's message if there is no such linker. Free with hc_linker_free in any case. */
bool hc_linker_choose(struct hc_linker *linker, const struct hc_compilation *c);
void hc_linker_free(struct hc_linker *linker);

/* Whether OPTION determined the choice: clang must not see it, since it would warn. */
bool hc_linker_is_option(const struct hc_linker *linker, const char *word);

#endif
