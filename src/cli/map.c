/* hindcast map: what an instrumented program records, what not and why, and what that costs. */
#include "recorded/map.h"
#include "command.h"
#include "image/image.h"
#include "instrument/proof/proof.h"
#include "recorded/names.h"
#include "recorded/size.h"
#include "support/plural.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *image;
    bool json;
};

struct view {
    struct hc_image *image;
    struct hc_map *map;
    struct hc_proof *proof;
};

/* ---- what both forms tell ---- */

struct totals {
    size_t by_class[4];
    /* Bytes of the functions that both builds have: what one of them inlines is in its callers. */
    uint32_t plain, instrumented;
    uint32_t flash, runtime, sites, ram;
    int pages;
};

/* Of all functions of that name (static ones of several files may share it). */
static uint32_t size_of(const struct view *v, const char *function)
{
    const struct hc_symbol *functions;
    size_t functions_count = hc_image_functions(v->image, &functions);
    uint32_t bytes = 0;

    for (size_t i = 0; i < functions_count; i++)
        if (!strcmp(functions[i].name, function))
            bytes += functions[i].size;
    return bytes;
}

static void count(const struct view *v, struct totals *t)
{
    *t = (struct totals){ .flash = hc_size_flash_bytes(v->image),
                          .runtime = hc_size_runtime_bytes(v->image),
                          .sites = hc_size_sites_bytes(v->image),
                          .ram = hc_size_runtime_ram(v->image) };
    for (size_t i = 0; i < v->map->sites; i++)
        t->by_class[v->map->site[i].class]++;
    for (size_t i = 0; i < v->map->plains; i++) {
        uint32_t bytes = size_of(v, v->map->plain[i].function);
        t->instrumented += bytes;
        t->plain += bytes ? v->map->plain[i].bytes : 0; /* else it is not part of the program */
    }
    for (size_t i = 0; i < sizeof v->proof->hashed; i++)
        t->pages += __builtin_popcount(v->proof->hashed[i]);
}

static const char *function_at(const struct view *v, uint32_t address)
{
    struct hc_symbol s;

    return hc_image_function_at(v->image, address, &s) ? s.name : "";
}

static double percent(uint32_t part, uint32_t whole)
{
    return whole ? 100.0 * ((double)part - whole) / whole : 0;
}

/* ---- for people ---- */

static void print_sites(const struct view *v, const struct totals *t)
{
    printf("Recorded: %zu read%s (", v->map->sites, hc_plural(v->map->sites));
    for (int i = 0; i < 4; i++)
        printf("%s%zu %s", i ? ", " : "", t->by_class[i], hc_map_class_names[i]);
    puts(")");
    for (size_t i = 0; i < v->map->sites; i++) {
        const struct hc_map_site *s = &v->map->site[i];
        printf("  %4u  %-12s %-6s 0x%04x  %s:%d  %s\n", s->index, s->via ? "(pointer)" : s->register_name,
               hc_map_class_names[s->class], s->mask, s->file, s->line, s->function);
    }
}

