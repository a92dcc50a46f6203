#include "region/record.h"

#include "critical.h"
#include "hindcast.h"
#include "port.h"

#define ram __hc_ram

struct hc_region_ram __hc_ram;

/* For the desk, which keeps the same cache and counts the same visits. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(".global __hcr_cache, __hcr_checks\n\t.set __hcr_cache, " TEXT(HC_REGION_CACHE) "\n\t.set __hcr_checks, " TEXT(
    HC_REGION_CHECKS));

enum { UNIT = sizeof(hc_word), UNIT_BITS = 8 * UNIT };
enum { RECORDS = 16 }; /* that are encoded by one hc_update */

_Static_assert(!(HC_REGION_CACHE & (HC_REGION_CACHE - 1)), "HC_REGION_CACHE is a power of two");
_Static_assert(HC_REGION_RING > 4 * HC_RING_RECORD, "HC_REGION_RING has room for some records");

/* What is not expected comes seldom: its code is kept small. */
#define RARELY __attribute__((noinline, cold))

/* ---- the ring: interrupts are off ---- */

static uint16_t filled(void)
{
    uint16_t written = ram.written, read = ram.read;

    return written >= read ? written - read : (uint16_t)(HC_REGION_RING - read + written);
}

static RARELY void put_record(uint8_t head, uint16_t low, uint16_t high)
{
    uint16_t ticks = ram.ticks;
    uint8_t *to = ram.ring + ram.written;

    ram.ticks = 0;
    *to++ = head;
    *to++ = ticks < 0xff ? (uint8_t)ticks : 0xff;
    if (ticks >= 0xff) {
        *to++ = (uint8_t)ticks;
        *to++ = (uint8_t)(ticks >> 8);
    }
    *to++ = (uint8_t)low;
    if ((head & HC_RING_ESCAPE) != HC_RING_BYTE)
        *to++ = (uint8_t)(low >> 8);
    if ((head & HC_RING_ESCAPE) == HC_RING_WIDE) {
        *to++ = (uint8_t)high;
        *to++ = (uint8_t)(high >> 8);
    }
    ram.written = to > ram.ring + HC_RING_LAST ? 0 : (uint16_t)(to - ram.ring);
}

static RARELY void put_escape(enum hc_region_escape kind, uint8_t value, uint8_t entry)
{
    put_record(HC_RING_ESCAPE | (uint8_t)kind, (uint16_t)(value | entry << 8), 0);
}

/* Nothing is recorded any more; there is always room for this. */
static RARELY void stop(enum hc_region_end why, uint8_t entry)
{
    if (ram.stopped)
        return;
    ram.stopped = true;
    put_escape(HC_REGION_END, why, entry);
}

/* False: there is no room, and recording ends. */
static RARELY bool has_room(void)
{
    if (!ram.stopped && filled() >= HC_REGION_RING - 3 * HC_RING_RECORD)
        stop(HC_REGION_LOST, 0);
    return !ram.stopped;
}

static RARELY void put_byte(uint8_t group, uint8_t byte)
{
    if (has_room())
        put_record(HC_RING_BYTE | group, byte, 0);
}

/* Where the desk does not know that one comes. */
static RARELY void check_now(void)
{
    if (has_room())
        put_escape(HC_REGION_CHECK, hc_region_sum(ram.hash), 0);
}

static inline __attribute__((always_inline)) void tick(void)
{
    if (++ram.ticks == 0xffff)
        check_now();
}

/* VALUE is at hand afterwards without having been kept. */
static RARELY hc_word check_and_return(hc_word value)
{
    check_now();
    return value;
}

/* What goes out and what is stored have a place among the inputs, too, where interrupts may come between them. */
static inline __attribute__((always_inline)) void step(void)
{
    if (__hcr_interrupts)
        tick();
}

static inline __attribute__((always_inline)) void mix(uint16_t value)
{
    ram.hash = hc_region_hash(ram.hash, value);
}

static void mix_word(hc_word value)
{
    mix((uint16_t)value);
    if (UNIT > 2)
        mix((uint16_t)((uint32_t)value >> 16));
}

/* ---- what is expected ---- */

static RARELY void put_wide(uint32_t difference, hc_word slot)
{
    uint32_t number = hc_region_fold(difference);
    uint16_t high = (uint16_t)(number >> 16);
    uint8_t group = slot & (HC_REGION_GROUPS - 1);

    if (has_room())
        put_record(high ? HC_RING_WIDE | group : HC_RING_NUMBER | group, (uint16_t)number, high);
}

