#include "tree.h"

#include "assembly.h"
#include "objects.h"
#include "scan.h"
#include "unit_state.h"

#include <stdlib.h>
#include <string.h>

struct hc_ast_type hc_ast_type_of(CXType written)
{
    CXType type = clang_getCanonicalType(written);
    struct hc_ast_type result = { .is_volatile = clang_isVolatileQualifiedType(type) };
    if (type.kind == CXType_Enum) {
        type = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
    }
    switch (type.kind) {
    case CXType_Void:
        result.kind = HC_AST_VOID;
        return result;
    case CXType_Record:
        result.kind = HC_AST_RECORD;
        return result;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        result.kind = HC_AST_FUNCTION;
        return result;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray: {
        /* An array is as volatile as its elements. */
        result.kind = HC_AST_ARRAY;
        result.is_volatile |= hc_ast_type_of(clang_getArrayElementType(type)).is_volatile;
        return result;
    }
    case CXType_Pointer:
        result.kind = HC_AST_POINTER;
        break;
    case CXType_Bool:
        result.kind = HC_AST_BOOL;
        break;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        result.is_signed = true; /* fall through */
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        result.kind = HC_AST_INTEGER;
        break;
    default:
        return result;
    }
    long long size = clang_Type_getSizeOf(type);
    result.bits = size > 0 && size <= 8 ? (uint8_t)(8 * size) : 64;
    return result;
}

uint64_t hc_type_mask(struct hc_ast_type type)
{
    return type.bits == 0 || type.bits >= 64 ? UINT64_MAX : (UINT64_C(1) << type.bits) - 1;
}

struct hc_ast_node *hc_ast_bare(struct hc_ast_node *node)
{
    while (node->child && (node->kind == CXCursor_ParenExpr ||
                           (node->kind == CXCursor_UnaryOperator && node->operation == CXUnaryOperator_Extension)))
        node = node->child;
    return node;
}

bool hc_ast_is_lvalue(const struct hc_ast_node *node)
{
    node = hc_ast_bare((struct hc_ast_node *)node);
    switch (node->kind) {
    case CXCursor_DeclRefExpr:
        return node->type.kind != HC_AST_FUNCTION;
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_CompoundLiteralExpr:
        return true;
    case CXCursor_UnaryOperator:
        return node->operation == CXUnaryOperator_Deref && node->type.kind != HC_AST_FUNCTION;
    default:
        return false;
    }
}

struct hc_ast_node *hc_ast_loaded(const struct hc_ast_node *node)
{
    struct hc_ast_node *child = node->child;
    if (node->kind != CXCursor_UnexposedExpr || !child || child->next || !hc_ast_is_lvalue(child))
        return NULL;
    return child->type.kind == HC_AST_ARRAY || child->type.kind == HC_AST_FUNCTION ? NULL : child;
}

bool hc_ast_is_loop(const struct hc_ast_node *node)
{
    return node->kind == CXCursor_WhileStmt || node->kind == CXCursor_DoStmt || node->kind == CXCursor_ForStmt;
}

static enum CXChildVisitResult find_label(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_LabelRef)
        return CXChildVisit_Continue;
    CXCursor label = clang_getCursorReferenced(cursor);
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(label)), NULL, NULL, NULL, data);
    return CXChildVisit_Break;
}

uint32_t hc_ast_label(const struct hc_ast_node *reference)
{
    unsigned target = UINT32_MAX;
    clang_visitChildren(reference->cursor, find_label, &target);
    return target;
}

struct hc_ast_node *hc_ast_last_child(const struct hc_ast_node *node)
{
    struct hc_ast_node *child = node->child;
    while (child && child->next)
        child = child->next;
    return child;
}

static int64_t converted(int64_t value, struct hc_ast_type type)
{
    if (type.kind == HC_AST_BOOL)
        return value != 0;
    uint64_t mask = hc_type_mask(type), bits = (uint64_t)value & mask;
    if (type.is_signed && type.bits > 0 && type.bits < 64 && bits >> (type.bits - 1))
        bits |= ~mask;
    return (int64_t)bits;
}

