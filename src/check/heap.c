/* The heap: blocks that malloc and the other allocation functions return and free. */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 100000 };

const struct hc_check_block *hc_check_block_of(const struct hc_check *c, uint32_t serial)
{
    for (size_t i = c->blocks; i-- > 0;)
        if ((c->block[i].serial & (HC_SERIALS - 1)) == serial)
            return &c->block[i];
    return NULL;
}

const struct hc_check_block *hc_check_block_at(const struct hc_check *c, uint32_t address)
{
    for (size_t i = c->blocks; i-- > 0;)
        if (address - c->block[i].start < c->block[i].size)
            return &c->block[i];
    return NULL;
}

static struct hc_check_block *live_block(struct hc_check *c, uint32_t start)
{
    for (size_t i = c->blocks; i-- > 0;)
        if (c->block[i].start == start && !c->block[i].taken)
            return &c->block[i];
    return NULL;
}

static void own(struct hc_check *c, uint32_t start, uint32_t size, uint32_t owner)
{
    for (uint32_t w = start >> 1; w < (start + size + 1) >> 1 && w < c->memory_size / 2; w++)
        c->word[w].owner = owner;
}

/* A freed block is forgotten when a new block overlaps it, and when there are very many. */
static struct hc_check_block *new_block(struct hc_check *c, uint32_t start, uint32_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < c->blocks; i++) {
        const struct hc_check_block *b = &c->block[i];
        bool covered = b->taken && b->start < start + size && start < b->start + b->size;
        if (!(covered || (b->taken && c->blocks == BLOCKS_MOST)))
            c->block[n++] = *b;
    }
    c->blocks = n;
    if (c->blocks == c->block_room) {
        c->block_room = c->block_room ? 2 * c->block_room : 32;
        c->block = realloc(c->block, c->block_room * sizeof *c->block);
        if (!c->block)
            abort();
    }
    return &c->block[c->blocks++];
}

/* KEPT bytes of it were initialised before, or are moved there. */
static void given(struct hc_check *c, uint32_t start, uint32_t size, uint32_t kept, uint32_t site)
{
    if (!start || !size || start + size > c->memory_size || size > HC_LARGEST_OBJECT)
        return;
    struct hc_check_block *b = new_block(c, start, size);
    c->last_block = c->last_block % (HC_SERIALS - 2) + 1;
    *b = (struct hc_check_block){ .start = start, .size = size, .serial = c->last_block, .given = site };
    own(c, start, size, b->serial);
    if (kept < size)
        memset(c->undefined + start + kept, 0xff, size - kept);
    hc_check_set_register(
        c, c->steps->result,
        (struct hc_check_shadow){ .tag = hc_tag_make(HC_TAG_HEAP, b->serial, start, size, HC_TAG_CERTAIN) });
    hc_check_stack_limit(c);
}

static void take(struct hc_check *c, uint32_t start, uint32_t site)
{
    struct hc_check_block *b = live_block(c, start);
    struct hc_check_finding *f;

    if (!start)
        return;
    if (b) {
        own(c, b->start, b->size, HC_FREED);
        b->taken = site;
        hc_check_stack_limit(c);
        return;
    }
    const struct hc_check_block *old = hc_check_block_at(c, start);
    if (!(f = hc_check_find(c, HC_CHECK_FREE, site)))
        return;
    f->address = start;
    hc_check_describe(c, start, &f->object);
    if (old && old->start == start) {
        f->given = old->given;
        f->taken = old->taken;
    }
}

static uint32_t call_site(struct hc_check *c)
{
    uint32_t back = hc_return_address(c->machine, NULL);

    return hc_flow_at(c->machine, back - 4) == HC_FLOW_CALL && hc_instruction_length(c->machine, back - 4) == 4
               ? back - 4
               : back - 2;
}

static void entered(struct hc_check_allocator *a, int which)
{
    struct hc_check *c = a->check;
    uint32_t first = c->r[c->steps->argument], second = c->r[c->steps->argument + 1];

    if (a->depth++)
        return;
    if (c->quiet++) { /* one of them calls another */
        a->site = 0;
        return;
    }
    a->site = call_site(c);
    a->block = first;
    a->size = which == HC_CHECK_CALLOC ? first * second : which == HC_CHECK_REALLOC ? second : first;
    if (which == HC_CHECK_FREE_CALL)
        take(c, first, a->site);
}

static void left(struct hc_check_allocator *a, int which)
{
    struct hc_check *c = a->check;
    uint32_t result = c->r[c->steps->result];

    if (--a->depth)
        return;
    c->quiet--;
    if (!a->site || which == HC_CHECK_FREE_CALL)
        return;
    uint32_t kept = which == HC_CHECK_CALLOC ? a->size : 0;
    const struct hc_check_block *old = which == HC_CHECK_REALLOC ? live_block(c, a->block) : NULL;
    if (old)
        kept = old->size < a->size ? old->size : a->size;
    if (which == HC_CHECK_REALLOC && a->block && (result || !a->size))
        take(c, a->block, a->site);
    given(c, result, a->size, kept, a->site);
}

#define ALLOCATOR(name, which)                                                   \
    static enum hc_action name(void *owner, struct hc_machine *m, bool entering) \
    {                                                                            \
        (void)m;                                                                 \
        if (entering)                                                            \
            entered(owner, which);                                               \
        else                                                                     \
            left(owner, which);                                                  \
        return HC_CONTINUE;                                                      \
    }
ALLOCATOR(malloc_called, HC_CHECK_MALLOC)
ALLOCATOR(calloc_called, HC_CHECK_CALLOC)
ALLOCATOR(realloc_called, HC_CHECK_REALLOC)
ALLOCATOR(free_called, HC_CHECK_FREE_CALL)

void hc_check_heap_hook(struct hc_check *c)
{
    static const char *const names[HC_CHECK_ALLOCATORS] = { "malloc", "calloc", "realloc", "free" };
    static hc_call_fn *const calls[HC_CHECK_ALLOCATORS] = { malloc_called, calloc_called, realloc_called, free_called };

    for (int i = 0; i < HC_CHECK_ALLOCATORS; i++) {
        struct hc_symbol symbol;
        c->allocator[i] = (struct hc_check_allocator){ .check = c, .hook = -1 };
        if (hc_image_symbol(c->image, names[i], &symbol) && symbol.function)
            c->allocator[i].hook = hc_hook_call(c->machine, symbol.address, calls[i], &c->allocator[i]);
    }
}

void hc_check_heap_unhook(struct hc_check *c)
{
    for (int i = 0; i < HC_CHECK_ALLOCATORS; i++)
        if (c->allocator[i].hook >= 0)
            hc_unhook(c->machine, c->allocator[i].hook);
}