static int by_reason(const void *a, const void *b)
{
    const struct hc_map_skip *x = a, *y = b;
    int order = strcmp(x->reason, y->reason);

    if (!order)
        order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void print_skips(const struct view *v)
{
    printf("\nNot recorded: %zu read%s\n", v->map->skips, hc_plural(v->map->skips));
    if (v->map->skips)
        qsort(v->map->skip, v->map->skips, sizeof *v->map->skip, by_reason);
    for (size_t i = 0, of_reason = 0; i < v->map->skips; i++) {
        const struct hc_map_skip *s = &v->map->skip[i];
        if (!i || strcmp(s->reason, s[-1].reason) != 0) {
            for (of_reason = 0; i + of_reason < v->map->skips && !strcmp(s[of_reason].reason, s->reason); of_reason++)
                ;
            printf(" %s: %zu\n", s->reason, of_reason);
        }
        printf("        %-12s                 %s:%d  %s\n", s->register_name, s->file, s->line, s->function);
    }
}

/* Where the recorder is called. */
static void print_updates(const struct view *v)
{
    printf("\nCalls of the recorder: %zu\n", v->map->updates);
    for (size_t i = 0; i < v->map->updates; i++) {
        const struct hc_map_update *u = &v->map->update[i];
        printf("        %-16s%-13s%s:%d  %s\n", u->what, hc_size_update_made(v->image, u->what) ? "" : " (left out)",
               u->file, u->line, u->function);
    }
}

/* Assembly and libraries: objects whose reads are not recorded. */
static void print_uninstrumented(const struct view *v)
{
    bool any = false;

    for (size_t i = 0; i < v->map->notes; i++) {
        if (strcmp(v->map->note[i].kind, "uninstrumented") != 0)
            continue;
        printf("%s  %s\n", any ? "" : "\nNot instrumented: their reads are not recorded\n", v->map->note[i].text);
        any = true;
    }
}

static void print_proof(const struct view *v, const struct totals *t)
{
    printf("\nPositions with a hash: %zu of %zu instructions, on %d page%s of 256 bytes\n", v->proof->ambiguous,
           v->proof->instructions, t->pages, hc_plural((unsigned long long)t->pages));
    for (size_t i = 0; i < v->proof->ranges; i++) {
        const struct hc_proof_range *r = &v->proof->range[i];
        printf("  0x%04x-0x%04x  %-9s %s\n", (unsigned)r->start, (unsigned)r->end - 1, hc_proof_reason_names[r->reason],
               function_at(v, r->start));
    }
}

static void print_functions(const struct view *v)
{
    puts("\nBytes by function\n   plain recorded");
    for (size_t i = 0; i < v->map->plains; i++) {
        const struct hc_map_plain *p = &v->map->plain[i];
        uint32_t bytes = size_of(v, p->function);
        if (bytes)
            printf("  %6u %8u %+7d  %s\n", (unsigned)p->bytes, (unsigned)bytes, (int)bytes - (int)p->bytes,
                   p->function);
    }
}

static void print_text(const struct view *v)
{
    struct totals t;

    count(v, &t);
    printf("%s: %s", hc_image_name(v->image), *v->map->part ? v->map->part : "part unknown");
    for (size_t i = 0; i < v->map->values; i++)
        printf(" %s=%s", v->map->value[i].key, v->map->value[i].value);
    puts(v->map->dma ? " (uses DMA)\n" : "\n");
    print_sites(v, &t);
    print_skips(v);
    print_updates(v);
    print_uninstrumented(v);
    print_proof(v, &t);
    print_functions(v);
    printf("\nfunctions of both builds %u -> %u bytes (%+.1f %%), sites %u, recorder %u; programmed %u\n",
           (unsigned)t.plain, (unsigned)t.instrumented, percent(t.instrumented, t.plain), (unsigned)t.sites,
           (unsigned)t.runtime, (unsigned)t.flash);
    printf("recorder's RAM %u bytes\n", (unsigned)t.ram);
}

/* ---- for programs ---- */

static json_t *sites_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->map->sites; i++) {
        const struct hc_map_site *s = &v->map->site[i];
        json_array_append_new(list, json_pack("{si,ss,si,ss,sb,sb,si,ss,si,ss}", "site", s->index, "register",
                                              s->register_name, "address", s->address, "class",
                                              hc_map_class_names[s->class], "word", s->word, "pointer", s->via, "mask",
                                              s->mask, "file", s->file, "line", s->line, "function", s->function));
    }
    return list;
}

static json_t *skips_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->map->skips; i++) {
        const struct hc_map_skip *s = &v->map->skip[i];
        json_array_append_new(list, json_pack("{ss,ss,ss,si,ss}", "register", s->register_name, "reason", s->reason,
                                              "file", s->file, "line", s->line, "function", s->function));
    }
    return list;
}

static json_t *updates_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->map->updates; i++) {
        const struct hc_map_update *u = &v->map->update[i];
        json_array_append_new(list, json_pack("{ss,sb,ss,si,ss}", "call", u->what, "made",
                                              hc_size_update_made(v->image, u->what), "file", u->file, "line", u->line,
                                              "function", u->function));
    }
    return list;
}

static json_t *proof_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->proof->ranges; i++) {
        const struct hc_proof_range *r = &v->proof->range[i];
        json_array_append_new(list, json_pack("{si,si,ss,ss}", "start", (int)r->start, "end", (int)r->end, "reason",
                                              hc_proof_reason_names[r->reason], "function", function_at(v, r->start)));
    }
    return list;
}

static json_t *functions_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->map->plains; i++) {
        const struct hc_map_plain *p = &v->map->plain[i];
        uint32_t bytes = size_of(v, p->function);
        if (bytes)
            json_array_append_new(
                list, json_pack("{ss,si,si}", "function", p->function, "plain", (int)p->bytes, "recorded", (int)bytes));
    }
    return list;
}

static json_t *uninstrumented_json(const struct view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->map->notes; i++)
        if (!strcmp(v->map->note[i].kind, "uninstrumented"))
            json_array_append_new(list, json_string(v->map->note[i].text));
    return list;
}

static json_t *totals_json(const struct view *v, const struct totals *t)
{
    json_t *object =
        json_pack("{si,si,si,si,si,si,si,si,si}", "plain", (int)t->plain, "recorded", (int)t->instrumented, "flash",
                  (int)t->flash, "recorder", (int)t->runtime, "sites", (int)t->sites, "ram", (int)t->ram,
                  "instructions", (int)v->proof->instructions, "hashed", (int)v->proof->ambiguous, "pages", t->pages);
    return object;
}

