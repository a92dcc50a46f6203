#include "heap.h"

#include <stdlib.h>

/* One instruction, or call, that used a block. */
struct use {
    struct hc_accessor who;
    struct hc_instant when;
    uint32_t epoch;
};

/* A generation of a stretch of memory. */
struct block {
    uint32_t start, size;
    bool live;
    uint32_t born; /* epoch */
    struct use *use;
    size_t uses, room;
};

struct hc_heap {
    uint64_t depth;
    bool farther; /* all uses of a block are kept, in order */
    uint32_t epoch;
    uint64_t epoch_from; /* time */
    struct hc_pairs *pairs;
    struct block *block;
    size_t blocks, room;
    size_t last; /* the block that was accessed last */
};

static void *resized(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);

    if (!new)
        abort();
    return new;
}

struct hc_heap *hc_heap_new(uint64_t depth, bool farther, struct hc_pairs *pairs)
{
    struct hc_heap *h = calloc(1, sizeof *h);

    if (!h)
        abort();
    h->depth = depth;
    h->farther = farther && depth;
    h->pairs = pairs;
    h->epoch = 1;
    return h;
}

void hc_heap_free(struct hc_heap *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->blocks; i++)
        free(h->block[i].use);
    free(h->block);
    free(h);
}

static bool holds(const struct block *b, uint32_t address)
{
    return address - b->start < b->size;
}

static struct block *live_block(struct hc_heap *h, uint32_t address)
{
    if (h->last < h->blocks && h->block[h->last].live && holds(&h->block[h->last], address))
        return &h->block[h->last];
    for (size_t i = h->blocks; i-- > 0;)
        if (h->block[i].live && holds(&h->block[i], address)) {
            h->last = i;
            return &h->block[i];
        }
    return NULL;
}

static void use_block(struct hc_heap *h, struct block *b, const struct hc_accessor *who, struct hc_instant now)
{
    for (size_t i = 0; i < b->uses && !h->farther; i++)
        if (b->use[i].who.pc == who->pc) {
            b->use[i] = (struct use){ *who, now, h->epoch };
            return;
        }
    if (b->uses == b->room) {
        b->room = b->room ? 2 * b->room : 8;
        b->use = resized(b->use, b->room * sizeof *b->use);
    }
    b->use[b->uses++] = (struct use){ *who, now, h->epoch };
}

static bool counts(const struct hc_heap *h, const struct use *u, struct hc_instant now)
{
    if (!h->depth)
        return u->epoch == h->epoch;
    return (h->pairs->in_cycles ? now.cycles - u->when.cycles : now.time - u->when.time) <= h->depth;
}

/* Was the block used by the same place later? */
static bool is_farther(const struct hc_heap *h, const struct block *b, size_t use)
{
    for (size_t i = use + 1; h->farther && i < b->uses; i++)
        if (b->use[i].who.pc == b->use[use].who.pc)
            return true;
    return false;
}

/* WHO changes the map where block B is. */
static void deceive_users(struct hc_heap *h, const struct block *b, const struct hc_accessor *who,
                          struct hc_instant now)
{
    if (!h->depth && b->born == h->epoch)
        return;
    for (size_t i = b->uses; i-- > 0;) {
        const struct use *u = &b->use[i];
        struct hc_occurrence occurrence = { .consumed = u->when.time,
                                            .produced = now.time,
                                            .cycles = now.cycles - u->when.cycles,
                                            .resumed = h->depth ? u->when.time - 1 : h->epoch_from,
                                            .address = b->start,
                                            .consumer_context = u->who.context,
                                            .producer_context = who->context };
        if (!counts(h, u, now))
            continue;
        if (is_farther(h, b, i))
            hc_pairs_add_farther(h->pairs, HC_MEMORY_MAP, u->who.pc, who->pc, &occurrence);
        else
            hc_pairs_add(h->pairs, HC_MEMORY_MAP, u->who.pc, who->pc, false, &occurrence);
    }
}

void hc_heap_access(struct hc_heap *h, uint32_t address, const struct hc_accessor *who, struct hc_instant now)
{
    struct block *b = h->blocks ? live_block(h, address) : NULL;

    if (b)
        use_block(h, b, who, now);
}

void hc_heap_taken(struct hc_heap *h, uint32_t address, const struct hc_accessor *who, struct hc_instant entered,
                   struct hc_instant now)
{
    struct block *b = live_block(h, address);

    if (!b)
        return;
    use_block(h, b, who, entered); /* a use as well: it would act on the block again */
    deceive_users(h, b, who, now);
    b->live = false;
}

/* The call alone: executed again it is given another block. */
static void leak(struct hc_heap *h, uint32_t address, const struct hc_accessor *who, struct hc_instant entered,
                 struct hc_instant now)
{
    struct hc_occurrence occurrence = { .consumed = entered.time,
                                        .produced = now.time,
                                        .cycles = now.cycles - entered.cycles,
                                        .resumed = h->depth ? entered.time - 1 : h->epoch_from,
                                        .address = address,
                                        .leak = true,
                                        .consumer_context = who->context,
                                        .producer_context = who->context };

    hc_pairs_add(h->pairs, HC_MEMORY_MAP, who->pc, who->pc, false, &occurrence);
}

void hc_heap_given(struct hc_heap *h, uint32_t address, uint32_t size, const struct hc_accessor *who,
                   struct hc_instant entered, struct hc_instant now)
{
    for (size_t i = 0; i < h->blocks; i++) {
        const struct block *b = &h->block[i];
        if (!b->live && b->start < address + size && address < b->start + b->size)
            deceive_users(h, b, who, now);
    }
    leak(h, address, who, entered, now);
    if (h->blocks == h->room) {
        h->room = h->room ? 2 * h->room : 16;
        h->block = resized(h->block, h->room * sizeof *h->block);
    }
    h->block[h->blocks++] = (struct block){ .start = address, .size = size, .live = true, .born = h->epoch };
}

void hc_heap_checkpoint(struct hc_heap *h, uint64_t time)
{
    h->epoch_from = time;
    h->epoch++;
}

bool hc_heap_block_at(const struct hc_heap *h, uint32_t address, uint32_t *start, uint32_t *size)
{
    for (size_t i = h->blocks; i-- > 0;)
        if (holds(&h->block[i], address)) {
            *start = h->block[i].start;
            *size = h->block[i].size;
            return true;
        }
    return false;
}
