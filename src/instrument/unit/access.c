/* Each access to a volatile lvalue or a register is looked at once and gets a decision. What is neither needs none. */
#include "access.h"

#include "assembly.h"
#include "mask.h"
#include "place.h"
#include "polling.h"

#include <string.h>

struct hc_decision *hc_access_new(struct hc_unit *unit, enum hc_decision_kind action, struct hc_ast_node *node,
                                  struct hc_ast_node *lvalue, struct hc_lvalue_place place)
{
    struct hc_decision *d = hc_arena_take(unit->memory, sizeof *d);
    *d = (struct hc_decision){
        .action = action, .node = node, .lvalue = lvalue, .place = place, .number = unit->decision_count++
    };
    node->decision = d;
    if (unit->last_decision)
        unit->last_decision->next = d;
    else
        unit->decisions = d;
    unit->last_decision = d;
    return d;
}

static uint32_t size_mask(int size)
{
    return size >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size) - 1;
}

static void skip(struct hc_decision *d, enum hc_decision_kind action, const char *reason)
{
    d->action = action;
    d->reason = reason;
}

static enum CXVisitorResult find_volatile(CXCursor field, CXClientData data);

/* Whether a struct or union has volatile members: then it may lie over registers. */
static bool has_volatile_member(CXType type)
{
    bool found = false;
    clang_Type_visitFields(clang_getCanonicalType(type), find_volatile, &found);
    return found;
}

static enum CXVisitorResult find_volatile(CXCursor field, CXClientData data)
{
    CXType type = clang_getCursorType(field);
    struct hc_ast_type kind = hc_ast_type_of(type);
    if (!kind.is_volatile && !(kind.kind == HC_AST_RECORD && has_volatile_member(type)))
        return CXVisit_Continue;
    *(bool *)data = true;
    return CXVisit_Break;
}

/* Whether an access at PLACE may be one to a register and so must be decided upon. */
static bool matters(const struct hc_ast_node *lvalue, struct hc_lvalue_place place)
{
    if (place.kind == HC_PLACE_MEMORY)
        return false;
    if (place.kind != HC_PLACE_UNKNOWN || lvalue->type.is_volatile)
        return true;
    return lvalue->type.kind == HC_AST_RECORD && has_volatile_member(clang_getCursorType(lvalue->cursor));
}

static void refuse_shape(struct hc_unit *unit, const struct hc_ast_node *node, struct hc_lvalue_place place)
{
    const char *what = place.kind == HC_PLACE_UNKNOWN ? "what this pointer to volatile points to" : "registers";
    hc_unit_refuse(unit, node,
                   "%s cannot be recorded as a whole: read it in parts of 8, 16 or 32 bits, or write "
                   "_Pragma(\"hindcast deterministic\") before the statement if this is ordinary memory",
                   what);
}

/* The bits of the access that matter when the bits USED of the value loaded do. */
static uint32_t access_mask(struct hc_lvalue_place place, uint64_t used)
{
    if (!place.width)
        return (uint32_t)used & size_mask(place.size);
    uint64_t field = (UINT64_C(1) << place.width) - 1;
    if (place.is_signed && used & ~field)
        used |= UINT64_C(1) << (place.width - 1);
    return (uint32_t)((used & field) << place.bit) & size_mask(place.size);
}

static void classify(struct hc_unit *unit, struct hc_decision *d, struct hc_regs_access *access)
{
    hc_regs_access(unit->request->registers, d->place.address, d->place.size, access);
    d->class = access->class;
    if (d->class == HC_SITE_NONE)
        d->class = HC_SITE_STATE;
}

static void decide_register_read(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_regs_access access;
    classify(unit, d, &access);
    if (!access.nondeterministic)
        skip(d, HC_KEEP, "deterministic");
    else if (!d->mask)
        skip(d, HC_READ_UNUSED, "unused");
    else if (!(d->mask & access.nondeterministic))
        skip(d, HC_READ_MASKED, "masked");
}

