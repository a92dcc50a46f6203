/* Types from DWARF. A type is created when it is first needed, and entered into the table before its members, which may
 * refer to it. */
#include "program_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, MEMBERS_MOST = 1 << 16 };

static const struct hc_type *type_at(struct hc_program *p, Dwarf_Die *die, int depth);

void *hc_program_allocate(struct hc_program *p, size_t size)
{
    struct hc_block *block = calloc(1, sizeof *block + size);

    if (!block)
        return NULL;
    block->next = p->blocks;
    p->blocks = block;
    return block->bytes;
}

/* ---- the table, by offset ---- */

static struct hc_type *find(struct hc_program *p, Dwarf_Off offset)
{
    size_t slot = offset * 2654435761u % HC_TYPE_SLOTS;

    for (struct hc_type_entry *e = p->types[slot]; e; e = e->next)
        if (e->offset == offset)
            return &e->type;
    return NULL;
}

static struct hc_type *enter(struct hc_program *p, Dwarf_Off offset)
{
    size_t slot = offset * 2654435761u % HC_TYPE_SLOTS;
    struct hc_type_entry *e = hc_program_allocate(p, sizeof *e);

    if (!e)
        return NULL;
    e->offset = offset;
    e->next = p->types[slot];
    p->types[slot] = e;
    return &e->type;
}

/* ---- attributes ---- */

bool hc_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute a;
    Dwarf_Word value;

    if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formudata(&a, &value))
        return false;
    *out = value;
    return true;
}

static bool signed_number(Dwarf_Die *die, unsigned attribute, int64_t *out)
{
    Dwarf_Attribute a;
    Dwarf_Sword value;

    if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formsdata(&a, &value))
        return false;
    *out = value;
    return true;
}

bool hc_die_flag(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    bool value;

    return dwarf_attr_integrate(die, attribute, &a) && !dwarf_formflag(&a, &value) && value;
}

static const struct hc_type *target_of(struct hc_program *p, Dwarf_Die *die, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die target;

    if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, &target))
        return NULL;
    return type_at(p, &target, depth + 1);
}

static size_t count_children(Dwarf_Die *die, int tag)
{
    Dwarf_Die child;
    size_t n = 0;

    for (int end = dwarf_child(die, &child); !end && n < MEMBERS_MOST; end = dwarf_siblingof(&child, &child))
        n += dwarf_tag(&child) == tag;
    return n;
}

/* ---- kinds ---- */

static void fill_base(struct hc_type *type, Dwarf_Die *die)
{
    uint64_t encoding = 0;

    hc_die_number(die, DW_AT_encoding, &encoding);
    type->kind = encoding == DW_ATE_boolean ? HC_TYPE_BOOL : encoding == DW_ATE_float ? HC_TYPE_FLOAT : HC_TYPE_INTEGER;
    type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char || encoding == DW_ATE_float;
    type->character = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
}

/* DWARF 4 counts a bit-field's place from the struct's start; before that, from the top of a storage unit. */
static void place_bits(struct hc_member *m, Dwarf_Die *die)
{
    uint64_t bits, at = 0, storage = m->type ? hc_type_strip(m->type)->size : 0;

    if (!hc_die_number(die, DW_AT_bit_size, &bits) || bits == 0 || bits > 64)
        return;
    m->bits = (uint16_t)bits;
    if (hc_die_number(die, DW_AT_data_bit_offset, &at)) {
        m->offset = (uint32_t)at;
    } else if (hc_die_number(die, DW_AT_bit_offset, &at)) {
        hc_die_number(die, DW_AT_byte_size, &storage);
        m->offset = (uint32_t)(8 * m->offset + 8 * storage - at - bits);
    } else {
        m->offset *= 8;
    }
}

/* A number; in old DWARF an expression that adds it. */
static uint64_t member_offset(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;
    uint64_t offset = 0;

    if (hc_die_number(die, DW_AT_data_member_location, &offset))
        return offset;
    if (dwarf_attr(die, DW_AT_data_member_location, &a) && !dwarf_getlocation(&a, &op, &n) && n == 1 &&
        op[0].atom == DW_OP_plus_uconst)
        return op[0].number;
    return 0;
}

