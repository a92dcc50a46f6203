/* What an image says about its source: functions, variables, types, frames; read from DWARF 2 to 5 by libdw.
 *
 * Everything returned lives as long as the program. Damaged debug information gives less information, never an error.
 */
#ifndef HC_DEBUG_DWARF_PROGRAM_H
#define HC_DEBUG_DWARF_PROGRAM_H

#include "image/image.h"
#include "type.h"

#include <elfutils/libdw.h>

enum { HC_DEBUG_REGISTERS = 16 };

struct hc_program;

/* Returns NULL on out-of-memory. IMAGE must outlive it. Without debug information only symbols are known. */
struct hc_program *hc_program_new(struct hc_image *image);
void hc_program_free(struct hc_program *p);
struct hc_image *hc_program_image(const struct hc_program *p);
/* Whether there is debug information. */
bool hc_program_has_source(const struct hc_program *p);

/* ---- functions and scopes ---- */

struct hc_function {
    const char *name;
    uint32_t low, high; /* low is its entry; high one past its last byte */
    Dwarf_Die die;
};

/* The function whose code is at PC. */
const struct hc_function *hc_program_function_at(const struct hc_program *p, uint32_t pc);
const struct hc_function *hc_program_function(const struct hc_program *p, const char *name);

/* Functions that were inlined at PC, the innermost first, and the line of each call. */
enum { HC_INLINED_MAX = 16 };
struct hc_inlined {
    const char *name;
    Dwarf_Die die;
    const char *call_file; /* NULL: not known */
    int call_line;
};
int hc_program_inlined_at(const struct hc_program *p, uint32_t pc, struct hc_inlined out[HC_INLINED_MAX]);

/* The file with the declaration of DIE, a function or an inlined one; NULL: unknown. */
const char *hc_program_declared_in(const Dwarf_Die *die);

/* Where breakpoints at functions of that name belong, at most MAX: after the prologue, and where it was inlined.
 * Returns how many there are. */
size_t hc_program_function_places(struct hc_program *p, const char *name, uint32_t *out, size_t max);

/* ---- names ---- */

enum hc_name_kind { HC_NAME_VARIABLE, HC_NAME_FUNCTION, HC_NAME_ENUMERATOR, HC_NAME_TYPE };

struct hc_name {
    enum hc_name_kind kind;
    const char *name;
    const struct hc_type *type;
    int64_t value; /* of an enumerator */
    Dwarf_Die die; /* of a variable */
    bool has_die;
    uint32_t address; /* of a function; of a variable known only from the symbol table */
    const char *unit; /* the file in which it is defined; NULL: not known */
    bool parameter;
};

/* NAME in the scope of the code at PC: inner blocks first, then the function, its unit, and other units. FRAME_DIE: the
 * function or inlined function to search, or NULL for the innermost at PC. PC may be UINT32_MAX: none. */
bool hc_program_lookup(struct hc_program *p, uint32_t pc, const Dwarf_Die *frame_die, const char *name,
                       struct hc_name *out);
/* NAME within FILE ("app.c"), or within the function of that name (its static variables). */
bool hc_program_lookup_in(struct hc_program *p, const char *scope, const char *name, struct hc_name *out);
/* How many static variables of files have that name. */
size_t hc_program_namesakes(struct hc_program *p, const char *name);
/* A type by its tag or typedef. KIND: HC_TYPE_STRUCT, _UNION, _ENUM, or HC_TYPE_TYPEDEF (base types as well). */
const struct hc_type *hc_program_type(struct hc_program *p, enum hc_type_kind kind, const char *name);

/* The variables of the function at PC that are in scope, inner blocks first. Returns false if TELL ended it. */
typedef bool hc_local_fn(void *owner, const struct hc_name *name);
void hc_program_locals(struct hc_program *p, uint32_t pc, const Dwarf_Die *frame_die, hc_local_fn *tell, void *owner);

/* Names of functions, variables and types that start with PREFIX, for completion; nothing to free. */
typedef void hc_each_name_fn(void *owner, const char *name);
void hc_program_names(struct hc_program *p, const char *prefix, hc_each_name_fn *tell, void *owner);
/* Source files that have code, by their names in the line table. */
void hc_program_files(struct hc_program *p, hc_each_name_fn *tell, void *owner);
/* Names of the functions whose code is in FILE ("app.c", or more of its path). */
void hc_program_functions_in(struct hc_program *p, const char *file, hc_each_name_fn *tell, void *owner);
/* The whole path of the source file FILE ("app.h", or more of its path), with code or without; NULL: it has no part in
 * the program. */
const char *hc_program_source(struct hc_program *p, const char *file);
/* Whether PATH is FILE, or ends with it. */
bool hc_path_ends_with(const char *path, const char *file);

/* ---- for location.c and frame.c ---- */

const struct hc_type *hc_program_type_of(struct hc_program *p, Dwarf_Die *die);
/* A derived type that lives as long as the program; NULL on out-of-memory. */
const struct hc_type *hc_program_pointer_to(struct hc_program *p, const struct hc_type *target);
const struct hc_type *hc_program_array_of(struct hc_program *p, const struct hc_type *element, uint32_t count);
struct hc_cfi;
/* NULL: none. */
const struct hc_cfi *hc_program_cfi(const struct hc_program *p);
uint32_t hc_program_pointer_size(const struct hc_program *p);

#endif
