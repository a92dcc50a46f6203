/* Replays a region of a 32-bit CPU on the host: the module with the hooks that `hindcast ld` kept in the ELF file
 * becomes an i386 program of its own, in which pointers, sizes and byte order are the node's. Its hooks
 * (program/main.c) answer from the log, which is in the program: it runs by itself, under any debugger.
 *
 * Pointers in the program are the host's; numbers are the node's. Where one becomes the other, and at hooks, they are
 * translated by a table of the region's objects. Without sanitizers variables lie at the node's own addresses: a write
 * behind the end of one hits what it hit on the node. With AddressSanitizer they lie apart, and such a write is
 * reported. */
#ifndef HC_NATIVE_WIDE_WIDE_H
#define HC_NATIVE_WIDE_WIDE_H

#include "image/image.h"
#include "replay/region/region_feed.h"

#include "llvm/llvm.h"

#include <stdio.h>

struct hc_wide_request {
    const struct hc_image *image;
    const char *log;
    size_t boot;           /* of the log, counted from 0 */
    const char *directory; /* exists: where the files go */
    bool sanitize;         /* AddressSanitizer, and checks of overflows, shifts and indices */
    FILE *commands;        /* where commands are printed; NULL: nowhere */
};

/* Makes the program DIRECTORY/region, or with SANITIZE DIRECTORY/checked. *BOOTS: how many the log has. Costs some
 * seconds. False with a sentence in TEXT: the image has no module, one that cannot be lowered, a log of another build,
 * or clang-19 refuses. */
bool hc_wide_build(const struct hc_wide_request *request, size_t *boots, char *text, size_t size);

/* ---- lower.c ---- */

struct hc_wide_lowering {
    LLVMModuleRef module;
    const struct hc_region_map *map;
    const struct hc_image_section *places; /* of the module's objects: address, name */
    const struct hc_region_log *log;
    bool sanitize;
    FILE *script;  /* gets what places variables at their addresses */
    FILE *symbols; /* gets "name=address", a line each, of what is outside */
    char *text;    /* of a failure */
    size_t size;
};

/* checks.c: adds those of ../checks.c to all functions, if l->sanitize, and a table of their places. False: out of
 * memory. Before pointers are lowered. */
bool hc_wide_check(struct hc_wide_lowering *l);

/* arithmetic.c: gives shifts and divisions of up to 32 bits the node's results. INSTRUCTION may be replaced. */
void hc_wide_lower_arithmetic(struct hc_wide_lowering *l, LLVMValueRef instruction);

/* Changes the module into one for the host. False with a sentence. */
bool hc_wide_lower(struct hc_wide_lowering *l);

#endif
