/* How shadows move: a routine for each common form of an instruction, chosen when it is decoded.
 *
 * - Uninitialised bits: MOVE copies them; AND and OR with constants mask them; sums spread them upwards; shifts shift
 *   them. They are reported when they decide a branch, are used as an address, or go to a peripheral.
 *
 * - Tags of pointers: MOVE of a word copies them; pointer + number and pointer - number keep them; all other results
 *   have none. Constants get them from hc_check_tag_of_value, copies of SP from the debug information. */
#include "shadow.h"

#include <stdlib.h>

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

/* ---- accesses ---- */

INLINE uint32_t address_of(const struct hc_check *c, const struct hc_step_operand *o, int mode)
{
    uint32_t base = c->r[o->reg];

    if (mode == HC_STEP_ABSOLUTE)
        return o->value;
    if (mode != HC_STEP_INDEXED)
        return base;
    return likely(base < c->steps->near) ? (base + o->value) & (c->steps->near - 1) : c->steps->address(base, o->value);
}

/* Whether the pointer belongs to an invocation that has not returned, or to one of its callers. */
static bool is_alive(const struct hc_check *c, hc_tag tag, uint32_t address)
{
    uint32_t owner = c->word[address >> 1].owner, serial = HC_TAG_SERIAL(tag);

    if (HC_TAG_KIND(tag) == HC_TAG_HEAP)
        return owner == serial;
    if (HC_TAG_KIND(tag) == HC_TAG_GLOBAL || !c->stack_high)
        return true;
    if (address < c->r[HC_SP] && address >= c->stack_low)
        return false;
    return owner <= serial;
}

NOINLINE void access_slowly(struct hc_check *c, const struct hc_check_step *s, struct hc_check_shadow *pointer,
                            const struct hc_step_operand *o, struct hc_check_local *local, uint32_t address,
                            uint32_t size, bool write)
{
    hc_tag tag = pointer->tag;

    if (c->quiet || address >= c->memory_size)
        return;
    if (HC_TAG_KIND(tag) == HC_TAG_FRAME) {
        if (!is_alive(c, tag, address)) {
            hc_check_wrong_access(c, &s->s, tag, NULL, address, size, write);
            pointer->tag = 0;
            return;
        }
        if (HC_TAG_SERIAL(tag) != (c->serial & (HC_SERIALS - 1)))
            return;
        uint32_t base = HC_TAG_START(tag) + (o->mode == HC_STEP_INDEXED ? o->value : 0);
        base &= c->steps->near - 1;
        hc_check_local_find(c, s->s.pc, base, local);
        if (local->size <= 8 ||
            local->offset) /* a small object, or an address within it: it may be computed from a neighbour */
            return;
        tag = hc_tag_make(HC_TAG_LOCAL, c->serial, base, local->size, HC_TAG_CERTAIN);
        if (address - base + size <= local->size)
            return;
        hc_check_wrong_access(c, &s->s, tag, local, address, size, write);
        return;
    }
    bool within = address - HC_TAG_START(tag) + size <= HC_TAG_SIZE(tag) && address >= HC_TAG_START(tag);
    if (within && is_alive(c, tag, address)) {
        pointer->tag |= HC_TAG_CONFIRMED;
        return;
    }
    if (within || tag & (HC_TAG_CERTAIN | HC_TAG_CONFIRMED)) {
        hc_check_wrong_access(c, &s->s, tag, NULL, address, size, write);
        pointer->tag &= ~(HC_TAG_CERTAIN | HC_TAG_CONFIRMED);
    } else {
        pointer->tag = 0; /* it did not belong to that object */
    }
}

/* An access through an uninitialised address. */
NOINLINE void address_undefined(struct hc_check *c, const struct hc_check_step *s, struct hc_check_shadow *pointer)
{
    pointer->undefined = 0;
    if (!c->quiet)
        hc_check_found_unset(c, &s->s, "an address", HC_CHECK_NOWHERE, 0);
}

