/* ELF32 for MSP430 and ARM.
 *
 * Bytes are taken by section and placed through the segments: a section at file offset O in a segment is programmed at
 * p_paddr + O - p_offset. Segments alone will not do, for those of old linkers also cover the ELF header, which would
 * land in vacant memory below the code. Where there are no section headers, segments are all there is. */
#include "internal.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_MAX = 80 };

struct reader {
    struct hc_image *image;
    struct hc_image_message *message;
    const uint8_t *bytes;
    size_t size;
    const Elf32_Ehdr *header;
    size_t segment_count, section_count;
};

#define FAIL(r, ...) hc_image_fail((r)->image, (r)->message, HC_IMAGE_BAD, __VA_ARGS__)

static bool within_file(const struct reader *r, uint64_t offset, uint64_t size)
{
    return offset <= r->size && size <= r->size - offset;
}

static const char *kind_of_machine(unsigned machine)
{
    const char *name = dwelf_elf_e_machine_string((int)machine);
    return name ? name : "an unknown CPU";
}

static enum hc_image_error check_header(struct reader *r)
{
    const unsigned char *ident = r->bytes;

    if (r->size < sizeof(Elf32_Ehdr))
        return FAIL(r, "ELF header is cut short: file has %zu bytes", r->size);
    if (ident[EI_CLASS] != ELFCLASS32 || ident[EI_DATA] != ELFDATA2LSB) {
        /* e_machine lies at the same offset in both classes. */
        unsigned machine =
            ident[EI_DATA] == ELFDATA2MSB ? ident[18] << 8 | ident[19] : (unsigned)(ident[19] << 8 | ident[18]);
        return FAIL(r, "is a %s-endian ELF%s file for %s; MSP430 firmware is little-endian ELF32",
                    ident[EI_DATA] == ELFDATA2MSB ? "big" : "little", ident[EI_CLASS] == ELFCLASS64 ? "64" : "32",
                    kind_of_machine(machine));
    }
    r->header = elf32_getehdr(r->image->elf);
    if (!r->header)
        return FAIL(r, "ELF header: %s", elf_errmsg(-1));
    if (r->header->e_machine != EM_MSP430 && r->header->e_machine != EM_ARM)
        return FAIL(r, "is an ELF file for %s, not for MSP430 or ARM", kind_of_machine(r->header->e_machine));
    if (r->header->e_type == ET_REL)
        return FAIL(r, "is an object file: link it first");
    if (r->header->e_type != ET_EXEC)
        return FAIL(r, "ELF type is %u, should be %u (an executable)", r->header->e_type, ET_EXEC);
    return HC_IMAGE_OK;
}

/* Both header tables must be whole; libelf alone would silently show fewer sections. */
static enum hc_image_error check_tables(struct reader *r)
{
    const Elf32_Ehdr *h = r->header;

    if (elf_getphdrnum(r->image->elf, &r->segment_count) || elf_getshdrnum(r->image->elf, &r->section_count))
        return FAIL(r, "ELF header: %s", elf_errmsg(-1));
    if (h->e_phnum && h->e_phentsize != sizeof(Elf32_Phdr))
        return FAIL(r, "program headers have %u bytes each, should have %zu", h->e_phentsize, sizeof(Elf32_Phdr));
    if (h->e_shnum && h->e_shentsize != sizeof(Elf32_Shdr))
        return FAIL(r, "section headers have %u bytes each, should have %zu", h->e_shentsize, sizeof(Elf32_Shdr));
    if (!within_file(r, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf32_Phdr)))
        return FAIL(r, "offset 0x%x: program headers lie beyond the end of the file: truncated?", h->e_phoff);
    if (!within_file(r, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf32_Shdr)))
        return FAIL(r, "offset 0x%x: section headers lie beyond the end of the file: truncated?", h->e_shoff);
    for (size_t i = 0; i < r->segment_count; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(r->image->elf, (int)i, &p))
            return FAIL(r, "program header %zu: %s", i, elf_errmsg(-1));
        if (!within_file(r, p.p_offset, p.p_filesz))
            return FAIL(r, "segment %zu at offset 0x%llx lies beyond the end of the file: truncated?", i,
                        (unsigned long long)p.p_offset);
    }
    return HC_IMAGE_OK;
}

/* Where the bytes at this place of the file are programmed; without a segment, where the section says it is. */
static uint64_t load_address(const struct reader *r, const GElf_Shdr *section)
{
    for (size_t i = 0; i < r->segment_count; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(r->image->elf, (int)i, &p) && p.p_type == PT_LOAD && section->sh_offset >= p.p_offset &&
            section->sh_offset + section->sh_size <= p.p_offset + p.p_filesz)
            return p.p_paddr + (section->sh_offset - p.p_offset);
    }
    return section->sh_addr;
}

static enum hc_image_error load_section(struct reader *r, Elf_Scn *scn, size_t names)
{
    char place[PLACE_MAX];
    GElf_Shdr s;

