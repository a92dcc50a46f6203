#include "variable_sizes.h"

#include "support/grow.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct hc_variable_size *find(const struct hc_variable_sizes *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->variable[i].name, name))
            return &s->variable[i];
    return NULL;
}

static void add(struct hc_variable_sizes *s, const char *name, uint64_t size)
{
    struct hc_variable_size *known = find(s, name);
    char *copy = known ? NULL : strdup(name);

    if (known)
        known->twice = true;
    else if (copy && hc_grow(&s->variable, s->count, &s->room, sizeof *s->variable))
        s->variable[s->count++] = (struct hc_variable_size){ .name = copy, .size = size };
    else
        free(copy);
}

static void read_table(struct hc_variable_sizes *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name)
            add(s, name, symbol.st_size);
    }
}

void hc_variable_sizes_read(struct hc_variable_sizes *s, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    GElf_Shdr header;

    elf_version(EV_CURRENT);
    if (descriptor >= 0)
        elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            read_table(s, elf, section, &header);
    if (elf)
        elf_end(elf);
    if (descriptor >= 0)
        close(descriptor);
}

void hc_variable_sizes_free(struct hc_variable_sizes *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->variable[i].name);
    free(s->variable);
}

const struct hc_variable_size *hc_variable_sizes_differ(const struct hc_variable_sizes *one,
                                                        const struct hc_variable_sizes *other,
                                                        const struct hc_variable_size **there)
{
    for (size_t i = 0; i < one->count; i++) {
        *there = find(other, one->variable[i].name);
        if (*there && !one->variable[i].twice && !(*there)->twice && (*there)->size != one->variable[i].size)
            return &one->variable[i];
    }
    return NULL;
}