INLINE void check_access(struct hc_check *c, const struct hc_check_step *s, const struct hc_step_operand *o,
                         struct hc_check_local *local, hc_tag object, int mode, uint32_t address, uint32_t size,
                         bool write)
{
    if (mode == HC_STEP_ABSOLUTE || o->reg == HC_SP)
        return;
    struct hc_check_shadow *pointer = &c->reg[o->reg];
    if (unlikely(pointer->undefined))
        address_undefined(c, s, pointer);
    hc_tag tag = pointer->tag;
    if (mode == HC_STEP_INDEXED && object && !tag) {
        if (likely(address - HC_TAG_START(object) + size <= HC_TAG_SIZE(object) && address >= HC_TAG_START(object)))
            return;
        struct hc_check_shadow array = { .tag = object };
        access_slowly(c, s, &array, o, local, address, size, write);
    } else if (tag) {
        if (likely(tag & HC_TAG_CONFIRMED && HC_TAG_KIND(tag) == HC_TAG_GLOBAL &&
                   address - HC_TAG_START(tag) + size <= HC_TAG_SIZE(tag)))
            return;
        access_slowly(c, s, pointer, o, local, address, size, write);
    }
}

INLINE struct hc_check_shadow load(struct hc_check *c, uint32_t address, int size)
{
    struct hc_check_shadow v = { 0 };

    if (unlikely(address >= c->memory_size))
        return v;
    if (size == 1) {
        v.undefined = c->undefined[address];
    } else {
        v.undefined = *(uint16_t *)(c->undefined + (address & ~1u));
        v.tag = c->word[address >> 1].tag;
        if (unlikely(HC_TAG_KIND(v.tag) == HC_TAG_RETURN))
            v.tag = 0;
    }
    return v;
}

NOINLINE void stored_undefined(struct hc_check *c, const struct hc_check_step *s, uint32_t address)
{
    if (!c->quiet && hc_region_kind(c->machine, address) == HC_IO)
        hc_check_found_unset(c, &s->s, "a peripheral's register", HC_CHECK_NOWHERE, 0);
}

/* Except by code that uses SP itself: that is assembly, and intended. */
NOINLINE void overwritten(struct hc_check *c, const struct hc_check_step *s, uint32_t address, uint32_t size)
{
    struct hc_check_finding *f;
    bool meant = s->s.destination.mode == HC_STEP_INDEXED && s->s.destination.reg == HC_SP;

    if (meant || c->quiet || address < c->r[HC_SP] || !c->stack_high || address >= c->stack_high ||
        !(f = hc_check_find(c, HC_CHECK_RETURN, s->s.pc)))
        return;
    f->address = address;
    f->size = size;
    f->write = true;
    hc_check_describe(c, address, &f->there);
}

INLINE void store(struct hc_check *c, const struct hc_check_step *s, uint32_t address, struct hc_check_shadow v,
                  int size)
{
    uint32_t w = address >> 1;

    if (unlikely(address >= c->memory_size))
        return;
    if (unlikely(HC_TAG_KIND(c->word[w].tag) == HC_TAG_RETURN))
        overwritten(c, s, address, (uint32_t)size);
    if (unlikely(v.undefined))
        stored_undefined(c, s, address);
    if (size == 1) {
        c->undefined[address] = (uint8_t)v.undefined;
        c->word[w].tag = 0;
    } else {
        *(uint16_t *)(c->undefined + (address & ~1u)) = (uint16_t)v.undefined;
        c->word[w].tag = v.tag;
    }
    c->word[w].writer = s->s.pc;
}

/* ---- arithmetic ---- */

INLINE uint32_t spread(uint32_t undefined, uint32_t mask)
{
    return undefined ? (~0u << __builtin_ctz(undefined)) & mask : 0;
}

/* The tag of a sum: that of the only operand that has one. */
INLINE hc_tag tag_of_sum(hc_tag a, hc_tag b)
{
    return !b ? a : !a ? b : 0;
}

NOINLINE void branch_undefined(struct hc_check *c, const struct hc_check_step *s, uint32_t address)
{
    if (!c->quiet)
        hc_check_found_unset(c, &s->s, "a branch", address, s->s.size);
}

