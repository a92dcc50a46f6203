#include "cfi.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { REMEMBERED_MOST = 16, ADDRESS_BYTES = 4 };

struct bytes {
    const uint8_t *at, *end;
};

struct function {
    uint32_t low, high;
    Dwarf_CIE cie;
    struct bytes program;
};

struct hc_cfi {
    struct function *function; /* in order of address */
    size_t functions;
};

/* ---- numbers; past the end there are zeros ---- */

static uint32_t take(struct bytes *b, int size)
{
    uint32_t value = 0;

    for (int i = 0; i < size && b->at < b->end; i++)
        value |= (uint32_t)*b->at++ << 8 * i;
    return value;
}

static int64_t take_leb128(struct bytes *b, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;

    do {
        byte = (uint8_t)take(b, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~0ull << shift;
    return (int64_t)value;
}

/* ---- the instructions of an entry ---- */

enum operand { NONE, DELTA1, DELTA2, DELTA4, ADDRESS, REGISTER, UNSIGNED, FACTORED, SIGNED_FACTORED, BLOCK };

/* The operands of each opcode, except the three that have their first operand in the lower six bits. */
static const uint8_t operands[][2] = {
    [DW_CFA_set_loc] = { ADDRESS },
    [DW_CFA_advance_loc1] = { DELTA1 },
    [DW_CFA_advance_loc2] = { DELTA2 },
    [DW_CFA_advance_loc4] = { DELTA4 },
    [DW_CFA_offset_extended] = { REGISTER, FACTORED },
    [DW_CFA_restore_extended] = { REGISTER },
    [DW_CFA_undefined] = { REGISTER },
    [DW_CFA_same_value] = { REGISTER },
    [DW_CFA_register] = { REGISTER, UNSIGNED },
    [DW_CFA_def_cfa] = { REGISTER, UNSIGNED },
    [DW_CFA_def_cfa_register] = { REGISTER },
    [DW_CFA_def_cfa_offset] = { UNSIGNED },
    [DW_CFA_def_cfa_expression] = { BLOCK },
    [DW_CFA_expression] = { REGISTER, BLOCK },
    [DW_CFA_offset_extended_sf] = { REGISTER, SIGNED_FACTORED },
    [DW_CFA_def_cfa_sf] = { REGISTER, SIGNED_FACTORED },
    [DW_CFA_def_cfa_offset_sf] = { SIGNED_FACTORED },
    [DW_CFA_val_offset] = { REGISTER, FACTORED },
    [DW_CFA_val_offset_sf] = { REGISTER, SIGNED_FACTORED },
    [DW_CFA_val_expression] = { REGISTER, BLOCK },
    [DW_CFA_GNU_args_size] = { UNSIGNED },
};

/* Modulo 2^64: damaged input may have any value. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t take_operand(struct bytes *b, const Dwarf_CIE *cie, enum operand kind)
{
    int64_t size;

    switch (kind) {
    case DELTA1:
    case DELTA2:
    case DELTA4:
        return times(take(b, 1 << (kind - DELTA1)), (int64_t)cie->code_alignment_factor);
    case ADDRESS:
        return take(b, ADDRESS_BYTES);
    case REGISTER:
    case UNSIGNED:
        return take_leb128(b, false);
    case FACTORED:
        return times(take_leb128(b, false), cie->data_alignment_factor);
    case SIGNED_FACTORED:
        return times(take_leb128(b, true), cie->data_alignment_factor);
    case BLOCK:
        size = take_leb128(b, false);
        b->at = size >= 0 && size < b->end - b->at ? b->at + size : b->end;
        return 0;
    default:
        return 0;
    }
}

struct interpreter {
    const Dwarf_CIE *cie;
    uint32_t location, pc;
    struct hc_cfi_row row;
    struct hc_cfi_row initial; /* of the entry that many functions share */
    struct hc_cfi_row remembered[REMEMBERED_MOST];
    int depth;
};

static void set_rule(struct interpreter *i, int64_t r, enum hc_cfi_kind kind, int64_t operand)
{
    if (r >= 0 && r < HC_DEBUG_REGISTERS)
        i->row.rule[r] = (struct hc_cfi_rule){ kind, (int32_t)operand };
}

static void restore_rule(struct interpreter *i, int64_t r)
{
    if (r >= 0 && r < HC_DEBUG_REGISTERS)
        i->row.rule[r] = i->initial.rule[r];
}

static void set_cfa(struct interpreter *i, int64_t r, int64_t offset)
{
    i->row.cfa_register = r >= 0 && r < HC_DEBUG_REGISTERS ? (int)r : -1;
    i->row.cfa_offset = (int32_t)offset;
}

static bool remember(struct interpreter *i)
{
    if (i->depth == REMEMBERED_MOST)
        return false;
    i->remembered[i->depth++] = i->row;
    return true;
}

static bool recall(struct interpreter *i)
{
    if (i->depth == 0)
        return false;
    i->row = i->remembered[--i->depth];
    return true;
}

/* False when it is not known or makes no sense. */
static bool execute(struct interpreter *i, uint8_t opcode, int64_t a, int64_t b)
{
    switch (opcode) {
    case DW_CFA_nop:
    case DW_CFA_GNU_args_size:
        return true;
    case DW_CFA_set_loc:
        i->location = (uint32_t)a;
        return true;
    case DW_CFA_advance_loc:
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
        i->location += (uint32_t)a;
        return true;
    case DW_CFA_offset:
    case DW_CFA_offset_extended:
    case DW_CFA_offset_extended_sf:
        return set_rule(i, a, HC_CFI_SAVED, b), true;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        return set_rule(i, a, HC_CFI_VALUE, b), true;
    case DW_CFA_restore:
    case DW_CFA_restore_extended:
        return restore_rule(i, a), true;
    case DW_CFA_expression: /* no compiler for this CPU writes these */
    case DW_CFA_val_expression:
    case DW_CFA_undefined:
        return set_rule(i, a, HC_CFI_UNDEFINED, 0), true;
    case DW_CFA_same_value:
        return set_rule(i, a, HC_CFI_SAME, 0), true;
    case DW_CFA_register:
        return set_rule(i, a, HC_CFI_REGISTER, b), b >= 0 && b < HC_DEBUG_REGISTERS;
    case DW_CFA_remember_state:
        return remember(i);
    case DW_CFA_restore_state:
        return recall(i);
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
        return set_cfa(i, a, b), true;
    case DW_CFA_def_cfa_register:
        return set_cfa(i, a, i->row.cfa_offset), true;
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
        return set_cfa(i, i->row.cfa_register, a), true;
    case DW_CFA_def_cfa_expression:
        return set_cfa(i, -1, 0), true;
    default:
        return false;
    }
}

/* Executes instructions up to the interpreter's PC. */
static bool run(struct interpreter *i, struct bytes b)
{
    while (b.at < b.end) {
        uint8_t opcode = (uint8_t)take(&b, 1), packed = opcode & 0xc0;
        int64_t operand[2] = { opcode & 0x3f };

        if (packed) {
            opcode = packed;
            if (packed == DW_CFA_offset)
                operand[1] = take_operand(&b, i->cie, FACTORED);
            if (packed == DW_CFA_advance_loc)
                operand[0] = times(operand[0], (int64_t)i->cie->code_alignment_factor);
        } else if (opcode < sizeof operands / sizeof *operands) {
            for (int k = 0; k < 2; k++)
                operand[k] = take_operand(&b, i->cie, operands[opcode][k]);
        }
        if (!execute(i, opcode, operand[0], operand[1]))
            return false;
        if (i->location > i->pc) {
            return true;
        }
    }
    return true;
}

static const struct function *find(const struct hc_cfi *cfi, uint32_t pc)
{
    size_t low = 0, high = cfi->functions;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cfi->function[middle].low <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < cfi->function[low - 1].high ? &cfi->function[low - 1] : NULL;
}

bool hc_cfi_row_at(const struct hc_cfi *cfi, uint32_t pc, struct hc_cfi_row *out)
{
    const struct function *f = cfi ? find(cfi, pc) : NULL;

    if (!f)
        return false;
    struct interpreter i = { .cie = &f->cie, .location = f->low, .pc = pc, .row.cfa_register = -1 };
    if (!run(&i, (struct bytes){ f->cie.initial_instructions, f->cie.initial_instructions_end }))
        return false;
    i.initial = i.row;
    if (!run(&i, f->program))
        return false;
    *out = i.row;
    return true;
}

/* ---- the section ---- */

static Elf_Data *find_section(Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names;
    GElf_Shdr header;

    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && !strcmp(name, ".debug_frame") && header.sh_type != SHT_NOBITS)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

static bool add_function(struct hc_cfi *cfi, const Dwarf_CIE *cie, struct bytes b)
{
    uint32_t low = take(&b, ADDRESS_BYTES), size = take(&b, ADDRESS_BYTES);

    /* Entries of functions that the linker dropped have address 0. */
    if (low == 0 || low >= HC_IMAGE_ADDRESSES || size > HC_IMAGE_ADDRESSES)
        return true;
    struct function *more = realloc(cfi->function, (cfi->functions + 1) * sizeof *more);
    if (!more)
        return false;
    cfi->function = more;
    more[cfi->functions++] = (struct function){ low, low + size, *cie, b };
    return true;
}

static bool read_entries(struct hc_cfi *cfi, const unsigned char *ident, Elf_Data *data)
{
    Dwarf_CFI_Entry entry, shared;
    Dwarf_Off next, unused;

    for (Dwarf_Off at = 0;; at = next) {
        int end = dwarf_next_cfi(ident, data, false, at, &next, &entry);
        if (end > 0 || next <= at)
            return true;
        if (end || dwarf_cfi_cie_p(&entry) ||
            dwarf_next_cfi(ident, data, false, entry.fde.CIE_pointer, &unused, &shared) || !dwarf_cfi_cie_p(&shared) ||
            *shared.cie.augmentation)
            continue;
        if (!add_function(cfi, &shared.cie, (struct bytes){ entry.fde.start, entry.fde.end }))
            return false;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct function *l = a, *r = b;
    return l->low < r->low ? -1 : l->low > r->low;
}

struct hc_cfi *hc_cfi_new(Elf *elf)
{
    const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
    Elf_Data *data = ident ? find_section(elf) : NULL;
    struct hc_cfi *cfi = data && data->d_buf ? calloc(1, sizeof *cfi) : NULL;

    if (!cfi)
        return NULL;
    if (!read_entries(cfi, ident, data) || !cfi->functions) {
        hc_cfi_free(cfi);
        return NULL;
    }
    qsort(cfi->function, cfi->functions, sizeof *cfi->function, by_address);
    return cfi;
}

void hc_cfi_free(struct hc_cfi *cfi)
{
    if (!cfi)
        return;
    free(cfi->function);
    free(cfi);
}
