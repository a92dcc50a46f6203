#include "map_records.h"

#include "recorded/map_text.h"
#include "recorded/names.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

void hc_record_write(FILE *to, const struct hc_argv *fields)
{
    hc_map_text_record(to, -1, (const char *const *)fields->word, fields->count);
}

static Elf *open_file(const char *path, int *descriptor)
{
    elf_version(EV_CURRENT);
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? NULL : elf_begin(*descriptor, ELF_C_READ_MMAP, NULL);
}

static void close_file(Elf *elf, int descriptor)
{
    if (elf)
        elf_end(elf);
    if (descriptor >= 0)
        close(descriptor);
}

/* ---- symbols ---- */

static void write_symbol(FILE *to, const char *kind, const char *name, const GElf_Sym *symbol)
{
    struct hc_argv fields = { 0 };

    hc_argv_add(&fields, kind);
    hc_argv_add(&fields, name);
    if (!strcmp(kind, "plain"))
        hc_argv_addf(&fields, "%llu", (unsigned long long)symbol->st_size);
    hc_record_write(to, &fields);
    hc_argv_free(&fields);
}

static void write_symbols(FILE *to, const char *kind, bool objects, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
            continue;
        int type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name && ((type == STT_FUNC && (objects || symbol.st_size)) || (objects && type == STT_OBJECT)))
            write_symbol(to, kind, name, &symbol);
    }
}

static void write_records(FILE *to, const char *kind, bool objects, const char *path)
{
    int descriptor;
    Elf *elf = open_file(path, &descriptor);

    for (Elf_Scn *section = NULL; elf && elf_kind(elf) == ELF_K_ELF && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            write_symbols(to, kind, objects, elf, section, &header);
    }
    close_file(elf, descriptor);
}

void hc_record_plain_sizes(FILE *to, const char *path)
{
    write_records(to, "plain", false, path);
}

void hc_record_recorder(FILE *to, const char *path)
{
    write_records(to, "recorder", true, path);
}

static void add_needs(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct hc_argv *out)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx == SHN_UNDEF
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name && *name)
            hc_argv_add(out, name);
    }
}

void hc_object_needs(const char *path, struct hc_argv *out)
{
    int descriptor;
    Elf *elf = open_file(path, &descriptor);

    for (Elf_Scn *section = NULL; elf && elf_kind(elf) == ELF_K_ELF && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            add_needs(elf, section, &header, out);
    }
    close_file(elf, descriptor);
}

/* ---- inputs of a link ---- */

const struct hc_update_symbol hc_update_symbols[HC_UPDATE_SYMBOLS] = {
    [HC_UPDATE_LOOP] = { HC_SYMBOL_UPDATE_LOOP, "__hc_update_turn" },
    [HC_UPDATE_MAIN] = { HC_SYMBOL_UPDATE_MAIN, "hc_update" },
    [HC_UPDATE_HANDLER] = { HC_SYMBOL_UPDATE_HANDLER, "__hc_update_handled" },
};

static bool has(const struct hc_argv *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->word[i], word))
            return true;
    return false;
}

static void split_fields(struct hc_argv *out, const char *text, const char *end)
{
    while (text < end) {
        size_t length = strcspn(text, "\t");
        hc_argv_addf(out, "%.*s", (int)length, text);
        text += length + (text[length] == '\t');
    }
}

static void read_record(struct hc_link_inputs *inputs, const char *text, const char *end, bool *unit)
{
    struct hc_argv fields = { 0 };

    split_fields(&fields, text, end);
    const char *kind = fields.count ? fields.word[0] : "";
    if (!strcmp(kind, "unit")) {
        *unit = true;
        inputs->instrumented++;
        if (fields.count > 2 && !has(&inputs->parts, fields.word[2]))
            hc_argv_add(&inputs->parts, fields.word[2]);
    } else if (!strcmp(kind, "compiler") && !inputs->compiler.count) {
        hc_argv_add_all(&inputs->compiler, fields.word + 1, fields.count - 1);
    } else if (!strcmp(kind, "uses") && fields.count > 1 && !strcmp(fields.word[1], "dma")) {
        inputs->dma = true;
    }
    hc_argv_free(&fields);
}

/* Records of two bytes and a string each; what is cut short is passed over. */
static void read_records(struct hc_link_inputs *inputs, const char *bytes, size_t size, bool *unit)
{
    for (size_t at = 2; at < size;) {
        const char *end = memchr(bytes + at, '\0', size - at);
        if (!end)
            return;
        read_record(inputs, bytes + at, end, unit);
        at = (size_t)(end - bytes) + 3;
    }
}

/* Which of the recorder's functions for updates an object refers to. */
static void add_calls(struct hc_link_inputs *inputs, Elf *elf, bool *calls)
{
    struct hc_argv needs = { 0 };
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            add_needs(elf, section, &header, &needs);
    for (size_t i = 0; i < needs.count; i++)
        *calls |= hc_is_update(needs.word[i]);
    for (size_t i = 0; i < HC_UPDATE_SYMBOLS; i++)
        inputs->needs_update[i] |= has(&needs, hc_recorder_symbols[hc_update_symbols[i].symbol]);
    hc_argv_free(&needs);
}

static void add_object(struct hc_link_inputs *inputs, Elf *elf, bool *unit, bool *code)
{
    size_t names;
    bool calls = false;

    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && header.sh_flags & SHF_EXECINSTR && header.sh_size)
            *code = true;
        if (!name || strcmp(name, HC_MAP_SECTION) != 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        if (data && data->d_buf)
            read_records(inputs, data->d_buf, data->d_size, unit);
    }
    add_calls(inputs, elf, &calls);
    inputs->calls_update |= calls && !*unit;
}

void hc_inputs_add(struct hc_link_inputs *inputs, const char *path)
{
    int descriptor;
    bool unit = false, code = false;
    Elf *elf = open_file(path, &descriptor);

    if (elf && elf_kind(elf) == ELF_K_AR) {
        Elf_Cmd command = ELF_C_READ_MMAP;
        for (Elf *member; (member = elf_begin(descriptor, command, elf)); elf_end(member)) {
            if (elf_kind(member) == ELF_K_ELF)
                add_object(inputs, member, &unit, &code);
            command = elf_next(member);
        }
    } else if (elf && elf_kind(elf) == ELF_K_ELF) {
        add_object(inputs, elf, &unit, &code);
    }
    /* Start-up code and data without instructions are everybody's: only code can have gaps. */
    if (code && !unit)
        hc_argv_add(&inputs->uninstrumented, path);
    close_file(elf, descriptor);
}

void hc_inputs_free(struct hc_link_inputs *inputs)
{
    hc_argv_free(&inputs->uninstrumented);
    hc_argv_free(&inputs->compiler);
    hc_argv_free(&inputs->parts);
}