static void fill_members(struct hc_program *p, struct hc_type *type, Dwarf_Die *die, int depth)
{
    size_t room = count_children(die, DW_TAG_member);
    Dwarf_Die child;

    type->member = room ? hc_program_allocate(p, room * sizeof *type->member) : NULL;
    if (!type->member)
        return;
    for (int end = dwarf_child(die, &child); !end && type->members < room; end = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_member)
            continue;
        struct hc_member *m = &type->member[type->members];
        uint64_t offset = member_offset(&child);
        *m = (struct hc_member){ .name = dwarf_diename(&child), .type = target_of(p, &child, depth) };
        m->offset = (uint32_t)offset;
        place_bits(m, &child);
        type->members++;
    }
}

static void fill_enumerators(struct hc_program *p, struct hc_type *type, Dwarf_Die *die, int depth)
{
    size_t room = count_children(die, DW_TAG_enumerator);
    Dwarf_Die child;

    type->target = target_of(p, die, depth);
    type->is_signed = type->target && hc_type_strip(type->target)->is_signed;
    type->enumerator = room ? hc_program_allocate(p, room * sizeof *type->enumerator) : NULL;
    if (!type->enumerator)
        return;
    for (int end = dwarf_child(die, &child); !end && type->members < room; end = dwarf_siblingof(&child, &child)) {
        struct hc_enumerator *e = &type->enumerator[type->members];
        if (dwarf_tag(&child) != DW_TAG_enumerator)
            continue;
        e->name = dwarf_diename(&child);
        uint64_t number = 0;
        if (!signed_number(&child, DW_AT_const_value, &e->value) && hc_die_number(&child, DW_AT_const_value, &number))
            e->value = (int64_t)number;
        if (e->name)
            type->members++;
    }
    if (!type->target) /* GCC 4 says only how large it is */
        for (size_t i = 0; i < type->members; i++)
            type->is_signed = type->is_signed || type->enumerator[i].value < 0;
}

static uint32_t subrange_count(Dwarf_Die *die)
{
    uint64_t n;

    if (hc_die_number(die, DW_AT_count, &n))
        return n < UINT32_MAX ? (uint32_t)n : 0;
    if (hc_die_number(die, DW_AT_upper_bound, &n))
        return n < UINT32_MAX - 1 ? (uint32_t)n + 1 : 0;
    return 0;
}

/* An array of several dimensions is one DIE: the last subrange is the innermost array. */
static void fill_array(struct hc_program *p, struct hc_type *type, Dwarf_Die *die, int depth)
{
    uint32_t counts[8] = { 0 };
    int n = 0;
    Dwarf_Die child;

    for (int end = dwarf_child(die, &child); !end && n < 8; end = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_subrange_type)
            counts[n++] = subrange_count(&child);
    const struct hc_type *element = target_of(p, die, depth);
    while (n > 1) {
        element = hc_program_array_of(p, element, counts[--n]);
        if (!element)
            return;
    }
    type->target = element;
    type->count = n ? counts[0] : 0;
    uint64_t size = (uint64_t)type->count * (element ? hc_type_strip(element)->size : 0);
    type->size = size < UINT32_MAX ? (uint32_t)size : 0;
}

static void fill_function(struct hc_program *p, struct hc_type *type, Dwarf_Die *die, int depth)
{
    size_t room = count_children(die, DW_TAG_formal_parameter);
    Dwarf_Die child;

    type->target = target_of(p, die, depth);
    type->variadic = count_children(die, DW_TAG_unspecified_parameters) > 0;
    type->member = room ? hc_program_allocate(p, room * sizeof *type->member) : NULL;
    if (!type->member)
        return;
    for (int end = dwarf_child(die, &child); !end && type->members < room; end = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_formal_parameter)
            type->member[type->members++].type = target_of(p, &child, depth);
}