/* A structure, 64 bits, or floating point behind a pointer: word by word, bytes where it may lie at odd addresses. That
 * is how the compiler copies it. Registers whose addresses are known are not read so: some are no words. */
static bool divide(struct hc_decision *d)
{
    CXType type = clang_getCursorType(d->lvalue->cursor);
    long long size = clang_Type_getSizeOf(type), align = clang_Type_getAlignOf(type);
    if (d->place.kind != HC_PLACE_UNKNOWN || d->place.width || size <= 0 || size > INT16_MAX)
        return false;
    d->place.size = align > 1 && size % 2 == 0 && !d->place.packed ? 2 : 1;
    d->parts = (uint16_t)(size / d->place.size);
    return true;
}

static void decide_read(struct hc_unit *unit, struct hc_ast_node *node, struct hc_ast_node *lvalue)
{
    struct hc_lvalue_place place = hc_place_of(unit, lvalue);
    if (!matters(lvalue, place))
        return;
    struct hc_decision *d = hc_access_new(unit, HC_READ, node, lvalue, place);
    if (hc_unit_annotated(unit, node)) {
        skip(d, HC_KEEP, "annotated");
    } else if (!place.size && divide(d)) {
        d->class = HC_SITE_DATA;
        d->action = HC_READ_VIA;
        d->mask = size_mask(d->place.size);
    } else if (!place.size) {
        refuse_shape(unit, node, place);
    } else {
        d->mask = access_mask(place, hc_mask_used(node));
        if (place.kind == HC_PLACE_REGISTER) {
            decide_register_read(unit, d);
        } else {
            struct hc_regs_access access;
            d->class = HC_SITE_DATA;
            if (place.kind == HC_PLACE_INDEXED)
                classify(unit, d, &access);
            if (d->mask || place.width) {
                d->action = HC_READ_VIA;
                d->mask = size_mask(place.size); /* which register it is shows at run time: all of it is recorded */
            } else {
                skip(d, HC_READ_UNUSED, "unused");
            }
        }
    }
}

/* ---- read-modify-writes ---- */

static char compound_operation(const struct hc_ast_node *node)
{
    switch (node->operation) {
    case CXBinaryOperator_OrAssign:
        return '|';
    case CXBinaryOperator_AndAssign:
        return '&';
    case CXBinaryOperator_XorAssign:
        return '^';
    case CXBinaryOperator_AddAssign:
        return '+';
    case CXBinaryOperator_SubAssign:
        return '-';
    case CXBinaryOperator_MulAssign:
        return '*';
    case CXBinaryOperator_DivAssign:
        return '/';
    case CXBinaryOperator_RemAssign:
        return '%';
    case CXBinaryOperator_ShlAssign:
        return '<';
    default:
        return '>';
    }
}

/* Adding moves carries upwards: known bits above unknown ones would become unknown. */
static bool carry_stays(const struct hc_regs_access *access)
{
    uint32_t lowest = access->nondeterministic & -access->nondeterministic;
    return access->conditional || !(access->kept & ~(lowest - 1));
}

/* Whether the modification can be one instruction whose value goes nowhere but to the register. */
static bool is_pure(const struct hc_decision *d, const struct hc_regs_access *access)
{
    if (d->value_used || d->parts || d->place.size > 2 || d->lvalue->type.kind != HC_AST_INTEGER)
        return false;
    if (strchr("|&^", d->operation))
        return true;
    return strchr("+-", d->operation) && !d->place.width && access && carry_stays(access);
}

static void decide_modification(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_regs_access access, *known = NULL;
    d->mask = size_mask(d->place.size);
    d->class = HC_SITE_DATA;
    if (d->place.kind != HC_PLACE_UNKNOWN) {
        classify(unit, d, &access);
        known = d->place.kind == HC_PLACE_REGISTER ? &access : NULL;
    }
    if (known && !known->nondeterministic)
        skip(d, HC_KEEP, "deterministic");
    else if ((known || !d->place.width) && is_pure(d, known))
        skip(d, HC_MODIFY, "read-modify-write");
}

