/* Which bits of a value are used: from an expression upwards through what is done with it, until something needs all
 * of it or nothing. */
#include "mask.h"

static uint64_t up_to(uint64_t bits) /* all bits up to the highest one */
{
    return bits ? UINT64_MAX >> __builtin_clzll(bits) : 0;
}

static uint64_t all(const struct hc_ast_node *node)
{
    return hc_type_mask(node->type);
}

static bool is_integral(struct hc_ast_type type)
{
    return type.kind == HC_AST_INTEGER || type.kind == HC_AST_BOOL;
}

/* The bits of a value of type FROM that matter when USED matter after its conversion to TO. */
static uint64_t before_conversion(uint64_t used, struct hc_ast_type from, struct hc_ast_type to)
{
    if (!used)
        return 0;
    if (!is_integral(from) || !is_integral(to) || (to.kind == HC_AST_BOOL && from.kind != HC_AST_BOOL))
        return hc_type_mask(from);
    used &= hc_type_mask(to);
    uint64_t beyond = used & ~hc_type_mask(from);
    used &= hc_type_mask(from);
    if (beyond && from.is_signed)
        used |= UINT64_C(1) << (from.bits - 1);
    return used;
}

/* Bits that may be set in a value: all others are 0 for certain. */
static uint64_t possible(const struct hc_ast_node *node)
{
    int64_t value;
    node = hc_ast_bare((struct hc_ast_node *)node);
    if (hc_ast_constant(node, &value))
        return (uint64_t)value & all(node);
    const struct hc_ast_node *a = node->child, *b = a ? a->next : NULL;
    switch (node->kind) {
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr: {
        if (!a || b || !is_integral(a->type) || !is_integral(node->type))
            return all(node);
        if (node->type.kind == HC_AST_BOOL)
            return 1;
        uint64_t bits = possible(a);
        bool negative = a->type.is_signed && bits >> (a->type.bits - 1) & 1;
        return (negative ? bits | ~all(a) : bits) & all(node);
    }
    case CXCursor_BinaryOperator:
        switch (node->operation) {
        case CXBinaryOperator_And:
            return possible(a) & possible(b);
        case CXBinaryOperator_Or:
        case CXBinaryOperator_Xor:
            return possible(a) | possible(b);
        case CXBinaryOperator_LT:
        case CXBinaryOperator_GT:
        case CXBinaryOperator_LE:
        case CXBinaryOperator_GE:
        case CXBinaryOperator_EQ:
        case CXBinaryOperator_NE:
        case CXBinaryOperator_LAnd:
        case CXBinaryOperator_LOr:
            return 1;
        default:
            return all(node);
        }
    case CXCursor_UnaryOperator:
        return node->operation == CXUnaryOperator_LNot ? 1 : all(node);
    default:
        return all(node);
    }
}

/* An ordering against a power of two looks at the bits from there on; against 0, at the sign. */
static uint64_t used_by_order(const struct hc_ast_node *parent, const struct hc_ast_node *node,
                              const struct hc_ast_node *other)
{
    int64_t bound;
    if (node != parent->child || !hc_ast_constant(other, &bound))
        return all(node);
    if (parent->operation == CXBinaryOperator_GT || parent->operation == CXBinaryOperator_LE)
        bound++; /* x > 7 is x >= 8 */
    if (node->type.is_signed)
        return bound == 0 ? UINT64_C(1) << (node->type.bits - 1) : all(node);
    uint64_t limit = (uint64_t)bound & all(node);
    return limit && !(limit & (limit - 1)) ? all(node) & ~(limit - 1) : all(node);
}

static uint64_t used_by_shift(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    int64_t distance;
    uint64_t used = hc_mask_used(parent);
    if (!used)
        return 0;
    if (node != parent->child || !hc_ast_constant(node->next, &distance) || distance < 0 ||
        distance >= parent->type.bits)
        return all(node);
    if (parent->operation == CXBinaryOperator_Shl)
        return used >> distance & all(node);
    uint64_t bits = used << distance & all(node);
    if (distance && node->type.is_signed && used >> (node->type.bits - distance))
        bits |= UINT64_C(1) << (node->type.bits - 1);
    return bits;
}

