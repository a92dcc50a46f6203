/* Source lines by address and addresses by source line: one table sorted by address, filled at the first question. */
#include "internal.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 1 << 21,
    FILES_MAX = 1 << 16,
    LINE_SECTION_MAX = 4 << 20, /* libdw spends some 100 bytes on each byte of a hostile one */
    SECTION_MAX = 64 << 20,     /* of other sections when decompressed: zlib may grow them a thousandfold */
};

bool hc_lines_add(struct hc_line_table *table, struct hc_line_row row)
{
    if (table->count == table->room) {
        size_t room = table->room ? table->room * 2 : 1024;
        struct hc_line_row *rows = room <= ROWS_MAX ? realloc(table->rows, room * sizeof *rows) : NULL;
        if (!rows)
            return false;
        table->rows = rows;
        table->room = room;
    }
    row.order = (uint32_t)table->count;
    table->rows[table->count++] = row;
    return true;
}

bool hc_lines_add_file(struct hc_line_table *table, const char *directory, const char *name, uint32_t *index)
{
    if (table->file_count == table->file_room) {
        size_t room = table->file_room ? table->file_room * 2 : 64;
        char **files = room <= FILES_MAX ? (char **)realloc((void *)table->files, room * sizeof *files) : NULL;
        if (!files)
            return false;
        table->files = files;
        table->file_room = room;
    }
    bool joined = directory && *directory && *name != '/';
    size_t size = strlen(name) + (joined ? strlen(directory) + 1 : 0) + 1;
    char *path = malloc(size);
    if (!path)
        return false;
    snprintf(path, size, "%s%s%s", joined ? directory : "", joined ? "/" : "", name);
    *index = (uint32_t)table->file_count;
    table->files[table->file_count++] = path;
    return true;
}

void hc_lines_free(struct hc_line_table *table)
{
    for (size_t i = 0; i < table->file_count; i++)
        free(table->files[i]);
    free((void *)table->files);
    free(table->rows);
    *table = (struct hc_line_table){ 0 };
}

/* Adds the rows of one unit. Consecutive rows mostly name the same file: the last one is remembered. */
static bool add_unit(struct hc_line_table *table, Dwarf_Lines *lines, size_t count)
{
    const char *last = NULL;
    struct hc_line_row row = { 0 };

    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (!file || dwarf_lineaddr(line, &address) || dwarf_lineno(line, &row.line) ||
            dwarf_linebeginstatement(line, &row.statement) || dwarf_lineendsequence(line, &row.end))
            continue;
        if (file != last && !hc_lines_add_file(table, NULL, file, &row.file))
            return false;
        last = file;
        row.address = address > UINT32_MAX ? UINT32_MAX : (uint32_t)address;
        if (!hc_lines_add(table, row))
            return false;
    }
    return true;
}

void hc_lines_from_libdw(struct hc_line_table *table, Elf *elf)
{
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    Dwarf_CU *unit = NULL;
    Dwarf_Off offset = 0;
    Dwarf_Lines *lines;
    size_t count;

    if (!dwarf)
        return;
    while (!dwarf_next_lines(dwarf, offset, &offset, &unit, NULL, NULL, &lines, &count))
        if (!add_unit(table, lines, count))
            break;
    dwarf_end(dwarf);
}

/* Of rows at one address the ends of sequences come first, so that a sequence that starts there holds. */
static int by_address(const void *left, const void *right)
{
    const struct hc_line_row *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->end != b->end)
        return a->end ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Sequences at address 0 are of functions that the linker threw away. */
static void drop_discarded(struct hc_line_table *table)
{
    size_t kept = 0;
    bool first = true, discarded = false;

    for (size_t i = 0; i < table->count; i++) {
        struct hc_line_row row = table->rows[i];
        if (first)
            discarded = row.address == 0 || row.address >= HC_IMAGE_ADDRESSES;
        first = row.end;
        if (!discarded)
            table->rows[kept++] = row;
    }
    table->count = kept;
}

/* Size when decompressed; SIZE_MAX for the old .zdebug format, which is not read. */
static size_t expanded_size(Elf_Scn *scn, const GElf_Shdr *header, const char *name)
{
    GElf_Chdr compressed;

    if (!strncmp(name, ".zdebug", 7))
        return SIZE_MAX;
    if (!(header->sh_flags & SHF_COMPRESSED))
        return header->sh_size;
    return gelf_getchdr(scn, &compressed) ? compressed.ch_size : SIZE_MAX;
}

