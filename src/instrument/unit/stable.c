/* Loops that read a register until two successive reads agree, as is done with a counter that runs asynchronously to
 * the CPU:
 *
 *     do { a = TBR; b = TBR; } while (a != b);        b = TBR; do { a = b; b = TBR; } while (a != b);
 *     do a = TBR; while (a != TBR);                    while ((a = TBR) != (b = TBR)) ;
 *
 * A recorded read takes longer than a tick of a fast counter, so that they would end late or never. They become one
 * call of the recorder, which reads until the register is stable and records the value once. Nothing else may happen in
 * the loop, and the variables must be local ones that hold the whole register. */
#include "stable.h"

#include "access.h"
#include "place.h"

struct stable {
    struct hc_ast_node *first, *second; /* variables that get the value; the second may be NULL */
    struct hc_ast_node *load, *other;   /* reads: the one that is recorded, the one that is not made */
};

static struct hc_ast_node *unconverted(struct hc_ast_node *node)
{
    for (;;) {
        node = hc_ast_bare(node);
        bool conversion = node->kind == CXCursor_UnexposedExpr && node->child && !node->child->next &&
                          !hc_ast_loaded(node) && node->type.kind == HC_AST_INTEGER &&
                          node->child->type.kind == HC_AST_INTEGER && node->type.bits >= node->child->type.bits;
        if (!conversion)
            return node;
        node = node->child;
    }
}

/* NODE as the name of an automatic variable; NULL if it is none. */
static struct hc_ast_node *local(struct hc_ast_node *node)
{
    node = hc_ast_bare(node);
    if (node->kind != CXCursor_DeclRefExpr || node->type.kind != HC_AST_INTEGER || node->type.is_volatile)
        return NULL;
    CXCursor declaration = clang_getCursorReferenced(node->cursor);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(declaration);
    bool automatic = clang_getCursorLinkage(declaration) == CXLinkage_NoLinkage && storage != CX_SC_Static &&
                     storage != CX_SC_Extern;
    return automatic ? node : NULL;
}

static bool is_same(const struct hc_ast_node *a, const struct hc_ast_node *b)
{
    return a && b && clang_equalCursors(clang_getCursorReferenced(a->cursor), clang_getCursorReferenced(b->cursor));
}

/* NODE as a load of a register that may be read so; NULL if it is none. */
static struct hc_ast_node *register_load(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_regs_access access;
    node = unconverted(node);
    if (!hc_ast_loaded(node))
        return NULL;
    struct hc_lvalue_place place = hc_place_of(unit, node->child);
    if (place.kind != HC_PLACE_REGISTER || place.width || (place.size != 1 && place.size != 2))
        return NULL;
    hc_regs_access(unit->request->registers, place.address, place.size, &access);
    bool counts = access.class == HC_SITE_TIMER || access.class == HC_SITE_STATE;
    return access.nondeterministic && counts && access.first && !access.first->read_effect ? node : NULL;
}

static bool is_same_register(struct hc_unit *unit, const struct hc_ast_node *a, const struct hc_ast_node *b)
{
    struct hc_lvalue_place p = hc_place_of(unit, a->child), q = hc_place_of(unit, b->child);
    return p.address == q.address && p.size == q.size;
}

/* `a = REG`: the variable, and the load in *LOAD. */
static struct hc_ast_node *assigned(struct hc_unit *unit, struct hc_ast_node *node, struct hc_ast_node **load)
{
    node = hc_ast_bare(node);
    if (node->kind != CXCursor_BinaryOperator || node->operation != CXBinaryOperator_Assign)
        return NULL;
    struct hc_ast_node *variable = local(node->child);
    *load = register_load(unit, node->child->next);
    return variable && *load && variable->type.bits >= (*load)->type.bits ? variable : NULL;
}

/* The variable whose value NODE is. */
static struct hc_ast_node *value_of(struct hc_ast_node *node)
{
    struct hc_ast_node *loaded = hc_ast_loaded(unconverted(node));
    return loaded ? local(loaded) : NULL;
}

static bool compares(const struct hc_ast_node *condition, const struct hc_ast_node *a, const struct hc_ast_node *b)
{
    condition = hc_ast_bare((struct hc_ast_node *)condition);
    if (condition->kind != CXCursor_BinaryOperator || condition->operation != CXBinaryOperator_NE)
        return false;
    struct hc_ast_node *left = value_of(condition->child), *right = value_of(condition->child->next);
    return (is_same(left, a) && is_same(right, b)) || (is_same(left, b) && is_same(right, a));
}

/* The load that gives VARIABLE its value right before LOOP. */
static struct hc_ast_node *load_before(struct hc_unit *unit, const struct hc_ast_node *loop,
                                       const struct hc_ast_node *variable)
{
    struct hc_ast_node *before = loop->parent ? loop->parent->child : NULL, *load;
    if (!loop->parent || loop->parent->kind != CXCursor_CompoundStmt || before == loop)
        return NULL;
    while (before->next != loop)
        before = before->next;
    if (is_same(assigned(unit, before, &load), variable))
        return load;
    if (before->kind != CXCursor_DeclStmt)
        return NULL;
    struct hc_ast_node *last = hc_ast_last_child(before); /* nothing between it and the loop uses the value */
    CXCursor declaration = clang_getCursorReferenced(variable->cursor);
    if (!last || !clang_equalCursors(last->cursor, declaration) || !last->child)
        return NULL;
    return register_load(unit, last->child);
}

