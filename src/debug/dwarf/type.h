/* C types, as the compiler for the MSP430 sees them: int has 16 bits, long 32, pointers 16 (32 in the large model). */
#ifndef HC_DEBUG_DWARF_TYPE_H
#define HC_DEBUG_DWARF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_type_kind {
    HC_TYPE_VOID,
    HC_TYPE_BOOL,
    HC_TYPE_INTEGER,
    HC_TYPE_FLOAT,
    HC_TYPE_ENUM,
    HC_TYPE_POINTER,
    HC_TYPE_ARRAY,
    HC_TYPE_STRUCT,
    HC_TYPE_UNION,
    HC_TYPE_FUNCTION,
    HC_TYPE_TYPEDEF,
};

struct hc_type;

struct hc_member {
    const char *name; /* NULL: an anonymous struct or union, whose members count as this one's */
    const struct hc_type *type;
    uint32_t offset; /* in bytes; of a bit-field: in bits, from the start of the struct */
    uint16_t bits;   /* 0: not a bit-field */
};

struct hc_enumerator {
    const char *name;
    int64_t value;
};

struct hc_type {
    enum hc_type_kind kind;
    const char *name; /* of a struct without "struct"; NULL: anonymous */
    uint32_t size;    /* in bytes */
    bool is_signed;
    bool character;               /* printed as one */
    bool incomplete;              /* declared only */
    const struct hc_type *target; /* what it points to, holds, returns, stands for; NULL: void */
    uint32_t count;               /* of an array's elements; 0 when unknown */
    size_t members;               /* or enumerators, or a function's parameters */
    struct hc_member *member;     /* a parameter: its type only */
    struct hc_enumerator *enumerator;
    bool variadic;
};

/* The type behind typedefs. TYPE may be NULL (void); never returns NULL. */
const struct hc_type *hc_type_strip(const struct hc_type *type);

bool hc_type_is_integer(const struct hc_type *type); /* bool and enum included */
bool hc_type_is_arithmetic(const struct hc_type *type);
bool hc_type_is_scalar(const struct hc_type *type); /* pointers included */
/* An array of characters that is shown as text. */
bool hc_type_is_text(const struct hc_type *type);

/* Built in, for numbers and casts. */
enum hc_basic {
    HC_BASIC_VOID,
    HC_BASIC_BOOL,
    HC_BASIC_CHAR,
    HC_BASIC_SCHAR,
    HC_BASIC_UCHAR,
    HC_BASIC_SHORT,
    HC_BASIC_USHORT,
    HC_BASIC_INT,
    HC_BASIC_UINT,
    HC_BASIC_LONG,
    HC_BASIC_ULONG,
    HC_BASIC_LONGLONG,
    HC_BASIC_ULONGLONG,
    HC_BASIC_FLOAT,
    HC_BASIC_DOUBLE,
    HC_BASICS,
};
extern const struct hc_type hc_basic[HC_BASICS];

/* C's integer promotion of a value of TYPE; BITS is a bit-field's width or 0. */
const struct hc_type *hc_type_promote(const struct hc_type *type, unsigned bits);
/* C's usual arithmetic conversions of two promoted types. */
const struct hc_type *hc_type_common(const struct hc_type *a, const struct hc_type *b);

/* "unsigned int", "struct timer *", "char [5]", "void (*)(void *)"; returns OUT. NULL is "void". */
const char *hc_type_name(const struct hc_type *type, char *out, size_t size);

/* Finds a member, also within anonymous ones; *OFFSET is from the start of TYPE, in bytes, or in bits for a bit-field.
 */
const struct hc_member *hc_type_member(const struct hc_type *type, const char *name, uint32_t *offset);

#endif
