/* One unit while it is instrumented. Each file of this folder is a step, and its header says what it does for others:
 *
 *   tree.c       functions and initialisers as trees
 *   objects.c    variables that are registers
 *   place.c      where an lvalue lies: a register, memory, or known at run time only
 *   mask.c       which bits of a value are used
 *   access.c     each access gets a decision: record, skip, refuse
 *   assembly.c   what inline assembly touches
 *   polling.c    loops that wait for a bit
 *   stable.c     loops that read until two reads agree
 *   inlining.c   small functions that need not count
 *   sleep.c      what puts the CPU to sleep
 *   starts.c     what is started just before that
 *   updates.c    calls of the recorder
 *   position.c   where the counter moves
 *   emit.c       decisions become edits
 *   emit_map.c   descriptors and the records of the map
 *   checkpoints.c  instead of all that: calls of a checkpoint function
 *   edit.c       edits become text */
#ifndef HC_INSTRUMENT_UNIT_UNIT_STATE_H
#define HC_INSTRUMENT_UNIT_UNIT_STATE_H

#include "arena.h"
#include "edit.h"
#include "tree.h"
#include "unit.h"

struct hc_object; /* objects.c */
struct hc_target;

/* Bytes that count, of the whole unit. */
#define HC_TURNS ".Lhc_turns"
#define HC_WAKES ".Lhc_wakes"

/* How an access is treated. */
enum hc_decision_kind {
    HC_KEEP,         /* the text stays */
    HC_READ,         /* a recorded read of a register */
    HC_READ_VIA,     /* a read through a pointer: recorded if the address is a register at run time */
    HC_READ_MASKED,  /* not recorded: only known bits are used, but the others must not reach a CPU register */
    HC_READ_UNUSED,  /* not recorded: the access is made, its value discarded */
    HC_MODIFY,       /* read-modify-write in one instruction, not recorded */
    HC_UPDATE,       /* read-modify-write with a recorded read */
    HC_POLL,         /* the loop becomes a polling routine */
    HC_STABLE,       /* the loop becomes one recorded read */
    HC_READ_OMITTED, /* not made at all */
};

struct hc_lvalue_place {
    enum { HC_PLACE_MEMORY, HC_PLACE_REGISTER, HC_PLACE_INDEXED, HC_PLACE_UNKNOWN } kind;
    uint32_t address;   /* of a register; for an indexed one, the array's start */
    uint8_t bit, width; /* of a bit-field, within the access at `address`; width 0: none */
    bool is_signed;     /* the bit-field */
    bool packed;        /* in a packed struct behind a pointer: words may be at odd addresses */
    uint16_t offset;    /* of a bit-field's access within the struct that its expression names */
    uint8_t size;       /* size of the access in bytes; 0: not 1, 2 or 4 */
};

struct hc_decision {
    enum hc_decision_kind action;
    struct hc_ast_node *node;     /* the load, assignment, increment or loop */
    struct hc_ast_node *lvalue;   /* what is accessed */
    struct hc_ast_node *replaced; /* HC_MODIFY of `REG = REG | x`: the load, which is replaced by a neutral operand */
    struct hc_lvalue_place place;
    uint32_t mask; /* of the access, relative to its own bits */
    uint8_t class;
    uint16_t
        parts; /* for other than an integer of up to 32 bits: the number of reads of place.size bytes each; 0: one */
    bool until_set;                   /* polling */
    struct hc_ast_node *variables[2]; /* of a stable read: the variables that get its value; the second may be NULL */
    char operation;                   /* of a modification: | & ^ + - and others for updates: '<' '>' '*' '/' '%' '=' */
    bool value_used;
    bool postfix;
    struct hc_ast_node *operand; /* of a modification; NULL: 1 */
    const char *reason;          /* why it is not recorded */
    unsigned label;              /* number of its descriptor; of 32 bits there are two */
    unsigned number;             /* order of creation */
    struct hc_decision *next;
};

struct hc_unit {
    const struct hc_unit_request *request;
    const struct hc_target *target;
    struct hc_unit_result *result;
    struct hc_arena *memory;
    CXTranslationUnit clang;
    const char *text;
    size_t size;

    struct hc_ast_function *functions;
    size_t function_count;
    CXCursor *twice; /* functions with attribute returns_twice */
    size_t twice_count;
    size_t *function_hash; /* index + 1 by cursor */
    size_t function_hash_size;
    struct hc_object **objects; /* hashed by cursor */
    size_t object_count, object_slots;
    struct hc_edits edits;
    struct hc_ast_function *function; /* the one being examined */
    uint32_t *pragmas;                /* "#pragma hindcast deterministic": the start of what it applies to */
    size_t pragma_count;
    uint32_t *exempt; /* "#pragma hindcast no_checkpoints": likewise */
    size_t exempt_count;
    uint32_t *quiet; /* "#pragma hindcast no_updates": likewise */
    size_t quiet_count;
    bool counts_turns;                             /* loops do, in HC_TURNS */
    bool wakes;                                    /* handlers do, by HC_WAKES */
    struct hc_decision *decisions, *last_decision; /* of the function */
    unsigned decision_count;
    struct hc_descriptor {
        struct hc_site descriptor;
        size_t site; /* in the result */
    } *descriptors;  /* by label */
    unsigned labels;
};

__attribute__((format(printf, 3, 4))) void hc_unit_refuse(struct hc_unit *unit, const struct hc_ast_node *at,
                                                          const char *format, ...);
__attribute__((format(printf, 3, 4))) void hc_unit_refuse_at(struct hc_unit *unit, CXSourceLocation at,
                                                             const char *format, ...);
CXSourceLocation hc_unit_location(struct hc_unit *unit, uint32_t offset);
/* Whether NODE is inside what a pragma declares deterministic. */
bool hc_unit_annotated(const struct hc_unit *unit, const struct hc_ast_node *node);
/* Lists an access in the result: recorded if REASON is NULL. */
void hc_unit_list(struct hc_unit *unit, const struct hc_decision *decision, const char *reason);

/* Lists a call of the recorder before NODE. */
void hc_unit_list_update(struct hc_unit *unit, const struct hc_ast_node *node, const char *what);
/* Whether a pragma says that F gets no calls. */
bool hc_unit_exempt(const struct hc_unit *unit, const struct hc_ast_function *f);

#endif