/* do { a = REG; b = REG; } while (a != b);   do { a = b; b = REG; } while (a != b); */
static bool match_two_statements(struct hc_unit *unit, struct hc_ast_node *loop, struct stable *s)
{
    struct hc_ast_node *body = loop->child, *condition = body->next, *one = body->child, *two = one ? one->next : NULL;
    if (!two || two->next)
        return false;
    s->second = assigned(unit, two, &s->load);
    if (!s->second)
        return false;
    s->first = assigned(unit, one, &s->other);
    if (!s->first) {
        one = hc_ast_bare(one);
        if (one->kind != CXCursor_BinaryOperator || one->operation != CXBinaryOperator_Assign ||
            !is_same(value_of(one->child->next), s->second))
            return false;
        s->first = local(one->child);
        s->other = load_before(unit, loop, s->second);
    }
    return s->first && s->other && !is_same(s->first, s->second) && compares(condition, s->first, s->second);
}

/* do a = REG; while (a != REG); */
static bool match_one_statement(struct hc_unit *unit, struct hc_ast_node *loop, struct stable *s)
{
    struct hc_ast_node *body = loop->child, *condition = hc_ast_bare(body->next);
    if (body->kind == CXCursor_CompoundStmt && (!body->child || body->child->next))
        return false;
    s->first = assigned(unit, body->kind == CXCursor_CompoundStmt ? body->child : body, &s->load);
    if (!s->first || condition->kind != CXCursor_BinaryOperator || condition->operation != CXBinaryOperator_NE)
        return false;
    struct hc_ast_node *left = condition->child, *right = left->next;
    s->other = is_same(value_of(left), s->first)    ? register_load(unit, right)
               : is_same(value_of(right), s->first) ? register_load(unit, left)
                                                    : NULL;
    return s->other;
}

/* while ((a = REG) != (b = REG)) ; */
static bool match_condition(struct hc_unit *unit, struct hc_ast_node *loop, struct stable *s)
{
    struct hc_ast_node *condition = hc_ast_bare(loop->child), *body = loop->child->next;
    bool empty = body->kind == CXCursor_NullStmt || (body->kind == CXCursor_CompoundStmt && !body->child);
    if (!empty || condition->kind != CXCursor_BinaryOperator || condition->operation != CXBinaryOperator_NE)
        return false;
    s->first = assigned(unit, unconverted(condition->child), &s->load);
    s->second = assigned(unit, unconverted(condition->child->next), &s->other);
    if (s->first && !s->second)
        s->other = register_load(unit, condition->child->next);
    return s->first && s->other && !is_same(s->first, s->second);
}

static bool match(struct hc_unit *unit, struct hc_ast_node *loop, struct stable *s)
{
    if (loop->kind == CXCursor_WhileStmt && loop->child && loop->child->next)
        return match_condition(unit, loop, s);
    if (loop->kind != CXCursor_DoStmt || !loop->child || !loop->child->next)
        return false;
    if (loop->child->kind == CXCursor_CompoundStmt && match_two_statements(unit, loop, s))
        return true;
    *s = (struct stable){ 0 };
    return match_one_statement(unit, loop, s);
}

static void decide(struct hc_unit *unit, struct hc_ast_node *loop, const struct stable *s)
{
    struct hc_regs_access access;
    struct hc_lvalue_place place = hc_place_of(unit, s->load->child);
    struct hc_decision *d = hc_access_new(unit, HC_STABLE, loop, s->load->child, place);
    hc_regs_access(unit->request->registers, place.address, place.size, &access);
    d->mask = place.size == 1 ? 0xff : 0xffff;
    d->class = access.class;
    d->variables[0] = s->first;
    d->variables[1] = s->second;
    s->load->decision = d;

    bool outside = s->other->begin < loop->begin; /* b = REG before the loop: its value is never looked at */
    struct hc_decision *o = hc_access_new(unit, outside ? HC_READ_OMITTED : HC_KEEP, s->other, s->other->child, place);
    o->mask = d->mask;
    o->class = d->class;
    o->reason = "read until stable";
}

void hc_stable_decide(struct hc_unit *unit)
{
    struct hc_ast_node *root = unit->function->body;
    for (struct hc_ast_node *n = root; n; n = hc_ast_following(root, n)) {
        struct stable s = { 0 };
        if ((n->kind == CXCursor_DoStmt || n->kind == CXCursor_WhileStmt) && match(unit, n, &s) &&
            is_same_register(unit, s.load, s.other) && !hc_unit_annotated(unit, n) && !hc_unit_annotated(unit, s.other))
            decide(unit, n, &s);
    }
}
