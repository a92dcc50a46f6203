#include "pieces.h"

#include "image/image.h"
#include "recorded/names.h"

#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTIONS_MOST = 512,
    FLASH_SEGMENT = 512,
    ERASABLE_MOST = 2048, /* bytes of an object: more would make checkpoints large */
    NEIGHBOURS = 64,      /* bytes between two areas that may as well be kept */
};

struct list {
    size_t count;
    struct hc_memory_range at[SECTIONS_MOST];
};

struct search {
    struct hc_pieces *out;
    const struct hc_image *image;
    const struct hc_regs *registers;
    struct hc_memory_range recorder, noinit;
    struct list ram;     /* sections in RAM that hold something */
    struct list lasting; /* writable sections in non-volatile memory */
    struct hc_pieces_message *message;
};

static bool fail(const struct search *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const struct search *s, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(s->message->text, sizeof s->message->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- sections ---- */

static bool is_in(struct hc_regs_range range, uint32_t address)
{
    return range.end && address >= range.start && address <= range.end;
}

static int by_start(const void *a, const void *b)
{
    const struct hc_memory_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* A section for the stack has no content of its own: it is as free as memory without a section. One for the heap has.
 */
static bool holds_nothing(const char *name)
{
    return !strncmp(name, ".stack", 6);
}

static bool add(const struct search *s, struct list *list, struct hc_memory_range piece)
{
    if (list->count == SECTIONS_MOST)
        return fail(s, "more than %d sections in RAM", SECTIONS_MOST);
    list->at[list->count++] = piece;
    return true;
}

/* The start-up code copies it to where it is used: it is none of the program's constants, though nothing but code may
 * be in it, which no flag calls writable. */
static bool is_copied(const struct search *s, uint32_t address)
{
    uint32_t programmed;

    return hc_image_initial_value(s->image, address, &programmed) && programmed != address;
}

static bool look_at_section(struct search *s, const GElf_Shdr *h, const char *name)
{
    struct hc_memory_range piece = { (uint32_t)h->sh_addr, (uint32_t)(h->sh_addr + h->sh_size) };
    bool in_ram = is_in(s->registers->ram, piece.start);

    bool lasts = is_in(s->registers->fram, piece.start) && (h->sh_flags & SHF_WRITE || is_copied(s, piece.start));

    if (!in_ram && !lasts)
        return true;
    if (in_ram && piece.end > s->registers->ram.end + 1u)
        return fail(s, "section %s ends at 0x%04x, RAM at 0x%04x", name, piece.end - 1, s->registers->ram.end);
    if (!strcmp(name, ".noinit") && in_ram)
        s->noinit = piece;
    if (in_ram && holds_nothing(name))
        return true;
    return add(s, in_ram ? &s->ram : &s->lasting, piece);
}

static bool look_at_sections(struct search *s, Elf *elf)
{
    GElf_Shdr h;
    size_t names = 0;

    if (elf_getshdrstrndx(elf, &names))
        return fail(s, "section names: %s", elf_errmsg(-1));
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC) || !h.sh_size)
            continue;
        const char *name = elf_strptr(elf, names, h.sh_name);
        if (!look_at_section(s, &h, name ? name : "?"))
            return false;
    }
    qsort(s->ram.at, s->ram.count, sizeof *s->ram.at, by_start);
    return true;
}

/* ---- pieces ---- */

static bool is_empty(struct hc_memory_range piece)
{
    return piece.end <= piece.start;
}

static struct hc_memory_range whole_words(struct hc_memory_range piece)
{
    return (struct hc_memory_range){ piece.start & ~1u, (piece.end + 1) & ~1u };
}

/* PIECE without the recorder's RAM. */
static struct hc_memory_range below_recorder(const struct search *s, struct hc_memory_range piece)
{
    if (piece.end > s->recorder.start && piece.start < s->recorder.end)
        piece.end = s->recorder.start;
    return is_empty(piece) ? (struct hc_memory_range){ 0, 0 } : whole_words(piece);
}

static struct hc_memory_range above_recorder(const struct search *s, struct hc_memory_range piece)
{
    if (piece.start >= s->recorder.end || piece.end <= s->recorder.end)
        return (struct hc_memory_range){ 0, 0 };
    piece.start = s->recorder.end;
    return whole_words(piece);
}

/* The largest stretch of RAM between sections, by whole words. */
static struct hc_memory_range largest_gap(const struct list *sections, struct hc_memory_range ram)
{
    struct hc_memory_range best = { ram.start, ram.start };
    uint32_t at = ram.start;

    for (size_t i = 0; i <= sections->count; i++) {
        uint32_t end = i < sections->count ? sections->at[i].start : ram.end;
        struct hc_memory_range gap = { (at + 1) & ~1u, end & ~1u };
        if (gap.end > gap.start && gap.end - gap.start > best.end - best.start)
            best = gap;
        if (i < sections->count && sections->at[i].end > at)
            at = sections->at[i].end;
    }
    return best;
}

