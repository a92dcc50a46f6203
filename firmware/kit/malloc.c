/* malloc: first fit in a fixed heap.
 *
 *     | header | block ............ | header | block .... | header | ...
 *
 * A header is one word: the block's size in bytes, always even, with bit 0 set while it is in use. The blocks lie one
 * after the other up to the end of the heap. free marks a block; malloc joins the free blocks that it passes with their
 * free neighbours. The heap is cleared by no one: the first call makes one free block of it. */
#include "kit.h"

#ifndef KIT_HEAP_SIZE
#define KIT_HEAP_SIZE 512
#endif

enum { HEADER = 2, USED = 1 };

static uint16_t heap[KIT_HEAP_SIZE / 2] __attribute__((section(".heap")));
static uint8_t heap_is_made;

static uint16_t *const heap_end = heap + KIT_HEAP_SIZE / 2;

static uint16_t *next(uint16_t *header)
{
    return header + (HEADER + (*header & ~USED)) / 2;
}

static void make_heap(void)
{
    heap[0] = KIT_HEAP_SIZE - HEADER;
    heap_is_made = 1;
}

static void join_free(uint16_t *header)
{
    for (uint16_t *n = next(header); n < heap_end && !(*n & USED); n = next(header))
        *header = (uint16_t)(*header + HEADER + *n);
}

/* The block's rest becomes a block if it can hold anything. */
static void take(uint16_t *header, uint16_t size)
{
    uint16_t rest = (uint16_t)(*header - size);

    if (rest > HEADER) {
        *header = size;
        *next(header) = (uint16_t)(rest - HEADER);
    }
    *header |= USED;
}

void *malloc(size_t size)
{
    if (!heap_is_made)
        make_heap();
    if (size == 0 || size > KIT_HEAP_SIZE)
        return 0;
    uint16_t even = (uint16_t)((size + 1) & ~1u);
    for (uint16_t *header = heap; header < heap_end; header = next(header)) {
        if (*header & USED)
            continue;
        join_free(header);
        if (*header >= even) {
            take(header, even);
            return header + 1;
        }
    }
    return 0;
}

void *calloc(size_t count, size_t size)
{
    if (size && count > KIT_HEAP_SIZE / size)
        return 0;
    void *block = malloc(count * size);
    return block ? memset(block, 0, count * size) : 0;
}

/* In place where the block, with what is free behind it, suffices. */
void *realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    if (size == 0)
        free(block);
    if (size == 0 || size > KIT_HEAP_SIZE)
        return 0;
    uint16_t *header = (uint16_t *)block - 1;
    uint16_t even = (uint16_t)((size + 1) & ~1u), before = *header & (uint16_t)~USED;
    *header = before;
    join_free(header);
    if (*header >= even) {
        take(header, even);
        return block;
    }
    *header |= USED;
    void *moved = malloc(size);
    if (moved) {
        memcpy(moved, block, before);
        free(block);
    }
    return moved;
}

void free(void *block)
{
    if (block)
        ((uint16_t *)block)[-1] &= (uint16_t)~USED;
}
