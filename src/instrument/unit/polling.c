/* Loops that do nothing but wait for a bit: `while (!(IFG1 & URXIFG0)) ;`. How often they turn does not matter to
 * anything, if nothing is changed in them and the value that ends them is not looked at. Only tests of bits are taken,
 * which is what the recorder's routines can do: the loop ends when (register & mask) is non-zero, or when it is zero.
 */
#include "polling.h"

#include "access.h"
#include "mask.h"
#include "place.h"

static bool is_empty(const struct hc_ast_node *statement)
{
    switch (statement->kind) {
    case CXCursor_NullStmt:
    case CXCursor_ContinueStmt:
        return true;
    case CXCursor_CompoundStmt:
        for (const struct hc_ast_node *n = statement->child; n; n = n->next)
            if (!is_empty(n))
                return false;
        return true;
    default:
        return false;
    }
}

static struct hc_ast_node *condition_of_empty_loop(struct hc_ast_node *loop)
{
    struct hc_ast_node *condition = NULL;
    for (struct hc_ast_node *n = loop->child; n; n = n->next) {
        if (n->role == HC_ROLE_CONDITION)
            condition = n;
        else if (n->role != HC_ROLE_BODY || !is_empty(n))
            return NULL;
    }
    return condition;
}

static bool is_single(uint64_t bits)
{
    return bits && !(bits & (bits - 1));
}

/* Steps from a truth value to the value that it tests; *NEGATED changes when it is true of zero. NULL if there is none.
 */
static struct hc_ast_node *tested(struct hc_ast_node *node, bool *negated)
{
    int64_t constant;
    node = hc_ast_bare(node);
    if (node->kind == CXCursor_UnaryOperator && node->operation == CXUnaryOperator_LNot) {
        *negated = !*negated;
        return node->child;
    }
    if (node->kind != CXCursor_BinaryOperator ||
        (node->operation != CXBinaryOperator_EQ && node->operation != CXBinaryOperator_NE))
        return NULL;
    struct hc_ast_node *left = node->child;
    bool equal = node->operation == CXBinaryOperator_EQ;
    if (!hc_ast_constant(left->next, &constant))
        return NULL;
    if (constant == 0) {
        *negated ^= equal;
        return left;
    }
    /* x & 4 == 4 */
    int64_t mask;
    struct hc_ast_node *value = hc_ast_bare(left);
    if (value->kind != CXCursor_BinaryOperator || value->operation != CXBinaryOperator_And ||
        !hc_ast_constant(value->child->next, &mask) || mask != constant || !is_single((uint64_t)mask))
        return NULL;
    *negated ^= !equal;
    return left;
}

/* The load under masks, constant shifts and conversions: the value is zero if and only if the used bits are. */
static struct hc_ast_node *load_under(struct hc_ast_node *node)
{
    int64_t constant;
    node = hc_ast_bare(node);
    if (hc_ast_loaded(node))
        return node;
    bool integral = node->type.kind == HC_AST_INTEGER || node->type.kind == HC_AST_BOOL;
    if ((node->kind == CXCursor_UnexposedExpr || node->kind == CXCursor_CStyleCastExpr) && integral && node->child &&
        !node->child->next)
        return load_under(node->child);
    if (node->kind != CXCursor_BinaryOperator)
        return NULL;
    switch (node->operation) {
    case CXBinaryOperator_And:
        if (hc_ast_constant(node->child, &constant))
            return load_under(node->child->next);
        /* fall through */
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr:
        return hc_ast_constant(node->child->next, &constant) ? load_under(node->child) : NULL;
    default:
        return NULL;
    }
}

/* The routine's flags must tell a passed test from a failed one: N of a mask of several bits could be either. */
static bool mask_is_testable(uint32_t mask, int size)
{
    return mask && (is_single(mask) || !(mask >> (8 * size - 1)));
}

/* The read that tells of the end of a transfer is an event: what was transferred is recorded with it. */
static bool tells_of_dma(const struct hc_regs *regs, uint32_t address)
{
    for (int i = 0; i < regs->dmas; i++)
        if (address == regs->dma[i].control || address == regs->dma[i].size)
            return true;
    return false;
}

bool hc_polling_decide(struct hc_unit *unit, struct hc_ast_node *loop)
{
    struct hc_ast_node *condition = condition_of_empty_loop(loop);
    if (!condition)
        return false;
    bool negated = false;
    for (struct hc_ast_node *inner; (inner = tested(condition, &negated));)
        condition = inner;
    struct hc_ast_node *load = load_under(condition);
    if (!load || hc_unit_annotated(unit, loop))
        return false;
    struct hc_lvalue_place place = hc_place_of(unit, load->child);
    if (place.kind != HC_PLACE_REGISTER || (place.size != 1 && place.size != 2) ||
        tells_of_dma(unit->request->registers, place.address))
        return false;

    uint64_t used = hc_mask_used(load);
    uint32_t mask = (uint32_t)(place.width ? (used & ((UINT64_C(1) << place.width) - 1)) << place.bit : used);
    struct hc_regs_access access;
    hc_regs_access(unit->request->registers, place.address, place.size, &access);
    if (!(mask & access.nondeterministic) || access.class == HC_SITE_VECTOR || !mask_is_testable(mask, place.size))
        return false;
    struct hc_decision *d = hc_access_new(unit, HC_POLL, loop, load->child, place);
    d->mask = mask;
    d->class = access.class;
    d->until_set = negated;
    d->reason = "polling";
    load->decision = d;
    unit->result->counts.polls++;
    return true;
}
