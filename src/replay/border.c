#include "border.h"

#include "../../runtime/codec/page.h"
#include "../../runtime/port/msp430/position.h"

#include <libelf.h>
#include <stdio.h>
#include <string.h>

static bool byte_at(const struct hc_image *image, uint32_t address, uint8_t *out)
{
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(image, &segment);
    for (size_t i = 0; i < n; i++)
        if (address >= segment[i].address && address - segment[i].address < segment[i].size) {
            *out = segment[i].bytes[address - segment[i].address];
            return true;
        }
    return false;
}

static bool word_at(const struct hc_image *image, uint32_t address, uint32_t *out)
{
    uint8_t low, high;
    if (!byte_at(image, address, &low) || !byte_at(image, address + 1, &high))
        return false;
    *out = (uint32_t)(low | high << 8);
    return true;
}

static bool symbol(const struct hc_image *image, const char *name, uint32_t *out)
{
    struct hc_symbol found;
    *out = 0;
    if (!hc_image_symbol(image, name, &found))
        return false;
    *out = found.address;
    return true;
}

/* BIT r13, 0(r12), by bytes or words: what the poll routines load with. */
enum { POLL_OPCODE = 0xbd8c, POLL_BYTES = 0x0040, POLL_LONGEST = 40 };

static bool find_poll(const struct hc_image *image, const char *name, struct hc_border_poll *poll)
{
    uint32_t start, word;
    if (!symbol(image, name, &start))
        return false;
    for (uint32_t at = start; at < start + POLL_LONGEST; at += 2)
        if (word_at(image, at, &word) && (word & ~(uint32_t)POLL_BYTES) == POLL_OPCODE) {
            poll->size = word & POLL_BYTES ? 1 : 2;
            poll->load = at;
            poll->jump = at + 4;
            poll->after = at + 6;
            return true;
        }
    return false;
}

static void find_polls(struct hc_border *border, const struct hc_image *image)
{
    static const struct {
        const char *name;
        bool until_set;
    } routines[HC_BORDER_POLLS] = {
        { "__hc_poll_set8", true },
        { "__hc_poll_set16", true },
        { "__hc_poll_clear8", false },
        { "__hc_poll_clear16", false },
    };
    for (int i = 0; i < HC_BORDER_POLLS; i++) {
        border->poll[i].until_set = routines[i].until_set;
        find_poll(image, routines[i].name, &border->poll[i]);
    }
}

/* Linkers make the symbols of a section's ends only where something refers to them. */
static void find_sites(struct hc_border *border, const struct hc_image *image)
{
    Elf *elf = hc_image_elf(image);
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const Elf32_Shdr *header = elf32_getshdr(section);
        const char *name = header ? elf_strptr(elf, names, header->sh_name) : NULL;
        if (!name || strcmp(name, "hc_sites") != 0)
            continue;
        border->sites = header->sh_addr;
        border->sites_end = header->sh_addr + header->sh_size;
    }
}

static const char *find_symbols(struct hc_border *border, const struct hc_image *image)
{
    const struct {
        const char *name;
        uint32_t *to;
        bool optional;
    } symbols[] = {
        { "__hc_cut_read", &border->read, false },
        { "__hc_cut_read_end", &border->read_end, false },
        { "__hc_cut_read_via", &border->read_via, true },
        { "__hc_cut_update", &border->update, false },
        { "__hc_cut_update_end", &border->update_end, false },
        { "__hc_cut_resume", &border->resume, false },
        { "__hc_update_resume", &border->update_resume, false },
        { "__hc_inside", &border->inside, false },
        { "__hc_reset", &border->reset, false },
        { "__hc_ram", &border->recorder.start, false },
        { "__hc_ram_end", &border->recorder.end, false },
        { "__hc_segment", &border->segment, true },
        { "__start_hc_sites", &border->sites, true },
        { "__stop_hc_sites", &border->sites_end, true },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!symbol(image, symbols[i].name, symbols[i].to) && !symbols[i].optional)
            return symbols[i].name;
    return NULL;
}

static bool read_range(const struct hc_image *image, uint32_t at, struct hc_border_range *range)
{
    return word_at(image, at, &range->start) && word_at(image, at + 2, &range->end);
}

static bool read_link(struct hc_border *border, const struct hc_image *image, uint32_t link)
{
    uint32_t magic, version;
    struct hc_symbol table;
    if (!word_at(image, link, &magic) || magic != HC_LINK_MAGIC || !word_at(image, link + 2, &version) ||
        (version & 0xff) != HC_TRACE_VERSION || !hc_image_symbol(image, "__hc_link", &table))
        return false;
    for (uint32_t i = 0; i < sizeof border->build; i++)
        if (!byte_at(image, link + 4 + i, &border->build[i]))
            return false;
    for (uint32_t i = 0; i < HC_BORDER_HASHED; i++)
        if (!byte_at(image, link + HC_LINK_HASHED + i, &border->hashed[i]))
            return false;
    border->vectors = table.size > HC_LINK_HANDLERS ? (int)(table.size - HC_LINK_HANDLERS) / 2 : 16;
    if (border->vectors > HC_BORDER_VECTORS)
        return false;
    for (int i = 0; i < border->vectors; i++)
        if (!word_at(image, link + HC_LINK_HANDLERS + 2 * (uint32_t)i, &border->handler[i]))
            return false;
    for (uint32_t i = 0; i < HC_PIECES; i++)
        if (!read_range(image, link + HC_LINK_PIECES + 4 * i, &border->piece[i]))
            return false;
    return read_range(image, link + HC_LINK_FREE, &border->free);
}