/* The value of an operand that is not in memory; for one in memory, all bits. */
INLINE uint32_t known(const struct hc_check *c, const struct hc_step_operand *o, int mode)
{
    return mode == HC_STEP_CONSTANT ? o->value : mode == HC_STEP_REGISTER ? c->r[o->reg] : ~0u;
}

INLINE struct hc_check_shadow combine(struct hc_check *c, const struct hc_check_step *s, int kind, int smode, int dmode,
                                      struct hc_check_shadow a, struct hc_check_shadow b, uint32_t mask)
{
    struct hc_check_shadow v = { 0 };
    uint32_t both = (a.undefined | b.undefined) & mask;
    bool same = smode == HC_STEP_REGISTER && dmode == HC_STEP_REGISTER && s->s.source.reg == s->s.destination.reg;
    uint32_t x = known(c, &s->s.source, smode), y = known(c, &s->s.destination, dmode);

    switch (kind) {
    case HC_STEP_ADD:
        v.undefined = both ? (same ? both << 1 & mask : spread(both, mask)) : 0;
        v.tag = tag_of_sum(a.tag, b.tag);
        break;
    case HC_STEP_SUBTRACT:
    case HC_STEP_COMPARE:
        v.undefined = same ? 0 : spread(both, mask);
        v.tag = a.tag ? 0 : b.tag;
        break;
    case HC_STEP_ADD_CARRY:
        v.undefined = c->carry ? mask : spread(both, mask);
        break;
    case HC_STEP_AND:
    case HC_STEP_TEST:
        v.undefined = both ? ((a.undefined & (y | b.undefined)) | (b.undefined & (x | a.undefined))) & mask : 0;
        v.tag = b.tag;
        break;
    case HC_STEP_CLEAR:
        v.undefined = both ? ((a.undefined & y) | a.undefined | (b.undefined & ~(x & ~a.undefined))) & mask : 0;
        if (smode == HC_STEP_CONSTANT)
            v.undefined = b.undefined & ~x & mask;
        v.tag = b.tag;
        break;
    case HC_STEP_SET:
        v.undefined = smode == HC_STEP_CONSTANT ? b.undefined & ~x & mask : both;
        v.tag = b.tag;
        break;
    case HC_STEP_XOR:
        v.undefined = same ? 0 : both;
        break;
    default:
        v.undefined = both ? mask : 0;
        break;
    }
    return v;
}

/* The same if everything is initialised. */
INLINE struct hc_check_shadow combine_plainly(int kind, struct hc_check_shadow a, struct hc_check_shadow b)
{
    struct hc_check_shadow v = { 0 };

    if (kind == HC_STEP_ADD)
        v.tag = tag_of_sum(a.tag, b.tag);
    else if (kind == HC_STEP_SUBTRACT)
        v.tag = a.tag ? 0 : b.tag;
    else if (kind == HC_STEP_AND || kind == HC_STEP_CLEAR || kind == HC_STEP_SET)
        v.tag = b.tag;
    return v;
}

/* ---- instructions of two operands ---- */

INLINE struct hc_check_shadow source_of(struct hc_check *c, const struct hc_check_step *s, int mode, int size,
                                        uint32_t *address)
{
    const struct hc_step_operand *o = &s->s.source;
    struct hc_check_shadow v = { 0 };

    *address = HC_CHECK_NOWHERE;
    if (mode == HC_STEP_CONSTANT)
        return (struct hc_check_shadow){ .tag = s->source_object };
    if (mode == HC_STEP_REGISTER) {
        v = c->reg[o->reg];
    } else {
        *address = address_of(c, o, mode);
        check_access(c, s, o, (struct hc_check_local *)&s->source_local, s->source_object, mode, *address,
                     (uint32_t)size, false);
        v = load(c, *address, size);
    }
    if (size == 1)
        v = (struct hc_check_shadow){ .undefined = v.undefined & 0xff };
    return v;
}