bool hc_ast_constant(const struct hc_ast_node *node, int64_t *value)
{
    node = hc_ast_bare((struct hc_ast_node *)node);
    if (node->type.kind != HC_AST_INTEGER && node->type.kind != HC_AST_BOOL)
        return false;
    /* libclang looks through implicit conversions without converting. */
    if ((node->kind == CXCursor_UnexposedExpr || node->kind == CXCursor_CStyleCastExpr) && node->child &&
        !node->child->next && !hc_ast_loaded(node) && hc_ast_constant(node->child, value)) {
        *value = converted(*value, node->type);
        return true;
    }
    CXEvalResult result = clang_Cursor_Evaluate(node->cursor);
    if (!result)
        return false;
    bool integer = clang_EvalResult_getKind(result) == CXEval_Int;
    if (integer)
        *value = converted(clang_EvalResult_getAsLongLong(result), node->type);
    clang_EvalResult_dispose(result);
    return integer;
}

struct hc_ast_node *hc_ast_following(const struct hc_ast_node *root, const struct hc_ast_node *node)
{
    if (node->child)
        return node->child;
    for (; node != root; node = node->parent)
        if (node->next)
            return node->next;
    return NULL;
}

bool hc_ast_callee(const struct hc_ast_node *call, CXCursor *declaration)
{
    struct hc_ast_node *callee = call->child;
    while (callee && (callee->kind == CXCursor_UnexposedExpr || callee->kind == CXCursor_ParenExpr ||
                      callee->kind == CXCursor_UnaryOperator))
        callee = callee->child;
    if (!callee || callee->kind != CXCursor_DeclRefExpr)
        return false;
    *declaration = clang_getCursorReferenced(callee->cursor);
    return clang_getCursorKind(*declaration) == CXCursor_FunctionDecl;
}

/* ---- building ---- */

static uint32_t offset_of(CXSourceLocation location)
{
    unsigned offset = 0;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

enum { DEPTH_MAX = 20000 }; /* of nodes: each takes stack here and in libclang */

struct builder {
    struct hc_unit *unit;
    struct hc_ast_node *parent, *last;
};

static struct hc_ast_node *build(struct hc_unit *unit, CXCursor cursor, struct hc_ast_node *parent);

static bool is_same_place(const struct hc_ast_node *a, const struct hc_ast_node *b)
{
    return a->begin == b->begin && a->end == b->end;
}

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct builder *b = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!clang_isExpression(kind) && !clang_isStatement(kind) && kind != CXCursor_VarDecl)
        return CXChildVisit_Continue;
    if (kind == CXCursor_LabelRef || kind == CXCursor_MemberRef)
        return CXChildVisit_Continue;
    struct hc_ast_node *node = build(b->unit, cursor, b->parent);
    if (!node)
        return CXChildVisit_Continue;
    /* `a ?: b` is shown with its condition several times. */
    for (struct hc_ast_node *n = b->parent->child; b->parent->kind == CXCursor_UnexposedExpr && n; n = n->next)
        if (is_same_place(n, node))
            return CXChildVisit_Continue;
    if (b->last)
        b->last->next = node;
    else
        b->parent->child = node;
    b->last = node;
    return CXChildVisit_Continue;
}

static void drop_all_but_last(struct hc_ast_node *node)
{
    node->child = hc_ast_last_child(node);
}

static void assign_for_roles(struct hc_unit *unit, struct hc_ast_node *node)
{
    uint32_t open = hc_scan_find(unit->text, node->begin, node->end, '(');
    uint32_t first = hc_scan_find(unit->text, open + 1, node->end, ';');
    uint32_t second = hc_scan_find(unit->text, first + 1, node->end, ';');
    for (struct hc_ast_node *n = node->child; n; n = n->next)
        n->role = !n->next             ? HC_ROLE_BODY
                  : n->begin <= first  ? HC_ROLE_INITIAL
                  : n->begin <= second ? HC_ROLE_CONDITION
                                       : HC_ROLE_STEP;
}

