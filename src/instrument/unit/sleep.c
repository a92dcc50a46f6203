/* Which statements put the CPU to sleep, and where interrupts were switched off before.
 *
 * Sleep is a bit of the status register, set in inline assembly. The bits are a constant there, or those of a variable
 * or a table (TinyOS), or a parameter (intrinsics that are inline functions): then each call is looked at. A saved
 * status that is put back is no sleep: what is not known is taken to be that. */
#include "sleep.h"

#include "assembly.h"

#include "target/target.h"

#include <string.h>

enum { DEPTH_MAX = 6 };

static uint32_t asleep(const struct hc_unit *unit)
{
    return unit->target->assembly->asleep;
}

/* Bits that may be set. */
struct bits {
    uint32_t value;
    int parameter; /* that of the function which may set more; -1: none */
};

static struct bits bits_of(struct hc_unit *unit, const struct hc_ast_function *f, const struct hc_ast_node *node,
                           int depth);

static struct bits joined(struct bits a, struct bits b)
{
    return (struct bits){ a.value | b.value, a.parameter < 0 ? b.parameter : a.parameter };
}

static bool names(const struct hc_ast_node *node, CXCursor declaration)
{
    const struct hc_ast_node *bare = hc_ast_bare((struct hc_ast_node *)node);
    return bare->kind == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(bare->cursor)), declaration);
}

/* All that FUNCTION ever puts into a variable. */
static struct bits variable_bits(struct hc_unit *unit, const struct hc_ast_function *f, CXCursor declaration, int depth)
{
    struct bits all = { 0, -1 };
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        bool defines =
            n->kind == CXCursor_VarDecl && clang_equalCursors(clang_getCanonicalCursor(n->cursor), declaration);
        bool assigns = ((n->kind == CXCursor_BinaryOperator && n->operation == CXBinaryOperator_Assign) ||
                        (n->kind == CXCursor_CompoundAssignOperator && n->operation == CXBinaryOperator_OrAssign)) &&
                       names(n->child, declaration);
        if (defines && n->child)
            all = joined(all, bits_of(unit, f, n->child, depth + 1));
        if (assigns)
            all = joined(all, bits_of(unit, f, n->child->next, depth + 1));
    }
    return all;
}

/* All that a table holds. */
static struct bits table_bits(struct hc_unit *unit, const struct hc_ast_node *table)
{
    struct bits all = { 0, -1 };
    const struct hc_ast_node *bare = hc_ast_bare((struct hc_ast_node *)table);
    while (bare->kind == CXCursor_UnexposedExpr && bare->child)
        bare = hc_ast_bare(bare->child);
    CXCursor variable = clang_getCursorReferenced(bare->cursor);
    CXCursor initialiser = clang_getCursorKind(variable) == CXCursor_VarDecl
                               ? clang_Cursor_getVarDeclInitializer(variable)
                               : clang_getNullCursor();
    struct hc_ast_node *root = clang_Cursor_isNull(initialiser) ? NULL : hc_tree_node(unit, initialiser);
    int64_t value;
    for (struct hc_ast_node *n = root; n; n = hc_ast_following(root, n))
        if (hc_ast_constant(n, &value))
            all.value |= (uint32_t)value;
    return all;
}

static int parameter_number(const struct hc_ast_function *f, CXCursor declaration)
{
    int count = clang_Cursor_getNumArguments(f->definition);
    for (int i = 0; i < count; i++)
        if (clang_equalCursors(clang_getCanonicalCursor(clang_Cursor_getArgument(f->definition, (unsigned)i)),
                               declaration))
            return i;
    return -1;
}

static struct bits name_bits(struct hc_unit *unit, const struct hc_ast_function *f, const struct hc_ast_node *node,
                             int depth)
{
    CXCursor declaration = clang_getCanonicalCursor(clang_getCursorReferenced(node->cursor));
    struct bits all = { 0, -1 };
    if (clang_getCursorKind(declaration) == CXCursor_ParmDecl)
        all.parameter = parameter_number(f, declaration);
    if (clang_getCursorKind(declaration) == CXCursor_ParmDecl || clang_getCursorKind(declaration) == CXCursor_VarDecl)
        all = joined(all, variable_bits(unit, f, declaration, depth));
    return all;
}

