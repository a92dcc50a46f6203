/* Small functions that their author declared inline are made to be inlined everywhere: each copy is a place of its own
 * then and need not count. Without that, the count at the entry of a function of two instructions would be copied to
 * each of its callers (programs made by nesC consist of such functions). */
#include "inlining.h"

#include <string.h>

enum { SMALL = 12 }; /* nodes that make code: about as much as a call with its count */

/* Calls that mean something else in another frame. */
static bool is_bound_to_frame(const struct hc_ast_node *call)
{
    static const char *const names[] = { "__builtin_frame_address",
                                         "__builtin_return_address",
                                         "__builtin_alloca",
                                         "__builtin_va_start",
                                         "__builtin_setjmp",
                                         "alloca",
                                         "setjmp",
                                         "_setjmp" };
    CXString name = clang_getCursorSpelling(call->cursor);
    bool is_one = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is_one |= !strcmp(clang_getCString(name), names[i]);
    clang_disposeString(name);
    return is_one;
}

/* Of nodes that make code; more than SMALL when the function must stay as it is. */
static int cost_of(const struct hc_ast_function *f)
{
    int cost = 0;
    for (const struct hc_ast_node *n = f->body; n && cost <= SMALL; n = hc_ast_following(f->body, n)) {
        switch (n->kind) {
        case CXCursor_WhileStmt:
        case CXCursor_DoStmt:
        case CXCursor_ForStmt:
        case CXCursor_SwitchStmt:
        case CXCursor_LabelStmt:
        case CXCursor_GotoStmt:
        case CXCursor_IndirectGotoStmt:
        case CXCursor_AddrLabelExpr:
            return SMALL + 1;
        case CXCursor_CallExpr:
            if (is_bound_to_frame(n))
                return SMALL + 1;
            cost += 3;
            break;
        case CXCursor_IfStmt:
        case CXCursor_ConditionalOperator:
            cost += 2;
            break;
        case CXCursor_UnaryOperator:
        case CXCursor_BinaryOperator:
        case CXCursor_CompoundAssignOperator:
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_GCCAsmStmt:
        case CXCursor_VarDecl:
            cost += 1;
            break;
        default:
            break;
        }
        if (n->decision && n->decision->node == n && n->decision->action != HC_KEEP)
            cost += 2;
    }
    return cost;
}

static bool can_be_inlined(const struct hc_ast_function *f)
{
    return f->reached && f->is_static && f->is_inline && !f->is_variable && !f->always_inline && !f->address_taken &&
           !f->interrupt && !f->kept && !f->naked && !f->no_inline && f->calls > 1 &&
           !clang_Cursor_isVariadic(f->cursor) && cost_of(f) <= SMALL;
}

/* Whether F reaches TARGET by calls of functions that are inlined. */
static bool leads_to(struct hc_unit *unit, const struct hc_ast_function *f, const struct hc_ast_function *target,
                     int depth)
{
    CXCursor callee;
    if (depth > 16)
        return true;
    for (const struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        const struct hc_ast_function *next =
            n->kind == CXCursor_CallExpr && hc_ast_callee(n, &callee) ? hc_tree_function(unit, callee) : NULL;
        if (next && (next == target || (next->always_inline && leads_to(unit, next, target, depth + 1))))
            return true;
    }
    return false;
}

/* What an inlined function calls is called from each of its copies. */
static void multiply_calls(struct hc_unit *unit, const struct hc_ast_function *f)
{
    CXCursor callee;
    for (const struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        struct hc_ast_function *next =
            n->kind == CXCursor_CallExpr && hc_ast_callee(n, &callee) ? hc_tree_function(unit, callee) : NULL;
        if (next)
            next->calls++;
    }
}

void hc_inlining_decide(struct hc_unit *unit)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++) {
            struct hc_ast_function *f = &unit->functions[i];
            if (!can_be_inlined(f) || leads_to(unit, f, f, 0))
                continue;
            f->always_inline = changed = true;
            multiply_calls(unit, f);
            hc_edit_open(&unit->edits, f->begin, 0, "__attribute__((__always_inline__)) ");
        }
    }
}