static void assign_roles(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct hc_ast_node *first = node->child, *last = hc_ast_last_child(node);
    if (!first)
        return;
    switch (node->kind) {
    case CXCursor_ForStmt:
        assign_for_roles(unit, node);
        break;
    case CXCursor_DoStmt:
        first->role = HC_ROLE_BODY;
        last->role = HC_ROLE_CONDITION;
        break;
    case CXCursor_IfStmt:
        for (struct hc_ast_node *n = first; n; n = n->next)
            n->role = n == first ? HC_ROLE_CONDITION : HC_ROLE_BODY;
        break;
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
        first->role = HC_ROLE_CONDITION;
        last->role = HC_ROLE_BODY;
        break;
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        last->role = HC_ROLE_BODY;
        break;
    default:
        break;
    }
}

static bool is_unevaluated_call(const struct hc_ast_node *node)
{
    static const char *const names[] = { "__builtin_constant_p", "__builtin_object_size",
                                         "__builtin_types_compatible_p" };
    bool is_one = false;
    CXString name = clang_getCursorSpelling(node->cursor);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is_one |= !strcmp(clang_getCString(name), names[i]);
    clang_disposeString(name);
    return is_one;
}

static void build_variable(struct hc_unit *unit, struct hc_ast_node *node)
{
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(node->cursor);
    if (!clang_Cursor_isNull(initialiser))
        node->child = build(unit, initialiser, node);
}

/* Which children are evaluated differs by kind. */
static void build_children(struct hc_unit *unit, struct hc_ast_node *node)
{
    struct builder builder = { .unit = unit, .parent = node };
    switch (node->kind) {
    case CXCursor_VarDecl:
        build_variable(unit, node);
        return;
    case CXCursor_UnaryExpr:
        return; /* sizeof, alignof */
    case CXCursor_CStyleCastExpr:
    case CXCursor_CompoundLiteralExpr:
        clang_visitChildren(node->cursor, add_child, &builder);
        drop_all_but_last(node); /* before it: expressions within the type */
        return;
    case CXCursor_CallExpr:
        if (is_unevaluated_call(node))
            return;
        break;
    default:
        break;
    }
    clang_visitChildren(node->cursor, add_child, &builder);
    if (node->kind == CXCursor_GenericSelectionExpr && node->child)
        node->child = node->child->next; /* the selector */
    assign_roles(unit, node);
}

static struct hc_ast_node *build(struct hc_unit *unit, CXCursor cursor, struct hc_ast_node *parent)
{
    struct hc_ast_node *node = hc_arena_take(unit->memory, sizeof *node);
    CXSourceRange extent = clang_getCursorExtent(cursor);
    node->cursor = cursor;
    node->kind = (uint16_t)clang_getCursorKind(cursor);
    node->parent = parent;
    node->depth = parent ? (uint16_t)(parent->depth + 1) : 0;
    node->begin = offset_of(clang_getRangeStart(extent));
    node->end = offset_of(clang_getRangeEnd(extent));
    node->type = hc_ast_type_of(clang_getCursorType(cursor));
    if (node->kind == CXCursor_UnaryOperator)
        node->operation = (uint8_t)clang_getCursorUnaryOperatorKind(cursor);
    else if (node->kind == CXCursor_BinaryOperator || node->kind == CXCursor_CompoundAssignOperator)
        node->operation = (uint8_t)clang_getCursorBinaryOperatorKind(cursor);
    else if (node->kind == CXCursor_DeclRefExpr &&
             clang_getCursorKind(clang_getCursorReferenced(cursor)) == CXCursor_FunctionDecl)
        node->type.kind = HC_AST_FUNCTION; /* built-in functions have a type that libclang cannot be asked about */
    if (node->depth < DEPTH_MAX)
        build_children(unit, node);
    else if (node->depth == DEPTH_MAX)
        hc_unit_refuse(unit, node, "this is nested too deeply to be instrumented: divide it");
    return node;
}

struct hc_ast_node *hc_tree_node(struct hc_unit *unit, CXCursor expression)
{
    return build(unit, expression, NULL);
}

/* ---- functions ---- */

struct declarations {
    struct hc_unit *unit;
    uint32_t previous_end;
    /* Attributes may stand on a prototype; those of each function are joined by its canonical cursor. */
    struct attributes {
        CXCursor function;
        bool always_inline, no_inline, naked, interrupt, kept, returns_twice;
    } *attributes;
    size_t attribute_count;
};

