/* The index of a program's names, and their scopes. */
#include "program_internal.h"

#include "cfi.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, GLOBALS_MOST = 1 << 20 };

/* ---- making the index ---- */

static bool add_global(struct hc_program *p, struct hc_global g)
{
    if (!g.name || p->globals >= GLOBALS_MOST)
        return true;
    if (p->globals == p->globals_room) {
        size_t room = p->globals_room ? 2 * p->globals_room : 256;
        struct hc_global *more = realloc(p->global, room * sizeof *more);
        if (!more)
            return false;
        p->global = more;
        p->globals_room = room;
    }
    p->global[p->globals++] = g;
    return true;
}

static bool add_function(struct hc_program *p, Dwarf_Die *die)
{
    Dwarf_Addr low, high, base, start;
    const char *name = dwarf_diename(die);

    if (!name || dwarf_entrypc(die, &low) || low == 0 || low >= HC_IMAGE_ADDRESSES)
        return true;
    /* The first range: functions of this CPU's compilers have one. */
    if (dwarf_ranges(die, 0, &base, &start, &high) <= 0)
        high = low;
    if (high <= low)
        high = low + 2;
    if (p->functions == p->functions_room) {
        size_t room = p->functions_room ? 2 * p->functions_room : 128;
        struct hc_function *more = realloc(p->function, room * sizeof *more);
        if (!more)
            return false;
        p->function = more;
        p->functions_room = room;
    }
    p->function[p->functions++] = (struct hc_function){ name, (uint32_t)low, (uint32_t)high, *die };
    return true;
}

static bool add_enumerators(struct hc_program *p, Dwarf_Die *die, const char *unit)
{
    const struct hc_type *type = hc_program_type_at(p, die);
    bool well = true;

    for (size_t i = 0; type && type->kind == HC_TYPE_ENUM && i < type->members && well; i++)
        well = add_global(p, (struct hc_global){ .name = type->enumerator[i].name,
                                                 .kind = HC_NAME_ENUMERATOR,
                                                 .die = *die,
                                                 .unit = unit,
                                                 .value = type->enumerator[i].value });
    return well;
}

/* Whether the linker left the variable out, since nothing refers to it: then its address is 0. */
static bool is_discarded(Dwarf_Die *die)
{
    Dwarf_Attribute location, value;
    Dwarf_Op *op;
    size_t count;
    Dwarf_Word address = 1;

    if (!dwarf_attr_integrate(die, DW_AT_location, &location) || dwarf_getlocation(&location, &op, &count) || !count)
        return false;
    if (op->atom == DW_OP_addr)
        address = op->number;
    else if (op->atom == DW_OP_addrx && !dwarf_getlocation_attr(&location, op, &value))
        dwarf_formaddr(&value, &address);
    return !address;
}

static bool add_die(struct hc_program *p, Dwarf_Die *die, const char *unit)
{
    struct hc_global g = { .name = dwarf_diename(die), .die = *die, .unit = unit };

    g.declaration = hc_die_flag(die, DW_AT_declaration);
    g.external = hc_die_flag(die, DW_AT_external);
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        return add_function(p, die);
    case DW_TAG_variable:
        g.kind = HC_NAME_VARIABLE;
        /* clang marks it as declared when only its type is needed; a location makes it a definition. */
        g.declaration = g.declaration || !dwarf_hasattr_integrate(die, DW_AT_location) || is_discarded(die);
        return add_global(p, g);
    case DW_TAG_enumeration_type:
        if (!add_enumerators(p, die, unit))
            return false;
        g.kind = HC_NAME_TYPE;
        return add_global(p, g);
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        g.kind = HC_NAME_TYPE;
        return add_global(p, g);
    default:
        return true;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct hc_global *l = a, *r = b;
    int order = strcmp(l->name, r->name);

    if (order)
        return order;
    Dwarf_Off lo = dwarf_dieoffset((Dwarf_Die *)&l->die), ro = dwarf_dieoffset((Dwarf_Die *)&r->die);
    return lo < ro ? -1 : lo > ro;
}

static int by_address(const void *a, const void *b)
{
    const struct hc_function *l = a, *r = b;
    return l->low < r->low ? -1 : l->low > r->low;
}

static void read_units(struct hc_program *p)
{
    Dwarf_Off at = 0, next;
    size_t header;
    uint8_t address_size;

    while (!dwarf_next_unit(p->dwarf, at, &next, &header, NULL, NULL, &address_size, NULL, NULL, NULL)) {
        Dwarf_Die unit, child;
        if (address_size != 2 && dwarf_offdie(p->dwarf, at + header, &unit)) {
            const char *name = dwarf_diename(&unit);
            for (int end = dwarf_child(&unit, &child); !end; end = dwarf_siblingof(&child, &child))
                if (!add_die(p, &child, name))
                    return;
        }
        at = next;
    }
}