INLINE void follow(struct hc_check *c, const struct hc_check_step *s, int kind, int smode, int dmode, int size)
{
    uint32_t mask = size == 1 ? 0xff : size == 2 ? 0xffff : 0xfffff, from, to = 0;
    const struct hc_step_operand *d = &s->s.destination;
    struct hc_check_shadow a = source_of(c, s, smode, size, &from), b = { 0 };

    if (dmode == HC_STEP_REGISTER) {
        b = c->reg[d->reg];
    } else {
        to = address_of(c, d, dmode);
        check_access(c, s, d, (struct hc_check_local *)&s->destination_local, s->destination_object, dmode, to,
                     (uint32_t)size, kind != HC_STEP_COMPARE && kind != HC_STEP_TEST);
        if (kind != HC_STEP_MOVE)
            b = load(c, to, size);
    }
    bool plain = likely(!(a.undefined | b.undefined) && (kind != HC_STEP_ADD_CARRY || !c->carry));
    if (plain && (kind == HC_STEP_COMPARE || kind == HC_STEP_TEST)) {
        hc_check_set_carry(c, false);
        return;
    }
    struct hc_check_shadow v = kind == HC_STEP_MOVE ? a
                               : plain              ? combine_plainly(kind, a, b)
                                                    : combine(c, s, kind, smode, dmode, a, b, mask);
    if (kind != HC_STEP_MOVE && kind != HC_STEP_SET && kind != HC_STEP_CLEAR) {
        hc_check_set_carry(c, v.undefined != 0);
        if (unlikely(v.undefined && s->s.decides))
            branch_undefined(c, s, a.undefined ? from : dmode == HC_STEP_REGISTER ? HC_CHECK_NOWHERE : to);
    }
    if (kind == HC_STEP_COMPARE || kind == HC_STEP_TEST)
        return;
    if (dmode == HC_STEP_REGISTER) {
        struct hc_check_shadow byte = { .undefined = v.undefined };
        hc_check_set_register(c, d->reg, size == 1 ? byte : v);
    } else {
        store(c, s, to, v, size);
    }
}

#define EACH_DESTINATION(DO, kind, size, source) \
    DO(kind, size, source, REGISTER) DO(kind, size, source, INDEXED) DO(kind, size, source, ABSOLUTE)
#define EACH_SOURCE(DO, kind, size)            \
    EACH_DESTINATION(DO, kind, size, REGISTER) \
    EACH_DESTINATION(DO, kind, size, CONSTANT) \
    EACH_DESTINATION(DO, kind, size, INDEXED)  \
    EACH_DESTINATION(DO, kind, size, ABSOLUTE) \
    EACH_DESTINATION(DO, kind, size, INDIRECT) EACH_DESTINATION(DO, kind, size, INCREMENT)
#define EACH_KIND(DO)            \
    EACH_SOURCE(DO, MOVE, 1)     \
    EACH_SOURCE(DO, MOVE, 2)     \
    EACH_SOURCE(DO, ADD, 2)      \
    EACH_SOURCE(DO, SUBTRACT, 2) \
    EACH_SOURCE(DO, COMPARE, 1) EACH_SOURCE(DO, COMPARE, 2) EACH_SOURCE(DO, AND, 2) EACH_SOURCE(DO, XOR, 2)