/* A difference of 16 bits: the number has so many, too. */
static RARELY void put_narrow(uint16_t difference, hc_word slot)
{
    uint16_t twice = (uint16_t)(difference + difference);

    if (has_room())
        put_record(HC_RING_NUMBER | (slot & (HC_REGION_GROUPS - 1)), difference & 0x8000 ? ~twice : twice, 0);
}

static void take16(uint16_t value, hc_word slot, uint8_t bits)
{
    uint16_t *last = __hcr_last + slot, difference = value - *last;

    if (!difference) {
        tick();
    } else {
        *last = value;
        put_narrow(bits == 8 ? (uint16_t)(int8_t)difference : difference, slot);
    }
}

static uint32_t last32(const uint16_t *last)
{
    return last[0] | (uint32_t)last[1] << 16;
}

static void set32(uint16_t *last, uint32_t value)
{
    last[0] = (uint16_t)value;
    last[1] = (uint16_t)(value >> 16);
}

static void take32(uint32_t value, hc_word slot)
{
    uint16_t *last = __hcr_last + slot;
    uint32_t expected = last32(last);

    if (expected == value) {
        tick();
    } else {
        put_wide(value - expected, slot);
        set32(last, value);
    }
}

/* ---- entries ---- */

/* What crosses the border while the outside runs: an entry and one, or 0: a call to the outside returns. After such a
 * call nothing else is expected. */
static void cross(uint8_t event)
{
    uint8_t *expected = &__hcr_next[ram.context];

    if (ram.context || !ram.depth) {
        if (*expected == event)
            tick();
        else
            put_byte(HC_REGION_EVENT, event);
        *expected = event;
    } else if (!event) {
        tick();
    } else if (has_room()) {
        put_escape(HC_REGION_ENTER, event - 1, 0);
    }
}

/* FRAME: an address on the stack, by which a replay finds the stack pointer. */
void __hcr_enter(hc_word frame, hc_word slot, hc_word entry)
{
    uint16_t status = hc_critical_enter();

    if (ram.inside && !__hcr_interrupts)
        stop(HC_REGION_INTERRUPT, (uint8_t)entry);
    if (ram.depth == HC_REGION_LEVELS)
        stop(HC_REGION_DEEP, (uint8_t)entry);
    if (ram.inside && has_room())
        put_escape(HC_REGION_ENTER, (uint8_t)entry, 0);
    else if (!ram.inside)
        cross((uint8_t)(entry + 1));
    ram.was_inside = ram.was_inside << 1 | ram.inside;
    ram.depth++;
    ram.inside = true;
    if (!__hcr_interrupts) { /* interrupts wait for one record, not for two */
        hc_critical_leave(status);
        status = hc_critical_enter();
    }
    if (UNIT > 2)
        take32((uint32_t)frame, slot);
    else
        take16((uint16_t)frame, slot, 16);
    hc_critical_leave(status);
}

/* Whether one is due at the end of an entry, COUNT of which have gone without one. */
static void check_every(uint8_t *count, uint8_t visits)
{
    if (visits && ++*count >= visits) {
        *count = 0;
        put_byte(HC_REGION_SUM, hc_region_sum(ram.hash));
    }
}

void __hcr_leave(hc_word entry)
{
    uint16_t status = hc_critical_enter();

    step();
    ram.inside = ram.was_inside & 1;
    ram.was_inside >>= 1;
    ram.context = (uint8_t)(entry + 1);
    if (--ram.depth)
        check_every(&ram.inner, HC_REGION_CHECKS ? HC_REGION_INNER : 0);
    else
        check_every(&ram.visits, HC_REGION_CHECKS);
    hc_critical_leave(status);
}

hc_word __hcr_call(void)
{
    uint16_t status = hc_critical_enter();

    step();
    ram.context = 0;
    ram.inside = false;
    hc_critical_leave(status);
    return (hc_word)(ram.depth + 1u);
}

void __hcr_back(hc_word goes)
{
    uint16_t status = hc_critical_enter();

    if (ram.inside || goes != ram.depth + 1u)
        stop(HC_REGION_TANGLED, 0);
    cross(0);
    ram.inside = true;
    hc_critical_leave(status);
}

/* ---- values ---- */