struct hc_program *hc_program_new(struct hc_image *image)
{
    struct hc_program *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->image = image;
    p->pointer_size = 2;
    Elf *elf = hc_image_elf(image);
    p->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (p->dwarf) {
        p->cfi = hc_cfi_new(elf);
        read_units(p);
    }
    if (p->globals)
        qsort(p->global, p->globals, sizeof *p->global, by_name);
    if (p->functions)
        qsort(p->function, p->functions, sizeof *p->function, by_address);
    return p;
}

void hc_program_free(struct hc_program *p)
{
    if (!p)
        return;
    while (p->blocks) {
        struct hc_block *next = p->blocks->next;
        free(p->blocks);
        p->blocks = next;
    }
    free(p->function);
    free(p->global);
    hc_cfi_free(p->cfi);
    dwarf_end(p->dwarf);
    free(p);
}

struct hc_image *hc_program_image(const struct hc_program *p)
{
    return p->image;
}

bool hc_program_has_source(const struct hc_program *p)
{
    return p->functions > 0;
}

const struct hc_cfi *hc_program_cfi(const struct hc_program *p)
{
    return p->cfi;
}

uint32_t hc_program_pointer_size(const struct hc_program *p)
{
    return p->pointer_size;
}

/* ---- functions ---- */

const struct hc_function *hc_program_function_at(const struct hc_program *p, uint32_t pc)
{
    size_t low = 0, high = p->functions;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->function[middle].low <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < p->function[low - 1].high ? &p->function[low - 1] : NULL;
}

const struct hc_function *hc_program_function(const struct hc_program *p, const char *name)
{
    for (size_t i = 0; i < p->functions; i++)
        if (!strcmp(p->function[i].name, name))
            return &p->function[i];
    return NULL;
}

/* The child of DIE that contains PC and may contain variables. Returns false if there is none. */
static bool descend(Dwarf_Die *die, uint32_t pc, Dwarf_Die *out)
{
    Dwarf_Die child;

    for (int end = dwarf_child(die, &child); !end; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, pc) > 0) {
            *out = child;
            return true;
        }
    }
    return false;
}

/* The file whose number is an attribute of DIE, or of what it is an instance of, which may belong to another unit, with
 * files of its own. */
static const char *file_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t n;
    Dwarf_Word number;

    if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) ||
        !dwarf_cu_die(found.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &n) ||
        number >= n)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

const char *hc_program_declared_in(const Dwarf_Die *die)
{
    Dwarf_Die copy = *die;
    return file_of(&copy, DW_AT_decl_file);
}

int hc_program_inlined_at(const struct hc_program *p, uint32_t pc, struct hc_inlined out[HC_INLINED_MAX])
{
    const struct hc_function *f = hc_program_function_at(p, pc);
    Dwarf_Die die;
    int n = 0;

    if (!f)
        return 0;
    die = f->die;
    for (int depth = 0; depth < DEEPEST && descend(&die, pc, &die); depth++) {
        if (dwarf_tag(&die) != DW_TAG_inlined_subroutine || n == HC_INLINED_MAX)
            continue;
        uint64_t line = 0;
        hc_die_number(&die, DW_AT_call_line, &line);
        memmove(&out[1], &out[0], (size_t)n * sizeof out[0]);
        out[0] = (struct hc_inlined){ dwarf_diename(&die), die, file_of(&die, DW_AT_call_file), (int)line };
        n++;
    }
    return n;
}

struct places {
    const char *name;
    uint32_t *out;
    size_t max, n;
};

static void add_place(struct places *places, Dwarf_Addr address)
{
    if (places->n < places->max)
        places->out[places->n] = (uint32_t)address;
    places->n++;
}

/* The start of an inlined function. If its code is in several pieces and nothing says which is the first, the lowest
 * address. */
static bool inlined_entry(Dwarf_Die *die, Dwarf_Addr *entry)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;

    if (!dwarf_entrypc(die, entry))
        return true;
    for (*entry = HC_IMAGE_ADDRESSES; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        if (low < high && low < *entry)
            *entry = low;
    return *entry < HC_IMAGE_ADDRESSES;
}

