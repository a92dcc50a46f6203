/* A whole program as dependences see it: functions, blocks, operations and the objects they access.
 *
 * Made from the units' bitcode (LLVM-C reads it and makes registers of local variables). Everything after it works on
 * this form and knows nothing of LLVM.
 *
 * A value is a number: 0 and above, a parameter or the result of an operation of the same function (parameters
 * first); HC_VALUE_NONE, a constant that is no address; below that, a constant address, hc_depend_address_of(). */
#ifndef HC_DEPEND_PROGRAM_H
#define HC_DEPEND_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_VALUE_NONE = -1 };

enum hc_operation_kind {
    HC_OPERATION_JOIN,    /* any computation: all operands go into the result */
    HC_OPERATION_CHOOSE,  /* a phi: the operands, and what decided which way control came */
    HC_OPERATION_SHIFT,   /* an address: operand 0 moved by `step` elements of `stride`, then by `offset` */
    HC_OPERATION_PLACE,   /* a local object whose address is taken; `object` describes it */
    HC_OPERATION_LOAD,    /* from operand 0, `size` bytes */
    HC_OPERATION_STORE,   /* operand 0 to operand 1, `size` bytes */
    HC_OPERATION_COPY,    /* memory: to operand 0, from operand 1, length operand 2; `size`: that if constant, else 0 */
    HC_OPERATION_FILL,    /* memory: to operand 0, value operand 1, length operand 2 */
    HC_OPERATION_CALL,    /* of operand 0, with the others */
    HC_OPERATION_FOREIGN, /* a call of what has no bitcode, or assembly: may read and write all that it is given */
    HC_OPERATION_NEW,     /* a call of malloc and the like: a new object */
    HC_OPERATION_VARIABLE_ARGUMENTS, /* va_start: operand 0 will point to them */
    HC_OPERATION_RETURN,             /* of operand 0, if there is one */
    HC_OPERATION_BRANCH,             /* by operand 0, conditional; its successors are the block's */
    HC_OPERATION_END,                /* another end of a block */
};

/* How a JOIN computes its result, where that is followed (values.h). */
enum hc_code {
    HC_CODE_OTHER,
    HC_CODE_ADD,
    HC_CODE_SUB,
    HC_CODE_MUL,
    HC_CODE_DIVIDE, /* unsigned */
    HC_CODE_REMAINDER,
    HC_CODE_AND,
    HC_CODE_OR,
    HC_CODE_XOR,
    HC_CODE_SHL,
    HC_CODE_LSHR,
    HC_CODE_ASHR,
    HC_CODE_EXTEND,      /* with zeros */
    HC_CODE_EXTEND_SIGN, /* with the sign */
    HC_CODE_TRUNCATE,
    HC_CODE_SELECT, /* operand 1 if operand 0 is not 0, else operand 2 */
    HC_CODE_EQUAL,
    HC_CODE_DIFFERENT,
    HC_CODE_BELOW, /* unsigned */
    HC_CODE_BELOW_EQUAL,
    HC_CODE_ABOVE,
    HC_CODE_ABOVE_EQUAL,
    HC_CODE_LESS, /* signed */
    HC_CODE_LESS_EQUAL,
    HC_CODE_GREATER,
    HC_CODE_GREATER_EQUAL,
};

struct hc_operation {
    uint8_t kind;
    uint8_t code;              /* of a JOIN: enum hc_code */
    uint8_t bits, source_bits; /* of the result and of operand 0, if they are integers of 32 bits at most; else 0 */
    bool changes;              /* of a LOAD: it is volatile. Of a BRANCH: by more than one bit, a switch */
    bool varies;               /* of a SHIFT: `step` is not constant */
    bool bounded;              /* of a SHIFT: no first index, so it stays in the object's element */
    bool assembly;             /* of a FOREIGN: inline assembly, no call */
    uint16_t file;             /* of the line, an index into `file` */
    uint32_t line;             /* 0: unknown */
    uint32_t block;
    uint32_t first, count; /* operands, in `operand` */
    uint32_t size;         /* bytes */
    uint32_t object;       /* of PLACE and NEW: a layout */
    int64_t offset, step;
    uint32_t stride;
    uint32_t helper; /* the function that the compiler calls for it (memcpy), or none: HC_FUNCTION_NONE */
};
#define HC_FUNCTION_NONE UINT32_MAX
#define HC_OFFSET_ANY INT64_MIN   /* somewhere in the object */
#define HC_LITERAL_NONE INT64_MIN /* no integer of 32 bits at most */

