/* Symbols by name and by address.
 *
 * Compilers say which symbols are functions and how long they are; hand-written assembly says neither. So a function is
 * what is marked as one, or a label in code that lies within no marked function and is not a compiler's local label
 * (.L12, L0^A, TI's $C$L5); where its size is missing it reaches to the next function or the end of its section.
 *
 * Registers of the part are absolute symbols (P1OUT, __P1OUT) among other absolute ones that are just numbers
 * (__data_size): the spelling tells them apart. */
#include "internal.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 1 << 18 };

/* A symbol while the tables are made. */
struct candidate {
    struct hc_symbol symbol;
    uint32_t section_end; /* one past the section it lies in */
    uint8_t rank;         /* of symbols at one place or of one name the highest is kept */
};

struct tables {
    struct candidate *functions, *data, *named;
    size_t function_count, data_count, named_count;
};

enum { RANK_LOCAL = 0, RANK_GLOBAL = 1, RANK_TYPED = 2 };

static bool is_compiler_label(const char *name)
{
    return name[0] == '.' || name[0] == '$' || strchr(name, '\001') || !strncmp(name, "__func__", 8);
}

static bool is_register_name(const char *name)
{
    while (*name == '_')
        name++;
    if (!isupper((unsigned char)*name))
        return false;
    while (isupper((unsigned char)*name) || isdigit((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

static void sort_in(struct tables *t, const GElf_Sym *s, const GElf_Shdr *section, const char *name)
{
    int type = GELF_ST_TYPE(s->st_info);
    bool code = section && section->sh_flags & SHF_EXECINSTR;
    struct candidate c = {
        .symbol = { .name = name,
                    .address = (uint32_t)s->st_value,
                    .size = (uint32_t)s->st_size,
                    .function = type == STT_FUNC || (type == STT_NOTYPE && code),
                    .sized = s->st_size != 0 },
        .rank = (GELF_ST_BIND(s->st_info) == STB_GLOBAL ? RANK_GLOBAL : RANK_LOCAL) +
                (type == STT_FUNC || type == STT_OBJECT ? RANK_TYPED : 0),
    };
    if (section)
        c.section_end = (uint32_t)(section->sh_addr + section->sh_size);
    t->named[t->named_count++] = c;
    if (c.symbol.function)
        t->functions[t->function_count++] = c;
    else if (type == STT_OBJECT || (s->st_shndx == SHN_ABS && is_register_name(name)))
        t->data[t->data_count++] = c;
}

static void read_table(const struct hc_image *image, Elf_Scn *scn, const GElf_Shdr *header, struct tables *t)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = data && data->d_buf ? data->d_size / sizeof(Elf32_Sym) : 0;

    for (size_t i = 1; i < count; i++) {
        GElf_Sym s;
        GElf_Shdr section;
        if (!gelf_getsym(data, (int)i, &s))
            continue;
        int type = GELF_ST_TYPE(s.st_info);
        const char *name = elf_strptr(image->elf, header->sh_link, s.st_name);
        if (!name || !*name || is_compiler_label(name) || s.st_shndx == SHN_UNDEF || s.st_value >= HC_IMAGE_ADDRESSES)
            continue;
        if (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT)
            continue;
        Elf_Scn *home = s.st_shndx < SHN_LORESERVE ? elf_getscn(image->elf, s.st_shndx) : NULL;
        sort_in(t, &s, home ? gelf_getshdr(home, &section) : NULL, name);
    }
}

static int by_address(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->symbol.address != b->symbol.address)
        return a->symbol.address < b->symbol.address ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return strcmp(a->symbol.name, b->symbol.name);
}

static int by_name(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = strcmp(a->symbol.name, b->symbol.name);
    if (!order && a->rank != b->rank)
        order = a->rank > b->rank ? -1 : 1;
    return order ? order : (a->symbol.address > b->symbol.address) - (a->symbol.address < b->symbol.address);
}

/* Sorted by address: drops all but the best at one address and labels within a function of known size, then cuts and
 * fills sizes so that no two overlap. */
static size_t make_disjoint(struct candidate *c, size_t count, bool fill)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct hc_symbol *last = kept ? &c[kept - 1].symbol : NULL;
        if (last && c[i].symbol.address == last->address)
            continue;
        if (last && c[i].rank < RANK_TYPED && c[i].symbol.address - last->address < last->size)
            continue;
        c[kept++] = c[i];
    }
    for (size_t i = 0; i < kept; i++) {
        struct hc_symbol *s = &c[i].symbol;
        uint32_t limit = i + 1 < kept ? c[i + 1].symbol.address : HC_IMAGE_ADDRESSES;
        if (!s->size)
            s->size = !fill ? 1 : c[i].section_end > s->address ? c[i].section_end - s->address : 1;
        if (s->size > limit - s->address)
            s->size = limit - s->address;
    }
    return kept;
}

