/* Shared libraries that are loaded when they are needed. */
#ifndef HC_LLVM_LIBRARY_H
#define HC_LLVM_LIBRARY_H

#include <stddef.h>

/* Loads library FILE for the rest of the process. Ends the process with a sentence where it cannot be loaded. */
void *hc_library_open(const char *file);

/* Puts the COUNT functions with these NAMEs into TABLE, which is pointers to functions. Ends the process where one is
 * missing. */
void hc_library_fill(void *library, const char *file, const char *const *name, size_t count, void *table);

#endif