struct hc_depend_block {
    uint32_t first, count;             /* operations of the function, as numbers of values less its parameters */
    uint32_t first_after, after_count; /* successors, in `edge`, as numbers of the function's blocks */
    uint32_t first_ruler, rulers;      /* the branches on which it depends, in `ruler`, as numbers of operations */
};

struct hc_depend_function {
    char *name;
    uint16_t file;
    uint32_t line, end_line; /* 0: unknown */
    uint32_t parameters;
    bool defined, handler, root, reachable, takes_more;
    bool named;                           /* in assembly that stands outside of functions */
    uint32_t first_block, blocks;         /* in `block` */
    uint32_t first_operation, operations; /* in `operation` */
    uint32_t object;                      /* its address */
};

/* How the bytes of an object divide into fields. Elements of an array are one: `field` is that of the first. */
struct hc_layout {
    uint32_t size, fields;
    uint32_t *field;  /* of each byte; NULL: one field, of any size */
    uint32_t *start;  /* of each field: its first byte */
    uint32_t *stride; /* of each field: sizes of the elements of the arrays around it, HC_LAYOUT_NEST each, 0: none */
    bool *leads;      /* of each field: a pointer to it may be one to a structure that goes on behind it */
};
enum { HC_LAYOUT_NEST = 4 };

struct hc_depend_object {
    char *name;
    uint32_t layout;
    uint32_t function; /* that it is, or HC_FUNCTION_NONE */
    bool hardware;     /* a register of a peripheral: reads are inputs */
    bool constant;
    bool own; /* nobody knows its name but its unit, and it begins as `initial` and `number` say, else with zeros */
};

/* OBJECT + TO is at byte AT of object FROM from the beginning. */
struct hc_initial {
    uint32_t from, at, to;
    int64_t offset;
};

/* Byte AT of object FROM is the first of a number of SIZE bytes, not 0, at the beginning. */
struct hc_initial_number {
    uint32_t from, at, size, value;
};

struct hc_depend_address {
    uint32_t object;
    int64_t offset;
};

struct hc_depend_program {
    char **file; /* as the debug information names them; [0] is "" */
    size_t files, file_room;
    struct hc_depend_function *function;
    size_t functions, function_room;
    struct hc_depend_block *block;
    size_t blocks, block_room;
    struct hc_operation *operation;
    size_t operations, operation_room;
    int32_t *operand;
    size_t operands, operand_room;
    int64_t *literal; /* of each operand that is HC_VALUE_NONE: the number that it is, or HC_LITERAL_NONE */
    size_t literals, literal_room;
    uint32_t *edge;
    size_t edges, edge_room;
    uint32_t *ruler;
    size_t rulers, ruler_room;
    struct hc_layout *layout; /* [0]: one field of any size */
    size_t layouts, layout_room;
    struct hc_depend_object *object;
    size_t objects, object_room;
    struct hc_initial *initial;
    size_t initials, initial_room;
    struct hc_initial_number *number;
    size_t numbers, number_room;
    struct hc_depend_address *address;
    size_t addresses, address_room;
    size_t units, without; /* units read; of those that hindcast cc could not keep as bitcode */
    char *missing;         /* the first of the latter, with its reason; or NULL */
    bool failed;           /* memory is exhausted */
};

/* The constant address that VALUE, below HC_VALUE_NONE, is. */
static inline const struct hc_depend_address *hc_depend_address_of(const struct hc_depend_program *p, int32_t value)
{
    return &p->address[-2 - value];
}

struct hc_depend_message {
    char text[512];
};

/* Reads the ELF file or the bitcode files at PATHS. Returns 0; -1 with a message: a file cannot be read, is no program,
 * or holds no bitcode. The caller frees *P in any case. Functions of an ELF file that were not linked are left out. */
int hc_depend_program_read(struct hc_depend_program *p, const char *const *paths, size_t count,
                           struct hc_depend_message *message);
void hc_depend_program_free(struct hc_depend_program *p);

/* The function of that name, or HC_FUNCTION_NONE; of a name that several units have, the first. */
uint32_t hc_depend_find(const struct hc_depend_program *p, const char *name);

/* Fills the rulers of all blocks (control.c): Ferrante, Ottenstein and Warren, 1987. */
void hc_depend_control(struct hc_depend_program *p);

#endif
