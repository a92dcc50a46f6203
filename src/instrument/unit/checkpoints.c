/* Calls of a checkpoint function, for programs that are to survive power failures, where Mementos puts them: at loop
 * latches, that is once round every loop, whatever way the turn ends; or where calls have returned.
 *
 *     for (i; c; s) body          for (i; c; s,checkpoint()) body
 *     while (c) body              while (c) {body checkpoint();}
 *     do body while (c);          do {body checkpoint();} while (c);
 *     continue;                   {checkpoint();continue;}             of the latter two
 *     goto back;                  {checkpoint();goto back;}
 *     f(x)                        ({__auto_type v=f(x);checkpoint();v;})
 *
 * Left out are the checkpoint function and all that it calls in this unit, interrupt handlers, naked functions, and
 * what the user says. */
#include "checkpoints.h"

#include "position.h"
#include "scan.h"

#include <string.h>

static bool is_named(CXCursor cursor, const char *name)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    bool same = !strcmp(clang_getCString(spelling), name);
    clang_disposeString(spelling);
    return same;
}

static void place(struct hc_unit *unit, uint32_t at, int depth, bool closes, const char *before, const char *after)
{
    const char *text = hc_arena_print(unit->memory, "%s%s()%s", before, unit->request->checkpoint_function, after);
    if (closes)
        hc_edit_close(&unit->edits, at, depth, text);
    else
        hc_edit_open(&unit->edits, at, depth, text);
    unit->result->counts.checkpoints++;
}

/* ---- loop latches ---- */

/* do { } while (0) has no latch. */
static bool turns_back(const struct hc_ast_node *loop)
{
    int64_t value;
    for (const struct hc_ast_node *n = loop->child; n; n = n->next)
        if (n->role == HC_ROLE_CONDITION && hc_ast_constant(n, &value) && value == 0)
            return false;
    return true;
}

static void place_in_step(struct hc_unit *unit, const struct hc_ast_node *loop)
{
    for (const struct hc_ast_node *n = loop->child; n; n = n->next)
        if (n->role == HC_ROLE_STEP) {
            place(unit, n->end, n->depth, true, ",", "");
            return;
        }
    uint32_t at = hc_scan_find(unit->text, loop->begin, loop->end, '(') + 1;
    at = hc_scan_find(unit->text, at, loop->end, ';') + 1;
    at = hc_scan_find(unit->text, at, loop->end, ';') + 1;
    place(unit, hc_scan_find(unit->text, at, loop->end, ')'), loop->depth, true, "", "");
}

static void place_behind_body(struct hc_unit *unit, const struct hc_ast_node *loop)
{
    const struct hc_ast_node *body = loop->child;
    while (body->role != HC_ROLE_BODY)
        body = body->next;
    if (body->kind == CXCursor_CompoundStmt) {
        place(unit, body->end - 1, body->depth, true, "", ";");
        return;
    }
    hc_edit_open(&unit->edits, body->begin, body->depth, "{");
    place(unit, hc_statement_end(unit, body), body->depth, true, "", ";}");
}

static void place_before(struct hc_unit *unit, const struct hc_ast_node *jump)
{
    place(unit, jump->begin, jump->depth, false, "{", ";");
    hc_edit_close(&unit->edits, hc_statement_end(unit, jump), jump->depth, "}");
}

static const struct hc_ast_node *loop_round(const struct hc_ast_node *jump)
{
    const struct hc_ast_node *n = jump;
    while (n->parent && !(hc_ast_is_loop(n->parent) && n->role == HC_ROLE_BODY))
        n = n->parent;
    return n->parent;
}

/* The step of a `for` is passed on the way back. */
static bool goes_back_unseen(const struct hc_ast_node *continuing)
{
    const struct hc_ast_node *loop = loop_round(continuing);
    return loop && loop->kind != CXCursor_ForStmt && turns_back(loop);
}

