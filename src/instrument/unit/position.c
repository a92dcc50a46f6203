/* Where the position counter moves: once round every loop, at labels that are jumped back to, at the entry of functions
 * that can be entered twice, behind calls that can return twice (setjmp) or lead back (through pointers). Nothing is
 * needed where an event or a count is passed for certain anyway, since then two visits of one place differ all the
 * same. */
#include "position.h"

#include "emit.h"
#include "mask.h"
#include "scan.h"

#include <string.h>

/* ---- what is passed for certain ---- */

enum { PROVED_UNKNOWN, PROVED_BUSY, PROVED_YES, PROVED_NO };
enum { DEPTH_MAX = 3 }; /* of calls that are looked into */

/* Passing NODE, how does the counter fare? */
enum passing {
    NOTHING, /* nothing happened so far: look on */
    COUNTED, /* it moved, or an event set it back */
    LOST,    /* something happened that could lead anywhere */
};

struct search {
    struct hc_unit *unit;
    bool in_loop; /* from the start of a turn to the next one; else from the entry of a function to its return */
    bool inner;   /* within an inner loop, to which break and continue belong */
    bool once;    /* within do { } while (0), likewise, but what is behind them is not passed */
};

static enum passing pass(const struct search *s, const struct hc_ast_node *node);
static bool entry_counts(struct hc_unit *unit, struct hc_ast_function *function);

static bool is_event(const struct hc_ast_node *node)
{
    const struct hc_decision *d = node->decision;
    if (!d || d->node != node || d->reason)
        return d && d->action == HC_POLL && d->node == node; /* the routine counts */
    bool reads = d->action == HC_READ || d->action == HC_UPDATE || d->action == HC_STABLE;
    return reads && d->place.kind == HC_PLACE_REGISTER;
}

static enum passing pass_children(const struct search *s, const struct hc_ast_node *node)
{
    for (const struct hc_ast_node *n = node->child; n; n = n->next) {
        enum passing p = pass(s, n);
        if (p != NOTHING)
            return p;
    }
    return NOTHING;
}

/* F calls nothing, or what does, up to DEPTH calls deep: nothing but that is entered before it returns. */
static bool stays_inside(struct hc_unit *unit, const struct hc_ast_function *f, int depth)
{
    CXCursor callee;
    if (!f || !f->body || f->naked || !depth)
        return false;
    for (const struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n))
        if (n->kind == CXCursor_CallExpr &&
            (!hc_ast_callee(n, &callee) || !stays_inside(unit, hc_tree_function(unit, callee), depth - 1)))
            return false;
    return true;
}

static enum passing pass_call(const struct search *s, const struct hc_ast_node *node)
{
    CXCursor callee;
    enum passing arguments = pass_children(s, node);
    if (arguments != NOTHING)
        return arguments;
    struct hc_ast_function *function = hc_ast_callee(node, &callee) ? hc_tree_function(s->unit, callee) : NULL;
    if (function && entry_counts(s->unit, function))
        return COUNTED;
    /* Round a loop other calls do no harm: they return, or the loop is left. A function could be entered from them. */
    return s->in_loop || stays_inside(s->unit, function, DEPTH_MAX) ? NOTHING : LOST;
}

static enum passing pass_branches(const struct search *s, const struct hc_ast_node *node, bool has_all)
{
    enum passing condition = pass(s, node->child), joined = has_all ? COUNTED : NOTHING;
    if (condition != NOTHING)
        return condition;
    for (const struct hc_ast_node *n = node->child->next; n; n = n->next) {
        enum passing p = pass(s, n);
        if (p == LOST)
            return LOST;
        if (p == NOTHING)
            joined = NOTHING;
    }
    return joined;
}

static bool is_constant_false(const struct hc_ast_node *condition)
{
    int64_t value;
    return condition && hc_ast_constant(condition, &value) && value == 0;
}

/* A loop within: its body may be passed or not, but may lead away. */
static enum passing pass_loop(const struct search *outer, const struct hc_ast_node *node)
{
    if (node->kind == CXCursor_DoStmt && is_constant_false(hc_ast_last_child(node))) {
        struct search once = { .unit = outer->unit, .in_loop = outer->in_loop, .once = true };
        return pass(&once, node->child);
    }
    struct search s = { .unit = outer->unit, .in_loop = outer->in_loop, .inner = true };
    enum passing result = NOTHING;
    for (const struct hc_ast_node *n = node->child; n; n = n->next) {
        bool certain = node->kind != CXCursor_DoStmt && (n->role == HC_ROLE_INITIAL || n->role == HC_ROLE_CONDITION);
        enum passing p = pass(&s, n);
        if (p == LOST)
            return LOST;
        if (certain && p == COUNTED)
            result = COUNTED;
    }
    return result;
}

/* Operands are evaluated in any order: a call beside the event may come first. */
static bool has_call_beside(const struct hc_ast_node *event)
{
    const struct hc_ast_node *root = event;
    while (root->parent && clang_isExpression((enum CXCursorKind)root->parent->kind))
        root = root->parent;
    for (const struct hc_ast_node *n = root; n; n = hc_ast_following(root, n))
        if (n->kind == CXCursor_CallExpr)
            return true;
    return false;
}

