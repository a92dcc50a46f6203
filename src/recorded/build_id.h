/* The build id that the link step gave an instrumented ELF file: a hash of all that is loaded (FORMAT.md). */
#ifndef HC_RECORDED_BUILD_ID_H
#define HC_RECORDED_BUILD_ID_H

#include "image/image.h"

enum hc_build_id_state {
    HC_BUILD_ID_NONE,    /* no note .note.hindcast, or no table __hc_link: cannot be told */
    HC_BUILD_ID_SAME,    /* the contents are those that were linked */
    HC_BUILD_ID_CHANGED, /* something was changed since: by a tool, or by chance */
};

/* Makes the hash anew and compares. HC_BUILD_ID_NONE also when memory is exhausted. */
enum hc_build_id_state hc_build_id_check(const struct hc_image *image);

#endif