static struct hc_decision *begin_modification(struct hc_unit *unit, struct hc_ast_node *node,
                                              struct hc_ast_node *lvalue)
{
    struct hc_lvalue_place place = hc_place_of(unit, lvalue);
    if (!matters(lvalue, place))
        return NULL;
    struct hc_decision *d = hc_access_new(unit, HC_UPDATE, node, lvalue, place);
    d->value_used = hc_mask_used(node) != 0;
    if (hc_unit_annotated(unit, node)) {
        skip(d, HC_KEEP, "annotated");
        return NULL;
    }
    if (!place.size && !divide(d)) {
        refuse_shape(unit, node, place);
        return NULL;
    }
    return d;
}

static void decide_compound(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_decision *d = begin_modification(unit, node, node->child);
    if (!d)
        return;
    d->operation = compound_operation(node);
    d->operand = node->child->next;
    decide_modification(unit, d);
}

static void decide_increment(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_decision *d = begin_modification(unit, node, node->child);
    if (!d)
        return;
    d->operation = node->operation == CXUnaryOperator_PostInc || node->operation == CXUnaryOperator_PreInc ? '+' : '-';
    d->postfix = node->operation == CXUnaryOperator_PostInc || node->operation == CXUnaryOperator_PostDec;
    decide_modification(unit, d);
}

/* In VALUE, which is an operation or a chain of one and the same: the load of the register at PLACE that it changes. */
static struct hc_ast_node *own_load(struct hc_unit *unit, struct hc_ast_node *value, struct hc_lvalue_place place,
                                    uint8_t operation)
{
    value = hc_ast_bare(value);
    struct hc_ast_node *loaded = hc_ast_loaded(value);
    if (loaded) {
        struct hc_lvalue_place other = hc_place_of(unit, loaded);
        return other.kind == HC_PLACE_REGISTER && other.address == place.address && other.size == place.size &&
                       !other.width
                   ? value
                   : NULL;
    }
    if ((value->kind == CXCursor_UnexposedExpr || value->kind == CXCursor_CStyleCastExpr) && value->child &&
        !value->child->next && value->type.kind == HC_AST_INTEGER && value->type.bits >= 8 * place.size)
        return own_load(unit, value->child, place, operation);
    if (value->kind != CXCursor_BinaryOperator || value->operation != operation)
        return NULL;
    struct hc_ast_node *left = own_load(unit, value->child, place, operation);
    return left ? left : own_load(unit, value->child->next, place, operation);
}

/* `REG = REG | x` is `REG |= x`. */
static bool decide_own_change(struct hc_unit *unit, struct hc_ast_node *node, struct hc_lvalue_place place)
{
    static const struct {
        uint8_t operation;
        char letter;
    } pure[] = { { CXBinaryOperator_Or, '|' }, { CXBinaryOperator_And, '&' }, { CXBinaryOperator_Xor, '^' } };

    if (place.kind != HC_PLACE_REGISTER || place.width || hc_mask_used(node) || hc_unit_annotated(unit, node))
        return false;
    for (size_t i = 0; i < sizeof pure / sizeof pure[0]; i++) {
        struct hc_ast_node *load = own_load(unit, node->child->next, place, pure[i].operation);
        if (!load || hc_ast_bare(node->child->next) == load)
            continue;
        struct hc_decision *d = begin_modification(unit, node, node->child);
        if (!d)
            return true;
        d->operation = pure[i].letter;
        d->operand = node->child->next;
        d->replaced = load;
        decide_modification(unit, d);
        if (d->action == HC_UPDATE) { /* no pure change: then an assignment and a read like any other */
            d->action = HC_KEEP;
            return false;
        }
        load->decision = d;
        return true;
    }
    return false;
}