static void add_inlined_places(struct places *places, Dwarf_Die *die, int depth)
{
    Dwarf_Die child;
    Dwarf_Addr entry;

    for (int end = dwarf_child(die, &child); !end && depth < DEEPEST; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine)
            continue;
        const char *name = tag == DW_TAG_inlined_subroutine ? dwarf_diename(&child) : NULL;
        if (name && !strcmp(name, places->name) && inlined_entry(&child, &entry))
            add_place(places, entry);
        add_inlined_places(places, &child, depth + 1);
    }
}

static void add_body(struct places *places, const struct hc_function *f)
{
    Dwarf_Addr *breakpoints = NULL;
    int n = dwarf_entry_breakpoints((Dwarf_Die *)&f->die, &breakpoints);

    if (n > 0 && breakpoints[0] >= f->low && breakpoints[0] < f->high)
        add_place(places, breakpoints[0]);
    else
        add_place(places, f->low);
    free(breakpoints);
}

size_t hc_program_function_places(struct hc_program *p, const char *name, uint32_t *out, size_t max)
{
    struct places places = { name, out, max, 0 };
    struct hc_symbol symbol;

    for (size_t i = 0; i < p->functions; i++) {
        if (!strcmp(p->function[i].name, name))
            add_body(&places, &p->function[i]);
        add_inlined_places(&places, &p->function[i].die, 0);
    }
    if (!places.n && hc_image_symbol(p->image, name, &symbol) && symbol.function)
        add_place(&places, symbol.address);
    return places.n;
}

/* ---- looking up ---- */

static bool is_variable(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static void name_variable(struct hc_program *p, Dwarf_Die *die, struct hc_name *out)
{
    *out = (struct hc_name){ .kind = HC_NAME_VARIABLE,
                             .name = dwarf_diename(die),
                             .type = hc_program_type_of(p, die),
                             .die = *die,
                             .has_die = true,
                             .parameter = dwarf_tag(die) == DW_TAG_formal_parameter };
}

static bool find_child(struct hc_program *p, Dwarf_Die *die, const char *name, struct hc_name *out)
{
    Dwarf_Die child;

    for (int end = dwarf_child(die, &child); !end; end = dwarf_siblingof(&child, &child)) {
        const char *this = is_variable(&child) ? dwarf_diename(&child) : NULL;
        if (this && !strcmp(this, name)) {
            name_variable(p, &child, out);
            return true;
        }
    }
    return false;
}

/* The innermost function or inlined function at PC, or FRAME; then the blocks in it that contain PC. */
static int scopes_at(const struct hc_program *p, uint32_t pc, const Dwarf_Die *frame, Dwarf_Die out[DEEPEST])
{
    const struct hc_function *f = hc_program_function_at(p, pc);
    Dwarf_Die die;
    int n = 0;

    if (!f && !frame)
        return 0;
    out[n++] = die = frame ? *frame : f->die;
    while (n < DEEPEST && descend(&die, pc, &die)) {
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine) {
            if (frame)
                break;
            n = 0;
        }
        out[n++] = die;
    }
    return n;
}

/* A variable that was optimised away is missing in an inlined function, but the original has its name. */
static bool find_in_original(struct hc_program *p, Dwarf_Die *die, const char *name, struct hc_name *out, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die original, child;

    if (depth == 0) {
        if (!dwarf_attr(die, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &original))
            return false;
    } else {
        original = *die;
    }
    if (find_child(p, &original, name, out))
        return true;
    for (int end = dwarf_child(&original, &child); !end && depth < DEEPEST; end = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_lexical_block && find_in_original(p, &child, name, out, depth + 1))
            return true;
    return false;
}

