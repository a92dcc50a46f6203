/* Out of memory. The libraries report it to their caller; a command can only end with a message and an exit code,
 * wherever it is. So every allocation of the program, jansson's included, comes through here (the linker's --wrap, see
 * meson.build), and no result is computed from incomplete data. */
#define _GNU_SOURCE
#include "memory.h"

#include "command.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Uses no buffer and no memory; any thread may call it. Incomplete files have no name yet (support/output.h). */
static void end(void)
{
    static const char text[] = "hindcast: out of memory; the output so far is incomplete\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

    (void)written;
    _exit(HC_EXIT_INPUT);
}

static void *or_end(void *block)
{
    if (!block)
        end();
    return block;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
FILE *__real_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return or_end(__real_malloc(size ? size : 1));
}

void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return or_end(count && size ? __real_calloc(count, size) : __real_calloc(1, 1));
}

void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size)
{
    return or_end(__real_realloc(block, size ? size : 1));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return or_end(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return or_end(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most)
{
    return or_end(__real_strndup(text, most));
}

int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(out, format, arguments);
    va_end(arguments);
    if (length < 0)
        end();
    return length;
}

FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return or_end(__real_open_memstream(text, size));
}

void hc_memory_begin(void)
{
    json_set_alloc_funcs(malloc, free);
}