static const struct hc_type *fill(struct hc_program *p, struct hc_type *type, Dwarf_Die *die, int depth)
{
    uint64_t size = 0;

    type->name = dwarf_diename(die);
    hc_die_number(die, DW_AT_byte_size, &size);
    type->size = size < UINT32_MAX ? (uint32_t)size : 0;
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
        fill_base(type, die);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        type->kind = dwarf_tag(die) == DW_TAG_union_type ? HC_TYPE_UNION : HC_TYPE_STRUCT;
        type->incomplete = hc_die_flag(die, DW_AT_declaration);
        fill_members(p, type, die, depth);
        break;
    case DW_TAG_enumeration_type:
        type->kind = HC_TYPE_ENUM;
        fill_enumerators(p, type, die, depth);
        break;
    case DW_TAG_array_type:
        type->kind = HC_TYPE_ARRAY;
        fill_array(p, type, die, depth);
        break;
    case DW_TAG_pointer_type:
        type->kind = HC_TYPE_POINTER;
        if (size == 2 || size == 4) /* GCC says it; clang, which has the small model only, does not */
            p->pointer_size = (uint32_t)size;
        type->size = size ? (uint32_t)size : hc_program_pointer_size(p);
        type->target = target_of(p, die, depth);
        break;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        type->kind = HC_TYPE_FUNCTION;
        fill_function(p, type, die, depth);
        break;
    case DW_TAG_typedef:
        type->kind = HC_TYPE_TYPEDEF;
        type->target = target_of(p, die, depth);
        type->size = hc_type_strip(type->target)->size;
        break;
    default:
        type->kind = HC_TYPE_VOID;
        break;
    }
    return type;
}

static bool is_qualifier(int tag)
{
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
           tag == DW_TAG_atomic_type;
}

static const struct hc_type *type_at(struct hc_program *p, Dwarf_Die *die, int depth)
{
    struct hc_type *type;

    if (depth > DEEPEST)
        return NULL;
    if (is_qualifier(dwarf_tag(die)))
        return target_of(p, die, depth);
    type = find(p, dwarf_dieoffset(die));
    if (type)
        return type;
    type = enter(p, dwarf_dieoffset(die));
    return type ? fill(p, type, die, depth) : NULL;
}

const struct hc_type *hc_program_type_at(struct hc_program *p, Dwarf_Die *die)
{
    return type_at(p, die, 0);
}

/* The type of a variable. For a declaration, looks for the definition. */
const struct hc_type *hc_program_type_of(struct hc_program *p, Dwarf_Die *die)
{
    return target_of(p, die, 0);
}

/* Each is made once: conditions are evaluated millions of times. */
static const struct hc_type *derive(struct hc_program *p, struct hc_type from)
{
    size_t slot = ((uintptr_t)from.target / 16 + from.count) % HC_TYPE_SLOTS;
    struct hc_type_entry *e = p->derived[slot];

    while (e && (e->type.kind != from.kind || e->type.target != from.target || e->type.count != from.count ||
                 e->type.size != from.size))
        e = e->next;
    if (e)
        return &e->type;
    e = hc_program_allocate(p, sizeof *e);
    if (!e)
        return NULL;
    e->type = from;
    e->next = p->derived[slot];
    p->derived[slot] = e;
    return &e->type;
}

const struct hc_type *hc_program_pointer_to(struct hc_program *p, const struct hc_type *target)
{
    return derive(p, (struct hc_type){ .kind = HC_TYPE_POINTER, .size = hc_program_pointer_size(p), .target = target });
}

const struct hc_type *hc_program_array_of(struct hc_program *p, const struct hc_type *element, uint32_t count)
{
    uint64_t size = (uint64_t)count * (element ? hc_type_strip(element)->size : 0);

    return derive(p, (struct hc_type){ .kind = HC_TYPE_ARRAY,
                                       .size = size < UINT32_MAX ? (uint32_t)size : 0,
                                       .target = element,
                                       .count = count });
}