static size_t first_global(const struct hc_program *p, const char *name)
{
    size_t low = 0, high = p->globals;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(p->global[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void name_global(struct hc_program *p, struct hc_global *g, struct hc_name *out)
{
    name_variable(p, &g->die, out);
    out->kind = g->kind;
    out->unit = g->unit;
    out->value = g->value;
    if (g->kind == HC_NAME_ENUMERATOR)
        out->type = hc_program_type_at(p, &g->die);
}

/* The linker knows where it is, if nothing else does. */
static bool place_by_symbol(struct hc_program *p, struct hc_name *name)
{
    struct hc_symbol symbol;
    Dwarf_Attribute a;
    const char *linked = NULL;

    if (dwarf_attr_integrate(&name->die, DW_AT_linkage_name, &a))
        linked = dwarf_formstring(&a);
    if (!hc_image_symbol(p->image, linked ? linked : name->name, &symbol))
        return false;
    name->has_die = false;
    name->address = symbol.address;
    return true;
}

static int rank(const struct hc_global *g, const char *unit)
{
    if (g->kind == HC_NAME_TYPE)
        return 0;
    return (unit && g->unit && !strcmp(unit, g->unit) ? 4 : 0) + (g->declaration ? 0 : 8) + (g->external ? 1 : 0) + 1;
}

static bool find_global(struct hc_program *p, const char *unit, const char *name, struct hc_name *out)
{
    struct hc_global *best = NULL;

    for (size_t i = first_global(p, name); i < p->globals && !strcmp(p->global[i].name, name); i++)
        if (rank(&p->global[i], unit) > (best ? rank(best, unit) : 0))
            best = &p->global[i];
    if (!best)
        return false;
    name_global(p, best, out);
    return !best->declaration || best->kind != HC_NAME_VARIABLE || place_by_symbol(p, out);
}

size_t hc_program_namesakes(struct hc_program *p, const char *name)
{
    size_t count = 0;

    for (size_t i = first_global(p, name); i < p->globals && !strcmp(p->global[i].name, name); i++)
        count += p->global[i].kind == HC_NAME_VARIABLE && !p->global[i].declaration;
    return count;
}

static bool find_function(struct hc_program *p, const char *name, struct hc_name *out)
{
    const struct hc_function *f = hc_program_function(p, name);

    if (!f)
        return false;
    *out = (struct hc_name){ .kind = HC_NAME_FUNCTION, .name = f->name, .address = f->low };
    out->type = hc_program_type_at(p, (Dwarf_Die *)&f->die);
    return true;
}

/* The size of a peripheral's register follows from its address; of other symbols only the address is known. */
static bool find_symbol(struct hc_program *p, const char *name, struct hc_name *out)
{
    enum { BYTE_PERIPHERALS = 0x100, PERIPHERALS = 0x200 };
    static const struct hc_type code = { .kind = HC_TYPE_FUNCTION };
    struct hc_symbol symbol;

    if (!hc_image_symbol(p->image, name, &symbol))
        return false;
    *out = (struct hc_name){ .name = symbol.name, .address = symbol.address };
    out->kind = symbol.function ? HC_NAME_FUNCTION : HC_NAME_VARIABLE;
    if (symbol.function)
        out->type = &code;
    else if (symbol.address < PERIPHERALS)
        out->type = &hc_basic[symbol.address < BYTE_PERIPHERALS ? HC_BASIC_UCHAR : HC_BASIC_UINT];
    return true;
}

bool hc_program_lookup(struct hc_program *p, uint32_t pc, const Dwarf_Die *frame, const char *name, struct hc_name *out)
{
    Dwarf_Die scopes[DEEPEST], unit;
    int n = pc == UINT32_MAX ? 0 : scopes_at(p, pc, frame, scopes);
    const char *file = NULL;

    for (int i = n - 1; i >= 0; i--)
        if (find_child(p, &scopes[i], name, out))
            return true;
    if (n && find_in_original(p, &scopes[0], name, out, 0))
        return true;
    if (n && dwarf_diecu(&scopes[0], &unit, NULL, NULL))
        file = dwarf_diename(&unit);
    return find_global(p, file, name, out) || find_function(p, name, out) || find_symbol(p, name, out);
}

/* Whether PATH is FILE or ends with it. */
static bool is_file(const char *path, const char *file)
{
    size_t length = path ? strlen(path) : 0, tail = strlen(file);

    return tail && length >= tail && !strcmp(path + length - tail, file) &&
           (tail == length || path[length - tail - 1] == '/');
}

static bool find_within(struct hc_program *p, Dwarf_Die *die, const char *name, struct hc_name *out, int depth)
{
    Dwarf_Die child;

    if (find_child(p, die, name, out))
        return true;
    for (int end = dwarf_child(die, &child); !end && depth < DEEPEST; end = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_lexical_block && find_within(p, &child, name, out, depth + 1))
            return true;
    return false;
}

bool hc_program_lookup_in(struct hc_program *p, const char *scope, const char *name, struct hc_name *out)
{
    const struct hc_function *f = hc_program_function(p, scope);

    if (f && find_within(p, (Dwarf_Die *)&f->die, name, out, 0))
        return true;
    for (size_t i = first_global(p, name); i < p->globals && !strcmp(p->global[i].name, name); i++)
        if (is_file(p->global[i].unit, scope) && p->global[i].kind != HC_NAME_TYPE && !p->global[i].declaration) {
            name_global(p, &p->global[i], out);
            return true;
        }
    for (size_t i = 0; i < p->functions; i++) {
        Dwarf_Die unit;
        if (!strcmp(p->function[i].name, name) && dwarf_diecu(&p->function[i].die, &unit, NULL, NULL) &&
            is_file(dwarf_diename(&unit), scope)) {
            *out = (struct hc_name){ .kind = HC_NAME_FUNCTION, .name = name, .address = p->function[i].low };
            out->type = hc_program_type_at(p, &p->function[i].die);
            return true;
        }
    }
    return false;
}

const struct hc_type *hc_program_type(struct hc_program *p, enum hc_type_kind kind, const char *name)
{
    const struct hc_type *incomplete = NULL;

    for (size_t i = first_global(p, name); i < p->globals && !strcmp(p->global[i].name, name); i++) {
        if (p->global[i].kind != HC_NAME_TYPE)
            continue;
        const struct hc_type *type = hc_program_type_at(p, &p->global[i].die);
        bool tagged =
            type && (type->kind == HC_TYPE_STRUCT || type->kind == HC_TYPE_UNION || type->kind == HC_TYPE_ENUM);
        if (!type || (kind == HC_TYPE_TYPEDEF ? tagged : type->kind != kind))
            continue;
        if (!type->incomplete)
            return type;
        incomplete = type;
    }
    return incomplete;
}

/* ---- lists ---- */

void hc_program_locals(struct hc_program *p, uint32_t pc, const Dwarf_Die *frame, hc_local_fn *tell, void *owner)
{
    Dwarf_Die scopes[DEEPEST], child;
    int n = scopes_at(p, pc, frame, scopes);

    for (int i = n - 1; i >= 0; i--)
        for (int end = dwarf_child(&scopes[i], &child); !end; end = dwarf_siblingof(&child, &child)) {
            struct hc_name name;
            if (!is_variable(&child) || !dwarf_diename(&child))
                continue;
            name_variable(p, &child, &name);
            if (tell(owner, &name))
                return;
        }
}

void hc_program_names(struct hc_program *p, const char *prefix, hc_each_name_fn *tell, void *owner)
{
    size_t length = strlen(prefix);
    const char *last = NULL;

    for (size_t i = first_global(p, prefix); i < p->globals && !strncmp(p->global[i].name, prefix, length); i++)
        if (p->global[i].kind != HC_NAME_TYPE && (!last || strcmp(last, p->global[i].name) != 0))
            tell(owner, last = p->global[i].name);
    for (size_t i = 0; i < p->functions; i++)
        if (!strncmp(p->function[i].name, prefix, length))
            tell(owner, p->function[i].name);
}

void hc_program_files(struct hc_program *p, hc_each_name_fn *tell, void *owner)
{
    const char *last = NULL;

    for (size_t i = 0; i < p->functions; i++) {
        struct hc_line line;
        if (hc_image_line_at(p->image, p->function[i].low, &line) && (!last || strcmp(last, line.file) != 0))
            tell(owner, last = line.file);
    }
}

bool hc_path_ends_with(const char *path, const char *file)
{
    size_t whole = strlen(path), part = strlen(file);

    return part && part <= whole && !strcmp(path + whole - part, file) &&
           (part == whole || path[whole - part - 1] == '/' || file[0] == '/');
}

void hc_program_functions_in(struct hc_program *p, const char *file, hc_each_name_fn *tell, void *owner)
{
    struct hc_line line;

    for (size_t i = 0; i < p->functions; i++)
        if (hc_image_line_at(p->image, p->function[i].low, &line) && hc_path_ends_with(line.file, file))
            tell(owner, p->function[i].name);
}

static const char *source_of_unit(Dwarf_Die *unit, const char *file)
{
    Dwarf_Files *files;
    size_t n;

    if (dwarf_getsrcfiles(unit, &files, &n))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char *path = dwarf_filesrc(files, i, NULL, NULL);
        if (path && hc_path_ends_with(path, file))
            return path;
    }
    return NULL;
}

const char *hc_program_source(struct hc_program *p, const char *file)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    Dwarf_Die unit;
    struct hc_line line;
    const char *found = NULL;

    for (size_t i = 0; i < p->functions; i++)
        if (hc_image_line_at(p->image, p->function[i].low, &line) && hc_path_ends_with(line.file, file))
            return line.file;
    while (!found && p->dwarf && !dwarf_nextcu(p->dwarf, offset, &next, &header, NULL, NULL, NULL)) {
        if (dwarf_offdie(p->dwarf, offset + header, &unit))
            found = source_of_unit(&unit, file);
        offset = next;
    }
    return found;
}
