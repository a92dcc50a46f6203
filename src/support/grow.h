/* Arrays that grow by doubling. */
#ifndef HC_SUPPORT_GROW_H
#define HC_SUPPORT_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HC_GROW_FIRST = 64 };

/* Makes room for one more element of ELEMENT bytes in the array that ARRAY points to, which has COUNT elements and room
 * for ROOM. Returns false, with nothing changed, on out-of-memory. */
static inline bool hc_grow(void *array, size_t count, size_t *room, size_t element)
{
    void *elements;
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : HC_GROW_FIRST;
    memcpy(&elements, array, sizeof elements); /* a pointer to whatever type */
    void *grown = realloc(elements, more * element);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = more;
    /* cppcheck-suppress memleak ; the caller's array has it */
    return true;
}

#endif