/* A goto through a pointer may lead to any label whose address is taken: back, if one of them is before it. */
static bool may_jump_back(const struct hc_ast_node *root, const struct hc_ast_node *jump)
{
    for (struct hc_ast_node *n = (struct hc_ast_node *)root; n; n = hc_ast_following(root, n))
        if (n->kind == CXCursor_AddrLabelExpr && hc_ast_label(n) <= jump->begin)
            return true;
    return false;
}

static void place_at_latches(struct hc_unit *unit, const struct hc_ast_node *root)
{
    for (struct hc_ast_node *n = (struct hc_ast_node *)root; n; n = hc_ast_following(root, n)) {
        if (hc_ast_is_loop(n)) {
            if (!turns_back(n))
                continue;
            if (n->kind == CXCursor_ForStmt)
                place_in_step(unit, n);
            else
                place_behind_body(unit, n);
        } else if ((n->kind == CXCursor_ContinueStmt && goes_back_unseen(n)) ||
                   (n->kind == CXCursor_GotoStmt && hc_ast_label(n) <= n->begin) ||
                   (n->kind == CXCursor_IndirectGotoStmt && may_jump_back(root, n))) {
            place_before(unit, n);
        }
    }
}

/* ---- returns ---- */

/* What compilers make of reserved names is no call. */
static bool is_real_call(const struct hc_unit *unit, const struct hc_ast_node *call)
{
    CXCursor callee;
    if (!hc_ast_callee(call, &callee))
        return true;
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    bool is = strncmp(name, "__", 2) != 0 && strcmp(name, unit->request->checkpoint_function) != 0;
    clang_disposeString(spelling);
    return is;
}

static void place_behind_calls(struct hc_unit *unit, const struct hc_ast_node *root)
{
    for (struct hc_ast_node *n = (struct hc_ast_node *)root; n; n = hc_ast_following(root, n)) {
        if (n->kind != CXCursor_CallExpr || !is_real_call(unit, n))
            continue;
        bool has_value = n->type.kind != HC_AST_VOID;
        hc_edit_open(&unit->edits, n->begin, n->depth,
                     has_value ? "__extension__({__auto_type __hc_v=" : "__extension__({");
        place(unit, n->end, n->depth, true, ";", has_value ? ";__hc_v;})" : ";})");
    }
}

/* ---- which functions ---- */

static bool is_named_by_user(const struct hc_unit *unit, const struct hc_ast_function *f)
{
    const struct hc_unit_request *request = unit->request;
    for (int i = 0; i < request->without_checkpoints_count; i++)
        if (!strcmp(request->without_checkpoints[i], f->name))
            return true;
    for (size_t i = 0; i < unit->exempt_count; i++)
        if (unit->exempt[i] >= f->header && unit->exempt[i] < f->body->begin)
            return true;
    return false;
}

static void leave_out(struct hc_unit *unit, struct hc_ast_function *f)
{
    if (f->without_checkpoints)
        return;
    f->without_checkpoints = true;
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        CXCursor callee;
        struct hc_ast_function *called =
            n->kind == CXCursor_CallExpr && hc_ast_callee(n, &callee) ? hc_tree_function(unit, callee) : NULL;
        if (called)
            leave_out(unit, called);
    }
}

static void choose(struct hc_unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        if (!f->is_variable && !strcmp(f->name, unit->request->checkpoint_function))
            leave_out(unit, f);
    }
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        f->without_checkpoints |= f->is_variable || f->interrupt || f->naked || is_named_by_user(unit, f);
    }
}

/* ---- its declaration ---- */

struct name_search {
    struct hc_unit *unit;
    CXCursor found; /* the first declaration outside functions */
    uint32_t begin;
};

static uint32_t offset_of(CXCursor cursor)
{
    unsigned offset = 0;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), NULL, NULL, NULL, &offset);
    return offset;
}

