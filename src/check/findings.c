#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_check_kind_names[HC_CHECK_KINDS] = {
    "out of bounds", "use after free", "bad free", "use after return", "return address overwritten",
    "never set",     "stack overflow",
};

/* Return addresses on the stack, the innermost first. */
static int callers(const struct hc_check *c, uint32_t *out)
{
    uint32_t sp = c->r[HC_SP] & ~1u, end = c->stack_high ? c->stack_high : sp;
    int n = 0;

    for (uint32_t at = sp; at < end && at + 2 <= c->memory_size && n < HC_CHECK_CALLERS; at += 2)
        if (HC_TAG_KIND(c->word[at >> 1].tag) == HC_TAG_RETURN)
            out[n++] = HC_TAG_START(c->word[at >> 1].tag);
    return n;
}

struct hc_check_finding *hc_check_find(struct hc_check *c, enum hc_check_kind kind, uint32_t pc)
{
    struct hc_statistics s;

    for (size_t i = 0; i < c->findings; i++)
        if (c->finding[i].kind == kind && c->finding[i].pc == pc) {
            c->finding[i].count++;
            return NULL;
        }
    if (c->findings == HC_CHECK_FINDINGS) {
        c->dropped++;
        return NULL;
    }
    if (c->findings == c->finding_room) {
        c->finding_room = c->finding_room ? 2 * c->finding_room : 16;
        c->finding = realloc(c->finding, c->finding_room * sizeof *c->finding);
        if (!c->finding)
            abort();
    }
    hc_machine_statistics(c->machine, &s);
    struct hc_check_finding *f = &c->finding[c->findings++];
    *f = (struct hc_check_finding){ .kind = kind, .pc = pc, .count = 1, .writer = HC_CHECK_NOWHERE };
    f->instructions = s.instructions;
    f->callers = callers(c, f->caller);
    return f;
}

static void note_access(struct hc_check *c, struct hc_check_finding *f, uint32_t address, uint32_t size, bool write)
{
    f->address = address;
    f->size = size;
    f->write = write;
    if (address < c->memory_size && c->word[address >> 1].writer)
        f->writer = c->word[address >> 1].writer;
    hc_check_describe(c, address, &f->there);
}

static void note_object(struct hc_check *c, struct hc_check_finding *f, hc_tag tag, const struct hc_check_local *local)
{
    const struct hc_check_block *b;

    f->object.start = HC_TAG_START(tag);
    f->object.size = HC_TAG_SIZE(tag);
    switch (HC_TAG_KIND(tag)) {
    case HC_TAG_HEAP:
        snprintf(f->object.name, HC_CHECK_NAME, "a block of the heap");
        if ((b = hc_check_block_of(c, HC_TAG_SERIAL(tag)))) {
            f->given = b->given;
            f->taken = b->taken;
        }
        break;
    case HC_TAG_GLOBAL:
        hc_check_describe(c, f->object.start, &f->object);
        break;
    default:
        if (!local)
            local = c->named[f->object.start / 2 % HC_CHECK_NAMED];
        snprintf(f->object.name, HC_CHECK_NAME, "%s",
                 local && local->size == f->object.size ? local->name : "a local variable");
    }
}

void hc_check_wrong_access(struct hc_check *c, const struct hc_step *s, hc_tag tag, const struct hc_check_local *local,
                           uint32_t address, uint32_t size, bool write)
{
    bool within = address - HC_TAG_START(tag) < HC_TAG_SIZE(tag);
    bool stack = HC_TAG_KIND(tag) == HC_TAG_LOCAL || HC_TAG_KIND(tag) == HC_TAG_FRAME;
    enum hc_check_kind kind = !within && HC_TAG_SIZE(tag)       ? HC_CHECK_BOUNDS
                              : HC_TAG_KIND(tag) == HC_TAG_HEAP ? HC_CHECK_FREED
                              : stack                           ? HC_CHECK_RETURNED
                                                                : HC_CHECK_BOUNDS;
    struct hc_check_finding *f = hc_check_find(c, kind, s->pc);

    if (!f)
        return;
    note_access(c, f, address, size, write);
    note_object(c, f, tag, local);
}

void hc_check_found_unset(struct hc_check *c, const struct hc_step *s, const char *use, uint32_t address, uint32_t size)
{
    struct hc_check_finding *f = c->no_unset ? NULL : hc_check_find(c, HC_CHECK_UNSET, s->pc);

    if (!f)
        return;
    f->use = use;
    if (address != HC_CHECK_NOWHERE) {
        note_access(c, f, address, size, false);
        f->object = f->there;
    }
}

size_t hc_check_findings(const struct hc_check *c, const struct hc_check_finding **out)
{
    *out = c->finding;
    return c->findings;
}

uint64_t hc_check_dropped(const struct hc_check *c)
{
    return c->dropped;
}