static void decide_field_assignment(struct hc_unit *unit, struct hc_ast_node *node)
{
    int64_t value;
    struct hc_decision *d = begin_modification(unit, node, node->child);
    if (!d)
        return;
    d->operation = '=';
    d->operand = node->child->next;
    decide_modification(unit, d);
    if (d->action != HC_UPDATE || d->place.kind != HC_PLACE_REGISTER)
        return;
    uint32_t field = access_mask(d->place, UINT64_MAX);
    struct hc_regs_access access;
    classify(unit, d, &access);
    d->mask &= ~field;
    if (!(d->mask & access.nondeterministic))
        d->reason = "masked"; /* what is read back is known */
    bool constant = hc_ast_constant(d->operand, &value);
    uint32_t bits = constant ? access_mask(d->place, (uint64_t)value) : 0;
    if (constant && !d->value_used && d->place.size <= 2 && (bits == 0 || bits == field)) {
        d->operation = bits ? '|' : '&';
        skip(d, HC_MODIFY, "read-modify-write");
    }
}

static void decide_assignment(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_lvalue_place place = hc_place_of(unit, node->child);
    if (!matters(node->child, place))
        return;
    if (place.width)
        decide_field_assignment(unit, node);
    else
        decide_own_change(unit, node, place);
}

/* ---- addresses that get out of sight ---- */

static bool points_to_volatile(const struct hc_ast_node *node)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
    if (type.kind == CXType_Pointer)
        return hc_ast_type_of(clang_getPointeeType(type)).is_volatile;
    return node->type.kind == HC_AST_ARRAY && node->type.is_volatile;
}

/* Whether the pointer NODE is followed or made a number or a pointer to volatile again before it goes anywhere. */
static bool stays_in_sight(const struct hc_ast_node *node)
{
    for (const struct hc_ast_node *n = node, *parent = n->parent; parent; n = parent, parent = n->parent) {
        if (n->type.kind == HC_AST_INTEGER || points_to_volatile(n))
            return true;
        switch (parent->kind) {
        case CXCursor_ParenExpr:
        case CXCursor_CStyleCastExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_ConditionalOperator:
            continue;
        case CXCursor_BinaryOperator:
            if (parent->operation == CXBinaryOperator_Add || parent->operation == CXBinaryOperator_Sub)
                continue;
            return parent->operation != CXBinaryOperator_Assign && parent->operation != CXBinaryOperator_Comma;
        case CXCursor_UnaryOperator:
            return true;
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_CompoundStmt:
            return true;
        default:
            return false;
        }
    }
    return false;
}

static bool is_undetermined(struct hc_unit *unit, struct hc_lvalue_place place)
{
    struct hc_regs_access access;
    if (place.kind == HC_PLACE_INDEXED)
        return true;
    if (place.kind != HC_PLACE_REGISTER)
        return false;
    hc_regs_access(unit->request->registers, place.address, 1, &access);
    return access.nondeterministic;
}

static void check_conversion(struct hc_unit *unit, struct hc_ast_node *node)
{
    if (node->type.kind != HC_AST_POINTER || !node->child || node->child->next || points_to_volatile(node) ||
        !points_to_volatile(node->child) || stays_in_sight(node))
        return;
    if (is_undetermined(unit, hc_place_pointed(unit, node)) && !hc_unit_annotated(unit, node))
        hc_unit_refuse(
            unit, node,
            "the address of a register is converted to a pointer to non-volatile, and reads through it would not be "
            "recorded: keep the pointer volatile, or write _Pragma(\"hindcast deterministic\") before "
            "the statement if nothing is read through it");
}

