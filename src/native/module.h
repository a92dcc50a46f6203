/* The module of a region as an ELF file has it, and commands that make something of it: what builds for CPUs of 16 and
 * of 32 bits share. */
#ifndef HC_NATIVE_MODULE_H
#define HC_NATIVE_MODULE_H

#include "image/image.h"
#include "instrument/command/invocation.h"
#include "replay/region/region_map.h"

#include "llvm/llvm.h"

struct hc_native_module {
    const struct hc_image *image;
    const char *directory; /* where files go */
    struct hc_invocation session;
    struct hc_region_map map;
    struct hc_image_section places; /* of objects and functions; size 0: it refers to none */
    LLVMContextRef context;
    LLVMModuleRef module;
    char *text; /* of the first failure */
    size_t size;
};

/* Begins commands, which are printed to COMMANDS (NULL: nowhere). Close in any case; FINE: files may go. */
bool hc_native_module_open(struct hc_native_module *m, FILE *commands);
void hc_native_module_close(struct hc_native_module *m, bool fine);

/* Reads the module of a CPU with pointers of WIDTH bytes. */
bool hc_native_module_read(struct hc_native_module *m, unsigned width);

/* False, with the image's name and a sentence in `text`. */
bool hc_native_module_fail(struct hc_native_module *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A path in the directory; free it. NULL on out-of-memory. */
char *hc_native_module_file(const struct hc_native_module *m, const char *name);

/* Runs COMMAND and frees it. False, with a sentence: it cannot be started, or (WHAT, and what it said) it failed. */
bool hc_native_module_run(struct hc_native_module *m, struct hc_argv *command, const char *what);

#endif
