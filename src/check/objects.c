/* Objects: variables from the symbol table and the debug information, and the object that an address in the code
 * belongs to. */
#include "debug/dwarf/frame.h"
#include "shadow.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address of an object up to this size may be meant for the object after it, minus an offset. */
enum { SMALL = 8 };

/* ---- variables ---- */

static bool is_memory(const struct hc_check *c, uint32_t address)
{
    enum hc_region_kind kind = hc_region_kind(c->machine, address);

    return address < c->memory_size && (kind == HC_RAM || kind == HC_FRAM || kind == HC_FLASH || kind == HC_ROM);
}

static int by_start(const void *a, const void *b)
{
    const struct hc_check_global *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->size > y->size ? -1 : x->size < y->size;
}

static Elf_Scn *section_of_type(Elf *elf, Elf_Scn *after, uint32_t type, GElf_Shdr *header)
{
    while ((after = elf_nextscn(elf, after)))
        if (gelf_getshdr(after, header) && header->sh_type == type)
            return after;
    return NULL;
}

static void add_global(struct hc_check *c, const char *name, const GElf_Sym *symbol)
{
    c->global = realloc(c->global, (c->globals + 1) * sizeof *c->global);
    if (!c->global)
        abort();
    c->global[c->globals++] =
        (struct hc_check_global){ (uint32_t)symbol->st_value, (uint32_t)symbol->st_size, name, 0 };
}

static const struct hc_check_global *global_from(const struct hc_check *c, uint32_t start)
{
    const struct hc_check_global *g = hc_check_global_at(c, start);

    return g && g->start == start ? g : NULL;
}

/* Of objects that overlap, keeps only the largest one with the lowest address. */
static void sort_globals(struct hc_check *c)
{
    size_t n = 0;

    if (c->globals)
        qsort(c->global, c->globals, sizeof *c->global, by_start);
    for (size_t i = 0; i < c->globals; i++)
        if (!n || c->global[i].start >= c->global[n - 1].start + c->global[n - 1].size)
            c->global[n++] = c->global[i];
    c->globals = n;
}

/* Labels of linker scripts at the ends of all data, which only start-up code uses. */
static bool is_border(const char *label)
{
    return strstr(label, "data") || strstr(label, "bss") || !strcmp(label, "end") || !strcmp(label, "_end");
}

/* Other labels at an object's address: perhaps the start of a list of objects. */
static void note_labels(struct hc_check *c, Elf *elf, size_t names, Elf_Data *data, size_t count)
{
    GElf_Sym symbol;

    for (size_t i = 0; i < count; i++) {
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_NOTYPE || !symbol.st_name)
            continue;
        struct hc_check_global *g = (struct hc_check_global *)global_from(c, (uint32_t)symbol.st_value);
        const char *label = elf_strptr(elf, names, symbol.st_name);
        if (g && label && !is_border(label))
            g->shared = true;
    }
}

static void read_symbols(struct hc_check *c, Elf *elf)
{
    GElf_Shdr header = { 0 };
    GElf_Sym symbol;
    Elf_Scn *section = section_of_type(elf, NULL, SHT_SYMTAB, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;

    for (size_t i = 0; i < count; i++)
        if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size &&
            symbol.st_size <= HC_LARGEST_OBJECT && is_memory(c, (uint32_t)symbol.st_value)) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            add_global(c, name ? name : "", &symbol);
        }
    sort_globals(c);
    note_labels(c, elf, header.sh_link, data, count);
}