static enum CXChildVisitResult find_declaration(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct name_search *s = data;
    if (!clang_isDeclaration(clang_getCursorKind(cursor)) || !is_named(cursor, s->unit->request->checkpoint_function))
        return CXChildVisit_Continue;
    s->found = cursor;
    s->begin = offset_of(cursor);
    return CXChildVisit_Break;
}

static bool can_be_called(CXCursor declaration)
{
    CXType type = clang_getCursorType(declaration);
    return clang_getCursorKind(declaration) == CXCursor_FunctionDecl &&
           (type.kind == CXType_FunctionNoProto || clang_getNumArgTypes(type) == 0);
}

/* So that the calls mean the function whatever the unit declares, and where. */
static void declare(struct hc_unit *unit, uint32_t first_use)
{
    const char *name = unit->request->checkpoint_function;
    struct name_search s = { .unit = unit, .found = clang_getNullCursor() };
    clang_visitChildren(clang_getTranslationUnitCursor(unit->clang), find_declaration, &s);
    uint32_t front = hc_scan_blank(unit->text, unit->size, 0);
    if (clang_Cursor_isNull(s.found)) {
        hc_edit_open(&unit->edits, front, 0, hc_arena_print(unit->memory, "void %s(void);", name));
        return;
    }
    if (!can_be_called(s.found)) {
        hc_unit_refuse_at(unit, clang_getCursorLocation(s.found),
                          "'%s' cannot be called without arguments: name another checkpoint function", name);
        return;
    }
    if (s.begin < first_use)
        return;
    CXType type = clang_getCanonicalType(clang_getResultType(clang_getCursorType(s.found)));
    CXString spelling = clang_getTypeSpelling(type);
    hc_edit_open(&unit->edits, front, 0,
                 hc_arena_print(unit->memory, "%s%s %s(void);",
                                clang_getCursorLinkage(s.found) == CXLinkage_Internal ? "static " : "",
                                clang_getCString(spelling), name));
    clang_disposeString(spelling);
}

static enum CXChildVisitResult find_hiding(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct hc_unit *unit = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_TypedefDecl) &&
        is_named(cursor, unit->request->checkpoint_function))
        hc_unit_refuse_at(unit, clang_getCursorLocation(cursor),
                          "'%s' hides the checkpoint function here: rename it, or except this function by \"#pragma "
                          "hindcast no_checkpoints\"",
                          unit->request->checkpoint_function);
    return CXChildVisit_Recurse;
}

/* ---- the whole ---- */

static void check_pragmas(struct hc_unit *unit)
{
    for (size_t i = 0; i < unit->exempt_count; i++) {
        bool used = false;
        for (size_t k = 0; k < unit->function_count; k++)
            used |= !unit->functions[k].is_variable && unit->exempt[i] >= unit->functions[k].header &&
                    unit->exempt[i] < unit->functions[k].body->begin;
        if (!used)
            hc_unit_refuse_at(unit, hc_unit_location(unit, unit->exempt[i]),
                              "\"#pragma hindcast no_checkpoints\" must stand before a function");
    }
}

static void place_in_function(struct hc_unit *unit, struct hc_ast_function *f)
{
    unsigned before = unit->result->counts.checkpoints;
    unit->function = f;
    unit->result->counts.functions++;
    if (unit->request->checkpoints == HC_CHECKPOINTS_LOOP_LATCH)
        place_at_latches(unit, f->body);
    else
        place_behind_calls(unit, f->body);
    if (unit->result->counts.checkpoints != before)
        clang_visitChildren(f->definition, find_hiding, unit);
}

void hc_checkpoints_place(struct hc_unit *unit)
{
    uint32_t first_use = UINT32_MAX;
    hc_tree_build(unit);
    check_pragmas(unit);
    choose(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        if (f->without_checkpoints)
            continue;
        place_in_function(unit, f);
        if (unit->result->counts.checkpoints && f->begin < first_use)
            first_use = f->begin;
    }
    if (unit->result->counts.checkpoints)
        declare(unit, first_use);
}
