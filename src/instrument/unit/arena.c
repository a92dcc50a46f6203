#include "arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, ALIGNMENT = 16 };

struct hc_arena_block {
    struct hc_arena_block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char bytes[];
};

void *hc_arena_take(struct hc_arena *memory, size_t size)
{
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct hc_arena_block *block = memory->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = calloc(1, sizeof *block + room);
        if (!block)
            longjmp(*memory->exhausted, 1);
        block->size = room;
        block->next = memory->blocks;
        memory->blocks = block;
    }
    void *at = block->bytes + block->used;
    block->used += size;
    return at;
}

char *hc_arena_copy(struct hc_arena *memory, const char *text, size_t size)
{
    char *copy = hc_arena_take(memory, size + 1);
    memcpy(copy, text, size);
    return copy;
}

char *hc_arena_print(struct hc_arena *memory, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = hc_arena_take(memory, (size_t)size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *hc_arena_more(struct hc_arena *memory, void *array, size_t count, size_t element)
{
    if (count & (count - 1))
        return array; /* room is made at powers of two */
    void *grown = hc_arena_take(memory, (count ? 2 * count : 1) * element);
    if (count)
        memcpy(grown, array, count * element);
    return grown;
}

void hc_arena_free(struct hc_arena *memory)
{
    while (memory->blocks) {
        struct hc_arena_block *next = memory->blocks->next;
        free(memory->blocks);
        memory->blocks = next;
    }
}
