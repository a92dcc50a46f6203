/* Records of the ring become bits of pieces: hc_update's work. Nothing here is called by hooks. */
#include "region/record.h"

#define ram __hc_ram

static struct {
    struct hc_region_groups groups;
    uint8_t bytes[HC_REGION_WRITE + HC_REGION_CODE]; /* what is not written yet */
} code;

static uint16_t open_byte = 1; /* the bits of the byte that is not full, behind a one */

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

/* Of two: shifts by a variable take long. */
static const uint16_t powers[] = { 0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080,
                                   0x0100, 0x0200, 0x0400, 0x0800, 0x1000, 0x2000, 0x4000, 0x8000 };

/* The lowest COUNT bits of VALUE. */
static void put_bits(uint16_t value, uint8_t count)
{
    uint16_t byte = open_byte;

    for (uint16_t bit = count ? powers[count - 1] : 0; bit; bit >>= 1) {
        byte <<= 1;
        if (value & bit)
            byte |= 1;
        if (byte & 0x100) {
            code.bytes[ram.size++] = (uint8_t)byte;
            byte = 1;
        }
    }
    open_byte = byte;
}

static uint8_t length_of(uint16_t n)
{
    uint8_t length = 0;

    for (; n; n >>= 1)
        length++;
    return length;
}

/* Behind a one, if LED: short numbers go out with it. */
static void put_number(uint8_t *level, uint16_t high, uint16_t low, bool led)
{
    uint8_t least = *level >> 2, k = high ? 16 + length_of(high) : length_of(low);

    if (k < least)
        k = least;
    uint8_t zeros = k - least, below = k - (zeros > 0); /* bits that are not known by then */
    *level = hc_region_learn(*level, k);
    if (!zeros && below < 8) {
        put_bits(powers[below] | low | (led ? powers[below + 1] : 0), 1 + led + below);
        return;
    }
    if (led)
        put_bits(1, 1);
    if (zeros + below < 16) {
        put_bits((low & (powers[below] - 1)) | powers[below], zeros + 1 + below);
        return;
    }
    for (; zeros > 8; zeros -= 8)
        put_bits(0, 8);
    put_bits(k < 32, zeros + (k < 32));
    if (below > 16)
        put_bits(high, below - 16);
    put_bits(low, below < 16 ? below : 16);
}

/* ---- records ---- */

/* True: they are as before, and a one is still to be put. */
static bool put_ticks(uint8_t group, uint16_t ticks)
{
    struct hc_region_groups *g = &code.groups;
    uint8_t *after = &g->after[g->group];
    bool same = ticks == *after && ticks != 0xff;

    if (!same) {
        put_bits(0, 1);
        put_number(&g->distance[g->group], 0, ticks + 1, false);
        *after = ticks < 0xff ? (uint8_t)ticks : 0xff;
    }
    g->group = group;
    return same;
}

static void put_escape(uint8_t kind, uint16_t ticks)
{
    uint8_t value = ring_byte(), entry = ring_byte();

    put_bits(0, 1);
    put_number(&code.groups.distance[code.groups.group], 0, 0, false);
    put_bits(kind, 2);
    put_number(&code.groups.rare, 0, ticks, false);
    put_bits(value, 8);
    if (kind == HC_REGION_END)
        put_bits(entry, 8);
    while (kind != HC_REGION_ENTER && open_byte != 1)
        put_bits(0, 1);
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
    bool led = put_ticks(group, ticks);
    if (head >> 6 == HC_RING_BYTE && group == HC_REGION_SUM) {
        put_bits(ring_byte() | (led ? 0x100 : 0), 8 + led);
        return;
    }
    low = head >> 6 == HC_RING_BYTE ? ring_byte() : ring_word();
    put_number(&code.groups.number[group], head >> 6 == HC_RING_WIDE ? ring_word() : 0, low, led);
}

void hc_region_write(void)
{
    uint8_t size = ram.size < HC_REGION_WRITE ? ram.size : HC_REGION_WRITE;

    if (size)
        size = hc_region_log(code.bytes, size);
    if (!size)
        return;
    ram.size -= size;
    for (uint8_t i = 0; i < ram.size; i++)
        code.bytes[i] = code.bytes[size + i];
}
