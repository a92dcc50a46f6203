/* Records of the ring become bits of pieces: hc_update's work. Nothing here is called by hooks. */
#include "region/record.h"

#define ram __hc_ram

static struct {
    struct hc_region_groups groups;
    uint8_t bytes[HC_REGION_WRITE + HC_REGION_CODE]; /* what is not written yet */
} code;

static uint16_t open_bits; /* of the byte that is not full: from the highest bit down */
static uint8_t open_count; /* how many */

/* ---- bits ---- */

/* Of two: shifts by a variable take long. */
static const uint16_t powers[] = { 0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080,
                                   0x0100, 0x0200, 0x0400, 0x0800, 0x1000, 0x2000, 0x4000, 0x8000 };

/* VALUE in COUNT bits, at most 9. */
static void put_few(uint16_t value, uint8_t count)
{
    uint8_t filled = open_count + count, shift = 16 - filled;

    if (shift >= 8) {
        value <<= 8;
        shift -= 8;
    }
    for (; shift; shift--)
        value += value;
    value |= open_bits;
    for (; filled >= 8; filled -= 8) {
        code.bytes[ram.size++] = (uint8_t)(value >> 8);
        value <<= 8;
    }
    open_bits = value;
    open_count = filled;
}

/* In at most 16. */
static void put_bits(uint16_t value, uint8_t count)
{
    if (count > 8) {
        put_few(value >> 8, count - 8);
        value &= 0xff;
        count = 8;
    }
    put_few(value, count);
}

/* Bits that N needs, and at least LEAST. */
static uint8_t length_of(uint16_t n, uint8_t least)
{
    uint8_t length = least;

    while (length < 16 && n >= powers[length])
        length++;
    return length;
}

enum lead { NOTHING, ZERO, ONE };

/* Behind a bit, if LEAD says so: short numbers go out with it. */
static void put_number(uint8_t *level, uint16_t high, uint16_t low, enum lead lead)
{
    uint8_t least = *level >> 2;

    if (!high && least < 8 && low < powers[least]) { /* most are */
        *level -= *level > 0;
        put_few(powers[least] | low | (lead == ONE ? powers[least + 1] : 0), 1 + (lead != NOTHING) + least);
        return;
    }
    uint8_t k = high ? 16 + length_of(high, least > 16 ? least - 16 : 0) : length_of(low, least);
    uint8_t zeros = k - least, below = k - (zeros > 0); /* bits that are not known by then */
    *level = hc_region_learn(*level, k);
    if (lead != NOTHING)
        put_few(lead == ONE, 1);
    if (zeros + below < 16) {
        put_bits((low & (powers[below] - 1)) | powers[below], zeros + 1 + below);
        return;
    }
    for (; zeros > 8; zeros -= 8)
        put_few(0, 8);
    put_bits(k < 32, zeros + (k < 32));
    if (below > 16)
        put_bits(high & (powers[below - 16] - 1), below - 16);
    put_bits(below < 16 ? low & (powers[below] - 1) : low, below < 16 ? below : 16);
}

/* ---- records ---- */

/* True: they are as before, and a one is still to be put. */
static bool put_ticks(uint8_t group, uint16_t ticks)
{
    struct hc_region_groups *g = &code.groups;
    uint8_t *after = &g->after[g->group];
    bool same = ticks == *after && ticks != 0xff;

    if (!same) {
        put_number(&g->distance[g->group], 0, ticks + 1, ZERO);
        *after = ticks < 0xff ? (uint8_t)ticks : 0xff;
    }
    g->group = group;
    return same;
}

static __attribute__((noinline)) void put_escape(uint8_t kind, uint16_t ticks, uint8_t value, uint8_t entry)
{
    put_number(&code.groups.distance[code.groups.group], 0, 0, ZERO);
    put_few(kind, 2);
    put_number(&code.groups.rare, 0, ticks, NOTHING);
    put_few(value, 8);
    if (kind == HC_REGION_END)
        put_few(entry, 8);
    if (kind != HC_REGION_ENTER && open_count)
        put_few(0, 8 - open_count);
}

static uint16_t word_at(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static void put_value(uint8_t head, uint16_t ticks, const uint8_t *value)
{
    uint8_t form = head & HC_RING_ESCAPE, group = head & (HC_REGION_GROUPS - 1);
    uint16_t low = form == HC_RING_BYTE ? *value : word_at(value);
    bool led = put_ticks(group, ticks);

    if (form == HC_RING_BYTE && group == HC_REGION_SUM)
        put_few(low | (led ? 0x100 : 0), 8 + led);
    else
        put_number(&code.groups.number[group], form == HC_RING_WIDE ? word_at(value + 2) : 0, low, led ? ONE : NOTHING);
}

void hc_region_encode(void)
{
    const uint8_t *at = ram.ring + ram.read;
    uint8_t head = *at++, form = head & HC_RING_ESCAPE;
    uint16_t ticks = *at++;

    if (ticks == 0xff) {
        ticks = word_at(at);
        at += 2;
    }
    if (form == HC_RING_ESCAPE)
        put_escape(head & (HC_REGION_GROUPS - 1), ticks, at[0], at[1]);
    else
        put_value(head, ticks, at);
    at += form == HC_RING_BYTE ? 1 : form == HC_RING_WIDE ? 4 : 2;
    ram.read = at > ram.ring + HC_RING_LAST ? 0 : (uint16_t)(at - ram.ring);
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