static struct hc_symbol *keep(const struct candidate *c, size_t count)
{
    struct hc_symbol *symbols = calloc(count ? count : 1, sizeof *symbols);
    for (size_t i = 0; symbols && i < count; i++)
        symbols[i] = c[i].symbol;
    return symbols;
}

static bool fill_arrays(struct hc_image *image, struct tables *t)
{
    qsort(t->functions, t->function_count, sizeof *t->functions, by_address);
    qsort(t->data, t->data_count, sizeof *t->data, by_address);
    qsort(t->named, t->named_count, sizeof *t->named, by_name);
    image->function_count = make_disjoint(t->functions, t->function_count, true);
    image->data_count = make_disjoint(t->data, t->data_count, false);
    image->named_count = t->named_count;
    image->functions = keep(t->functions, image->function_count);
    image->data = keep(t->data, image->data_count);
    image->named = keep(t->named, image->named_count);
    return image->functions && image->data && image->named;
}

enum hc_image_error hc_image_read_symbols(struct hc_image *image, struct hc_image_message *message)
{
    Elf_Scn *scn = NULL, *found = NULL;
    GElf_Shdr header;

    while (!found && (scn = elf_nextscn(image->elf, scn)))
        if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB)
            found = scn;
    if (!found)
        return HC_IMAGE_OK;
    size_t most = header.sh_size / sizeof(Elf32_Sym) + 1;
    if (most > SYMBOLS_MAX)
        return hc_image_fail(image, message, HC_IMAGE_BAD, "has %zu symbols, at most %d are read", most, SYMBOLS_MAX);
    struct tables t = { .functions = calloc(most, sizeof *t.functions),
                        .data = calloc(most, sizeof *t.data),
                        .named = calloc(most, sizeof *t.named) };
    bool done = t.functions && t.data && t.named;
    if (done) {
        read_table(image, found, &header, &t);
        done = fill_arrays(image, &t);
    }
    free(t.functions);
    free(t.data);
    free(t.named);
    return done ? HC_IMAGE_OK : hc_image_fail(image, message, HC_IMAGE_NO_MEMORY, "out of memory");
}

/* The last symbol that starts at or before ADDRESS, if it reaches there. */
static bool containing(const struct hc_symbol *symbols, size_t count, uint32_t address, struct hc_symbol *out)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - symbols[low - 1].address >= symbols[low - 1].size)
        return false;
    *out = symbols[low - 1];
    return true;
}

bool hc_image_function_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out)
{
    return containing(image->functions, image->function_count, address, out);
}

bool hc_image_data_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out)
{
    return containing(image->data, image->data_count, address, out);
}

bool hc_image_symbol(const struct hc_image *image, const char *name, struct hc_symbol *out)
{
    size_t low = 0, high = image->named_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(image->named[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == image->named_count || strcmp(image->named[low].name, name) != 0)
        return false;
    *out = image->named[low];
    return true;
}

size_t hc_image_functions(const struct hc_image *image, const struct hc_symbol **out)
{
    *out = image->functions;
    return image->function_count;
}
