/* Loaded before hindcast (LD_PRELOAD): counts the allocations that the program itself and jansson ask for, and lets one
 * of them fail.
 *
 *     FAIL_ALLOCATION_LIST=FILE    the address in the program of each of them, a line each, in order
 *     FAIL_ALLOCATION_AT=N         the Nth fails
 *
 * Under fork_server.c counting begins in each fork. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static struct {
    uintptr_t start, end;
} program, jansson;
static atomic_ulong count;
static unsigned long fail_at;
static int list = -1;

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
    bool first = !program.end;

    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        if (first)
            program.start = start, program.end = start + info->dlpi_phdr[i].p_memsz;
        else if (strstr(info->dlpi_name, "libjansson"))
            jansson.start = start, jansson.end = start + info->dlpi_phdr[i].p_memsz;
    }
    return 0;
}

void fail_allocation_begin(void);
__attribute__((constructor)) void fail_allocation_begin(void)
{
    const char *at = getenv("FAIL_ALLOCATION_AT"), *to = getenv("FAIL_ALLOCATION_LIST");

    dl_iterate_phdr(find, NULL);
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    if (to) {
        FILE *file = fopen(to, "w");
        list = file ? fileno(file) : -1;
    }
    atomic_store(&count, 0);
}

/* Who asked: the two calls above the allocation, for hindcast's own are wrapped (cli/memory.c). */
static void write_place(void)
{
    static _Thread_local bool busy;
    void *frame[5] = { NULL };
    char line[64];

    if (busy)
        return;
    busy = true; /* it allocates, too */
    int n = backtrace(frame, 5);
    busy = false;
    n = snprintf(line, sizeof line, "%lx/%lx\n", n > 3 ? (unsigned long)((uintptr_t)frame[3] - program.start) : 0,
                 n > 4 ? (unsigned long)((uintptr_t)frame[4] - program.start) : 0);
    if (write(list, line, (size_t)n) != n)
        abort();
}

static __attribute__((noinline)) bool fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    if (!(at >= program.start && at < program.end) && !(at >= jansson.start && at < jansson.end))
        return false;
    unsigned long number = atomic_fetch_add(&count, 1) + 1;
    if (list >= 0)
        write_place();
    return number == fail_at;
}

static void *give(void *block)
{
    if (!block)
        errno = ENOMEM;
    return block;
}

void *malloc(size_t size)
{
    return give(fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return give(fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size));
}

void *realloc(void *block, size_t size)
{
    return fails(__builtin_return_address(0)) ? give(NULL) : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return give(fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size));
}

char *strndup(const char *text, size_t most)
{
    size_t size = strnlen(text, most);
    char *copy = give(fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size + 1));

    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = give(fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size));

    return copy ? memcpy(copy, text, size) : NULL;
}
