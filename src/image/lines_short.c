/* Line tables with addresses of 2 bytes, DWARF 2 to 4: mspgcc wrote them for a decade, libdw knows 4 and 8 only.
 *
 * Tables follow one another in .debug_line, each with its own directories and files, so that .debug_info is not needed:
 *
 *     u32 length | u16 version | u32 header length | u8 least instruction | (v4: u8 operations) | u8 default is_stmt
 *     | s8 line base | u8 line range | u8 opcode base | u8 operands[opcode base - 1] | directories, "" | files, ""
 *     | program */
#include "internal.h"

#include <dwarf.h>
#include <string.h>

enum { NAMES_MAX = 1024 };

/* Reads past the end give 0 and set `over`. */
struct cursor {
    const uint8_t *at, *end;
    bool over;
};

struct unit {
    struct hc_line_table *table;
    unsigned version, least_instruction, line_range, opcode_base;
    bool default_statement;
    int line_base;
    uint8_t operands[256];
    const char *directories[NAMES_MAX];
    uint32_t files[NAMES_MAX];
    size_t directory_count, file_count;
    struct hc_line_row row;
    uint32_t file; /* register: counted from 1 */
};

static uint8_t take_u8(struct cursor *c)
{
    if (c->at < c->end)
        return *c->at++;
    c->over = true;
    return 0;
}

static uint16_t take_u16(struct cursor *c)
{
    uint8_t low = take_u8(c);
    return (uint16_t)(low | take_u8(c) << 8);
}

static uint32_t take_u32(struct cursor *c)
{
    uint16_t low = take_u16(c);
    return low | (uint32_t)take_u16(c) << 16;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = take_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= UINT64_MAX << shift;
    return value;
}

static const char *take_string(struct cursor *c)
{
    const char *start = (const char *)c->at;
    const uint8_t *nul = c->at < c->end ? memchr(c->at, 0, (size_t)(c->end - c->at)) : NULL;
    if (!nul) {
        c->over = true;
        return "";
    }
    c->at = nul + 1;
    return start;
}

static void add_file(struct unit *u, struct cursor *c, const char *name)
{
    uint64_t directory = take_leb(c, false);
    take_leb(c, false); /* time */
    take_leb(c, false); /* length */
    const char *path = directory && directory <= u->directory_count ? u->directories[directory - 1] : NULL;
    uint32_t index;
    if (u->file_count < NAMES_MAX && hc_lines_add_file(u->table, path, name, &index))
        u->files[u->file_count++] = index;
    else
        c->over = true;
}

static bool read_header(struct unit *u, struct cursor *c)
{
    const char *name;

    u->version = take_u16(c);
    uint32_t header_length = take_u32(c);
    if (c->over || u->version < 2 || u->version > 4 || header_length > (size_t)(c->end - c->at))
        return false;
    struct cursor header = { .at = c->at, .end = c->at + header_length };
    u->least_instruction = take_u8(&header);
    if (u->version >= 4)
        take_u8(&header);
    u->default_statement = take_u8(&header) != 0;
    int base = take_u8(&header);
    u->line_base = base < 0x80 ? base : base - 0x100;
    u->line_range = take_u8(&header);
    u->opcode_base = take_u8(&header);
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->operands[i] = take_u8(&header);
    while (*(name = take_string(&header)) && u->directory_count < NAMES_MAX)
        u->directories[u->directory_count++] = name;
    while (*(name = take_string(&header)) && !header.over)
        add_file(u, &header, name);
    c->at += header_length;
    return !header.over && u->line_range && u->opcode_base && u->file_count;
}

static void restart(struct unit *u)
{
    u->row = (struct hc_line_row){ .line = 1, .statement = u->default_statement };
    u->file = 1;
}

static void emit(struct unit *u, struct cursor *c)
{
    u->row.file = u->files[u->file >= 1 && u->file <= u->file_count ? u->file - 1 : 0];
    if (!hc_lines_add(u->table, u->row))
        c->over = true;
}

static void extended(struct unit *u, struct cursor *c)
{
    uint64_t length = take_leb(c, false);
    if (!length || length > (size_t)(c->end - c->at)) {
        c->over = true;
        return;
    }
    struct cursor operand = { .at = c->at + 1, .end = c->at + length };
    uint8_t opcode = *c->at;
    c->at += length;
    if (opcode == DW_LNE_end_sequence) {
        u->row.end = true;
        emit(u, c);
        restart(u);
    } else if (opcode == DW_LNE_set_address) {
        u->row.address = length >= 5 ? take_u32(&operand) : take_u16(&operand);
    } else if (opcode == DW_LNE_define_file) {
        const char *name = take_string(&operand);
        add_file(u, &operand, name);
    }
}

static void standard(struct unit *u, struct cursor *c, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_copy:
        emit(u, c);
        break;
    case DW_LNS_advance_pc:
        u->row.address += (uint32_t)take_leb(c, false) * u->least_instruction;
        break;
    case DW_LNS_advance_line:
        u->row.line = (int32_t)((uint32_t)u->row.line + (uint32_t)take_leb(c, true));
        break;
    case DW_LNS_set_file:
        u->file = (uint32_t)take_leb(c, false);
        break;
    case DW_LNS_negate_stmt:
        u->row.statement = !u->row.statement;
        break;
    case DW_LNS_const_add_pc:
        u->row.address += (255 - u->opcode_base) / u->line_range * u->least_instruction;
        break;
    case DW_LNS_fixed_advance_pc:
        u->row.address += take_u16(c);
        break;
    default:
        for (unsigned i = 0; i < u->operands[opcode]; i++)
            take_leb(c, false);
    }
}

static void run_program(struct unit *u, struct cursor *c)
{
    restart(u);
    while (c->at < c->end && !c->over) {
        uint8_t opcode = take_u8(c);
        if (opcode >= u->opcode_base) {
            unsigned step = opcode - u->opcode_base;
            u->row.address += step / u->line_range * u->least_instruction;
            u->row.line = (int32_t)((uint32_t)u->row.line + (uint32_t)(u->line_base + (int)(step % u->line_range)));
            emit(u, c);
        } else if (opcode == 0) {
            extended(u, c);
        } else {
            standard(u, c, opcode);
        }
    }
}

void hc_lines_from_short_dwarf(struct hc_line_table *table, const uint8_t *section, size_t size)
{
    enum { LEAST = 16 }; /* bytes of a table with one file; shorter ones are not worth a unit */
    struct cursor all = { .at = section, .end = section + size };

    while (all.at < all.end) {
        struct unit unit = { .table = table };
        uint32_t length = take_u32(&all);
        if (all.over || length > (size_t)(all.end - all.at))
            return;
        struct cursor c = { .at = all.at, .end = all.at + length };
        all.at += length;
        if (length >= LEAST && read_header(&unit, &c))
            run_program(&unit, &c);
    }
}