static enum passing pass(const struct search *s, const struct hc_ast_node *node)
{
    if (is_event(node))
        return s->in_loop || !has_call_beside(node) ? COUNTED : LOST;
    switch (node->kind) {
    case CXCursor_CallExpr:
        return pass_call(s, node);
    case CXCursor_BinaryOperator:
        if (node->operation == CXBinaryOperator_LAnd || node->operation == CXBinaryOperator_LOr)
            return pass_branches(s, node, false);
        return pass_children(s, node);
    case CXCursor_ConditionalOperator:
        return pass_branches(s, node, true);
    case CXCursor_IfStmt:
        return pass_branches(s, node, node->child->next && node->child->next->next);
    case CXCursor_SwitchStmt: {
        enum passing p = pass(s, node->child);
        return p != NOTHING ? p : LOST; /* cases are not followed */
    }
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        return pass_loop(s, node);
    case CXCursor_UnexposedExpr:
        return node->child && node->child->next ? pass(s, node->child) : pass_children(s, node); /* a ?: b */
    case CXCursor_ReturnStmt: {
        enum passing p = pass_children(s, node);
        return p == NOTHING && !s->in_loop ? LOST : s->in_loop ? COUNTED : p; /* leaves the loop: no turn */
    }
    case CXCursor_BreakStmt:
        return s->once ? LOST : s->inner || s->in_loop ? COUNTED : LOST; /* no turn either */
    case CXCursor_ContinueStmt:
        return s->inner ? COUNTED : LOST;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return LOST;
    default:
        return pass_children(s, node);
    }
}

static bool loop_needs_tick(struct hc_unit *unit, const struct hc_ast_node *loop)
{
    struct search s = { .unit = unit, .in_loop = true };
    const struct hc_ast_node *body = NULL;
    if (loop->counts)
        return false; /* the recorder's function does */
    for (const struct hc_ast_node *n = loop->child; n; n = n->next) {
        if (n->role == HC_ROLE_BODY)
            body = n;
        if (n->role == HC_ROLE_CONDITION && is_constant_false(n))
            return false; /* do { } while (0) */
        /* The condition and the step are passed in every turn, whatever the body does: but for jumps into it. */
        if ((n->role == HC_ROLE_CONDITION || n->role == HC_ROLE_STEP) && pass(&s, n) == COUNTED)
            return false;
    }
    return !body || pass(&s, body) != COUNTED;
}

/* ---- functions ---- */

static bool may_be_entered_twice(const struct hc_ast_function *f)
{
    if (f->address_taken)
        return true;
    if (f->interrupt)
        return f->calls > 0; /* else entered by the recorder only, which sets the counter back */
    return !f->is_static || f->calls != 1 || f->kept;
}

/* Whether entering FUNCTION moves the counter before anything else can enter it again. */
static bool entry_counts(struct hc_unit *unit, struct hc_ast_function *f)
{
    if (f->proved == PROVED_UNKNOWN) {
        f->proved = PROVED_BUSY;
        struct search s = { .unit = unit };
        bool passes = f->reached && !f->is_variable && !f->naked && pass(&s, f->body) == COUNTED;
        f->ticks = !passes && !f->naked && !f->always_inline && !f->is_variable && may_be_entered_twice(f);
        f->proved = passes || f->ticks ? PROVED_YES : PROVED_NO;
    }
    return f->proved == PROVED_YES;
}

void hc_position_prepare(struct hc_unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++)
        entry_counts(unit, &unit->functions[i]);
}

/* ---- text ---- */

uint32_t hc_statement_end(const struct hc_unit *unit, const struct hc_ast_node *statement)
{
    const struct hc_ast_node *last = hc_ast_last_child(statement);
    switch (statement->kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_NullStmt:
    case CXCursor_DeclStmt:
        return statement->end;
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_ForStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        if (last)
            return hc_statement_end(unit, last);
        break;
    default:
        break;
    }
    uint32_t at = hc_scan_blank(unit->text, unit->size, statement->end);
    return at < unit->size && unit->text[at] == ';' ? at + 1 : statement->end;
}

/* Behind the opening brace, and behind __label__ declarations, which must come first. */
static uint32_t first_place(const struct hc_unit *unit, const struct hc_ast_node *compound)
{
    static const char word[] = "__label__";
    for (uint32_t place = compound->begin + 1;;) {
        uint32_t at = hc_scan_blank(unit->text, unit->size, place);
        uint32_t end = hc_scan_token(unit->text, unit->size, at);
        if (end - at != strlen(word) || memcmp(unit->text + at, word, end - at) != 0)
            return place;
        place = hc_scan_find(unit->text, end, compound->end, ';') + 1;
    }
}

void hc_position_before(struct hc_unit *unit, const struct hc_ast_node *statement, const char *text)
{
    if (statement->kind == CXCursor_CompoundStmt) {
        hc_edit_open(&unit->edits, first_place(unit, statement), statement->depth, text);
        return;
    }
    hc_edit_open(&unit->edits, statement->begin, statement->depth, hc_arena_print(unit->memory, "{%s", text));
    hc_edit_close(&unit->edits, hc_statement_end(unit, statement), statement->depth, "}");
}