static int print_json(const struct view *v)
{
    struct totals t;
    json_t *runtime = json_object();

    count(v, &t);
    for (size_t i = 0; i < v->map->values; i++)
        json_object_set_new(runtime, v->map->value[i].key, json_string(v->map->value[i].value));
    json_t *whole = json_pack("{ss,ss,sb,so,so,so,so,so,so,so,so}", "image", hc_image_name(v->image), "part",
                              v->map->part, "dma", v->map->dma, "runtime", runtime, "sites", sites_json(v), "skipped",
                              skips_json(v), "updates", updates_json(v), "uninstrumented", uninstrumented_json(v),
                              "hashed", proof_json(v), "functions", functions_json(v), "totals", totals_json(v, &t));
    int failed = !whole || json_dumpf(whole, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(whole);
    if (!failed)
        return HC_EXIT_FINE;
    hc_complain("%s: the map contains text that is not UTF-8", hc_image_name(v->image));
    return HC_EXIT_INPUT;
}

/* ---- the command ---- */

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    if (key == 'j')
        o->json = true;
    else if (key == ARGP_KEY_ARG && !o->image)
        o->image = argument;
    else if (key == ARGP_KEY_ARG)
        argp_error(state, "more than one IMAGE given");
    else if (key == ARGP_KEY_END && !o->image)
        argp_error(state, "no IMAGE given: give the ELF file of an instrumented program");
    else
        return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
    return 0;
}

/* A program of depth `messages`: its code is not instrumented. */
static int print_messages(const struct view *v, bool json)
{
    unsigned runtime = hc_size_runtime_bytes(v->image), ram = hc_size_runtime_ram(v->image) + 1; /* and a flag */
    json_t *values = json_object();

    for (size_t i = 0; i < v->map->values; i++)
        json_object_set_new(values, v->map->value[i].key, json_string(v->map->value[i].value));
    if (json) {
        json_t *whole = json_pack("{ss,ss,sO,s{si,si}}", "image", hc_image_name(v->image), "part", v->map->part,
                                  "runtime", values, "totals", "recorder", (int)runtime, "ram", (int)ram);
        json_dumpf(whole, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(whole);
    } else {
        const char *depth = json_string_value(json_object_get(values, "depth"));
        if (depth && !strcmp(depth, "region"))
            printf("%s: %s records a region of its functions\nthe recorder: %u bytes of flash\n",
                   hc_image_name(v->image), v->map->part, runtime);
        else
            printf("%s: %s records its messages %s, of %s partners at a time\nthe recorder: %u bytes of flash, %u of "
                   "RAM\n",
                   hc_image_name(v->image), v->map->part,
                   depth && !strcmp(depth, "messages+paths") ? "and paths" : "alone",
                   json_string_value(json_object_get(values, "partners")), runtime, ram);
    }
    json_decref(values);
    return HC_EXIT_FINE;
}

static bool has_messages_only(const struct view *v)
{
    uint32_t address;

    return hc_recorder_address(v->image, HC_SYMBOL_TRAFFIC, &address);
}

static int show(struct view *v, const struct options *o)
{
    struct hc_image_message image_message;
    struct hc_map_message map_message;
    struct hc_proof_message proof_message;

    if (hc_image_load_file(&v->image, o->image, &image_message))
        hc_complain("%s", image_message.text);
    else if (hc_map_read(&v->map, v->image, &map_message))
        hc_complain("%s", map_message.text);
    else if (has_messages_only(v))
        return print_messages(v, o->json);
    else if (hc_proof_make(&v->proof, v->image, &proof_message))
        hc_complain("%s: %s", o->image, proof_message.text);
    else if (o->json)
        return print_json(v);
    else
        return print_text(v), HC_EXIT_FINE;
    return HC_EXIT_INPUT;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = { { "json", 'j', NULL, 0, "For programs", 0 }, { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "IMAGE",
        "Shows what an instrumented program records, which reads need no recording and why, where positions need a "
        "hash, and the cost.\v"
        "Examples:\n  hindcast map app.elf\n  hindcast map --json app.elf | jq .totals\n\n"
        "Exit codes: 0 fine; 2 wrong usage; 3 not an ELF file, or without a recorder.",
        NULL,
        NULL,
        NULL
    };
    struct options o = { 0 };
    struct view v = { 0 };

    if (argp_parse(&argp, argc, argv, 0, NULL, &o))
        return HC_EXIT_USAGE;
    int code = show(&v, &o);
    hc_proof_free(v.proof);
    hc_map_free(v.map);
    hc_image_free(v.image);
    return code;
}

const struct hc_command hc_map_command = {
    .name = "map",
    .summary = "Show what an instrumented program records and why, and its cost",
    .run = run,
};