static struct attributes attributes_of(struct hc_unit *unit, uint32_t begin, uint32_t end)
{
    const char *text = unit->text;
    return (struct attributes){
        .always_inline = hc_scan_has_attribute(text, begin, end, "always_inline"),
        .no_inline = hc_scan_has_attribute(text, begin, end, "noinline"),
        .naked = hc_scan_has_attribute(text, begin, end, "naked"),
        .returns_twice = hc_scan_has_attribute(text, begin, end, "returns_twice"),
        .interrupt =
            hc_scan_has_attribute(text, begin, end, "interrupt") || hc_scan_has_attribute(text, begin, end, "signal"),
        .kept =
            hc_scan_has_attribute(text, begin, end, "used") || hc_scan_has_attribute(text, begin, end, "constructor") ||
            hc_scan_has_attribute(text, begin, end, "destructor") || hc_scan_has_attribute(text, begin, end, "alias"),
    };
}

static void note_attributes(struct declarations *d, CXCursor cursor, struct attributes a)
{
    struct hc_unit *unit = d->unit;
    if (a.returns_twice) {
        unit->twice = hc_arena_more(unit->memory, unit->twice, unit->twice_count, sizeof *unit->twice);
        unit->twice[unit->twice_count++] = clang_getCanonicalCursor(cursor);
    }
    if (!a.always_inline && !a.no_inline && !a.naked && !a.interrupt && !a.kept)
        return;
    d->attributes = hc_arena_more(d->unit->memory, d->attributes, d->attribute_count, sizeof a);
    a.function = clang_getCanonicalCursor(cursor);
    d->attributes[d->attribute_count++] = a;
}

static enum CXChildVisitResult find_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_CompoundStmt)
        return CXChildVisit_Continue;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

static void add_function(struct hc_unit *unit, struct hc_ast_function function)
{
    unit->functions = hc_arena_more(unit->memory, unit->functions, unit->function_count, sizeof *unit->functions);
    unit->functions[unit->function_count++] = function;
}

static const char *name_of(struct hc_unit *unit, CXCursor cursor)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    char *copy = hc_arena_copy(unit->memory, name, strlen(name));
    clang_disposeString(spelling);
    return copy;
}

static void declare_function(struct declarations *d, CXCursor cursor, uint32_t begin, uint32_t end)
{
    struct hc_unit *unit = d->unit;
    CXCursor body = clang_getNullCursor();
    if (clang_isCursorDefinition(cursor))
        clang_visitChildren(cursor, find_body, &body);
    if (clang_Cursor_isNull(body)) {
        uint32_t semicolon = hc_scan_find(unit->text, begin, (uint32_t)unit->size, ';');
        note_attributes(d, cursor, attributes_of(unit, d->previous_end, semicolon > end ? semicolon : end));
        return;
    }
    struct hc_ast_node *tree = build(unit, body, NULL);
    note_attributes(d, cursor, attributes_of(unit, d->previous_end, tree->begin));
    add_function(unit, (struct hc_ast_function){ .name = name_of(unit, cursor),
                                                 .cursor = clang_getCanonicalCursor(cursor),
                                                 .definition = cursor,
                                                 .body = tree,
                                                 .header = d->previous_end,
                                                 .begin = begin,
                                                 .is_inline = clang_Cursor_isFunctionInlined(cursor),
                                                 .is_static = clang_getCursorLinkage(cursor) == CXLinkage_Internal });
}

static void declare_variable(struct declarations *d, CXCursor cursor)
{
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(cursor);
    if (clang_Cursor_getStorageClass(cursor) != CX_SC_Extern)
        hc_object_define(d->unit, cursor);
    if (clang_Cursor_isNull(initialiser))
        return;
    add_function(d->unit, (struct hc_ast_function){ .name = "",
                                                    .cursor = clang_getCanonicalCursor(cursor),
                                                    .body = build(d->unit, initialiser, NULL),
                                                    .header = d->previous_end,
                                                    .is_variable = true });
}

