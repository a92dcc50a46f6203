#include "region/record.h"

#include "critical.h"
#include "hindcast.h"
#include "port.h"

#define ram __hc_ram

struct hc_region_ram __hc_ram;

/* For the desk, which keeps the same cache. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(".global __hcr_cache\n\t.set __hcr_cache, " TEXT(HC_REGION_CACHE));

enum { UNIT = sizeof(hc_word), UNIT_BITS = 8 * UNIT, PIECE = 31 };

_Static_assert(!(HC_REGION_CACHE & (HC_REGION_CACHE - 1)), "HC_REGION_CACHE is a power of two");
_Static_assert(HC_REGION_RING > 3 * HC_REGION_RECORD, "HC_REGION_RING has room for some records");

/* ---- the ring: interrupts are off ---- */

static uint16_t filled(void)
{
    uint16_t written = ram.written, read = ram.read;

    return written >= read ? written - read : (uint16_t)(HC_REGION_RING - read + written);
}

static void put(uint8_t byte)
{
    uint16_t next = ram.written;

    ram.ring[next++] = byte;
    ram.written = next == HC_REGION_RING ? 0 : next;
}

static void put_number(uint32_t number)
{
    while (number >= 0x80) {
        put((uint8_t)number | 0x80);
        number >>= 7;
    }
    put((uint8_t)number);
}

static void put_head(enum hc_region_record kind)
{
    uint16_t ticks = ram.ticks;

    ram.ticks = 0;
    put((uint8_t)(kind << 6 | (ticks < HC_REGION_TICKS ? ticks : HC_REGION_TICKS)));
    if (ticks >= HC_REGION_TICKS)
        put_number(ticks - HC_REGION_TICKS);
}

/* Nothing is recorded any more; there is always room for this. */
static void stop(enum hc_region_end why, uint8_t entry)
{
    if (ram.stopped)
        return;
    ram.stopped = true;
    put_head(HC_REGION_END);
    put(why);
    put(entry);
}

/* False: there is no room, and recording ends. */
static bool begin(enum hc_region_record kind)
{
    if (!ram.stopped && filled() > HC_REGION_RING - 2 * HC_REGION_RECORD)
        stop(HC_REGION_LOST, 0);
    if (ram.stopped)
        return false;
    put_head(kind);
    return true;
}

static void check(void)
{
    ram.visits = 0;
    if (begin(HC_REGION_CHECK))
        put((uint8_t)ram.hash);
}

static void tick(void)
{
    if (++ram.ticks == 0xffff)
        check();
}

/* What goes out and what is stored have a place among the inputs, too, where interrupts may come between them. */
static void step(void)
{
    if (__hcr_interrupts)
        tick();
}

static void mix(uint16_t value)
{
    ram.hash = hc_region_hash(ram.hash, value);
}

static void mix_word(hc_word value)
{
    mix((uint16_t)value);
    if (UNIT > 2)
        mix((uint16_t)((uint32_t)value >> 16));
}

static void put_value(uint32_t value, uint32_t expected, uint8_t bits)
{
    if (begin(HC_REGION_VALUE))
        put_number(hc_region_fold(hc_region_difference(value, expected, bits)));
}

/* ---- what is expected ---- */

static void take16(uint16_t value, uint16_t *last, uint8_t bits)
{
    if (*last == value) {
        tick();
    } else {
        put_value(value, *last, bits);
        *last = value;
    }
}

static void take32(uint32_t value, uint16_t *last)
{
    uint32_t expected = last[0] | (uint32_t)last[1] << 16;

    if (expected == value) {
        tick();
    } else {
        put_value(value, expected, 32);
        last[0] = (uint16_t)value;
        last[1] = (uint16_t)(value >> 16);
    }
}

/* ---- entries ---- */