static bool find_ram(struct search *s)
{
    struct hc_pieces *out = s->out;
    struct hc_memory_range ram = { s->registers->ram.start, s->registers->ram.end + 1u };

    out->free = largest_gap(&s->ram, ram);
    if (is_empty(out->free))
        return fail(s, "no RAM is left for the stack");
    if (s->recorder.start >= out->free.end && s->recorder.start < ram.end)
        return fail(s, "the recorder's RAM (section .noinit, 0x%04x) must lie below the stack's", s->recorder.start);
    struct hc_memory_range below = { ram.start, out->free.start };
    out->piece[0] = below_recorder(s, below);
    out->piece[1] = above_recorder(s, below);
    out->piece[HC_PIECES_NOINIT] = below_recorder(s, s->noinit);
    out->piece[HC_PIECES_NOINIT + 1] = above_recorder(s, s->noinit);
    return out->free.end == ram.end || add(s, &s->lasting, (struct hc_memory_range){ out->free.end, ram.end });
}

/* ---- what lasts ---- */

/* Installers change the node's address in the image, after the link: logs must tell what it was. */
static bool find_identity(struct search *s, const struct hc_image *image)
{
    static const char *const names[] = { "node_id", "TOS_NODE_ID", "ActiveMessageAddressC__addr",
                                         "ActiveMessageAddressC$addr", "TOS_LOCAL_ADDRESS" };
    struct hc_symbol symbol;
    uint32_t at;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hc_image_symbol(image, names[i], &symbol) && !symbol.function &&
            hc_image_initial_value(image, symbol.address, &at) &&
            !add(s, &s->lasting, (struct hc_memory_range){ at, at + (symbol.size ? symbol.size : 2) }))
            return false;
    return true;
}

static bool find_information(struct search *s)
{
    struct hc_regs_range range = s->registers->information;

    return add(s, &s->lasting, (struct hc_memory_range){ range.start, range.end + 1 });
}

/* Objects in flash that a program may erase: they have segments of it for themselves. */
static bool find_erasable(struct search *s, Elf *elf)
{
    GElf_Shdr h;
    GElf_Sym symbol;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_SYMTAB || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < h.sh_size / h.sh_entsize; i++)
            if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size &&
                symbol.st_value % FLASH_SEGMENT == 0 && symbol.st_size % FLASH_SEGMENT == 0 &&
                symbol.st_size <= ERASABLE_MOST && !is_in(s->registers->ram, (uint32_t)symbol.st_value) &&
                !add(s, &s->lasting,
                     (struct hc_memory_range){ (uint32_t)symbol.st_value,
                                               (uint32_t)(symbol.st_value + symbol.st_size) }))
                return false;
    }
    return true;
}

static bool place(const struct search *s, struct hc_memory_range piece)
{
    struct hc_memory_range *p = s->out->piece;
    int i = HC_PIECES_LASTING;

    if (is_empty(piece))
        return true;
    while (i < HC_PIECES_NOINIT && !is_empty(p[i]))
        i++;
    if (i == HC_PIECES_NOINIT)
        return fail(s, "variables outside of RAM are in too many places, the last at 0x%04x", piece.start);
    p[i] = piece;
    return true;
}

static bool place_lasting(struct search *s)
{
    struct list *list = &s->lasting;

    qsort(list->at, list->count, sizeof *list->at, by_start);
    for (size_t i = 0, next; i < list->count; i = next) {
        struct hc_memory_range piece = list->at[i];
        for (next = i + 1; next < list->count && list->at[next].start <= piece.end + NEIGHBOURS; next++)
            if (list->at[next].end > piece.end)
                piece.end = list->at[next].end;
        if (!place(s, below_recorder(s, piece)) || !place(s, above_recorder(s, piece)))
            return false;
    }
    return true;
}

static bool stack_is_volatile(const struct search *s, const struct hc_image *image)
{
    struct hc_symbol stack;

    return !hc_image_symbol(image, "__stack", &stack) || !is_in(s->registers->fram, stack.address - 1) ||
           fail(s, "the stack (0x%04x) is in non-volatile memory: a recorded program needs it in RAM", stack.address);
}

static bool find_recorder(struct search *s, const struct hc_image *image)
{
    uint32_t start, end;

    if (!hc_recorder_address(image, HC_SYMBOL_RAM, &start) || !hc_recorder_address(image, HC_SYMBOL_RAM_END, &end))
        return fail(s, "the recorder's RAM is missing: does the linker script discard section .noinit (.persistent "
                       "with --sink=fram)?");
    s->recorder = (struct hc_memory_range){ start, end };
    return true;
}

bool hc_pieces_find(struct hc_pieces *out, Elf *elf, const struct hc_image *image, const struct hc_regs *registers,
                    const struct hc_code_facts *code, struct hc_pieces_message *message)
{
    struct search *s = calloc(1, sizeof *s);

    memset(out, 0, sizeof *out);
    if (!s) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return false;
    }
    *s = (struct search){ .out = out, .image = image, .registers = registers, .message = message };
    bool fine = find_recorder(s, image) && stack_is_volatile(s, image) && look_at_sections(s, elf) && find_ram(s) &&
                find_identity(s, image) && (!code->names_information || find_information(s)) &&
                (!code->writes_flash || find_erasable(s, elf)) && place_lasting(s);
    free(s);
    return fine;
}
