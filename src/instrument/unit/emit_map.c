/* What a unit tells the linker, as assembly after its last line: a descriptor for each site, and the records that
 * map.h describes. Labels are the assembler's local ones, so that units do not clash. */
#include "emit.h"

#include "recorded/map.h"
#include "recorded/map_text.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SITE = -1, NUMBER_ROOM = 16 };

static void write_sites(FILE *to, const struct hc_unit *unit)
{
    for (unsigned i = 0; i < unit->labels; i++)
        hc_map_text_site(to, (int)i, unit->descriptors[i].descriptor);
}

static void write_site(FILE *to, unsigned label, const struct hc_descriptor *d, const struct hc_unit_site *site)
{
    char mask[NUMBER_ROOM], line[NUMBER_ROOM];
    const char *fields[] = { "site",        site->register_name, hc_map_class_names[HC_SITE_CLASS(&d->descriptor)],
                             mask,          site->file,          line,
                             site->function };

    snprintf(mask, sizeof mask, "0x%04x", d->descriptor.mask);
    snprintf(line, sizeof line, "%u", site->line);
    hc_map_text_record(to, (int)label, fields, 7);
}

static void write_skip(FILE *to, const struct hc_unit_site *site)
{
    char line[NUMBER_ROOM];
    const char *fields[] = { "skip", site->register_name, site->reason, site->file, line, site->function };

    snprintf(line, sizeof line, "%u", site->line);
    hc_map_text_record(to, NO_SITE, fields, 6);
}

static void write_update(FILE *to, const struct hc_unit_update *update)
{
    char line[NUMBER_ROOM];
    const char *fields[] = { "update", update->what, update->file, line, update->function };

    snprintf(line, sizeof line, "%u", update->line);
    hc_map_text_record(to, NO_SITE, fields, 5);
}

static void write_use(FILE *to, const char *what)
{
    const char *fields[] = { "uses", what };

    hc_map_text_record(to, NO_SITE, fields, 2);
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
    write_sites(to, unit);
    if (unit->counts_turns)
        unit->target->text->counter(to, HC_TURNS);
    if (unit->wakes)
        unit->target->text->counter(to, HC_WAKES);
    write_records(to, unit);
    if (fclose(to) || !text) {
        free(text);
        longjmp(*unit->memory->exhausted, 1);
    }
    const char *copy = hc_arena_copy(unit->memory, text, size);
    free(text);
    return copy;
}
