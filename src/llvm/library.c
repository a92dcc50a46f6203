#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_CODE = 3 };

static _Noreturn void give_up(const char *file)
{
    fprintf(stderr, "hindcast: %s: cannot be loaded: %s; install it (Debian: libllvm19, libclang1-19)\n", file,
            dlerror());
    exit(EXIT_CODE);
}

void *hc_library_open(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        give_up(file);
    return library;
}

void hc_library_fill(void *library, const char *file, const char *const *name, size_t count, void *table)
{
    char *to = table;

    for (size_t i = 0; i < count; i++, to += sizeof(void *)) {
        void *function = dlsym(library, name[i]);
        if (!function)
            give_up(file);
        memcpy(to, &function, sizeof function);
    }
}
