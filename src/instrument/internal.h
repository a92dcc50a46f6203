/* One unit while it is instrumented: shared by the files of this folder, each of which is a step.
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
 *   updates.c    calls of the recorder
 *   position.c   where the counter moves
 *   emit.c       decisions become edits
 *   emit_map.c   descriptors and the records of the map
 *   checkpoints.c  instead of all that: calls of a checkpoint function
 *   edit.c       edits become text */
#ifndef HC_INSTRUMENT_INTERNAL_H
#define HC_INSTRUMENT_INTERNAL_H

#include "edit.h"
#include "memory.h"
#include "tree.h"
#include "unit.h"

struct hc_object; /* objects.c */

/* What becomes of an access. */
enum hc_action {
    HC_KEEP,         /* the text stays */
    HC_READ,         /* a recorded read of a register */
    HC_READ_VIA,     /* a read through a pointer: recorded if it turns out to be of a register */
    HC_READ_MASKED,  /* not recorded: only bits that are known are used, but the others must not reach a register of the
                      * CPU either */
    HC_READ_UNUSED,  /* not recorded: the access is made, its value dropped */
    HC_MODIFY,       /* read-modify-write in one instruction, not recorded */
    HC_UPDATE,       /* read-modify-write with a recorded read */
    HC_POLL,         /* the loop becomes a poll routine */
    HC_STABLE,       /* the loop becomes one recorded read */
    HC_READ_OMITTED, /* not made at all */
};

struct hc_place {
    enum { HC_PLACE_MEMORY, HC_PLACE_REGISTER, HC_PLACE_INDEXED, HC_PLACE_UNKNOWN } kind;
    uint32_t address;   /* of a register; of an indexed one where the array begins */
    uint8_t bit, width; /* of a bit-field, within the access at `address`; width 0: none */
    bool is_signed;     /* the bit-field */
    bool packed;        /* in a packed struct behind a pointer: words may lie at odd addresses */
    uint16_t offset;    /* of a bit-field's access within the struct that its expression names */
    uint8_t size;       /* of the access in bytes; 0: not 1, 2 or 4 */
};

struct hc_decision {
    enum hc_action action;
    struct hc_node *node;     /* the load, assignment, increment or loop */
    struct hc_node *lvalue;   /* what is accessed */
    struct hc_node *replaced; /* HC_MODIFY of `REG = REG | x`: the load, which becomes a neutral operand */
    struct hc_place place;
    uint32_t mask; /* of the access, in its own bits */
    uint8_t class;
    uint16_t parts; /* of what is no integer of up to 32 bits: so many reads of place.size bytes each; 0: it is one */
    bool until_set; /* polling */
    struct hc_node *variables[2]; /* of a stable read: where its value goes; the second may be NULL */
    char operation;               /* of a modification: | & ^ + - and others for updates: '<' '>' '*' '/' '%' '=' */
    bool value_used;
    bool postfix;
    struct hc_node *operand; /* of a modification; NULL: 1 */
    const char *reason;      /* why it is not recorded */
    unsigned label;          /* number of its descriptor; of 32 bits there are two */
    unsigned number;         /* order of creation */
    struct hc_decision *next;
};

struct hc_unit {
    const struct hc_unit_request *request;
    struct hc_unit_result *result;
    struct hc_memory *memory;
    CXTranslationUnit clang;
    const char *text;
    size_t size;

    struct hc_function *functions;
    size_t function_count;
    CXCursor *twice; /* functions with attribute returns_twice */
    size_t twice_count;
    size_t *function_hash; /* index + 1 by cursor */
    size_t function_hash_size;
    struct hc_object **objects; /* hashed by cursor */
    size_t object_count, object_slots;
    struct hc_edits edits;
    struct hc_function *function; /* that is being looked at */
    uint32_t *pragmas;            /* "#pragma hindcast deterministic": where what it applies to begins */
    size_t pragma_count;
    uint32_t *exempt; /* "#pragma hindcast no_checkpoints": likewise */
    size_t exempt_count;
    uint32_t *quiet; /* "#pragma hindcast no_updates": likewise */
    size_t quiet_count;
    bool counts_turns;                             /* loops do, in .Lhc_turns */
    bool wakes;                                    /* handlers do, by .Lhc_wakes */
    struct hc_decision *decisions, *last_decision; /* of the function */
    unsigned decision_count;
    struct hc_descriptor {
        uint16_t address, mask;
        size_t site; /* in the result */
    } *descriptors;  /* by label */
    unsigned labels;
};

__attribute__((format(printf, 3, 4))) void hc_unit_refuse(struct hc_unit *unit, const struct hc_node *at,
                                                          const char *format, ...);
__attribute__((format(printf, 3, 4))) void hc_unit_refuse_at(struct hc_unit *unit, CXSourceLocation at,
                                                             const char *format, ...);