static bool is_assembly(const struct hc_unit *unit, uint32_t begin, uint32_t end)
{
    uint32_t word = hc_scan_token(unit->text, end, begin);
    while (begin < word && unit->text[begin] == '_')
        begin++;
    while (word > begin && unit->text[word - 1] == '_')
        word--;
    return word - begin == 3 && !memcmp(unit->text + begin, "asm", 3);
}

static enum CXChildVisitResult declare(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct declarations *d = data;
    CXSourceRange extent = clang_getCursorExtent(cursor);
    uint32_t begin = offset_of(clang_getRangeStart(extent)), end = offset_of(clang_getRangeEnd(extent));
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        declare_function(d, cursor, begin, end);
    else if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
        declare_variable(d, cursor);
    else if (is_assembly(d->unit, begin, end))
        hc_assembly_check_outside(d->unit, clang_getRangeStart(extent), begin, end);
    if (end > d->previous_end)
        d->previous_end = end;
    return CXChildVisit_Continue;
}

static void index_functions(struct hc_unit *unit)
{
    size_t size = 16;
    while (size < 2 * unit->function_count)
        size *= 2;
    unit->function_hash = hc_arena_take(unit->memory, size * sizeof *unit->function_hash);
    unit->function_hash_size = size;
    for (size_t i = 0; i < unit->function_count; i++) {
        size_t at = clang_hashCursor(unit->functions[i].cursor) & (size - 1);
        while (unit->function_hash[at])
            at = (at + 1) & (size - 1);
        unit->function_hash[at] = i + 1;
    }
}

struct hc_ast_function *hc_tree_function(struct hc_unit *unit, CXCursor declaration)
{
    CXCursor canonical = clang_getCanonicalCursor(declaration);
    size_t size = unit->function_hash_size;
    for (size_t at = clang_hashCursor(canonical) & (size - 1); unit->function_hash[at]; at = (at + 1) & (size - 1)) {
        struct hc_ast_function *f = &unit->functions[unit->function_hash[at] - 1];
        if (!f->is_variable && clang_equalCursors(f->cursor, canonical))
            return f;
    }
    return NULL;
}

static bool is_called_here(const struct hc_ast_node *reference)
{
    const struct hc_ast_node *n = reference;
    while (n->parent && (n->parent->kind == CXCursor_UnexposedExpr || n->parent->kind == CXCursor_ParenExpr))
        n = n->parent;
    return n->parent && n->parent->kind == CXCursor_CallExpr && n->parent->child == n;
}

/* Marks FUNCTION as reached and counts what it refers to, from there on recursively. Unreached static functions are
 * never compiled. */
static void reach(struct hc_unit *unit, struct hc_ast_function *function)
{
    if (function->reached)
        return;
    function->reached = true;
    for (struct hc_ast_node *n = function->body; n; n = hc_ast_following(function->body, n)) {
        if (n->kind != CXCursor_DeclRefExpr)
            continue;
        CXCursor referenced = clang_getCursorReferenced(n->cursor);
        struct hc_ast_function *target =
            clang_getCursorKind(referenced) == CXCursor_FunctionDecl ? hc_tree_function(unit, referenced) : NULL;
        if (!target)
            continue;
        if (is_called_here(n))
            target->calls += function->always_inline ? 2 : 1; /* each copy of it has the call */
        else
            target->address_taken = true;
        reach(unit, target);
    }
}

void hc_tree_build(struct hc_unit *unit)
{
    struct declarations d = { .unit = unit };
    clang_visitChildren(clang_getTranslationUnitCursor(unit->clang), declare, &d);
    index_functions(unit);
    for (size_t i = 0; i < d.attribute_count; i++) {
        struct hc_ast_function *f = hc_tree_function(unit, d.attributes[i].function);
        if (!f)
            continue;
        f->always_inline |= d.attributes[i].always_inline;
        f->no_inline |= d.attributes[i].no_inline;
        f->naked |= d.attributes[i].naked;
        f->interrupt |= d.attributes[i].interrupt;
        f->kept |= d.attributes[i].kept;
    }
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        if (f->is_variable || !f->is_static || f->interrupt || f->kept)
            reach(unit, f);
    }
}