hc_word __hcr_in8(hc_word value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take16((uint8_t)value, slot, 8);
    hc_critical_leave(status);
    return value;
}

hc_word __hcr_in16(hc_word value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take16((uint16_t)value, slot, 16);
    hc_critical_leave(status);
    return value;
}

uint32_t __hcr_in32(uint32_t value, hc_word slot)
{
    uint16_t status = hc_critical_enter();

    take32(value, slot);
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

    take16(value, slot, 8);
    hc_critical_leave(status);
    return value;
}

hc_word __hcr_read16(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint16_t value = *(const volatile uint16_t *)at;

    take16(value, slot, 16);
    hc_critical_leave(status);
    return value;
}

uint32_t __hcr_read32(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint32_t value = *(const volatile uint32_t *)at;

    take32(value, slot);
    hc_critical_leave(status);
    return value;
}

/* Read until two values agree. */
hc_word __hcr_stable8(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint8_t value = *(const volatile uint8_t *)at, before;

    do {
        before = value;
        value = *(const volatile uint8_t *)at;
    } while (value != before);
    take16(value, slot, 8);
    hc_critical_leave(status);
    return value;
}

hc_word __hcr_stable16(const volatile void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint16_t value = *(const volatile uint16_t *)at, before;

    do {
        before = value;
        value = *(const volatile uint16_t *)at;
    } while (value != before);
    take16(value, slot, 16);
    hc_critical_leave(status);
    return value;
}

static inline __attribute__((always_inline)) void written(const volatile void *at, uint32_t value, uint8_t bits)
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

static hc_region_tag tag_of(uintptr_t at)
{
    return (hc_region_tag)(at / UNIT / HC_REGION_CACHE);
}

static void remember(uintptr_t at, unsigned line, hc_word value, hc_word slot)
{
    if (UNIT > 2)
        set32(__hcr_last + slot, (uint32_t)value);
    else
        __hcr_last[slot] = (uint16_t)value;
    ram.tag[line] = tag_of(at);
    ram.unit[line] = value;
}

static uint32_t last_of(hc_word slot)
{
    return UNIT > 2 ? last32(__hcr_last + slot) : __hcr_last[slot];
}

/* The unit at AT is not what was expected. */
static RARELY hc_word load_other(uintptr_t at, hc_word slot)
{
    hc_word value = *(const volatile hc_word *)at;

    if (UNIT > 2)
        put_wide((uint32_t)value - last_of(slot), slot);
    else
        put_narrow((uint16_t)(value - last_of(slot)), slot);
    remember(at, line_of(at), value, slot);
    return value;
}

/* The unit at AT, aligned: as the region last saw it, else as this load found one last, or written down. */
static inline __attribute__((always_inline)) hc_word load_unit(uintptr_t at, hc_word slot)
{
    hc_word value = *(const volatile hc_word *)at;
    unsigned line = line_of(at);

    if (ram.tag[line] == tag_of(at) ? ram.unit[line] != value : last_of(slot) != (uint32_t)value)
        return load_other(at, slot);
    remember(at, line, value, slot);
    if (++ram.ticks == 0xffff)
        value = check_and_return(value);
    return value;
}

hc_word __hcr_load8(const void *from, hc_word slot)
{
    uintptr_t at = (uintptr_t)from;
    uint16_t status = hc_critical_enter();
    uint8_t value;

    load_unit(at & ~(uintptr_t)(UNIT - 1), slot);
    value = ((const uint8_t *)&ram.unit[line_of(at)])[at & (UNIT - 1)];
    hc_critical_leave(status);
    return value;
}

/* Not inlined below: a replay answers here. */
__attribute__((noinline)) hc_word __hcr_load16(const void *from, hc_word slot)
{
    uintptr_t at = (uintptr_t)from;
    uint16_t status = hc_critical_enter();
    hc_word unit = load_unit(at & ~(uintptr_t)(UNIT - 1), slot);

    hc_critical_leave(status);
    return UNIT > 2 && at & 2 ? unit >> UNIT_BITS / 2 : (uint16_t)unit;
}

__attribute__((noinline)) uint32_t __hcr_load32(const void *at, hc_word slot)
{
    uint16_t status = hc_critical_enter();
    uint32_t value = (uint32_t)load_unit((uintptr_t)at, slot);

    if (UNIT == 2)
        value |= (uint32_t)load_unit((uintptr_t)at + UNIT, slot + 1) << 16;
    hc_critical_leave(status);
    return value;
}