CXSourceLocation hc_unit_location(struct hc_unit *unit, uint32_t offset);
/* Whether NODE lies in what a pragma declares deterministic. */
bool hc_unit_annotated(const struct hc_unit *unit, const struct hc_node *node);
/* Lists an access in the result: recorded if REASON is NULL. */
void hc_unit_list(struct hc_unit *unit, const struct hc_decision *decision, const char *reason);

/* Lists a call of the recorder before NODE. */
void hc_unit_list_update(struct hc_unit *unit, const struct hc_node *node, const char *what);
/* Whether a pragma says that F gets no calls. */
bool hc_unit_exempt(const struct hc_unit *unit, const struct hc_function *f);

/* objects.c: the address of the register that DECLARATION names; false if it is a variable in memory. */
bool hc_object_register(struct hc_unit *unit, CXCursor declaration, uint32_t *address);
/* This unit defines it, perhaps tentatively: then its name alone makes it no register. Before any question. */
void hc_object_define(struct hc_unit *unit, CXCursor declaration);
/* For a constant pointer with an initialiser: its tree. NULL otherwise. */
struct hc_node *hc_object_value(struct hc_unit *unit, CXCursor declaration);

/* place.c */
struct hc_place hc_place_of(struct hc_unit *unit, const struct hc_node *lvalue);
/* Where a pointer's value points to. */
struct hc_place hc_place_pointed(struct hc_unit *unit, const struct hc_node *pointer);

/* mask.c: the bits of NODE's value on which anything depends. */
uint64_t hc_mask_used(const struct hc_node *node);

/* access.c, polling.c, position.c, assembly.c, emit.c: for unit->function. */
void hc_access_decide(struct hc_unit *unit);
void hc_stable_decide(struct hc_unit *unit);   /* stable.c: before hc_access_decide */
void hc_inlining_decide(struct hc_unit *unit); /* inlining.c: for all functions, once accesses are decided */
/* Whether LOOP only waits for a bit of a register; then it is decided upon. */
bool hc_polling_decide(struct hc_unit *unit, struct hc_node *loop);
struct hc_decision *hc_access_new(struct hc_unit *unit, enum hc_action action, struct hc_node *node,
                                  struct hc_node *lvalue, struct hc_place place);
void hc_position_prepare(struct hc_unit *unit); /* which functions count at their entry */
void hc_position_emit(struct hc_unit *unit);
void hc_assembly_check(struct hc_unit *unit, const struct hc_node *statement);
void hc_assembly_check_outside(struct hc_unit *unit, CXSourceLocation location, uint32_t begin, uint32_t end);
/* What a statement of inline assembly does to SR. */
struct hc_status_change {
    uint32_t bits;                    /* constants that are set */
    const struct hc_node *expression; /* what else is set; NULL: nothing */
    bool enables, disables;           /* interrupts, in the end */
};
struct hc_status_change hc_assembly_status(struct hc_unit *unit, const struct hc_node *statement);

/* sleep.c. Before any question: for all functions. */
void hc_sleep_prepare(struct hc_unit *unit);
/* Whether NODE of F, an assembly statement or a call, may put the CPU to sleep: CPUOFF is among the bits that it sets.
 */
bool hc_sleep_at(struct hc_unit *unit, struct hc_function *f, const struct hc_node *node);
/* The statement before NODE that switched off interrupts which are off at NODE. NULL if they are on (*DECIDED is true),
 * or if its function does not tell. */
struct hc_node *hc_sleep_switched_off(struct hc_unit *unit, const struct hc_node *node, bool *decided);
/* The function of this unit that NODE calls by its name; NULL: none. */
struct hc_function *hc_sleep_callee(struct hc_unit *unit, const struct hc_node *node);

void hc_updates_place(struct hc_unit *unit); /* updates.c: for all functions, once accesses are decided */

void hc_emit_decisions(struct hc_unit *unit);
const char *hc_emit_flags(const struct hc_unit *unit); /* the clobber that says that flags change */
const char *hc_emit_tick(const struct hc_unit *unit, bool in_line);
/* A way to write the type of NODE's value, without qualifiers. */
const char *hc_emit_type(struct hc_unit *unit, const struct hc_node *node);
/* emit_map.c: the descriptors and records of the whole unit, as C text; in the unit's memory. */
const char *hc_emit_map(struct hc_unit *unit);

void hc_checkpoints_place(struct hc_unit *unit); /* checkpoints.c: for the whole unit */

struct hc_node *hc_tree_node(struct hc_unit *unit, CXCursor expression);
/* position.c: inserts TEXT, statements, as the first thing that STATEMENT does; it becomes a block if it is none. */
void hc_position_before(struct hc_unit *unit, const struct hc_node *statement, const char *text);
/* One past the `;` or `}` that ends a statement. */
uint32_t hc_statement_end(const struct hc_unit *unit, const struct hc_node *statement);

#endif