const struct hc_check_global *hc_check_global_at(const struct hc_check *c, uint32_t address)
{
    size_t low = 0, high = c->globals;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->global[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address - c->global[low - 1].start < c->global[low - 1].size ? &c->global[low - 1] : NULL;
}

/* ---- relocations, where the linker left them ---- */

static int by_place(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return x[0] < y[0] ? -1 : x[0] > y[0];
}

static void add_relocation(struct hc_check *c, uint32_t place, const struct hc_check_global *g)
{
    c->relocated = realloc(c->relocated, 2 * (c->relocations + 1) * sizeof *c->relocated);
    if (!c->relocated)
        abort();
    c->relocated[2 * c->relocations] = place;
    c->relocated[2 * c->relocations++ + 1] = (uint32_t)(g - c->global);
}

static void read_relocations(struct hc_check *c, Elf *elf)
{
    GElf_Shdr header;

    for (Elf_Scn *s = NULL; (s = section_of_type(elf, s, SHT_RELA, &header));) {
        Elf_Data *data = elf_getdata(s, NULL);
        Elf_Scn *symbols = elf_getscn(elf, header.sh_link);
        Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
        size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
        for (size_t i = 0; table && i < count; i++) {
            GElf_Rela rela;
            GElf_Sym symbol;
            if (!gelf_getrela(data, (int)i, &rela) || !gelf_getsym(table, (int)(GELF_R_SYM(rela.r_info)), &symbol) ||
                GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_size)
                continue;
            const struct hc_check_global *g = global_from(c, (uint32_t)symbol.st_value);
            if (g && g->size == symbol.st_size)
                add_relocation(c, (uint32_t)rela.r_offset, g);
        }
    }
    if (c->relocations)
        qsort(c->relocated, c->relocations, 2 * sizeof *c->relocated, by_place);
}

void hc_check_objects_read(struct hc_check *c)
{
    Elf *elf = hc_image_elf(c->image);

    if (!elf)
        return;
    read_symbols(c, elf);
    read_relocations(c, elf);
}

/* ---- addresses in the code ---- */

static hc_tag tag_of(const struct hc_check_global *g, hc_tag flags)
{
    return hc_tag_make(HC_TAG_GLOBAL, 0, g->start, g->size, flags);
}

/* Addresses in assembly count only with relocations: start-up code uses labels at the addresses of objects. */
hc_tag hc_check_tag_of_value(const struct hc_check *c, uint32_t value, uint32_t word, bool index)
{
    const uint32_t key[2] = { word, 0 };
    const uint32_t *relocated =
        word && c->relocations ? bsearch(key, c->relocated, c->relocations, sizeof key, by_place) : NULL;

    if (relocated)
        return tag_of(&c->global[relocated[1]], HC_TAG_CERTAIN);
    const struct hc_check_global *g = hc_check_global_at(c, value);
    if (!g || g->shared || !word || !hc_program_function_at(c->program, word))
        return 0;
    if (index) /* no structure is that large: it is the address of an array, perhaps minus an offset */
        return g->start == value && g->size > SMALL ? tag_of(g, HC_TAG_CERTAIN) : 0;
    return tag_of(g, 0);
}

/* ---- local variables ---- */

struct search {
    struct hc_check *check;
    struct hc_context context;
    uint32_t address;
    struct hc_check_local *out;
    const char *function;
    bool unsure; /* there are arrays of variable length */
};

/* Of several variables at one place (stack slots are shared) takes the largest: another might be too small. */
static void look_at_variable(struct search *s, Dwarf_Die *die)
{
    struct hc_location location;
    struct hc_debug_message ignored;
    const struct hc_type *type = hc_type_strip(hc_program_type_of(s->check->program, die));
    const char *name = dwarf_diename(die);

    if (!type || !name)
        return;
    if (type->kind == HC_TYPE_ARRAY && !type->size)
        s->unsure = true;
    bool aggregate = type->kind == HC_TYPE_ARRAY || type->kind == HC_TYPE_STRUCT || type->kind == HC_TYPE_UNION;
    if (!aggregate ||
        (!hc_location_of(&s->context, die, &location, &ignored) && !hc_location_nearby(&s->context, die, &location)))
        return;
    uint32_t start = (uint32_t)location.piece[0].value;
    if (location.pieces != 1 || location.piece[0].place != HC_PLACE_MEMORY || s->address - start >= type->size ||
        type->size <= s->out->size || type->size > HC_LARGEST_OBJECT)
        return;
    s->out->offset = (int32_t)(start - s->address);
    s->out->size = type->size;
    snprintf(s->out->name, HC_CHECK_NAME, "%s in %s", name, s->function);
}

/* All variables of a function, of its blocks and of inlined functions: an address may be computed outside of the block
 * that contains the variable. */
static void look_within(struct search *s, Dwarf_Die *scope, int depth)
{
    enum { DEEPEST = 32 };
    Dwarf_Die child;

    for (int end = depth < DEEPEST ? dwarf_child(scope, &child) : 1; !end; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            look_at_variable(s, &child);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            look_within(s, &child, depth + 1);
    }
}

static uint32_t function_of(const struct hc_check *c, uint32_t pc)
{
    const struct hc_function *f = hc_program_function_at(c->program, pc);

    return f ? f->low : 0;
}

static bool is_dynamic(const struct hc_check *c, uint32_t function)
{
    for (size_t i = 0; i < c->dynamics; i++)
        if (c->dynamic[i] == function)
            return true;
    return false;
}

void hc_check_frame_is_dynamic(struct hc_check *c, uint32_t pc)
{
    uint32_t function = function_of(c, pc);

    if (!function || is_dynamic(c, function))
        return;
    c->dynamic = realloc(c->dynamic, (c->dynamics + 1) * sizeof *c->dynamic);
    if (!c->dynamic)
        abort();
    c->dynamic[c->dynamics++] = function;
}

void hc_check_local_find(struct hc_check *c, uint32_t pc, uint32_t address, struct hc_check_local *local)
{
    if (local->looked_for)
        return;
    local->looked_for = true;
    uint32_t function = function_of(c, pc);
    if (!function || is_dynamic(c, function))
        return;
    struct hc_function f = *hc_program_function_at(c->program, pc);
    struct search s = { .check = c, .address = address, .out = local, .function = f.name };
    hc_set_register(c->machine, HC_PC, pc);
    hc_frame_here(c->program, c->machine, &s.context);
    look_within(&s, &f.die, 0);
    if (s.unsure)
        local->size = 0;
}

hc_tag hc_check_tag_of_local(struct hc_check *c, const struct hc_check_local *l, uint32_t address)
{
    uint32_t start = address + (uint32_t)l->offset;

    c->named[start / 2 % HC_CHECK_NAMED] = l;
    return hc_tag_make(HC_TAG_LOCAL, c->serial, start, l->size, l->size > SMALL && !l->offset ? HC_TAG_CERTAIN : 0);
}

/* ---- for people ---- */

void hc_check_describe(struct hc_check *c, uint32_t address, struct hc_check_object *out)
{
    const struct hc_check_global *g = hc_check_global_at(c, address);
    const struct hc_check_block *b = hc_check_block_at(c, address);

    *out = (struct hc_check_object){ "", address, 0 };
    if (b) { /* the heap itself may be a variable */
        *out = (struct hc_check_object){ "", b->start, b->size };
        snprintf(out->name, HC_CHECK_NAME, b->taken ? "a freed block of the heap" : "a block of the heap");
    } else if (g) {
        *out = (struct hc_check_object){ "", g->start, g->size };
        snprintf(out->name, HC_CHECK_NAME, "%s", g->name);
    } else if (c->stack_high && address >= c->r[HC_SP] && address < c->stack_high) {
        snprintf(out->name, HC_CHECK_NAME, "the stack");
        if (address < c->memory_size && HC_TAG_KIND(c->word[address >> 1].tag) == HC_TAG_RETURN)
            snprintf(out->name, HC_CHECK_NAME, "a return address on the stack");
    } else if (c->stack_high && address >= c->stack_low && address < c->r[HC_SP]) {
        snprintf(out->name, HC_CHECK_NAME, "memory below the stack");
    }
}