    if (!gelf_getshdr(scn, &s))
        return FAIL(r, "section %zu: %s", elf_ndxscn(scn), elf_errmsg(-1));
    const char *name = elf_strptr(r->image->elf, names, s.sh_name);
    snprintf(place, sizeof place, "section %s", name ? name : "?");
    if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL)
        return HC_IMAGE_OK;
    if (!within_file(r, s.sh_offset, s.sh_size))
        return FAIL(r, "%s at offset 0x%llx lies beyond the end of the file: truncated?", place,
                    (unsigned long long)s.sh_offset);
    if (!(s.sh_flags & SHF_ALLOC) || !s.sh_size)
        return HC_IMAGE_OK;
    uint64_t address = load_address(r, &s);
    if (r->header->e_machine != EM_MSP430 && address >= HC_IMAGE_ADDRESSES)
        return HC_IMAGE_OK; /* no machine here runs it: its sections for the desk are enough */
    return hc_image_put(r->image, place, address, r->bytes + s.sh_offset, s.sh_size, r->message);
}

static enum hc_image_error load_sections(struct reader *r)
{
    size_t names = 0;
    Elf_Scn *scn = NULL;

    if (elf_getshdrstrndx(r->image->elf, &names))
        return FAIL(r, "section names: %s", elf_errmsg(-1));
    while ((scn = elf_nextscn(r->image->elf, scn))) {
        enum hc_image_error error = load_section(r, scn, names);
        if (error)
            return error;
    }
    return HC_IMAGE_OK;
}

static enum hc_image_error load_segments(struct reader *r)
{
    char place[PLACE_MAX];

    for (size_t i = 0; i < r->segment_count; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(r->image->elf, (int)i, &p) || p.p_type != PT_LOAD || !p.p_filesz)
            continue;
        snprintf(place, sizeof place, "segment %zu", i);
        enum hc_image_error error =
            hc_image_put(r->image, place, p.p_paddr, r->bytes + p.p_offset, p.p_filesz, r->message);
        if (error)
            return error;
    }
    return HC_IMAGE_OK;
}

enum hc_image_error hc_image_parse_elf(struct hc_image *image, const void *bytes, size_t size,
                                       struct hc_image_message *message)
{
    struct reader r = { .image = image, .message = message, .size = size };
    enum hc_image_error error;

    image->format = HC_IMAGE_ELF;
    r.bytes = image->file = malloc(size);
    if (!image->file)
        return hc_image_fail(image, message, HC_IMAGE_NO_MEMORY, "out of memory");
    memcpy(image->file, bytes, size);
    elf_version(EV_CURRENT);
    image->elf = elf_memory(image->file, size);
    if (!image->elf)
        return FAIL(&r, "ELF header: %s", elf_errmsg(-1));
    if ((error = check_header(&r)) || (error = check_tables(&r)))
        return error;
    error = r.section_count ? load_sections(&r) : load_segments(&r);
    if (error)
        return error;
    image->has_entry = true;
    image->entry = r.header->e_entry;
    return hc_image_read_symbols(image, message);
}

const uint8_t *hc_image_build_id(const struct hc_image *image, size_t *size)
{
    const void *bytes;
    ssize_t length = image->elf ? dwelf_elf_gnu_build_id(image->elf, &bytes) : 0;

    *size = length > 0 ? (size_t)length : 0;
    return length > 0 ? bytes : NULL;
}

bool hc_image_initial_value(const struct hc_image *image, uint32_t address, uint32_t *programmed)
{
    size_t segments = 0;

    if (!image->elf || elf_getphdrnum(image->elf, &segments))
        return false;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(image->elf, (int)i, &p) || p.p_type != PT_LOAD || address < p.p_vaddr ||
            address - p.p_vaddr >= p.p_filesz)
            continue;
        uint64_t at = p.p_paddr + (address - p.p_vaddr);
        if (at >= HC_IMAGE_ADDRESSES || !(image->present[at / 64] >> at % 64 & 1))
            continue;
        *programmed = (uint32_t)at;
        return true;
    }
    return false;
}

bool hc_image_reserved(const struct hc_image *image, size_t i, uint32_t *address, uint32_t *end)
{
    size_t segments = 0;

    if (!image->elf || elf_getphdrnum(image->elf, &segments))
        return false;
    for (size_t k = 0; k < segments; k++) {
        GElf_Phdr p;
        if (!gelf_getphdr(image->elf, (int)k, &p) || p.p_type != PT_LOAD || p.p_memsz <= p.p_filesz || i--)
            continue;
        uint64_t start = p.p_vaddr + p.p_filesz, after = p.p_vaddr + p.p_memsz;
        *address = start < HC_IMAGE_ADDRESSES ? (uint32_t)start : HC_IMAGE_ADDRESSES;
        *end = after < HC_IMAGE_ADDRESSES ? (uint32_t)after : HC_IMAGE_ADDRESSES;
        return true;
    }
    return false;
}

bool hc_image_section(const struct hc_image *image, const char *name, struct hc_image_section *out)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (!image->elf || elf_getshdrstrndx(image->elf, &names))
        return false;
    while ((section = elf_nextscn(image->elf, section))) {
        GElf_Shdr s;
        const char *found = gelf_getshdr(section, &s) ? elf_strptr(image->elf, names, s.sh_name) : NULL;
        if (!found || strcmp(found, name) != 0)
            continue;
        Elf_Data *data = s.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
        *out = (struct hc_image_section){ (uint32_t)s.sh_addr, (uint32_t)s.sh_size, data ? data->d_buf : NULL };
        return true;
    }
    return false;
}
