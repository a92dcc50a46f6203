/* Small ELF files, made to measure: also such as no linker of today writes.
 *
 *     Ehdr | Phdr[] | contents of the sections | section names | Shdr[] */
#ifndef TESTS_IMAGE_ELF_BUILDER_H
#define TESTS_IMAGE_ELF_BUILDER_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { ELF_BUILDER_SIZE = 8192, ELF_BUILDER_SECTIONS = 16, ELF_BUILDER_SEGMENTS = 4 };

struct elf_builder_section {
    const char *name;
    uint32_t type, flags, address;
    const void *contents;
    uint32_t size, link;
    uint32_t offset; /* filled in */
};

/* Covers the contents of section FIRST up to LAST (numbers from 1, as in the file). */
struct elf_builder_segment {
    int first, last;
    uint32_t physical;
    uint32_t before; /* so many bytes of the file before the first section belong to it, too */
};

struct elf_builder {
    uint32_t entry;
    struct elf_builder_section sections[ELF_BUILDER_SECTIONS]; /* up to one without a name; 0 is section 1 */
    struct elf_builder_segment segments[ELF_BUILDER_SEGMENTS]; /* up to one whose first is 0 */
    uint8_t bytes[ELF_BUILDER_SIZE];
    uint32_t size; /* of the file */
};

static inline int elf_builder_sections(const struct elf_builder *b)
{
    int count = 0;
    while (count < ELF_BUILDER_SECTIONS && b->sections[count].name)
        count++;
    return count;
}

static inline int elf_builder_segments(const struct elf_builder *b)
{
    int count = 0;
    while (count < ELF_BUILDER_SEGMENTS && b->segments[count].first)
        count++;
    return count;
}

static inline void elf_builder_add(struct elf_builder *b, const void *bytes, uint32_t size)
{
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static inline void elf_builder_put_segments(struct elf_builder *b, int count)
{
    for (int i = 0; i < count; i++) {
        const struct elf_builder_segment *s = &b->segments[i];
        const struct elf_builder_section *first = &b->sections[s->first - 1], *last = &b->sections[s->last - 1];
        uint32_t end = last->offset + (last->type == SHT_NOBITS ? 0 : last->size);
        Elf32_Phdr h = { .p_type = PT_LOAD,
                         .p_offset = first->offset - s->before,
                         .p_vaddr = first->address - s->before,
                         .p_paddr = s->physical - s->before,
                         .p_filesz = end - first->offset + s->before,
                         .p_memsz = last->address + last->size - first->address + s->before,
                         .p_flags = PF_R };
        memcpy(b->bytes + sizeof(Elf32_Ehdr) + (size_t)i * sizeof h, &h, sizeof h);
    }
}

/* The names' section is added after the others. */
static inline void elf_builder_put_sections(struct elf_builder *b, int count)
{
    char names[512] = "";
    uint32_t length = 1;
    Elf32_Shdr headers[ELF_BUILDER_SECTIONS + 2] = { 0 };

    for (int i = 0; i < count; i++) {
        const struct elf_builder_section *s = &b->sections[i];
        headers[i + 1] = (Elf32_Shdr){ .sh_name = length,
                                       .sh_type = s->type,
                                       .sh_flags = s->flags,
                                       .sh_addr = s->address,
                                       .sh_offset = s->offset,
                                       .sh_size = s->size,
                                       .sh_link = s->link,
                                       .sh_addralign = 1,
                                       .sh_entsize = s->type == SHT_SYMTAB ? sizeof(Elf32_Sym) : 0 };
        strcpy(names + length, s->name);
        length += (uint32_t)strlen(s->name) + 1;
    }
    headers[count + 1] =
        (Elf32_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = b->size, .sh_size = length, .sh_addralign = 1 };
    elf_builder_add(b, names, length);
    b->size = (b->size + 3) & ~3u;
    ((Elf32_Ehdr *)b->bytes)->e_shoff = b->size;
    elf_builder_add(b, headers, (uint32_t)(count + 2) * (uint32_t)sizeof *headers);
}

static inline void elf_builder_make(struct elf_builder *b)
{
    int sections = elf_builder_sections(b), segments = elf_builder_segments(b);
    Elf32_Ehdr *h = (Elf32_Ehdr *)b->bytes;

    memset(b->bytes, 0, sizeof b->bytes);
    *h = (Elf32_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT, ELFOSABI_STANDALONE },
                       .e_type = ET_EXEC,
                       .e_machine = EM_MSP430,
                       .e_version = EV_CURRENT,
                       .e_entry = b->entry,
                       .e_phoff = segments ? sizeof *h : 0,
                       .e_ehsize = sizeof *h,
                       .e_phentsize = sizeof(Elf32_Phdr),
                       .e_phnum = (uint16_t)segments,
                       .e_shentsize = sizeof(Elf32_Shdr),
                       .e_shnum = (uint16_t)(sections + 2),
                       .e_shstrndx = (uint16_t)(sections + 1) };
    b->size = (uint32_t)(sizeof *h + (size_t)segments * sizeof(Elf32_Phdr));
    for (int i = 0; i < sections; i++) {
        b->sections[i].offset = b->size;
        if (b->sections[i].contents)
            elf_builder_add(b, b->sections[i].contents, b->sections[i].size);
    }
    elf_builder_put_segments(b, segments);
    elf_builder_put_sections(b, sections);
}

#endif