int hc_border_read(struct hc_border *border, const struct hc_image *image, char *message, size_t size)
{
    uint32_t link;
    char name[40];
    memset(border, 0, sizeof *border);
    if (hc_image_format(image) != HC_IMAGE_ELF || !symbol(image, "__hc_link", &link)) {
        snprintf(message, size, "%s: has no recorder in it; build it with `hindcast cc`", hc_image_name(image));
        return -1;
    }
    const char *missing = find_symbols(border, image);
    if (missing) {
        snprintf(message, size, "%s: symbol %s of the recorder is missing; was it stripped?", hc_image_name(image),
                 missing);
        return -1;
    }
    if (!read_link(border, image, link)) {
        snprintf(message, size, "%s: the recorder's table __hc_link is damaged or of another version",
                 hc_image_name(image));
        return -1;
    }
    border->count = border->recorder.start; /* its RAM begins with the counter */
    border->laps = border->recorder.start + 2;
    find_polls(border, image);
    find_sites(border, image);
    if (border->sites_end < border->sites || border->sites_end > 0x10000) {
        snprintf(message, size, "%s: the recorder's table of sites (section hc_sites) is damaged: build it again",
                 hc_image_name(image));
        return -1;
    }
    for (int i = 0; i < border->vectors; i++) {
        snprintf(name, sizeof name, "__hc_trampoline_%d", i);
        symbol(image, name, &border->trampoline[i]);
    }
    return 0;
}

bool hc_border_hashed(const struct hc_border *border, uint32_t pc)
{
    return pc < 0x10000 && border->hashed[pc >> 11] >> (pc >> 8 & 7) & 1;
}

bool hc_border_ends_cut(const struct hc_border *border, uint32_t pc)
{
    return pc == border->read_end || pc == border->update_end;
}

const struct hc_border_poll *hc_border_poll_at(const struct hc_border *border, uint32_t pc)
{
    for (int i = 0; i < HC_BORDER_POLLS; i++)
        if (border->poll[i].load && (pc == border->poll[i].load || pc == border->poll[i].jump))
            return &border->poll[i];
    return NULL;
}

int hc_border_site(const struct hc_border *border, uint32_t address)
{
    if (address < border->sites || address >= border->sites_end || (address - border->sites) % 4)
        return -1;
    return (int)(address - border->sites) / 4;
}

uint32_t hc_border_count(const struct hc_border *border, struct hc_machine *m)
{
    return (uint32_t)hc_peek16(m, border->laps) << 16 | hc_peek16(m, border->count);
}

void hc_border_set_count(const struct hc_border *border, struct hc_machine *m, uint32_t count)
{
    hc_poke16(m, border->count, (uint16_t)count);
    hc_poke16(m, border->laps, (uint16_t)(count >> 16));
}

static uint32_t hash_with_top(struct hc_machine *m, uint16_t sr, uint16_t top)
{
    uint16_t registers[12];
    for (int i = 0; i < 12; i++)
        registers[i] = (uint16_t)hc_register(m, 4 + i);
    return hc_position_hash(registers, (uint16_t)hc_register(m, HC_SP), sr, top);
}

uint32_t hc_border_hash(struct hc_machine *m, uint16_t sr)
{
    return hash_with_top(m, sr, hc_peek16(m, hc_register(m, HC_SP)));
}

bool hc_border_hash_with_any_top(struct hc_machine *m, uint16_t sr, uint32_t hash)
{
    for (uint32_t top = 0; top <= UINT16_MAX; top++)
        if (hash_with_top(m, sr, (uint16_t)top) == hash)
            return true;
    return false;
}

void hc_border_enter(const struct hc_border *border, struct hc_machine *m, int vector, uint32_t return_pc, uint16_t sr)
{
    bool extended = hc_machine_part(m)->cpu == HC_CPU_MSP430X;
    uint32_t sp = hc_register(m, HC_SP);
    hc_poke16(m, sp - 2, (uint16_t)return_pc);
    hc_poke16(m, sp - 4, (uint16_t)(sr | (extended ? return_pc >> 4 & 0xf000 : 0)));
    hc_set_register(m, HC_SP, sp - 4);
    hc_set_register(m, HC_SR, extended ? sr & HC_SR_SCG0 : 0);
    hc_set_register(m, HC_PC, border->handler[vector]);
}