/* What was stored is known; of a part of a unit only where the rest is. */
static void stored_unit(uintptr_t at, hc_word value)
{
    unsigned line = line_of(at);

    ram.tag[line] = tag_of(at);
    ram.unit[line] = value;
}

static void stored_byte(uintptr_t at, uint8_t value)
{
    unsigned line = line_of(at);

    if (ram.tag[line] == tag_of(at))
        ((uint8_t *)&ram.unit[line])[at & (UNIT - 1)] = value;
}

static void stored16(uintptr_t at, uint16_t value)
{
    if (UNIT == 2) {
        stored_unit(at, value);
    } else {
        stored_byte(at, (uint8_t)value);
        stored_byte(at + 1, (uint8_t)(value >> 8));
    }
}

void __hcr_store8(hc_word value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint8_t *)at = (uint8_t)value;
    written(at, (uint8_t)value, 8);
    stored_byte((uintptr_t)at, (uint8_t)value);
    hc_critical_leave(status);
}

__attribute__((noinline)) void __hcr_store16(hc_word value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint16_t *)at = (uint16_t)value;
    written(at, (uint16_t)value, 16);
    stored16((uintptr_t)at, (uint16_t)value);
    hc_critical_leave(status);
}

void __hcr_store32(uint32_t value, void *at)
{
    uint16_t status = hc_critical_enter();

    *(volatile uint32_t *)at = value;
    written(at, value, 32);
    if (UNIT == 2) {
        stored_unit((uintptr_t)at, (hc_word)(value & 0xffff));
        stored_unit((uintptr_t)at + UNIT, (hc_word)(value >> 16));
    } else {
        stored_unit((uintptr_t)at, (hc_word)value);
    }
    hc_critical_leave(status);
}

/* The lowest BYTES bytes of VALUE, as one thing that goes out, wherever they lie. */
__attribute__((noinline)) void __hcr_put(hc_word value, void *at, hc_word bytes)
{
    uint16_t status = hc_critical_enter();
    volatile uint8_t *to = at;

    if (UNIT == 2 ? bytes == 1 : bytes < UNIT)
        value &= UNIT == 2 ? 0xff : ((hc_word)1 << 8 * bytes) - 1;
    written(at, (uint32_t)value, UNIT_BITS);
    if (bytes == UNIT && !((uintptr_t)at & (UNIT - 1))) {
        *(volatile hc_word *)at = value;
        stored_unit((uintptr_t)at, value);
        bytes = 0;
    }
    for (; bytes; bytes--, value >>= 8) {
        *to = (uint8_t)value;
        stored_byte((uintptr_t)to++, (uint8_t)value);
    }
    hc_critical_leave(status);
}

/* From byte PART on. */
static hc_word rest_of(hc_word unit, unsigned part)
{
    if (UNIT > 2)
        return unit >> 8 * part;
    return part ? unit >> 8 : unit;
}

static hc_word copied_unit(uintptr_t at, hc_word slot, uint8_t number)
{
    const void *start = (const void *)(at & ~(uintptr_t)(UNIT - 1));

    if (UNIT > 2)
        return (hc_word)__hcr_load32(start, slot + (number * 2 & (HC_REGION_COPIES - 1)));
    return __hcr_load16(start, slot + (number & (HC_REGION_COPIES - 1)));
}

/* Unit by unit of the source, from the end if the areas overlap so. What is put never reaches units that are still to
 * be loaded: it is at least a byte further back. */
void __hcr_copy(void *to, const void *from, hc_word size, hc_word slot)
{
    uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;
    bool back = t - f < size;
    uint8_t number = 0;

    for (; UNIT == 2 && !back && !((t | f) & 1) && size > 1; t += 2, f += 2, size -= 2) /* most are so */
        __hcr_store16(__hcr_load16((const void *)f, slot + (number++ & (HC_REGION_COPIES - 1))), (void *)t);
    while (size) {
        uintptr_t at = back ? f + size - 1 : f;
        unsigned part = at & (UNIT - 1);
        hc_word bytes = back ? part + 1u : UNIT - part;
        if (bytes > size)
            bytes = size;
        hc_word unit = copied_unit(at, slot, number++);
        if (back)
            part = part + 1 - bytes;
        __hcr_put(rest_of(unit, part), (void *)(back ? t + size - bytes : t), bytes);
        size -= bytes;
        if (!back) {
            t += bytes;
            f += bytes;
        }
    }
}

