/* Values: something of a C type, in memory or loaded from it. */
#ifndef HC_DEBUG_EXPRESSION_VALUE_H
#define HC_DEBUG_EXPRESSION_VALUE_H

#include "debug/dwarf/context.h"

enum { HC_VALUE_BYTES = 64 };

struct hc_value {
    const struct hc_type *type;
    bool in_memory;   /* at address; otherwise in bytes */
    bool in_register; /* (or in several): it has no address */
    uint32_t address;
    uint32_t bit; /* of a bit-field: its first bit, counted from address or bytes */
    uint16_t bits;
    uint8_t bytes[HC_VALUE_BYTES];
    uint64_t unknown; /* one bit for each byte: optimised out */
};

/* An arithmetic value or a pointer. Integers are extended to 64 bits according to their type. */
struct hc_number {
    const struct hc_type *type; /* without typedefs */
    union {
        uint64_t u;
        int64_t s;
        double f;
    };
};

/* N bytes of V from OFFSET. */
bool hc_value_read(const struct hc_context *c, const struct hc_value *v, uint32_t offset, uint8_t *out, uint32_t n,
                   struct hc_debug_message *message);
/* Part of V: a member or an element. BITS: 0, or a bit-field's width, with OFFSET in bits. */
bool hc_value_part(const struct hc_value *v, const struct hc_type *type, uint32_t offset, uint16_t bits,
                   struct hc_value *out, struct hc_debug_message *message);
/* The variable NAME. */
bool hc_value_of_name(const struct hc_context *c, struct hc_name *name, struct hc_value *out,
                      struct hc_debug_message *message);
struct hc_value hc_value_in_memory(const struct hc_type *type, uint32_t address);

bool hc_value_number(const struct hc_context *c, const struct hc_value *v, struct hc_number *out,
                     struct hc_debug_message *message);
struct hc_value hc_value_of_number(const struct hc_number *n);
struct hc_number hc_number_of(const struct hc_type *type, uint64_t value);
/* As a C cast does. */
struct hc_number hc_number_convert(const struct hc_number *n, const struct hc_type *type);
/* OP is the first character of C's operator. Both operands have the same type; the result is in A. Undefined operations
 * are refused. */
bool hc_number_arithmetic(char op, struct hc_number *a, const struct hc_number *b, struct hc_debug_message *message);
/* == != < <= > >= */
bool hc_number_compare(const char *op, const struct hc_number *a, const struct hc_number *b);
/* '<' or '>': << and >>. The type is that of A. */
struct hc_number hc_number_shift(char op, const struct hc_number *a, const struct hc_number *b);
bool hc_number_is_true(const struct hc_number *n);
double hc_number_real(const struct hc_number *n);

#endif
