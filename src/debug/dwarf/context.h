/* Where an expression is evaluated: a frame of a stopped machine. */
#ifndef HC_DEBUG_DWARF_CONTEXT_H
#define HC_DEBUG_DWARF_CONTEXT_H

#include "program.h"

/* A sentence without a full stop; written only when a call fails. */
struct hc_debug_message {
    char text[320];
};

void hc_debug_explain(struct hc_debug_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the message; its value is false. */
#define hc_debug_fail(message, ...) (hc_debug_explain(message, __VA_ARGS__), false)

struct hc_context {
    struct hc_program *program;
    uint32_t pc; /* the code whose scope applies; UINT32_MAX: none, only global names */
    bool has_die;
    Dwarf_Die die; /* of the function, or inlined function, of the frame */

    uint32_t reg[HC_DEBUG_REGISTERS];
    uint32_t known; /* one bit for each register: those of an outer frame are known if they were saved */
    bool has_cfa;
    uint32_t cfa; /* the stack pointer before the call that made the frame */

    /* Returns false if there is no memory at ADDRESS. No side effects. */
    bool (*read)(void *owner, uint32_t address, uint8_t *out, size_t n);
    void *owner;
};

/* Little-endian; SIZE is at most 8. Returns false if there is no memory. */
bool hc_context_read(const struct hc_context *c, uint32_t address, uint32_t size, uint64_t *out);

/* ---- where a variable is ---- */

enum hc_piece_place { HC_PLACE_NONE, HC_PLACE_MEMORY, HC_PLACE_REGISTER, HC_PLACE_VALUE, HC_PLACE_BYTES };

struct hc_piece {
    enum hc_piece_place place; /* none: optimised out */
    uint64_t value;            /* the address, the register, or the value */
    const uint8_t *bytes;
    uint32_t size; /* in bytes; 0 for a single piece: all of it */
};

enum { HC_PIECES_MAX = 32 };
struct hc_location {
    int pieces;
    struct hc_piece piece[HC_PIECES_MAX];
};

/* The location of the variable DIE in C. */
bool hc_location_of(const struct hc_context *c, Dwarf_Die *die, struct hc_location *out,
                    struct hc_debug_message *message);
/* The same if the compiler has no location at C's instruction: the location at the nearest instruction that has one. */
bool hc_location_nearby(const struct hc_context *c, Dwarf_Die *die, struct hc_location *out);

#endif