static struct bits operator_bits(struct hc_unit *unit, const struct hc_ast_function *f, const struct hc_ast_node *node,
                                 int depth)
{
    struct bits left = bits_of(unit, f, node->child, depth + 1), right = bits_of(unit, f, node->child->next, depth + 1);
    int64_t mask;
    if (node->operation == CXBinaryOperator_And) {
        const struct hc_ast_node *constant = hc_ast_constant(node->child, &mask) ? node->child : node->child->next;
        if (!hc_ast_constant(constant, &mask))
            return joined(left, right);
        struct bits other = constant == node->child ? right : left;
        return (struct bits){ other.value & (uint32_t)mask, mask & asleep(unit) ? other.parameter : -1 };
    }
    bool joins = node->operation == CXBinaryOperator_Or || node->operation == CXBinaryOperator_Add ||
                 node->operation == CXBinaryOperator_Xor;
    return joins ? joined(left, right) : (struct bits){ 0, -1 };
}

static struct bits bits_of(struct hc_unit *unit, const struct hc_ast_function *f, const struct hc_ast_node *node,
                           int depth)
{
    struct bits none = { 0, -1 };
    int64_t value;
    node = hc_ast_bare((struct hc_ast_node *)node);
    if (hc_ast_constant(node, &value))
        return (struct bits){ (uint32_t)value, -1 };
    if (depth > DEPTH_MAX || !node->child)
        return node->kind == CXCursor_DeclRefExpr && depth <= DEPTH_MAX ? name_bits(unit, f, node, depth) : none;
    switch (node->kind) {
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return node->child->next ? none : bits_of(unit, f, node->child, depth + 1);
    case CXCursor_BinaryOperator:
        return node->child->next ? operator_bits(unit, f, node, depth) : none;
    case CXCursor_ConditionalOperator:
        return joined(bits_of(unit, f, node->child->next, depth + 1),
                      bits_of(unit, f, hc_ast_last_child(node), depth + 1));
    case CXCursor_ArraySubscriptExpr:
        return table_bits(unit, node->child);
    default:
        return none;
    }
}

/* ---- intrinsics that are known by name only ---- */

struct intrinsic {
    const char *name;
    enum { SETS, SLEEPS, ENABLES, DISABLES } effect; /* SETS: the bits of its argument */
};

static const struct intrinsic intrinsics[] = {
    { "__bis_SR_register", SETS },
    { "_bis_SR_register", SETS },
    { "__bis_status_register", SETS },
    { "_BIS_SR", SETS },
    { "__low_power_mode_0", SLEEPS },
    { "__low_power_mode_1", SLEEPS },
    { "__low_power_mode_2", SLEEPS },
    { "__low_power_mode_3", SLEEPS },
    { "__low_power_mode_4", SLEEPS },
    { "_low_power_mode_0", SLEEPS },
    { "_low_power_mode_1", SLEEPS },
    { "_low_power_mode_2", SLEEPS },
    { "_low_power_mode_3", SLEEPS },
    { "_low_power_mode_4", SLEEPS },
    { "__dint", DISABLES },
    { "_DINT", DISABLES },
    { "__disable_interrupt", DISABLES },
    { "_disable_interrupt", DISABLES },
    { "__disable_interrupts", DISABLES },
    { "_disable_interrupts", DISABLES },
    { "__eint", ENABLES },
    { "_EINT", ENABLES },
    { "__enable_interrupt", ENABLES },
    { "_enable_interrupt", ENABLES },
    { "__enable_interrupts", ENABLES },
    { "_enable_interrupts", ENABLES },
};

static const struct intrinsic *intrinsic_called(const struct hc_ast_node *call)
{
    CXString spelling = clang_getCursorSpelling(call->cursor);
    const char *name = clang_getCString(spelling);
    const struct intrinsic *found = NULL;
    for (size_t i = 0; !found && i < sizeof intrinsics / sizeof *intrinsics; i++)
        if (name && !strcmp(intrinsics[i].name, name))
            found = &intrinsics[i];
    clang_disposeString(spelling);
    return found;
}

static const struct hc_ast_node *argument_of(const struct hc_ast_node *call, int number)
{
    const struct hc_ast_node *n = call->child; /* the function */
    for (int i = 0; n && i <= number; i++)
        n = n->next;
    return n;
}

struct hc_ast_function *hc_sleep_callee(struct hc_unit *unit, const struct hc_ast_node *call)
{
    CXCursor callee;
    return call->kind == CXCursor_CallExpr && hc_ast_callee(call, &callee) ? hc_tree_function(unit, callee) : NULL;
}

/* ---- sleep ---- */