static void tick_before(struct hc_unit *unit, const struct hc_ast_node *statement, bool in_line)
{
    hc_position_before(unit, statement, hc_emit_tick(unit, in_line));
}

static bool is_labelled(const struct hc_ast_node *node)
{
    return node->kind == CXCursor_LabelStmt || node->kind == CXCursor_CaseStmt || node->kind == CXCursor_DefaultStmt;
}

/* What follows a label may be no statement on its own (`if (x) L: y;`): then it is bracketed. */
static void tick_at_label(struct hc_unit *unit, const struct hc_ast_node *label)
{
    const struct hc_ast_node *outer = label, *labelled = hc_ast_last_child(label);
    while (outer->parent && is_labelled(outer->parent))
        outer = outer->parent;
    if (!labelled)
        return;
    if (outer->parent && outer->parent->kind == CXCursor_CompoundStmt)
        hc_edit_open(&unit->edits, labelled->begin, labelled->depth, hc_emit_tick(unit, false));
    else
        tick_before(unit, labelled, false);
}

/* Whether a goto behind LABEL, or one through a pointer, leads to it. */
static bool is_jumped_back_to(const struct hc_ast_node *root, const struct hc_ast_node *label)
{
    for (struct hc_ast_node *n = (struct hc_ast_node *)root; n; n = hc_ast_following(root, n)) {
        if (n->kind != CXCursor_AddrLabelExpr && (n->kind != CXCursor_GotoStmt || n->begin < label->begin))
            continue;
        if (hc_ast_label(n) == label->begin)
            return true;
    }
    return false;
}

/* Without loops and calls in it: where a call for each turn would tell. */
static bool is_innermost(const struct hc_ast_node *loop)
{
    for (const struct hc_ast_node *n = hc_ast_following(loop, loop); n; n = hc_ast_following(loop, n))
        if (hc_ast_is_loop(n) || n->kind == CXCursor_CallExpr)
            return false;
    return true;
}

/* setjmp and its likes, by the names that compilers know, or by their attribute. */
static bool returns_twice(const struct hc_unit *unit, CXCursor callee)
{
    static const char *const names[] = { "setjmp",           "_setjmp",    "__setjmp", "sigsetjmp", "__sigsetjmp",
                                         "__builtin_setjmp", "getcontext", "savectx",  "vfork" };
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    bool twice = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        twice |= strcmp(name, names[i]) == 0;
    clang_disposeString(spelling);
    CXCursor canonical = clang_getCanonicalCursor(callee);
    for (size_t i = 0; i < unit->twice_count; i++)
        twice |= clang_equalCursors(unit->twice[i], canonical) != 0;
    return twice;
}

/* A call through a pointer may lead anywhere, back to here too: then the returns from nested calls pass the place
 * behind it one after the other. setjmp returns as often as longjmp is called. So that the returns differ, the counter
 * moves there. True: behind a setjmp, which is like a label that is jumped back to. */
static bool tick_after_call(struct hc_unit *unit, const struct hc_ast_node *call)
{
    CXCursor callee;
    bool known = hc_ast_callee(call, &callee), twice = known && returns_twice(unit, callee);
    if ((known && !twice) || call->type.kind == HC_AST_OTHER)
        return false;
    const char *tick = hc_emit_tick(unit, false);
    bool has_value = call->type.kind != HC_AST_VOID && hc_mask_used(call);
    hc_edit_open(&unit->edits, call->begin, call->depth,
                 has_value ? hc_arena_print(unit->memory, "__extension__({%s __hc_c=", hc_emit_type(unit, call))
                           : "__extension__({");
    hc_edit_close(&unit->edits, call->end, call->depth,
                  hc_arena_print(unit->memory, ";%s%s;})", tick, has_value ? "__hc_c" : "(void)0"));
    return twice;
}

void hc_position_emit(struct hc_unit *unit)
{
    struct hc_ast_function *f = unit->function;
    struct hc_unit_counts *counts = &unit->result->counts;
    counts->functions++;
    if (f->ticks) {
        tick_before(unit, f->body, false);
        counts->function_ticks++;
    }
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        if (hc_ast_is_loop(n) && !(n->decision && n->decision->node == n)) { /* else it is one call of the recorder */
            counts->loops++;
            if (!loop_needs_tick(unit, n))
                continue;
            bool in_line = unit->request->inline_ticks && is_innermost(n);
            for (struct hc_ast_node *body = n->child; body; body = body->next)
                if (body->role == HC_ROLE_BODY)
                    tick_before(unit, body, in_line);
            counts->loop_ticks++;
        } else if (n->kind == CXCursor_LabelStmt && is_jumped_back_to(f->body, n)) {
            counts->loops++;
            counts->loop_ticks++;
            tick_at_label(unit, n);
        } else if (n->kind == CXCursor_CallExpr) {
            bool led_back = tick_after_call(unit, n);
            counts->loops += led_back;
            counts->loop_ticks += led_back;
        }
    }
}
