/* Stacks: the invocation that each word belongs to, and where stacks end. */
#include "shadow.h"

#include <string.h>

/* The serial numbers are used up: everything on stacks now belongs to the oldest invocation, and pointers to it lose
 * their tags. */
static void number_anew(struct hc_check *c)
{
    for (uint32_t w = 0; w < c->memory_size / 2; w++) {
        enum hc_tag_kind kind = HC_TAG_KIND(c->word[w].tag);
        if (kind == HC_TAG_LOCAL || kind == HC_TAG_FRAME)
            c->word[w].tag = 0;
        else if (kind == HC_TAG_RETURN)
            c->word[w].tag = hc_tag_make(HC_TAG_RETURN, 1, HC_TAG_START(c->word[w].tag), 0, 0);
        if (!hc_check_block_at(c, 2 * w))
            c->word[w].owner = 0;
    }
    for (int i = 0; i < HC_REGISTERS; i++)
        if (HC_TAG_KIND(c->reg[i].tag) == HC_TAG_LOCAL || HC_TAG_KIND(c->reg[i].tag) == HC_TAG_FRAME)
            c->reg[i].tag = 0;
    c->serial = 1;
    c->last_serial = 1;
}

static uint32_t new_serial(struct hc_check *c)
{
    if (c->last_serial + 1 == HC_SERIALS)
        number_anew(c);
    return ++c->last_serial;
}

void hc_check_stack_limit(struct hc_check *c)
{
    c->stack_low = c->stack_data;
    for (size_t i = 0; i < c->blocks; i++) {
        uint32_t end = c->block[i].start + c->block[i].size;
        if (!c->block[i].taken && end > c->stack_low && end <= c->r[HC_SP] && end <= c->stack_high)
            c->stack_low = end;
    }
}

static void overflow(struct hc_check *c, uint32_t to, uint32_t pc)
{
    struct hc_check_finding *f = hc_check_find(c, HC_CHECK_STACK, pc);

    c->stack_high = 0; /* reported once: further errors are a consequence */
    if (!f)
        return;
    f->address = to;
    f->write = true;
    hc_check_describe(c, to, &f->there);
    f->object = (struct hc_check_object){ "the stack", c->stack_low, 0 };
}

void hc_check_stack_moves(struct hc_check *c, uint32_t to, uint32_t pc)
{
    uint32_t from = c->r[HC_SP] & ~1u;

    if (to >= from || from - to > HC_LARGEST_OBJECT || from > c->memory_size)
        return;
    if (c->stack_high && to < c->stack_low && !c->quiet)
        overflow(c, to, pc);
    memset(c->undefined + to, 0xff, from - to);
    for (uint32_t w = to >> 1; w < from >> 1; w++) {
        c->word[w].tag = 0;
        c->word[w].owner = c->serial;
        c->word[w].writer = 0;
    }
}

/* Records that data ends at END, if that is below the stack that begins at TOP, in the same memory. */
static void raise(struct hc_check *c, uint32_t end, uint32_t top)
{
    if (end <= top && end > c->stack_data && hc_region_kind(c->machine, end - 1) == hc_region_kind(c->machine, top - 2))
        c->stack_data = end;
}

/* Whether invocations end when SP goes up to TO. */
static bool leaves_frames(const struct hc_check *c, uint32_t to)
{
    for (uint32_t at = c->r[HC_SP] & ~1u; at < to && at + 2 <= c->memory_size; at += 2)
        if (HC_TAG_KIND(c->word[at >> 1].tag) == HC_TAG_RETURN)
            return true;
    return false;
}

/* The stack that contains TO: a thread's array, or the memory above all data. */
void hc_check_stack_switches(struct hc_check *c, uint32_t to, uint32_t pc)
{
    if (c->stack_high && to >= c->stack_low && to <= c->stack_high) {
        if (to < c->r[HC_SP]) /* room for an array of variable length */
            hc_check_stack_moves(c, to, pc);
        else if (leaves_frames(c, to)) /* a longjmp: the invocation is not known */
            c->serial = new_serial(c);
        return;
    }
    c->serial = new_serial(c);
    c->stack_high = to;
    c->stack_data = 0;
    const struct hc_check_global *in = to ? hc_check_global_at(c, to - 1) : NULL;
    if (in) {
        c->stack_low = c->stack_data = in->start;
        c->stack_high = in->start + in->size;
        return;
    }
    for (size_t i = 0; i < c->globals; i++)
        raise(c, c->global[i].start + c->global[i].size, to);
    uint32_t start, end;
    for (size_t i = 0; hc_image_reserved(c->image, i, &start, &end); i++) /* the stack itself may be reserved */
        raise(c, start < to && to <= end ? start : end, to);
    hc_check_stack_limit(c);
}

/* The return address BACK, SIZE bytes, is about to be put at SLOT. */
void hc_check_called(struct hc_check *c, uint32_t slot, uint32_t size, uint32_t back)
{
    uint32_t caller = c->serial;

    c->serial = new_serial(c);
    if (slot + size > c->memory_size)
        return;
    for (uint32_t i = 0; i < size; i += 2) {
        uint32_t w = (slot + i) >> 1;
        c->word[w].tag = 0;
        c->word[w].owner = c->serial;
        c->word[w].writer = 0;
    }
    memset(c->undefined + slot, 0, size);
    c->word[slot >> 1].tag = hc_tag_make(HC_TAG_RETURN, caller, back & 0xfffff, 0, 0);
}

void hc_check_returned(struct hc_check *c, uint32_t slot)
{
    if (slot + 2 > c->memory_size || HC_TAG_KIND(c->word[slot >> 1].tag) != HC_TAG_RETURN) {
        c->serial = new_serial(c);
        return;
    }
    c->serial = HC_TAG_SERIAL(c->word[slot >> 1].tag);
    c->word[slot >> 1].tag = 0;
}
