/* What a program starts immediately before it sleeps, as in `ADC12CTL0 |= ADC12SC; LPM0;`. */
#include "starts.h"

#include "assembly.h"
#include "place.h"
#include "registers/regs.h"
#include "sleep.h"

enum { DEPTH_MAX = 3 }; /* of calls */

static bool is_short(struct hc_unit *unit, const struct hc_ast_node *statement, int depth);

static bool is_short_call(struct hc_unit *unit, const struct hc_ast_node *call, int depth)
{
    const struct hc_ast_function *callee = hc_sleep_callee(unit, call);
    return callee && callee->body && depth < DEPTH_MAX && is_short(unit, callee->body, depth + 1);
}

static bool is_short_node(struct hc_unit *unit, const struct hc_ast_node *node, int depth)
{
    switch (node->kind) {
    case CXCursor_CallExpr:
        return is_short_call(unit, node, depth);
    case CXCursor_GCCAsmStmt: {
        struct hc_status_change change = hc_assembly_status(unit, node);
        return !change.enables && !change.disables && !change.bits && !change.expression;
    }
    case CXCursor_ReturnStmt:
        return depth > 0;
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
        return false;
    default:
        return !hc_ast_is_loop(node);
    }
}

/* It takes some instructions, and what follows it is executed next. */
static bool is_short(struct hc_unit *unit, const struct hc_ast_node *statement, int depth)
{
    for (const struct hc_ast_node *n = statement; n; n = hc_ast_following(statement, n))
        if (n->updates || !is_short_node(unit, n, depth))
            return false;
    return true;
}

/* A register with bits that the hardware changes does more than keep what is written. */
static bool writes_answering_register(struct hc_unit *unit, const struct hc_ast_node *node)
{
    bool writes = (node->kind == CXCursor_BinaryOperator && node->operation == CXBinaryOperator_Assign) ||
                  node->kind == CXCursor_CompoundAssignOperator ||
                  (node->kind == CXCursor_UnaryOperator &&
                   (node->operation == CXUnaryOperator_PostInc || node->operation == CXUnaryOperator_PostDec ||
                    node->operation == CXUnaryOperator_PreInc || node->operation == CXUnaryOperator_PreDec));
    if (!writes)
        return false;
    struct hc_lvalue_place place = hc_place_of(unit, hc_ast_bare(node->child));
    if (place.kind != HC_PLACE_REGISTER && place.kind != HC_PLACE_INDEXED)
        return false;
    struct hc_regs_access access;
    hc_regs_access(unit->request->registers, place.address, place.size ? place.size : 1, &access);
    return access.nondeterministic || access.unknown;
}

static bool starts(struct hc_unit *unit, const struct hc_ast_node *statement)
{
    for (const struct hc_ast_node *n = statement; n; n = hc_ast_following(statement, n)) {
        const struct hc_ast_function *callee = hc_sleep_callee(unit, n);
        if (writes_answering_register(unit, n) || (callee && callee->body && starts(unit, callee->body)))
            return true;
    }
    return false;
}

static struct hc_ast_node *sibling_before(const struct hc_ast_node *node)
{
    struct hc_ast_node *previous = NULL;
    for (struct hc_ast_node *n = node->parent->child; n != node; n = n->next)
        previous = n;
    return previous;
}

struct hc_ast_node *hc_starts_before(struct hc_unit *unit, struct hc_ast_node *sleep)
{
    struct hc_ast_node *first = sleep;
    if (!sleep->parent || sleep->parent->kind != CXCursor_CompoundStmt)
        return sleep;
    for (struct hc_ast_node *n = sibling_before(sleep); n && is_short(unit, n, 0); n = sibling_before(n))
        if (starts(unit, n))
            first = n;
    return first;
}
