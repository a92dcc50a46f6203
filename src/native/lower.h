/* A region's module as one for the host. */
#ifndef HC_NATIVE_LOWER_H
#define HC_NATIVE_LOWER_H

#include "frames.h"
#include "image/image.h"
#include "replay/region/region_map.h"

#include "llvm/llvm.h"

/* Gives every local a name, "hcn.NUMBER", by which hc_frames_read finds it. */
void hc_lower_name_locals(LLVMModuleRef module);

struct hc_lower_request {
    LLVMModuleRef module; /* the region's; its debug intrinsics are changed */
    const struct hc_region_map *map;
    const struct hc_image_section *places;
    const struct hc_frames *frames;
    bool checks;
    bool optimised; /* as far as that does not depend on the host */
};

/* The lowered module as text, to be freed; NULL with a sentence in TEXT. */
char *hc_lower(const struct hc_lower_request *request, char *text, size_t size);

/* lower_debug.c: gives TEXT's debug information the arena and pointers of 16 bits:
 *
 *   - of each line `@hcn.object.ADDRESS = ... !dbg !N`, which is left out, the variable gets its place in the arena
 *   - a pointer type becomes struct hc_pointer { unsigned short at; TYPE *to; }, which a debugger's script
 * follows
 *
 * Frees TEXT; NULL on out-of-memory. */
char *hc_lower_debug(char *text);

#endif
