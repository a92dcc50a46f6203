#include "slzw.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK = 528, ENTRIES = 512, CODE_BITS = 9, CACHE_MAX = 64 };

struct dictionary {
    unsigned entries; /* the first 256 are the bytes */
    uint16_t prefix[ENTRIES];
    uint8_t last[ENTRIES];
};

static int find(const struct dictionary *d, unsigned prefix, uint8_t byte)
{
    for (unsigned i = 256; i < d->entries; i++)
        if (d->prefix[i] == prefix && d->last[i] == byte)
            return (int)i;
    return -1;
}

static void add(struct dictionary *d, unsigned prefix, uint8_t byte)
{
    if (d->entries == ENTRIES)
        return;
    d->prefix[d->entries] = (uint16_t)prefix;
    d->last[d->entries++] = byte;
}

struct cache {
    unsigned entries; /* 0: none */
    int code[CACHE_MAX];
    int bits;
};

/* Bits of a code. Entries that are new are put into the cache, too, as the paper does. */
static unsigned code_bits(struct cache *c, unsigned code)
{
    if (!c->entries)
        return CODE_BITS;
    int *slot = &c->code[code % c->entries];
    bool hit = *slot == (int)code;
    *slot = (int)code;
    return hit ? 1 + (unsigned)c->bits : 1 + CODE_BITS;
}

static size_t block_bits(const uint8_t *bytes, size_t size, unsigned cache_entries)
{
    struct dictionary d = { .entries = 256 };
    struct cache c = { .entries = cache_entries, .bits = __builtin_ctz(cache_entries | 1u << 31) };
    size_t bits = 0;
    unsigned prefix = bytes[0];

    memset(c.code, -1, sizeof c.code);
    for (size_t i = 1; i < size; i++) {
        int longer = find(&d, prefix, bytes[i]);
        if (longer >= 0) {
            prefix = (unsigned)longer;
            continue;
        }
        bits += code_bits(&c, prefix);
        if (c.entries && d.entries < ENTRIES)
            c.code[d.entries % c.entries] = (int)d.entries;
        add(&d, prefix, bytes[i]);
        prefix = bytes[i];
    }
    return bits + code_bits(&c, prefix);
}

size_t slzw_mini_cache_size(const uint8_t *bytes, size_t size, unsigned cache)
{
    size_t sum = 0;
    for (size_t at = 0; at < size; at += BLOCK)
        sum += (block_bits(bytes + at, size - at < BLOCK ? size - at : BLOCK, cache) + 7) / 8;
    return sum;
}

size_t slzw_size(const uint8_t *bytes, size_t size)
{
    return slzw_mini_cache_size(bytes, size, 0);
}