static bool assembly_sleeps(struct hc_unit *unit, struct hc_ast_function *f, const struct hc_ast_node *statement)
{
    struct hc_status_change change = hc_assembly_status(unit, statement);
    struct bits bits = { change.bits, -1 };
    if (change.expression)
        bits = joined(bits, bits_of(unit, f, change.expression, 0));
    if (bits.parameter >= 0)
        f->status_parameter = (uint8_t)(bits.parameter + 1);
    return bits.value & asleep(unit);
}

static bool call_sleeps(struct hc_unit *unit, struct hc_ast_function *f, const struct hc_ast_node *call)
{
    const struct hc_ast_function *callee = hc_sleep_callee(unit, call);
    const struct intrinsic *intrinsic = callee ? NULL : intrinsic_called(call);
    if (intrinsic && intrinsic->effect == SLEEPS)
        return true;
    int parameter = callee ? callee->status_parameter - 1 : intrinsic && intrinsic->effect == SETS ? 0 : -1;
    const struct hc_ast_node *argument = parameter >= 0 ? argument_of(call, parameter) : NULL;
    if (!argument)
        return false;
    struct bits bits = bits_of(unit, f, argument, 0);
    if (bits.parameter >= 0)
        f->status_parameter = (uint8_t)(bits.parameter + 1);
    return bits.value & asleep(unit);
}

bool hc_sleep_at(struct hc_unit *unit, struct hc_ast_function *f, const struct hc_ast_node *node)
{
    if (node->kind == CXCursor_GCCAsmStmt)
        return assembly_sleeps(unit, f, node);
    return node->kind == CXCursor_CallExpr && call_sleeps(unit, f, node);
}

/* Twice, for functions that pass their parameter on to one that comes later. */
void hc_sleep_prepare(struct hc_unit *unit)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < unit->function_count; i++) {
            struct hc_ast_function *f = &unit->functions[i];
            for (struct hc_ast_node *n = f->is_variable ? NULL : f->body; n; n = hc_ast_following(f->body, n))
                hc_sleep_at(unit, f, n);
        }
}

/* ---- interrupts ---- */

enum interrupts { UNCHANGED, ON, OFF };

static enum interrupts interrupts_after(struct hc_unit *unit, const struct hc_ast_node *statement);

/* Looked for once; calls within calls of the same change nothing more. */
static enum interrupts interrupts_after_call(struct hc_unit *unit, const struct hc_ast_node *call)
{
    struct hc_ast_function *callee = hc_sleep_callee(unit, call);
    const struct intrinsic *intrinsic = callee ? NULL : intrinsic_called(call);
    if (intrinsic)
        return intrinsic->effect == ENABLES ? ON : intrinsic->effect == DISABLES ? OFF : UNCHANGED;
    if (!callee)
        return UNCHANGED;
    if (!callee->interrupts_known) {
        callee->interrupts_known = true;
        callee->interrupts = (uint8_t)interrupts_after(unit, callee->body);
    }
    return (enum interrupts)callee->interrupts;
}

/* What STATEMENT, run to its end, leaves of them. */
static enum interrupts interrupts_after(struct hc_unit *unit, const struct hc_ast_node *statement)
{
    enum interrupts result = UNCHANGED;
    for (const struct hc_ast_node *n = statement; n; n = hc_ast_following(statement, n)) {
        if (n->kind == CXCursor_GCCAsmStmt) {
            struct hc_status_change change = hc_assembly_status(unit, n);
            result = change.disables ? OFF : change.enables ? ON : result;
        } else if (n->kind == CXCursor_CallExpr) {
            enum interrupts called = interrupts_after_call(unit, n);
            result = called == UNCHANGED ? result : called;
        }
    }
    return result;
}

/* The statements before NODE, the nearest first. */
static const struct hc_ast_node *before(const struct hc_ast_node *node)
{
    const struct hc_ast_node *previous = NULL;
    for (const struct hc_ast_node *n = node->parent->child; n != node; n = n->next)
        previous = n;
    return previous;
}

struct hc_ast_node *hc_sleep_switched_off(struct hc_unit *unit, const struct hc_ast_node *node, bool *decided)
{
    *decided = true;
    for (const struct hc_ast_node *n = node; n->parent; n = n->parent) {
        if (n->parent->kind != CXCursor_CompoundStmt)
            continue;
        for (const struct hc_ast_node *s = before(n); s; s = before(s)) {
            enum interrupts after = interrupts_after(unit, s);
            if (after != UNCHANGED)
                return after == OFF ? (struct hc_ast_node *)s : NULL;
        }
    }
    *decided = false;
    return NULL;
}
