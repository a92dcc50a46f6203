/* Where an lvalue lies. Addresses are followed through casts, parentheses, constant offsets, members, subscripts and
 * constant pointers; none of these has side effects, so that an lvalue that is a register can be replaced as a whole.
 */
#include "place.h"

#include "objects.h"

#include "target/target.h"

#include <string.h>

static const struct hc_lvalue_place unknown = { .kind = HC_PLACE_UNKNOWN }, memory = { .kind = HC_PLACE_MEMORY };

static struct hc_lvalue_place lvalue_place(struct hc_unit *unit, const struct hc_ast_node *node);

static struct hc_lvalue_place at_address(const struct hc_unit *unit, uint32_t address)
{
    if (!hc_regs_is_peripheral(unit->request->registers, address))
        return memory;
    return (struct hc_lvalue_place){ .kind = HC_PLACE_REGISTER, .address = address };
}

static struct hc_lvalue_place moved(const struct hc_unit *unit, struct hc_lvalue_place place, int64_t bytes)
{
    if (place.kind != HC_PLACE_REGISTER)
        return place;
    return at_address(unit, (uint32_t)(place.address + (uint32_t)bytes) & unit->target->addresses);
}

static struct hc_lvalue_place indexed(struct hc_lvalue_place place)
{
    if (place.kind == HC_PLACE_REGISTER)
        place.kind = HC_PLACE_INDEXED;
    return place;
}

/* PLACE + INDEX * SIZE */
static struct hc_lvalue_place offset_by(const struct hc_unit *unit, struct hc_lvalue_place place,
                                        const struct hc_ast_node *index, long long size, int sign)
{
    int64_t value;
    if (place.kind != HC_PLACE_REGISTER)
        return place;
    return hc_ast_constant(index, &value) ? moved(unit, place, sign * value * size) : indexed(place);
}

static long long pointee_size(const struct hc_ast_node *pointer)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(pointer->cursor));
    CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type);
    long long size = clang_Type_getSizeOf(pointee);
    return size > 0 ? size : 1;
}

static bool is_address(const struct hc_ast_node *node)
{
    return node->type.kind == HC_AST_POINTER || node->type.kind == HC_AST_ARRAY;
}

static bool is_constant(const struct hc_ast_node *node)
{
    int64_t value;
    return hc_ast_constant(node, &value);
}

/* `base + 0x10`, as drivers write it that serve several devices. */
static bool is_variable(const struct hc_ast_node *node)
{
    node = hc_ast_bare((struct hc_ast_node *)node);
    while ((node->kind == CXCursor_UnexposedExpr || node->kind == CXCursor_CStyleCastExpr) && node->child &&
           !node->child->next)
        node = hc_ast_bare(node->child);
    return node->kind == CXCursor_DeclRefExpr || node->kind == CXCursor_MemberRefExpr;
}

static struct hc_lvalue_place sum_place(struct hc_unit *unit, const struct hc_ast_node *node)
{
    const struct hc_ast_node *left = node->child, *right = left->next;
    if (node->operation == CXBinaryOperator_Sub) {
        return is_address(right) && !is_address(left) ? unknown
                                                      : offset_by(unit, hc_place_pointed(unit, left), right,
                                                                  is_address(left) ? pointee_size(left) : 1, -1);
    }
    if (is_address(left))
        return offset_by(unit, hc_place_pointed(unit, left), right, pointee_size(left), 1);
    if (is_address(right))
        return offset_by(unit, hc_place_pointed(unit, right), left, pointee_size(right), 1);
    /* Integers: the base is what has a constant address, unless the constant rather is the offset. */
    const struct hc_ast_node *constant = is_constant(left) ? left : right, *other = constant == left ? right : left;
    if (is_constant(constant) && is_variable(other))
        return unknown;
    struct hc_lvalue_place place = offset_by(unit, hc_place_pointed(unit, constant), other, 1, 1);
    return place.kind == HC_PLACE_UNKNOWN ? offset_by(unit, hc_place_pointed(unit, other), constant, 1, 1) : place;
}

static struct hc_lvalue_place call_place(const struct hc_ast_node *node)
{
    CXString name = clang_getCursorSpelling(node->cursor);
    const char *text = clang_getCString(name);
    bool on_stack =
        !strcmp(text, "__builtin_frame_address") || !strcmp(text, "__builtin_alloca") || !strcmp(text, "alloca");
    clang_disposeString(name);
    return on_stack ? memory : unknown;
}

static struct hc_lvalue_place loaded_pointer_place(struct hc_unit *unit, const struct hc_ast_node *lvalue)
{
    const struct hc_ast_node *bare = hc_ast_bare((struct hc_ast_node *)lvalue);
    if (bare->kind != CXCursor_DeclRefExpr)
        return unknown;
    struct hc_ast_node *value = hc_object_value(unit, clang_getCursorReferenced(bare->cursor));
    return value ? hc_place_pointed(unit, value) : unknown;
}

static struct hc_lvalue_place converted_place(struct hc_unit *unit, const struct hc_ast_node *node)
{
    const struct hc_ast_node *child = node->child;
    if (!child || child->next)
        return unknown;
    if (child->type.kind == HC_AST_ARRAY)
        return lvalue_place(unit, child);
    if (child->type.kind == HC_AST_FUNCTION)
        return memory;
    const struct hc_ast_node *loaded = hc_ast_loaded(node);
    return loaded ? loaded_pointer_place(unit, loaded) : hc_place_pointed(unit, child);
}

