/* What a unit tells the linker, as assembly after its last line: a descriptor for each site, and the records that
 * map.h describes. Labels are the assembler's local ones, so that units do not clash. Each is a string of its own: on a
 * target of 16 bits GCC takes none of more than 32,767 bytes. */
#include "emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = { "state", "timer", "data", "vector", "state" };

/* As a C string shows it of a string of the assembler's. */
static void write_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c >= 0x7f)
            fprintf(to, "\\\\%03o", c);
        else if (c == '"' || c == '\\')
            fprintf(to, "\\\\\\%c", c);
        else
            fputc(c, to);
    }
}

static void write_descriptors(FILE *to, const struct hc_unit *unit)
{
    for (unsigned i = 0; i < unit->labels; i++)
        fprintf(to,
                "__asm__(\".pushsection hc_sites,\\\"a\\\",@progbits\\n\\t.balign 2\\n\"\n"
                "\".Lhc_%u:\\t.short 0x%04x,0x%04x\\n\\t.popsection\");\n",
                i, unit->descriptors[i].address, unit->descriptors[i].mask);
}

/* ADDRESS: what the assembler shall make of it. */
static void begin_record(FILE *to, const char *address, const char *kind)
{
    fprintf(to,
            "__asm__(\".pushsection .hindcast,\\\"\\\",@progbits\\n\\t.short %s\\n\"\n"
            "\"\\t.asciz \\\"%s",
            address, kind);
}

static void end_record(FILE *to)
{
    fputs("\\\"\\n\\t.popsection\");\n", to);
}

static void write_place(FILE *to, const struct hc_unit_site *site)
{
    fputs("\\\\t", to);
    write_text(to, site->file);
    fprintf(to, "\\\\t%u\\\\t", site->line);
    write_text(to, site->function);
    end_record(to);
}

static void write_site(FILE *to, unsigned label, const struct hc_descriptor *descriptor,
                       const struct hc_unit_site *site)
{
    char address[24];
    snprintf(address, sizeof address, ".Lhc_%u", label);
    begin_record(to, address, "site\\\\t");
    write_text(to, site->register_name);
    fprintf(to, "\\\\t%s\\\\t0x%04x", class_names[site->class], descriptor->mask);
    write_place(to, site);
}

static void write_skip(FILE *to, const struct hc_unit_site *site)
{
    begin_record(to, "0", "skip\\\\t");
    write_text(to, site->register_name);
    fprintf(to, "\\\\t%s", site->reason);
    write_place(to, site);
}

static void write_update(FILE *to, const struct hc_unit_update *update)
{
    struct hc_unit_site place = { .file = update->file, .line = update->line, .function = update->function };
    begin_record(to, "0", "update\\\\t");
    write_text(to, update->what);
    write_place(to, &place);
}

static void write_use(FILE *to, const char *what)
{
    begin_record(to, "0", "uses\\\\t");
    write_text(to, what);
    end_record(to);
}

static void write_records(FILE *to, const struct hc_unit *unit)
{
    const struct hc_unit_result *result = unit->result;
    for (unsigned i = 0; i < unit->labels; i++)
        write_site(to, i, &unit->descriptors[i], &result->sites[unit->descriptors[i].site]);
    for (size_t i = 0; i < result->site_count; i++)
        if (result->sites[i].reason)
            write_skip(to, &result->sites[i]);
    for (size_t i = 0; i < result->update_count; i++)
        write_update(to, &result->updates[i]);
    if (result->uses_dma)
        write_use(to, "dma");
    if (result->uses_bus)
        write_use(to, "bus");
    if (result->sleeps_for_good)
        write_use(to, "handlers only");
}

const char *hc_emit_map(struct hc_unit *unit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        longjmp(*unit->memory->exhausted, 1);
    fputs("\n# 1 \"<hindcast>\"\n", to);
    write_descriptors(to, unit);
    if (unit->counts_turns)
        fputs("__asm__(\".pushsection .bss,\\\"aw\\\",@nobits\\n.Lhc_turns:\\t.skip 1\\n\\t.popsection\");\n", to);
    if (unit->wakes)
        fputs("__asm__(\".pushsection .bss,\\\"aw\\\",@nobits\\n.Lhc_wakes:\\t.skip 1\\n\\t.popsection\");\n", to);
    write_records(to, unit);
    if (fclose(to) || !text) {
        free(text);
        longjmp(*unit->memory->exhausted, 1);
    }
    const char *copy = hc_arena_copy(unit->memory, text, size);
    free(text);
    return copy;
}