/* Finds both sections; false when there are none or any section would grow beyond measure. DATA is NULL when
 * compressed. */
static bool find_sections(Elf *elf, Elf_Data **info, Elf_Data **line)
{
    size_t names;
    Elf_Scn *scn = NULL;
    bool found = false;

    *info = *line = NULL;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    while ((scn = elf_nextscn(elf, scn))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || (strncmp(name, ".debug", 6) != 0 && strncmp(name, ".zdebug", 7) != 0))
            continue;
        bool is_line = !strcmp(name, ".debug_line"), plain = !(header.sh_flags & SHF_COMPRESSED);
        if (expanded_size(scn, &header, name) > (is_line ? LINE_SECTION_MAX : SECTION_MAX))
            return false;
        if (is_line && plain)
            *line = elf_rawdata(scn, NULL);
        if (!strcmp(name, ".debug_info") && plain)
            *info = elf_rawdata(scn, NULL);
        found = found || is_line;
    }
    return found;
}

/* Of the first unit, from its header; 0 when there is none. mspgcc's units have addresses of 2 bytes. */
static int address_size(const Elf_Data *info)
{
    enum { VERSION = 4, ADDRESS_SIZE_V5 = 7, ADDRESS_SIZE = 10, LEAST = 11 };
    const uint8_t *unit = info ? info->d_buf : NULL;

    if (!unit || info->d_size < LEAST)
        return 0;
    return unit[VERSION] >= 5 ? unit[ADDRESS_SIZE_V5] : unit[ADDRESS_SIZE];
}

static void read_lines(struct hc_image *image)
{
    if (image->lines_read)
        return;
    image->lines_read = true;
    Elf_Data *info, *line;
    if (!image->elf || !find_sections(image->elf, &info, &line))
        return;
    if (address_size(info) == 2 && line && line->d_buf)
        hc_lines_from_short_dwarf(&image->lines, line->d_buf, line->d_size);
    else
        hc_lines_from_libdw(&image->lines, image->elf);
    drop_discarded(&image->lines);
    if (image->lines.count)
        qsort(image->lines.rows, image->lines.count, sizeof *image->lines.rows, by_address);
}

bool hc_image_line_at(struct hc_image *image, uint32_t address, struct hc_line *out)
{
    read_lines(image);
    const struct hc_line_row *rows = image->lines.rows;
    size_t low = 0, high = image->lines.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || rows[low - 1].end || rows[low - 1].line <= 0)
        return false;
    const struct hc_line_row *row = &rows[low - 1];
    *out = (struct hc_line){ .file = image->lines.files[row->file], .line = row->line, .address = row->address };
    return true;
}

/* Whether WANTED is PATH, or its last components. */
static bool path_ends_with(const char *path, const char *wanted)
{
    size_t length = strlen(path), tail = strlen(wanted);
    if (tail > length || strcmp(path + length - tail, wanted) != 0)
        return false;
    return tail == length || path[length - tail - 1] == '/' || wanted[0] == '/';
}

size_t hc_image_line_addresses(struct hc_image *image, const char *file, int line, uint32_t *out, size_t max)
{
    size_t found = 0;
    uint32_t last = UINT32_MAX;

    read_lines(image);
    for (size_t i = 0; i < image->lines.count; i++) {
        const struct hc_line_row *row = &image->lines.rows[i], *before = i ? row - 1 : NULL;
        if (row->end || !row->statement || row->line != line || row->address == last)
            continue;
        if (before && !before->end && before->line == line && before->file == row->file)
            continue;
        if (!path_ends_with(image->lines.files[row->file], file))
            continue;
        last = row->address;
        if (found++ < max)
            out[found - 1] = row->address;
    }
    return found;
}

const char *hc_image_locate(struct hc_image *image, uint32_t address, char *out, size_t size)
{
    struct hc_symbol function;
    struct hc_line line;
    int length = snprintf(out, size, "0x%04x", address);

    if (image && hc_image_function_at(image, address, &function) && length > 0 && (size_t)length < size) {
        uint32_t offset = address - function.address;
        if (offset)
            length += snprintf(out + length, size - (size_t)length, " <%s+0x%x>", function.name, offset);
        else
            length += snprintf(out + length, size - (size_t)length, " <%s>", function.name);
    }
    if (image && hc_image_line_at(image, address, &line) && length > 0 && (size_t)length < size) {
        const char *slash = strrchr(line.file, '/');
        snprintf(out + length, size - (size_t)length, " %s:%d", slash ? slash + 1 : line.file, line.line);
    }
    return out;
}
