/* Records of the ring become bits of pieces: hc_update's work. Nothing here is called by hooks. */
#include "region/record.h"

#define ram __hc_ram

static struct {
    struct hc_region_groups groups;
    uint8_t byte, bits; /* of the byte that is not full */
    uint8_t size;
    uint8_t bytes[HC_REGION_PIECE + HC_REGION_CODE]; /* what is not written yet */
} code;

static uint8_t ring_byte(void)
{
    uint16_t read = ram.read;
    uint8_t byte = ram.ring[read++];

    ram.read = read == HC_REGION_RING ? 0 : read;
    return byte;
}

static uint16_t ring_word(void)
{
    uint8_t low = ring_byte();

    return (uint16_t)(low | (uint16_t)ring_byte() << 8);
}

/* ---- bits ---- */

static void put_bit(bool one)
{
    code.byte = (uint8_t)(code.byte << 1 | one);
    if (++code.bits == 8) {
        code.bytes[code.size++] = code.byte;
        code.bits = 0;
    }
}

/* The lowest COUNT bits of VALUE. */
static void put_bits(uint16_t value, uint8_t count)
{
    uint16_t top = count ? (uint16_t)(1u << (count - 1)) : 0;

    for (; top; top >>= 1)
        put_bit(value & top);
}

static uint8_t length_of(uint16_t n)
{
    uint8_t length = 0;

    for (; n; n >>= 1)
        length++;
    return length;
}

static void put_number(uint8_t *level, uint16_t high, uint16_t low)
{
    uint8_t least = *level >> 2, k = high ? 16 + length_of(high) : length_of(low);

    if (k < least)
        k = least;
    for (uint8_t i = least; i < k; i++)
        put_bit(false);
    if (k < 32)
        put_bit(true);
    *level = hc_region_learn(*level, k);
    k -= k > least; /* whose highest bit is known */
    if (k > 16)
        put_bits(high, k - 16);
    put_bits(low, k < 16 ? k : 16);
}

/* ---- records ---- */

static void put_ticks(uint8_t group, uint16_t ticks)
{
    struct hc_region_groups *g = &code.groups;
    uint8_t *after = &g->after[g->group];
    bool same = ticks == *after && ticks != 0xff;

    put_bit(same);
    if (!same)
        put_number(&g->distance[g->group], 0, ticks + 1);
    *after = ticks < 0xff ? (uint8_t)ticks : 0xff;
    g->group = group;
}

static void put_escape(uint8_t kind, uint16_t ticks)
{
    uint8_t value = ring_byte(), entry = ring_byte();

    put_bit(false);
    put_number(&code.groups.distance[code.groups.group], 0, 0);
    put_bits(kind, 2);
    put_number(&code.groups.rare, 0, ticks);
    put_bits(value, 8);
    if (kind == HC_REGION_END)
        put_bits(entry, 8);
    while (kind != HC_REGION_ENTER && code.bits)
        put_bit(false);
}

void hc_region_encode(void)
{
    uint8_t head = ring_byte(), group = head & (HC_REGION_GROUPS - 1);
    uint16_t ticks = ring_byte(), low;

    if (ticks == 0xff)
        ticks = ring_word();
    if (head >> 6 == HC_RING_ESCAPE) {
        put_escape(group, ticks);
        return;
    }
    put_ticks(group, ticks);
    if (head >> 6 == HC_RING_BYTE && group == HC_REGION_SUM) {
        put_bits(ring_byte(), 8);
        return;
    }
    low = head >> 6 == HC_RING_BYTE ? ring_byte() : ring_word();
    put_number(&code.groups.number[group], head >> 6 == HC_RING_WIDE ? ring_word() : 0, low);
}

bool hc_region_piece_is_full(void)
{
    return code.size >= HC_REGION_PIECE;
}

void hc_region_write(void)
{
    uint8_t size = code.size < HC_REGION_PIECE ? code.size : HC_REGION_PIECE;

    if (!size || !hc_region_log(code.bytes, size))
        return;
    code.size -= size;
    for (uint8_t i = 0; i < code.size; i++)
        code.bytes[i] = code.bytes[size + i];
}