/* Of an integer too: it is what a cast makes a pointer of. */
struct hc_lvalue_place hc_place_pointed(struct hc_unit *unit, const struct hc_ast_node *pointer)
{
    int64_t value;
    const struct hc_ast_node *node = hc_ast_bare((struct hc_ast_node *)pointer);

    if (hc_ast_constant(node, &value))
        return at_address(unit, (uint32_t)value & unit->target->addresses);
    switch (node->kind) {
    case CXCursor_CStyleCastExpr:
    case CXCursor_UnexposedExpr:
        return converted_place(unit, node);
    case CXCursor_BinaryOperator:
        if (node->operation == CXBinaryOperator_Add || node->operation == CXBinaryOperator_Sub)
            return sum_place(unit, node);
        return unknown;
    case CXCursor_UnaryOperator:
        return node->operation == CXUnaryOperator_AddrOf ? lvalue_place(unit, node->child) : unknown;
    case CXCursor_CallExpr:
        return call_place(node);
    case CXCursor_StringLiteral:
    case CXCursor_AddrLabelExpr:
        return memory;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
        return node->type.kind == HC_AST_ARRAY ? lvalue_place(unit, node) : unknown;
    default:
        return unknown;
    }
}

static struct hc_lvalue_place variable_place(struct hc_unit *unit, const struct hc_ast_node *node)
{
    uint32_t address;
    CXCursor declaration = clang_getCursorReferenced(node->cursor);
    return hc_object_register(unit, declaration, &address) ? at_address(unit, address) : memory;
}

static struct hc_lvalue_place subscript_place(struct hc_unit *unit, const struct hc_ast_node *node)
{
    const struct hc_ast_node *base = node->child, *index = base ? base->next : NULL;
    if (!index)
        return unknown;
    if (!is_address(base)) {
        const struct hc_ast_node *swapped = base;
        base = index;
        index = swapped;
    }
    return offset_by(unit, hc_place_pointed(unit, base), index, pointee_size(base), 1);
}

/* A bit-field is accessed in the unit of its declared type; a packed one in less, where that ends beyond the struct or
 * may lie at an odd address. BITS: where it begins. */
static struct hc_lvalue_place field_place(struct hc_unit *unit, struct hc_lvalue_place place,
                                          const struct hc_ast_node *node, CXType record, long long bits)
{
    int width = clang_getFieldDeclBitWidth(clang_getCursorReferenced(node->cursor));
    long long size = node->type.bits ? node->type.bits : 16, end = 8 * clang_Type_getSizeOf(record);
    while (size > 8 && (place.packed || bits / size * size + size > end) &&
           bits / (size / 2) == (bits + width - 1) / (size / 2))
        size /= 2;
    struct hc_lvalue_place result = moved(unit, place, bits / size * (size / 8));
    result.size = (uint8_t)(size / 8);
    result.offset = (uint16_t)(bits / size * (size / 8));
    result.bit = (uint8_t)(bits % size);
    result.width = (uint8_t)width;
    result.is_signed = node->type.is_signed;
    return result;
}

static struct hc_lvalue_place member_place(struct hc_unit *unit, const struct hc_ast_node *node)
{
    const struct hc_ast_node *base = node->child;
    if (!base)
        return unknown;
    bool arrow = base->type.kind == HC_AST_POINTER;
    struct hc_lvalue_place place = arrow ? hc_place_pointed(unit, base) : lvalue_place(unit, base);

    CXCursor field = clang_getCursorReferenced(node->cursor);
    CXString name = clang_getCursorSpelling(field);
    CXType record = clang_getCanonicalType(clang_getCursorType(base->cursor));
    if (arrow)
        record = clang_getPointeeType(record);
    record = clang_getCanonicalType(record);
    long long bits = clang_Type_getOffsetOf(record, clang_getCString(name));
    clang_disposeString(name);
    if (bits < 0)
        return unknown;
    place.packed |= place.kind == HC_PLACE_UNKNOWN && clang_Type_getAlignOf(record) < 2;
    if (!clang_Cursor_isBitField(field))
        return moved(unit, place, bits / 8);
    return field_place(unit, place, node, record, bits);
}

static struct hc_lvalue_place lvalue_place(struct hc_unit *unit, const struct hc_ast_node *lvalue)
{
    const struct hc_ast_node *node = hc_ast_bare((struct hc_ast_node *)lvalue);
    switch (node->kind) {
    case CXCursor_DeclRefExpr:
        return variable_place(unit, node);
    case CXCursor_MemberRefExpr:
        return member_place(unit, node);
    case CXCursor_ArraySubscriptExpr:
        return subscript_place(unit, node);
    case CXCursor_UnaryOperator:
        return node->operation == CXUnaryOperator_Deref && node->child ? hc_place_pointed(unit, node->child) : unknown;
    case CXCursor_UnexposedExpr:
        return node->child && !node->child->next ? lvalue_place(unit, node->child) : unknown;
    default:
        return memory; /* the value of a call or statement expression, a compound literal, a string */
    }
}

struct hc_lvalue_place hc_place_of(struct hc_unit *unit, const struct hc_ast_node *lvalue)
{
    struct hc_lvalue_place place = lvalue_place(unit, lvalue);
    unsigned size = place.width ? place.size : lvalue->type.bits / 8;
    /* Else a bit-field lies across units, or a word at an odd address. */
    bool fits = (!place.width || place.bit + place.width <= 8 * size) && (!place.packed || size == 1);
    place.size = fits && (size == 1 || size == 2 || size == 4) ? (uint8_t)size : 0;
    return place;
}
