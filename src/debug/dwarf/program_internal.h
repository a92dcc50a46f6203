/* The program's data, shared by the files that read DWARF. */
#ifndef HC_DEBUG_DWARF_PROGRAM_INTERNAL_H
#define HC_DEBUG_DWARF_PROGRAM_INTERNAL_H

#include "program.h"

enum { HC_TYPE_SLOTS = 1024 };

struct hc_block {
    struct hc_block *next;
    _Alignas(16) char bytes[];
};

struct hc_type_entry {
    struct hc_type_entry *next;
    Dwarf_Off offset;
    struct hc_type type;
};

/* Something at the top of a unit, or a static variable within a function. */
struct hc_global {
    const char *name;
    enum hc_name_kind kind;
    Dwarf_Die die;
    const char *unit;     /* its file */
    const char *function; /* that contains it; NULL: at the top */
    bool declaration;     /* a declaration: defined elsewhere, or nowhere */
    bool external;
    int64_t value; /* of an enumerator; its DIE is the enumeration's */
};

struct hc_program {
    struct hc_image *image;
    Dwarf *dwarf;       /* NULL: there is none */
    struct hc_cfi *cfi; /* NULL: none */
    uint32_t pointer_size;
    struct hc_function *function; /* in order of address */
    size_t functions, functions_room;
    struct hc_global *global; /* in order of name */
    size_t globals, globals_room;
    struct hc_type_entry *types[HC_TYPE_SLOTS];
    struct hc_type_entry *derived[HC_TYPE_SLOTS]; /* pointers and arrays that expressions need */
    struct hc_block *blocks;
};

void *hc_program_allocate(struct hc_program *p, size_t size);
const struct hc_type *hc_program_type_at(struct hc_program *p, Dwarf_Die *die);
bool hc_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out);
bool hc_die_flag(Dwarf_Die *die, unsigned attribute);

#endif