#if UINTPTR_MAX > 0xffff
/* One side is the region's own, and lies elsewhere at the desk: only the other one crosses the border. They do not
 * overlap. */
void __hcr_copy_in(void *to, const void *from, hc_word size, hc_word slot)
{
    uintptr_t f = (uintptr_t)from;
    uint8_t number = 0;
    hc_word unit = 0;

    for (uint8_t *t = to; size; size--, f++) {
        if (t == to || f % UNIT == 0)
            unit = copied_unit(f, slot, number++);
        *(volatile uint8_t *)t++ = (uint8_t)(unit >> 8 * (f % UNIT));
    }
}

void __hcr_copy_out(void *to, const void *from, hc_word size)
{
    uint8_t *t = to;

    for (const uint8_t *f = from; size; size--)
        __hcr_store8(*f++, t++);
}
#endif

void __hcr_set(void *to, hc_word value, hc_word size)
{
    uint8_t *t = to;
    hc_word all = (value & 0xff) * ((hc_word)-1 / 0xff);

    while (size) {
        hc_word bytes = size < UNIT ? size : UNIT;
        if (UNIT == 2 && bytes == 2 && !((uintptr_t)t & 1))
            __hcr_store16(all, t); /* the same goes out, and it takes less long */
        else
            __hcr_put(all, t, bytes);
        t += bytes;
        size -= bytes;
    }
}

/* ---- hc_update ---- */

static inline bool nothing_to_do(void)
{
    return ram.read == ram.written && ram.size < HC_REGION_WRITE;
}

static RARELY void encode_some(void)
{
    for (uint8_t i = 0; i < RECORDS && ram.read != ram.written && ram.size < HC_REGION_WRITE; i++)
        hc_region_encode();
}

/* Whole bytes that wait are older than HC_FLUSH seconds: they are written as they are, without a check, which would
 * cost more than they do. A clock that is looked at less often than every two seconds is slow. */
static inline __attribute__((always_inline)) bool is_old(void)
{
#if HC_REGION_TIMED
    uint16_t clock = ram.watched ? ram.clock : (ram.clock = hc_clock());

    if (clock == HC_NO_CLOCK)
        return false;
    uint8_t now = (uint8_t)(HC_MEMORY16(clock) >> 8);
    ram.age = ram.watched ? ram.age + (uint8_t)(now - ram.stamp) : 0;
    ram.stamp = now;
    ram.watched = true;
    return ram.age >= HC_FLUSH * 128;
#else
    return false;
#endif
}

static inline __attribute__((always_inline)) void forget_age(void)
{
#if HC_REGION_TIMED
    ram.watched = false;
#endif
}

static RARELY void flush(void)
{
    check_now();
    ram.seen = ram.flushed = ram.written;
    ram.due = true;
}

static RARELY void work(void)
{
    bool old = (ram.size || ram.read != ram.written) && is_old();
    uint16_t status = hc_critical_enter(), written = ram.written;

    ram.idle = ram.seen == written ? ram.idle + 1 : 0;
    ram.seen = written;
    ram.due |= old;
    if (ram.idle == HC_REGION_IDLE && (ram.ticks || ram.flushed != written))
        flush();
    hc_critical_leave(status);
    encode_some();
    if ((ram.due || ram.stopped || ram.size >= HC_REGION_WRITE) && hc_port_may_write(true))
        hc_region_write();
    if (!ram.size && ram.read == ram.written) {
        ram.due = false;
        forget_age();
    }
    ram.busy = ram.due || (ram.stopped && ram.size) || ram.size >= HC_REGION_WRITE;
}

void hc_update(void)
{
    if (ram.read != ram.written || ram.busy || ram.idle == HC_REGION_IDLE - 1 || (ram.size && is_old()))
        work();
    else if (ram.idle < HC_REGION_IDLE)
        ram.idle++;
}

void hc_update_later(void)
{
    if (nothing_to_do())
        return;
    encode_some();
    if (ram.size >= HC_REGION_WRITE && hc_port_may_write(true))
        hc_region_write();
    ram.busy = true; /* for hc_update, which has not seen what was encoded here */
}

void hc_checkpoint(void)
{
}

void hc_freeze(uint16_t reason)
{
    (void)reason;
}