static bool has_prefix(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* Atomic built-ins read what they change. */
static void check_call(struct hc_unit *unit, struct hc_ast_node *node)
{
    CXString name = clang_getCursorSpelling(node->cursor);
    const char *text = clang_getCString(name);
    bool atomic = has_prefix(text, "__sync_") || has_prefix(text, "__atomic_") || has_prefix(text, "__c11_atomic_");
    clang_disposeString(name);
    for (struct hc_ast_node *n = atomic && node->child ? node->child->next : NULL; n; n = n->next)
        if (n->type.kind == HC_AST_POINTER && is_undetermined(unit, hc_place_pointed(unit, n)) &&
            !hc_unit_annotated(unit, node))
            hc_unit_refuse(
                unit, node,
                "an atomic operation on a register cannot be recorded: disable interrupts and use assignments instead");
}

struct array_check {
    struct hc_unit *unit;
    CXCursor initialiser;
};

static enum CXChildVisitResult check_array_size(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct array_check *check = data;
    if (!clang_isExpression(clang_getCursorKind(cursor)) || clang_equalCursors(cursor, check->initialiser))
        return CXChildVisit_Continue;
    struct hc_ast_node *size = hc_tree_node(check->unit, cursor);
    for (struct hc_ast_node *n = size; n; n = hc_ast_following(size, n))
        if (hc_ast_is_lvalue(n) && matters(n, hc_place_of(check->unit, n)))
            hc_unit_refuse(check->unit, n,
                           "the size of an array is read from a register: read it into a variable first");
    return CXChildVisit_Continue;
}

static void check_variable(struct hc_unit *unit, const struct hc_ast_node *node)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
    struct array_check check = { unit, clang_Cursor_getVarDeclInitializer(node->cursor) };
    if (type.kind == CXType_VariableArray)
        clang_visitChildren(node->cursor, check_array_size, &check);
}

/* What the recorder shares with the program: DMA, of whose blocks it must know, and USART0, where its flash chip is. */
static void note_use(struct hc_unit *unit, const struct hc_ast_node *lvalue)
{
    const struct hc_regs *regs = unit->request->registers;
    const struct hc_reg *bus = hc_regs_named(regs, "U0TXBUF");
    struct hc_lvalue_place place = hc_place_of(unit, lvalue);
    if (place.kind != HC_PLACE_REGISTER)
        return;
    for (int i = 0; i < regs->dmas; i++)
        if (place.address == regs->dma[i].control)
            unit->result->uses_dma = true;
    if (bus && place.address == bus->address)
        unit->result->uses_bus = true;
}

/* An alternative of _Generic or __builtin_choose_expr is loaded, if it is chosen, outside of them. */
static bool is_alternative(const struct hc_ast_node *node)
{
    const struct hc_ast_node *parent = node->parent;
    return parent && hc_ast_is_lvalue(node) && node->type.kind != HC_AST_ARRAY &&
           (parent->kind == CXCursor_GenericSelectionExpr ||
            (parent->kind == CXCursor_UnexposedExpr && parent->child->next));
}

static void decide(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_ast_node *loaded = hc_ast_loaded(node);
    if (is_alternative(node)) {
        decide_read(unit, node, node);
        return;
    }
    switch (node->kind) {
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        hc_polling_decide(unit, node);
        return;
    case CXCursor_CompoundAssignOperator:
        decide_compound(unit, node);
        return;
    case CXCursor_UnaryOperator:
        if (node->operation <= CXUnaryOperator_PreDec && node->operation >= CXUnaryOperator_PostInc)
            decide_increment(unit, node);
        return;
    case CXCursor_BinaryOperator:
        if (node->operation == CXBinaryOperator_Assign)
            decide_assignment(unit, node);
        return;
    case CXCursor_UnexposedExpr:
        if (loaded)
            decide_read(unit, node, loaded);
        else
            check_conversion(unit, node);
        return;
    case CXCursor_CStyleCastExpr:
        check_conversion(unit, node);
        return;
    case CXCursor_CallExpr:
        check_call(unit, node);
        return;
    case CXCursor_VarDecl:
        check_variable(unit, node);
        return;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        hc_assembly_check(unit, node);
        return;
    default:
        return;
    }
}

void hc_access_decide(struct hc_unit *unit)
{
    struct hc_ast_node *root = unit->function->body;
    for (struct hc_ast_node *n = root; n; n = hc_ast_following(root, n)) {
        if (hc_ast_is_lvalue(n) && n->type.bits)
            note_use(unit, n);
        if (!n->decision)
            decide(unit, n);
    }
}