/* FRAME: an address on the stack, by which a replay finds the stack pointer. */
void __hcr_enter(hc_word frame, hc_word slot, hc_word entry)
{
    uint16_t status = hc_critical_enter();

    if (ram.inside && !__hcr_interrupts)
        stop(HC_REGION_INTERRUPT, (uint8_t)entry);
    if (ram.depth == HC_REGION_LEVELS)
        stop(HC_REGION_DEEP, (uint8_t)entry);
    if (!ram.depth && __hcr_next[ram.entry] == entry + 1) {
        tick();
    } else if (begin(HC_REGION_ENTER)) {
        put((uint8_t)entry);
    }
    if (!ram.depth) {
        __hcr_next[ram.entry] = (uint8_t)(entry + 1);
        ram.entry = (uint8_t)(entry + 1);
    }
    if (UNIT > 2)
        take32((uint32_t)frame, __hcr_last + slot);
    else
        take16((uint16_t)frame, __hcr_last + slot, 16);
    ram.was_inside = ram.was_inside << 1 | ram.inside;
    ram.depth++;
    ram.inside = true;
    hc_critical_leave(status);
}

void __hcr_leave(void)
{
    uint16_t status = hc_critical_enter();

    step();
    ram.inside = ram.was_inside & 1;
    ram.was_inside >>= 1;
    if (!--ram.depth && HC_REGION_CHECKS && ++ram.visits >= HC_REGION_CHECKS)
        check();
    hc_critical_leave(status);
}

hc_word __hcr_call(void)
{
    ram.inside = false;
    return (hc_word)(ram.depth + 1u);
}

void __hcr_back(hc_word goes)
{
    uint16_t status = hc_critical_enter();

    if (ram.inside || goes != ram.depth + 1u)
        stop(HC_REGION_TANGLED, 0);
    ram.inside = true;
    tick();
    hc_critical_leave(status);
}

/* ---- values ---- */

hc_word __hcr_in8(hc_word value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take16((uint8_t)value, __hcr_last + slot, 8);
    hc_critical_leave(status);
    return value;
}

hc_word __hcr_in16(hc_word value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take16((uint16_t)value, __hcr_last + slot, 16);
    hc_critical_leave(status);
    return value;
}

uint32_t __hcr_in32(uint32_t value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take32(value, __hcr_last + slot);
    hc_critical_leave(status);
    return value;
}

void __hcr_out16(hc_word value)
{
    uint16_t status = hc_critical_enter();

    step();
    mix((uint16_t)value);
    hc_critical_leave(status);
}

void __hcr_out32(uint32_t value)
{
    uint16_t status = hc_critical_enter();

    step();
    mix((uint16_t)value);
    mix((uint16_t)(value >> 16));
    hc_critical_leave(status);
}

/* ---- registers ---- */

hc_word __hcr_read8(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint8_t value = *(const volatile uint8_t *)at;

    take16(value, __hcr_last + slot, 8);
    hc_critical_leave(status);
    return value;
}

hc_word __hcr_read16(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint16_t value = *(const volatile uint16_t *)at;

    take16(value, __hcr_last + slot, 16);
    hc_critical_leave(status);
    return value;
}

uint32_t __hcr_read32(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint32_t value = *(const volatile uint32_t *)at;

    take32(value, __hcr_last + slot);
    hc_critical_leave(status);
    return value;
}

static void written(const volatile void *at, uint32_t value, uint8_t bits)
{
    step();
    mix_word((uintptr_t)at);
    mix((uint16_t)value);
    if (bits == 32)
        mix((uint16_t)(value >> 16));
}

void __hcr_write8(hc_word value, volatile void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint8_t *)at = (uint8_t)value;
    written(at, (uint8_t)value, 8);
    hc_critical_leave(status);
}

void __hcr_write16(hc_word value, volatile void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint16_t *)at = (uint16_t)value;
    written(at, (uint16_t)value, 16);
    hc_critical_leave(status);
}

void __hcr_write32(uint32_t value, volatile void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint32_t *)at = value;
    written(at, value, 32);
    hc_critical_leave(status);
}

/* ---- memory ---- */

static unsigned line_of(uintptr_t at)
{
    return at / UNIT & (HC_REGION_CACHE - 1);
}

/* The unit at AT, aligned: as the region last saw it, or written down. */
static hc_word load_unit(uintptr_t at)
{
    hc_word value = *(const volatile hc_word *)at;
    unsigned line = line_of(at);
    bool known = ram.tag[line] == at + 1;

    if (known && ram.unit[line] == value) {
        tick();
        return value;
    }
    put_value((uint32_t)value, known ? (uint32_t)ram.unit[line] : 0, UNIT_BITS);
    ram.tag[line] = at + 1;
    ram.unit[line] = value;
    return value;
}

