/* The syntax tree of a unit, as far as instrumenting needs it.
 *
 * libclang's cursors have no parents and include more than is evaluated. A node here is an expression or statement that
 * may be evaluated: operands of sizeof, typeof, _Generic's selector and types are omitted. Kinds and operators are
 * libclang's; implicit conversions are CXCursor_UnexposedExpr with one child. */
#ifndef HC_INSTRUMENT_UNIT_TREE_H
#define HC_INSTRUMENT_UNIT_TREE_H

#include "llvm/clang.h"
#include <stdbool.h>
#include <stdint.h>

struct hc_unit;

enum hc_ast_type_kind {
    HC_AST_OTHER,
    HC_AST_VOID,
    HC_AST_INTEGER, /* enumerations too */
    HC_AST_BOOL,
    HC_AST_POINTER,
    HC_AST_ARRAY,
    HC_AST_RECORD,
    HC_AST_FUNCTION,
};

struct hc_ast_type {
    uint8_t kind;
    uint8_t bits; /* of integers, pointers and _Bool */
    bool is_signed, is_volatile;
};

/* The role of a child if its order does not tell. */
enum hc_role { HC_ROLE_NONE, HC_ROLE_CONDITION, HC_ROLE_BODY, HC_ROLE_INITIAL, HC_ROLE_STEP };

struct hc_decision;

struct hc_ast_node {
    CXCursor cursor;
    struct hc_ast_node *parent, *child, *next;
    struct hc_decision *decision; /* the decision for the access made here; NULL if there is none */
    uint32_t begin, end;          /* in the text */
    uint16_t kind;                /* enum CXCursorKind */
    uint16_t depth;
    uint8_t operation; /* enum CXBinaryOperatorKind or CXUnaryOperatorKind */
    uint8_t role;
    bool updates; /* a call of the recorder was inserted before it */
    bool counts;  /* a loop in which every iteration has such a call */
    struct hc_ast_type type;
};

/* A function that is defined here, or the initialiser of a variable outside functions. */
struct hc_ast_function {
    const char *name;
    CXCursor cursor; /* canonical */
    CXCursor definition;
    struct hc_ast_node *body; /* the compound statement; of a variable its initialiser */
    uint32_t header;          /* where its declaration may start, including attributes before it */
    uint32_t begin;           /* its start according to libclang */
    bool is_variable, is_static, is_inline, always_inline, no_inline, naked, interrupt, kept;
    bool address_taken, reached;
    unsigned calls; /* call sites in this unit, except those in unreachable functions */
    bool ticks;     /* counts at its entry */
    uint8_t proved; /* for position.c: whether entering it always passes a tick */
    bool without_checkpoints;
    bool in_handler;          /* handlers call it, directly or indirectly */
    bool updates;             /* calls the recorder, directly or indirectly */
    bool looked_into;         /* the next one is known */
    uint8_t reads;            /* recorded ones in a call, up to 16 */
    bool interrupts_known;    /* the next one is */
    uint8_t interrupts;       /* whether a call leaves them on or off: of sleep.c */
    uint8_t status_parameter; /* the parameter, counted from 1, whose bits it sets in SR; 0: none */
};

/* Reads all definitions of the translation unit. */
void hc_tree_build(struct hc_unit *unit);

struct hc_ast_type hc_ast_type_of(CXType type);
uint64_t hc_type_mask(struct hc_ast_type type); /* its bits; all 64 if it is not an integer */

/* Within parentheses and __extension__. */
struct hc_ast_node *hc_ast_bare(struct hc_ast_node *node);
bool hc_ast_is_lvalue(const struct hc_ast_node *node);
/* The lvalue whose value NODE loads: NODE is the implicit conversion. NULL if it is not a load. */
struct hc_ast_node *hc_ast_loaded(const struct hc_ast_node *node);
bool hc_ast_is_loop(const struct hc_ast_node *node);
/* The offset of the label that a goto, or a label's address, names; UINT32_MAX: none. */
uint32_t hc_ast_label(const struct hc_ast_node *reference);
struct hc_ast_node *hc_ast_last_child(const struct hc_ast_node *node);
/* The value of an integer constant expression, converted to its type (sign extended if that is signed). */
bool hc_ast_constant(const struct hc_ast_node *node, int64_t *value);
/* Next in preorder within ROOT, NULL at its end. */
struct hc_ast_node *hc_ast_following(const struct hc_ast_node *root, const struct hc_ast_node *node);
struct hc_ast_function *hc_tree_function(struct hc_unit *unit, CXCursor declaration);
/* The function that a call names directly; its declaration's cursor. */
bool hc_ast_callee(const struct hc_ast_node *call, CXCursor *declaration);

/* The tree of an expression of the unit. */
struct hc_ast_node *hc_tree_node(struct hc_unit *unit, CXCursor expression);

#endif