#define ROUTINE(kind, size, source, destination)                                                                \
    static void follow_##kind##_##size##_##source##_##destination(void *c, struct hc_machine *m, const void *s) \
    {                                                                                                           \
        (void)m;                                                                                                \
        follow(c, s, HC_STEP_##kind, HC_STEP_##source, HC_STEP_##destination, size);                            \
    }
EACH_KIND(ROUTINE)

static void follow_any(void *c, struct hc_machine *m, const void *step)
{
    const struct hc_check_step *s = step;

    (void)m;
    follow(c, s, s->s.kind, s->s.source.mode, s->s.destination.mode, s->s.size);
}

static hc_follow_fn *choose_double(const struct hc_step *s)
{
#define CASE(k, n, source_mode, destination_mode)                                              \
    if (s->kind == HC_STEP_##k && s->size == (n) && s->source.mode == HC_STEP_##source_mode && \
        s->destination.mode == HC_STEP_##destination_mode)                                     \
        return follow_##k##_##n##_##source_mode##_##destination_mode;
    EACH_KIND(CASE)
    return follow_any;
}

/* ---- one operand ---- */

static void follow_single(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    const struct hc_check_step *s = step;
    uint32_t mask = s->s.size == 1 ? 0xff : 0xffff, address;
    struct hc_check_shadow v = source_of(c, s, s->s.source.mode, s->s.size, &address);
    uint32_t u = v.undefined;

    (void)m;
    v.tag = 0;
    switch (s->s.kind) {
    case HC_STEP_SHIFT_RIGHT:
        v.undefined = (u & mask) >> 1 | (u & (mask ^ mask >> 1));
        break;
    case HC_STEP_ROTATE:
        v.undefined = (u & mask) >> 1 | (c->carry ? mask ^ mask >> 1 : 0);
        break;
    case HC_STEP_SWAP:
        v.undefined = (u & 0xff) << 8 | (u >> 8 & 0xff);
        break;
    case HC_STEP_EXTEND:
        v.undefined = (u & 0xff) | (u & 0x80 ? 0xff00 : 0);
        break;
    default:
        v.undefined = u ? mask : 0;
        break;
    }
    if (s->s.kind != HC_STEP_SWAP) {
        bool out = u & 1;
        if (unlikely(s->s.decides && u))
            branch_undefined(c, s, address);
        hc_check_set_carry(c, s->s.kind == HC_STEP_EXTEND ? v.undefined != 0 : out);
    }
    if (s->s.source.mode == HC_STEP_REGISTER)
        hc_check_set_register(c, s->s.source.reg, v);
    else if (s->s.source.mode != HC_STEP_CONSTANT)
        store(c, s, address, v, s->s.size);
}

/* ---- the stack ---- */

static void follow_push(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    const struct hc_check_step *s = step;
    uint32_t address, slot = (c->r[HC_SP] & ~1u) - 2;
    struct hc_check_shadow v = source_of(c, s, s->s.source.mode, s->s.size, &address);

    (void)m;
    hc_check_stack_moves(c, slot, s->s.pc);
    if (slot >= c->memory_size)
        return;
    *(uint16_t *)(c->undefined + slot) = (uint16_t)v.undefined;
    c->word[slot >> 1].tag = v.tag;
    c->word[slot >> 1].writer = s->s.pc;
}

static void follow_many(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    const struct hc_check_step *s = step;
    uint32_t at = c->r[HC_SP] & ~1u, n = s->s.size == 4 ? 4 : 2;

    (void)m;
    if (s->s.kind == HC_STEP_PUSH_MANY)
        hc_check_stack_moves(c, at - n * s->s.count, s->s.pc);
    for (unsigned i = 0; i < s->s.count; i++) {
        struct hc_check_shadow *reg =
            &c->reg[(s->s.source.reg + (s->s.kind == HC_STEP_PUSH_MANY ? 0u - i : i)) % HC_REGISTERS];
        if (s->s.kind == HC_STEP_PUSH_MANY) {
            at -= n;
            for (uint32_t k = 0; k < n && at + k < c->memory_size; k++)
                c->undefined[at + k] = k < 2 ? (uint8_t)(reg->undefined >> 8 * k) : 0;
            if (at < c->memory_size)
                c->word[at >> 1].tag = reg->tag;
        } else {
            hc_check_set_register(c, (int)(reg - c->reg), load(c, at, 2));
            at += n;
        }
    }
}

static void follow_call(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    const struct hc_check_step *s = step;
    uint32_t slot = (c->r[HC_SP] & ~1u) - s->s.size, address;

    (void)m;
    if (s->s.source.mode != HC_STEP_CONSTANT) {
        struct hc_check_shadow v = source_of(c, s, s->s.source.mode, 2, &address);
        if (unlikely(v.undefined))
            branch_undefined(c, s, address);
    }
    hc_check_stack_moves(c, slot, s->s.pc);
    hc_check_called(c, slot, s->s.size, s->s.next);
}

static void follow_return(void *owner, struct hc_machine *m, const void *step)
{
    const struct hc_check_step *s = step;
    struct hc_check *c = owner;
    uint32_t sp = c->r[HC_SP] & ~1u;

    (void)m;
    hc_check_returned(c, s->s.kind == HC_STEP_RETURN ? sp : sp + c->target->cpu->frame.pc);
}

static void follow_jump(void *owner, struct hc_machine *m, const void *step)
{
    const struct hc_check_step *s = step;
    uint32_t address;
    struct hc_check_shadow v = source_of(owner, s, s->s.source.mode, 2, &address);

    (void)m;
    if (unlikely(v.undefined))
        branch_undefined(owner, s, address);
}

static uint32_t value_of(struct hc_check *c, const struct hc_step_operand *o)
{
    if (o->mode == HC_STEP_CONSTANT)
        return o->value;
    if (o->mode == HC_STEP_REGISTER)
        return c->r[o->reg];
    return hc_peek16(c->machine, address_of(c, o, o->mode));
}

/* SP is the destination. */
static void follow_to_stack_pointer(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    const struct hc_check_step *s = step;
    uint32_t value = value_of(c, &s->s.source), wrap = c->steps->near - 1;

    (void)m;
    if (s->s.kind == HC_STEP_ADD)
        hc_check_stack_moves(c, (c->r[HC_SP] + value) & wrap & ~1u, s->s.pc);
    else if (s->s.kind == HC_STEP_SUBTRACT)
        hc_check_stack_moves(c, (c->r[HC_SP] - value) & wrap & ~1u, s->s.pc);
    else if (s->s.kind == HC_STEP_MOVE)
        hc_check_stack_switches(c, value & ~1u, s->s.pc);
}

/* SP is the source: an address on the frame. */
static void follow_from_stack_pointer(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    struct hc_check_step *s = (struct hc_check_step *)step;
    struct hc_check_shadow *to = &c->reg[s->s.destination.reg];
    uint32_t sp = c->r[HC_SP];
    hc_tag frame = hc_tag_make(HC_TAG_FRAME, c->serial, sp, 0, 0);

    (void)m;
    *c->marks |= 1u << s->s.destination.reg;
    if (s->s.kind == HC_STEP_ADD) {
        to->tag = to->tag ? 0 : frame;
        return;
    }
    *to = (struct hc_check_shadow){ .tag = frame };
    if (s->grows)
        return;
    hc_check_local_find(c, s->s.pc, sp, &s->source_local);
    if (s->source_local.size && !s->source_local.offset)
        to->tag = hc_check_tag_of_local(c, &s->source_local, sp);
}

/* A constant is added to a register: the address of a local variable, if it was a copy of SP. */
static void follow_add_constant(void *owner, struct hc_machine *m, const void *step)
{
    struct hc_check *c = owner;
    struct hc_check_step *s = (struct hc_check_step *)step;
    struct hc_check_shadow *to = &c->reg[s->s.destination.reg];

    if (likely(!to->undefined && HC_TAG_KIND(to->tag) != HC_TAG_FRAME)) { /* it keeps its shadow */
        hc_check_set_carry(c, false);
        return;
    }
    if (HC_TAG_KIND(to->tag) != HC_TAG_FRAME || HC_TAG_START(to->tag) != c->r[s->s.destination.reg]) {
        follow_ADD_2_CONSTANT_REGISTER(c, m, s);
        return;
    }
    uint32_t address = (c->r[s->s.destination.reg] + s->s.source.value) & (c->steps->near - 1);
    hc_check_local_find(c, s->s.pc, address, &s->source_local);
    if (s->source_local.size)
        to->tag = hc_check_tag_of_local(c, &s->source_local, address);
    else
        to->tag = hc_tag_make(HC_TAG_FRAME, c->serial, address, 0, 0);
}

/* ---- choosing ---- */

static bool adds_to(struct hc_check *c, uint32_t pc, int reg)
{
    struct hc_step next;

    c->steps->decode(c->machine, pc, &next);
    return next.kind == HC_STEP_ADD && next.destination.mode == HC_STEP_REGISTER && next.destination.reg == reg;
}

static hc_follow_fn *choose_stack(struct hc_check *c, struct hc_check_step *s)
{
    const struct hc_step_operand *a = &s->s.source, *b = &s->s.destination;

    if (b->mode == HC_STEP_REGISTER && b->reg == HC_SP && a->mode != HC_STEP_CONSTANT)
        hc_check_frame_is_dynamic(c, s->s.pc);
    if (b->mode == HC_STEP_REGISTER && b->reg == HC_SP)
        return s->s.kind == HC_STEP_COMPARE || s->s.kind == HC_STEP_TEST ? NULL : follow_to_stack_pointer;
    if (a->mode != HC_STEP_REGISTER || a->reg != HC_SP || b->mode != HC_STEP_REGISTER || s->s.size != 2)
        return NULL;
    if (b->reg == c->steps->frame_pointer || (s->s.kind != HC_STEP_MOVE && s->s.kind != HC_STEP_ADD))
        return NULL;
    s->grows = adds_to(c, s->s.next, b->reg);
    return follow_from_stack_pointer;
}

static void name_objects(struct hc_check *c, struct hc_check_step *s)
{
    const struct hc_step_operand *a = &s->s.source, *b = &s->s.destination;
    bool moves = s->s.kind == HC_STEP_MOVE || s->s.kind == HC_STEP_ADD || s->s.kind == HC_STEP_PUSH;

    if (s->s.size == 2 && a->mode == HC_STEP_CONSTANT && moves)
        s->source_object = hc_check_tag_of_value(c, a->value, a->word, false);
    if (a->mode == HC_STEP_INDEXED)
        s->source_object = hc_check_tag_of_value(c, a->value, a->word, true);
    if (b->mode == HC_STEP_INDEXED)
        s->destination_object = hc_check_tag_of_value(c, b->value, b->word, true);
}

static hc_follow_fn *choose_routine(struct hc_check *c, struct hc_check_step *s)
{
    hc_follow_fn *stack;

    switch (s->s.kind) {
    case HC_STEP_NONE:
        return NULL;
    case HC_STEP_SHIFT_RIGHT:
    case HC_STEP_ROTATE:
    case HC_STEP_SWAP:
    case HC_STEP_EXTEND:
        return follow_single;
    case HC_STEP_PUSH:
        return follow_push;
    case HC_STEP_PUSH_MANY:
    case HC_STEP_POP_MANY:
        return follow_many;
    case HC_STEP_CALL:
        return follow_call;
    case HC_STEP_RETURN:
    case HC_STEP_RETURN_FROM_INTERRUPT:
        return follow_return;
    case HC_STEP_JUMP_TO:
        return follow_jump;
    default:
        stack = choose_stack(c, s);
        if (stack)
            return stack;
        if (s->s.kind == HC_STEP_ADD && s->s.size == 2 && s->s.source.mode == HC_STEP_CONSTANT && !s->source_object &&
            s->s.destination.mode == HC_STEP_REGISTER)
            return follow_add_constant;
        return choose_double(&s->s);
    }
}

/* Without memory and objects, no shadow moves unless one of the registers has one. */
static uint32_t marks_of(const struct hc_check_step *s)
{
    const struct hc_step_operand *a = &s->s.source, *b = &s->s.destination;
    bool computes = s->s.kind >= HC_STEP_MOVE && s->s.kind <= HC_STEP_EXTEND;

    if (!computes || a->mode > HC_STEP_CONSTANT || b->mode != HC_STEP_REGISTER || s->source_object ||
        (a->mode == HC_STEP_REGISTER && a->reg == HC_SP) || b->reg == HC_SP)
        return 0;
    return HC_CHECK_CARRY | 1u << b->reg | (a->mode == HC_STEP_REGISTER ? 1u << a->reg : 0);
}

hc_follow_fn *hc_check_choose(void *owner, struct hc_machine *m, uint32_t pc, const void **step, uint32_t *marks)
{
    struct hc_check *c = owner;

    if (pc >= c->memory_size)
        return NULL;
    struct hc_check_step **s = &c->step[pc >> 1];
    if (!*s && !(*s = calloc(1, sizeof **s)))
        abort();
    **s = (struct hc_check_step){ 0 };
    c->steps->decode(m, pc, &(*s)->s);
    name_objects(c, *s);
    *step = *s;
    *marks = marks_of(*s);
    return choose_routine(c, *s);
}