static uint32_t load(const void *from, uint8_t bytes)
{
    uintptr_t at = (uintptr_t)from, start = at & ~(uintptr_t)(UNIT - 1);
    hc_word value = load_unit(start);

    if (bytes > UNIT)
        return (uint32_t)value | (uint32_t)load_unit(start + UNIT) << (8 * UNIT % 32);
    return (uint32_t)(value >> 8 * (at - start));
}

/* What was stored is known; of a part of a unit only where the rest is. */
static void stored(uintptr_t at, uint32_t value, uint8_t bytes)
{
    uintptr_t start = at & ~(uintptr_t)(UNIT - 1);
    unsigned line = line_of(start), shift = 8 * (unsigned)(at - start);

    if (bytes == UNIT) {
        ram.tag[line] = start + 1;
        ram.unit[line] = (hc_word)value;
    } else if (ram.tag[line] == start + 1) {
        hc_word mask = (hc_word)((((hc_word)1 << 8 * bytes) - 1) << shift);
        ram.unit[line] = (ram.unit[line] & ~mask) | ((hc_word)value << shift & mask);
    }
}

static void store(void *to, uint32_t value, uint8_t bytes)
{
    uintptr_t at = (uintptr_t)to;

    written(to, value, 8 * bytes);
    if (bytes > UNIT) {
        stored(at, value & 0xffff, UNIT);
        stored(at + UNIT, value >> 16, UNIT);
    } else {
        stored(at, value, bytes);
    }
}

/* Not inlined below: a replay answers here. */
__attribute__((noinline)) hc_word __hcr_load8(const void *at)
{
    uint16_t status = hc_critical_enter();
    uint8_t value = (uint8_t)load(at, 1);

    hc_critical_leave(status);
    return value;
}

hc_word __hcr_load16(const void *at)
{
    uint16_t status = hc_critical_enter();
    uint16_t value = (uint16_t)load(at, 2);

    hc_critical_leave(status);
    return value;
}

uint32_t __hcr_load32(const void *at)
{
    uint16_t status = hc_critical_enter();
    uint32_t value = load(at, 4);

    hc_critical_leave(status);
    return value;
}

__attribute__((noinline)) void __hcr_store8(hc_word value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint8_t *)at = (uint8_t)value;
    store(at, (uint8_t)value, 1);
    hc_critical_leave(status);
}

void __hcr_store16(hc_word value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint16_t *)at = (uint16_t)value;
    store(at, (uint16_t)value, 2);
    hc_critical_leave(status);
}

void __hcr_store32(uint32_t value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint32_t *)at = value;
    store(at, value, 4);
    hc_critical_leave(status);
}

/* Byte by byte: what is not aligned, and areas that overlap. */
void __hcr_copy(void *to, const void *from, hc_word size)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if (t <= f) {
        for (; size; size--)
            __hcr_store8(__hcr_load8(f++), t++);
    } else {
        for (; size; size--)
            __hcr_store8(__hcr_load8(f + size - 1), t + size - 1);
    }
}

void __hcr_set(void *to, hc_word value, hc_word size)
{
    for (uint8_t *t = to; size; size--)
        __hcr_store8((uint8_t)value, t++);
}

/* ---- hc_update ---- */

/* As much as a piece holds, but not round the ring's end. */
static void write_some(void)
{
    uint16_t size = filled(), read = ram.read;

    if (size > HC_REGION_RING - read)
        size = HC_REGION_RING - read;
    if (size > PIECE)
        size = PIECE;
    if (!size || !hc_port_may_write(true) || !hc_region_log(ram.ring + read, (uint8_t)size))
        return;
    read += size;
    ram.read = read == HC_REGION_RING ? 0 : read;
}

void hc_update(void)
{
    uint16_t status = hc_critical_enter(), written = ram.written;

    ram.idle = ram.seen == written ? ram.idle + 1 : 0;
    ram.seen = written;
    if (ram.idle == HC_REGION_IDLE && ram.ticks)
        check();
    bool old = ram.idle >= HC_REGION_IDLE;
    hc_critical_leave(status);
    if (filled() >= PIECE || old || ram.stopped)
        write_some();
}

void hc_update_later(void)
{
    if (filled() >= 2 * PIECE)
        write_some();
}

void hc_checkpoint(void)
{
}

void hc_freeze(uint16_t reason)
{
    (void)reason;
}
