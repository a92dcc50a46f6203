#include "name_address.h"

#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

/* The member with the byte at *OFFSET, which becomes the byte's in the member. */
static const struct hc_member *member_at(const struct hc_type *type, uint32_t *offset)
{
    for (size_t i = 0; i < type->members; i++) {
        const struct hc_member *m = &type->member[i];
        const struct hc_type *t = hc_type_strip(m->type);
        uint32_t start = m->bits ? m->offset / 8 : m->offset;
        uint32_t size = m->bits ? (m->offset + m->bits + 7) / 8 - start : t ? t->size : 0;
        if (*offset >= start && *offset - start < size) {
            *offset -= start;
            return m;
        }
    }
    return NULL;
}

/* Appends ".next", "[3]" and so on, as far as it is unambiguous, which a member of a union is not. */
static void append_part(const struct hc_type *type, uint32_t offset, char *out, size_t size)
{
    const struct hc_type *t = hc_type_strip(type), *element = t ? hc_type_strip(t->target) : NULL;
    size_t used = strlen(out);

    if (t && t->kind == HC_TYPE_ARRAY && element && element->size) {
        snprintf(out + used, size - used, "[%u]", (unsigned)(offset / element->size));
        append_part(element, offset % element->size, out, size);
    } else if (t && t->kind == HC_TYPE_STRUCT) {
        const struct hc_member *m = member_at(t, &offset);
        if (m && m->name)
            snprintf(out + used, size - used, ".%s", m->name);
        if (m)
            append_part(m->type, offset, out, size);
    }
}

/* ---- variables ---- */

struct search {
    const struct hc_context *context;
    uint32_t address;
    const char *function; /* NULL: a variable of the program */
    char *out;
    size_t size;
    bool found;
    int depth;  /* how deep the scope is of what was found, */
    bool exact; /* and whether it is there at this very instruction */
};

/* The byte of the variable that is at the address; the variable may be in pieces. */
static bool is_in(const struct hc_location *location, const struct hc_type *type, uint32_t address, uint32_t *offset)
{
    uint32_t before = 0;

    for (int i = 0; i < location->pieces; i++) {
        const struct hc_piece *piece = &location->piece[i];
        uint32_t size = piece->size ? piece->size : type->size;
        *offset = address - (uint32_t)piece->value + before;
        if (piece->place == HC_PLACE_MEMORY && address >= piece->value && address - piece->value < size)
            return true;
        before += size;
    }
    return false;
}

static bool offset_in(const struct search *s, struct hc_name *name, uint32_t *offset, bool *exact)
{
    struct hc_debug_message message;
    struct hc_location location;
    const struct hc_type *type = hc_type_strip(name->type);

    if (!type)
        return false;
    *exact = hc_location_of(s->context, &name->die, &location, &message);
    return (*exact || hc_location_nearby(s->context, &name->die, &location)) &&
           is_in(&location, type, s->address, offset);
}

static int depth_of(Dwarf_Die *die)
{
    Dwarf_Die *scopes = NULL;
    int depth = dwarf_getscopes_die(die, &scopes);

    free(scopes);
    return depth;
}

/* Of several candidates, takes the one of the innermost scope, since scopes share stack slots; within one scope, the
 * one that is live at this instruction. */
static bool covers(void *owner, const struct hc_name *name)
{
    struct search *s = owner;
    struct hc_name copy = *name;
    uint32_t offset;
    bool exact;

    if (name->kind != HC_NAME_VARIABLE || !name->has_die || !offset_in(s, &copy, &offset, &exact))
        return false;
    int depth = depth_of(&copy.die);
    if (s->found && (depth < s->depth || (depth == s->depth && (s->exact || !exact))))
        return false;
    s->depth = depth;
    s->exact = exact;
    snprintf(s->out, s->size, "%s", name->name);
    append_part(name->type, offset, s->out, s->size);
    if (s->function) {
        size_t used = strlen(s->out);
        snprintf(s->out + used, s->size - used, " in %s", s->function);
    }
    s->found = true;
    return false; /* there may be a better one */
}

static bool find_variable(struct hc_program *p, struct hc_machine *m, struct search *s)
{
    struct hc_context context;
    struct hc_symbol symbol;
    struct hc_name name;

    if (!hc_image_data_at(hc_program_image(p), s->address, &symbol) || !symbol.size ||
        !hc_program_lookup(p, UINT32_MAX, NULL, symbol.name, &name))
        return false;
    hc_frame_here(p, m, &context);
    context.pc = UINT32_MAX;
    s->context = &context;
    covers(s, &name);
    s->context = NULL;
    return s->found;
}

/* ---- frames ---- */

static void find_local(struct hc_program *p, const struct hc_frame *f, struct search *s)
{
    s->context = &f->context;
    s->function = f->function;
    hc_program_locals(p, f->context.pc, f->context.has_die ? &f->context.die : NULL, covers, s);
}

/* How many bytes at the end of frame F, which ends at TOP, lead back to its caller: of a handler PC and SR, else a
 * return address of 16 or, in two words, the lower one first, 20 bits. */
static uint32_t returning_bytes(struct hc_machine *m, const struct hc_frame *f, uint32_t top)
{
    enum { SHORT = 2, LONG = 4 };
    const struct hc_frame *caller = f + 1;

    return f->handler || hc_peek16(m, top - SHORT) != (uint16_t)caller->pc ? LONG : SHORT;
}

/* Names the rest of frame F, which has a caller. */
static bool find_saved(struct hc_machine *m, const struct hc_frame *f, struct search *s)
{
    uint32_t top = f[1].context.reg[HC_SP];
    uint32_t returns = returning_bytes(m, f, top);

    if (f->inlined || s->address < f->context.reg[HC_SP] || s->address >= top)
        return false;
    snprintf(s->out, s->size, "%s of %s",
             s->address < top - returns ? "what is saved in the frame"
             : f->handler               ? "PC and SR that the hardware saved in the frame"
                                        : "the return address",
             f->function);
    return true;
}

bool hc_name_address(struct hc_program *p, struct hc_machine *m, uint32_t address, char *out, size_t size)
{
    struct search s = { .address = address, .out = out, .size = size };
    struct hc_frame frame[HC_FRAMES_MAX];

    if (find_variable(p, m, &s))
        return true;
    int n = hc_frames(p, m, frame, HC_FRAMES_MAX);
    for (int i = 0; i < n && frame[i].function; i++) {
        if (i || !hc_pops_at(m, hc_register(m, HC_PC)))
            find_local(p, &frame[i], &s);
        if (s.found || (i + 1 < n && find_saved(m, &frame[i], &s)))
            return true;
    }
    return false;
}
