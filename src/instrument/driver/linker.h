/* Which linker clang uses for the MSP430. clang knows one only, msp430-elf-ld, and ignores -fuse-ld= and --ld-path=. */
#ifndef HC_INSTRUMENT_DRIVER_LINKER_H
#define HC_INSTRUMENT_DRIVER_LINKER_H

#include "compile.h"

struct hc_linker {
    char *directory; /* has the linker by the name that clang looks for; NULL: clang finds its own */
    bool named;      /* by -fuse-ld= or --ld-path=: before anything that -B names, else behind it */
};

/* Chooses the linker for a command of C's compiler that links: the one that is named, else lld. Other compilers than
 * clang, other targets than the MSP430, and a clang that was given a --gcc-toolchain= choose themselves. False: there
 * is no such linker, the session's message says so. Freed by hc_linker_free in any case. */
bool hc_linker_choose(struct hc_linker *linker, const struct hc_compilation *c);
void hc_linker_free(struct hc_linker *linker);

/* An option that the choice was made by: clang must not see it, it would warn. */
bool hc_linker_is_option(const struct hc_linker *linker, const char *word);

#endif