/* NODE is the right side of an assignment: a bit-field keeps only its width. */
static uint64_t used_by_assignment(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    if (node == parent->child)
        return all(node);
    const struct hc_ast_node *target = hc_ast_bare(parent->child);
    if (target->kind != CXCursor_MemberRefExpr || target->type.kind != HC_AST_INTEGER)
        return all(node);
    CXCursor field = clang_getCursorReferenced(target->cursor);
    if (!clang_Cursor_isBitField(field))
        return all(node);
    int width = clang_getFieldDeclBitWidth(field);
    return width > 0 && width < 64 ? all(node) & ((UINT64_C(1) << width) - 1) : all(node);
}

static uint64_t used_by_binary(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    const struct hc_ast_node *other = node == parent->child ? node->next : parent->child;
    int64_t value;
    switch (parent->operation) {
    case CXBinaryOperator_And:
        return hc_mask_used(parent) & possible(other);
    case CXBinaryOperator_Or:
        return hc_mask_used(parent) & (hc_ast_constant(other, &value) ? ~(uint64_t)value : UINT64_MAX);
    case CXBinaryOperator_Xor:
        return hc_mask_used(parent);
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        return is_integral(parent->type) ? up_to(hc_mask_used(parent)) & all(node) : all(node);
    case CXBinaryOperator_Mul:
        return is_integral(parent->type) ? up_to(hc_mask_used(parent)) & all(node) : all(node);
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr:
        return used_by_shift(parent, node);
    case CXBinaryOperator_LT:
    case CXBinaryOperator_GT:
    case CXBinaryOperator_LE:
    case CXBinaryOperator_GE:
        return hc_mask_used(parent) ? used_by_order(parent, node, other) : 0;
    case CXBinaryOperator_EQ:
    case CXBinaryOperator_NE:
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        return hc_mask_used(parent) ? all(node) : 0;
    case CXBinaryOperator_Comma:
        return node == parent->child ? 0 : hc_mask_used(parent);
    case CXBinaryOperator_Assign:
        return used_by_assignment(parent, node);
    default:
        return all(node);
    }
}

/* NODE is the operand of `x op= NODE`. */
static uint64_t used_by_compound(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    if (node == parent->child || !is_integral(parent->child->type))
        return all(node);
    switch (parent->operation) {
    case CXBinaryOperator_AndAssign:
    case CXBinaryOperator_OrAssign:
    case CXBinaryOperator_XorAssign:
    case CXBinaryOperator_AddAssign:
    case CXBinaryOperator_SubAssign:
        return all(node) & hc_type_mask(parent->child->type);
    default:
        return all(node);
    }
}

static uint64_t used_by_unary(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    switch (parent->operation) {
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Extension:
    case CXUnaryOperator_Not:
        return hc_mask_used(parent);
    case CXUnaryOperator_Minus:
        return up_to(hc_mask_used(parent)) & all(node);
    case CXUnaryOperator_LNot:
        return hc_mask_used(parent) ? all(node) : 0;
    default:
        return all(node);
    }
}

static uint64_t used_by_conversion(const struct hc_ast_node *parent, const struct hc_ast_node *node)
{
    if (node->next || parent->child != node)
        return all(node); /* `a ?: b` */
    if (parent->type.kind == HC_AST_VOID)
        return parent->kind == CXCursor_CStyleCastExpr ? 0 : all(node);
    return before_conversion(hc_mask_used(parent), node->type, parent->type);
}

uint64_t hc_mask_used(const struct hc_ast_node *node)
{
    const struct hc_ast_node *parent = node->parent;
    if (!parent)
        return all(node);
    switch (parent->kind) {
    case CXCursor_ParenExpr:
        return hc_mask_used(parent);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return used_by_conversion(parent, node);
    case CXCursor_BinaryOperator:
        return used_by_binary(parent, node);
    case CXCursor_CompoundAssignOperator:
        return used_by_compound(parent, node);
    case CXCursor_UnaryOperator:
        return used_by_unary(parent, node);
    case CXCursor_ConditionalOperator:
        return node == parent->child ? all(node) : hc_mask_used(parent);
    case CXCursor_StmtExpr:
        return hc_mask_used(parent);
    case CXCursor_CompoundStmt: /* the last of a statement expression is its value */
        return !node->next && parent->parent && parent->parent->kind == CXCursor_StmtExpr ? hc_mask_used(parent) : 0;
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
    case CXCursor_SwitchStmt:
        return node->role == HC_ROLE_CONDITION ? all(node) : 0;
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt: /* `({ L: x; })` has a value, too */
        return node->role == HC_ROLE_BODY ? hc_mask_used(parent) : all(node);
    default:
        return all(node);
    }
}
