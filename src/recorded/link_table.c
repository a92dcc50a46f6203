#include "link_table.h"

#include "names.h"

#include <string.h>

enum { FEW_VECTORS = 16 };

static uint32_t get_word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static void put_word(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static struct hc_memory_range get_range(const uint8_t *at)
{
    return (struct hc_memory_range){ get_word(at), get_word(at + 2) };
}

static void put_range(uint8_t *at, struct hc_memory_range range)
{
    put_word(at, range.start);
    put_word(at + 2, range.end);
}

uint32_t hc_link_table_size(int vectors)
{
    return HC_LINK_HANDLERS + 2 * (uint32_t)vectors;
}

/* Of a table whose size the ELF does not say: the recorder has trampolines for the upper vectors of its part. */
static int vectors_by_trampolines(const struct hc_image *image)
{
    uint32_t address;

    for (int vector = FEW_VECTORS; vector < HC_LINK_VECTORS_MAX; vector++)
        if (hc_trampoline_address(image, vector, &address))
            return HC_LINK_VECTORS_MAX;
    return FEW_VECTORS;
}

bool hc_link_table_read(struct hc_link_table *out, const struct hc_image *image)
{
    struct hc_symbol symbol;

    *out = (struct hc_link_table){ 0 };
    if (!hc_image_symbol(image, hc_recorder_symbols[HC_SYMBOL_LINK], &symbol))
        return false;
    int vectors =
        symbol.size > HC_LINK_HANDLERS ? (int)(symbol.size - HC_LINK_HANDLERS) / 2 : vectors_by_trampolines(image);
    const uint8_t *at =
        vectors <= HC_LINK_VECTORS_MAX ? hc_image_bytes(image, symbol.address, hc_link_table_size(vectors)) : NULL;
    if (!at || !hc_link_table_is(at))
        return false;
    out->address = symbol.address;
    out->version = hc_link_table_version(at);
    out->vectors = vectors;
    out->free = get_range(at + HC_LINK_FREE);
    memcpy(out->build, at + HC_LINK_BUILD, sizeof out->build);
    memcpy(out->hashed, at + HC_LINK_HASHED, sizeof out->hashed);
    for (int i = 0; i < HC_PIECES; i++)
        out->piece[i] = get_range(at + HC_LINK_PIECES + 4 * i);
    for (int i = 0; i < vectors; i++)
        out->handler[i] = get_word(at + HC_LINK_HANDLERS + 2 * i);
    return true;
}

bool hc_link_table_hashed(const struct hc_link_table *table, uint32_t pc)
{
    return pc < 0x10000 && table->hashed[pc >> 11] >> (pc >> 8 & 7) & 1;
}

bool hc_link_table_is(const uint8_t *at)
{
    return get_word(at) == HC_LINK_MAGIC;
}

uint8_t hc_link_table_version(const uint8_t *at)
{
    return at[HC_LINK_BEGIN];
}

void hc_link_table_set_handler(uint8_t *at, int vector, uint32_t handler)
{
    put_word(at + HC_LINK_HANDLERS + 2 * vector, handler);
}

void hc_link_table_set_free(uint8_t *at, struct hc_memory_range range)
{
    put_range(at + HC_LINK_FREE, range);
}

void hc_link_table_set_piece(uint8_t *at, int piece, struct hc_memory_range range)
{
    put_range(at + HC_LINK_PIECES + 4 * piece, range);
}

void hc_link_table_set_hashed(uint8_t *at, const uint8_t hashed[HC_LINK_HASHED_SIZE])
{
    memcpy(at + HC_LINK_HASHED, hashed, HC_LINK_HASHED_SIZE);
}

uint8_t *hc_link_table_build(uint8_t *at)
{
    return at + HC_LINK_BUILD;
}
