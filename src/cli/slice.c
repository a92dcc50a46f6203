/* hindcast slice: which functions can have an effect on an invariant, and how far each is from it. */
#include "command.h"
#include "depend/page.h"
#include "files.h"
#include "slice_levels.h"
#include "support/output.h"
#include "support/plural.h"

#include <argp.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *word[256]; /* files, and the criterion at the end */
    size_t words;
    const char *html, *svg;
    const char *next, *paths, *out; /* a log, and files of names */
    int level;
    bool json, no_models, because;
    struct hc_slice_models models;
};

struct view {
    struct hc_slice_view of;
    const char *asked;
    bool because;
};

/* ---- for people ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void print_place(const struct view *v, const char *word, uint32_t f, uint32_t line)
{
    printf("%s%s", word, v->of.program.function[f].name);
    if (line)
        printf(" %s:%u", base_name(v->of.program.file[v->of.program.function[f].file]), line);
}

static const char *memory_name(const struct view *v, uint32_t memory)
{
    const struct hc_memory *m = &v->of.points_to.memory[memory];

    if (m->object != HC_NONE && v->of.program.object[m->object].name)
        return v->of.program.object[m->object].name;
    return "a local object";
}

static void print_reason(const struct view *v, uint32_t f)
{
    static const char *const words[] = { [HC_REASON_ASKED] = "is what was asked about",
                                         [HC_REASON_VALUE] = "has a value that is used",
                                         [HC_REASON_MEMORY] = "writes ",
                                         [HC_REASON_CONTROL] = "calls it, or decides whether it is called",
                                         [HC_REASON_HELPER] = "is called for an operation" };
    const struct hc_reason *r = &v->of.slice.reason[f];

    if (r->line)
        printf("      line %u: ", r->line);
    else
        printf("      ");
    printf("%s", words[r->kind]);
    if (r->kind == HC_REASON_MEMORY)
        printf("%s", memory_name(v, r->memory));
    if (r->by != HC_FUNCTION_NONE)
        print_place(v, r->kind == HC_REASON_MEMORY ? ", read in " : ": ", r->by, r->by_line);
    putchar('\n');
}

static void print_function(const struct view *v, uint32_t f, int level)
{
    const struct hc_depend_function *function = &v->of.program.function[f];

    printf("  %-28s %s:%u%s%s\n", function->name, base_name(v->of.program.file[function->file]), function->line,
           function->handler ? "  handler" : "", hc_pfdg_bounds(&v->of.graph, f, level) ? "  boundary" : "");
    if (v->because)
        print_reason(v, f);
}

static void print_level(const struct view *v, int level)
{
    size_t count = 0;

    for (uint32_t f = 0; f < v->of.program.functions; f++)
        count += v->of.slice.function[f] && v->of.graph.level[f] == level;
    if (!count)
        return;
    if (level < 0)
        printf("no level, they only call: %zu function%s\n", count, hc_plural(count));
    else
        printf("level %d: %zu function%s\n", level, count, hc_plural(count));
    for (uint32_t f = 0; f < v->of.program.functions; f++)
        if (v->of.slice.function[f] && v->of.graph.level[f] == level)
            print_function(v, f, level);
}

static double percent(const struct view *v)
{
    return v->of.slice.of ? 100.0 * (double)v->of.slice.count / (double)v->of.slice.of : 0;
}

static void summarise(const struct view *v, char *out, size_t size)
{
    char handlers[40] = "";

    if (v->of.slice.handlers)
        snprintf(handlers, sizeof handlers, " and %zu handler%s", v->of.slice.handlers,
                 hc_plural(v->of.slice.handlers));
    snprintf(out, size, "%s: %zu of %zu functions (%.2f %%)%s, %d level%s, %zu calls, %zu dependences", v->asked,
             v->of.slice.count, v->of.slice.of, percent(v), handlers, v->of.graph.levels,
             hc_plural((unsigned long long)v->of.graph.levels), v->of.graph.calls, v->of.graph.dependences);
}

static void print_text(const struct view *v)
{
    char summary[256];

    summarise(v, summary, sizeof summary);
    puts(summary);
    for (int level = 0; level <= v->of.graph.levels; level++)
        print_level(v, level);
    print_level(v, HC_LEVEL_NONE);
    if (v->of.program.without)
        printf("note: %zu unit%s without bitcode, whose functions may do anything with what they are given: %s\n",
               v->of.program.without, hc_plural(v->of.program.without),
               v->of.program.missing ? v->of.program.missing : "");
}

/* ---- for programs ---- */

static json_t *lines_json(const struct view *v, const struct hc_depend_function *f)
{
    json_t *lines = json_array();
    char *seen = calloc(f->end_line + 2, 1);

    for (uint32_t n = 0; seen && n < f->operations; n++) {
        const struct hc_operation *o = &v->of.program.operation[f->first_operation + n];
        if (v->of.slice.operation[f->first_operation + n] && o->line && o->line <= f->end_line)
            seen[o->line] = 1;
    }
    for (uint32_t line = 0; seen && line <= f->end_line; line++)
        if (seen[line])
            json_array_append_new(lines, json_integer(line));
    free(seen);
    return lines;
}

static json_t *function_json(const struct view *v, uint32_t f)
{
    const struct hc_depend_function *function = &v->of.program.function[f];
    json_t *bounds = json_array();
    json_t *object =
        json_pack("{ss,ss,si,sb,sb}", "name", function->name, "file", v->of.program.file[function->file], "line",
                  (int)function->line, "handler", function->handler, "in_slice", v->of.slice.function[f]);

    if (v->of.slice.function[f]) {
        json_object_set_new(object, "level",
                            v->of.graph.level[f] < 0 ? json_null() : json_integer(v->of.graph.level[f]));
        for (int level = 1; level <= v->of.graph.levels; level++)
            if (hc_pfdg_bounds(&v->of.graph, f, level))
                json_array_append_new(bounds, json_integer(level));
        json_object_set(object, "boundary_at", bounds);
        json_object_set_new(object, "lines", lines_json(v, function));
    }
    json_decref(bounds);
    return object;
}

static json_t *pairs_json(const struct view *v, const struct hc_function_pair *pair, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("[ss]", v->of.program.function[pair[i].from].name,
                                              v->of.program.function[pair[i].to].name));
    return list;
}

static int print_json(const struct view *v)
{
    json_t *functions = json_array();

    for (uint32_t f = 0; f < v->of.program.functions; f++)
        if (v->of.program.function[f].reachable || v->of.slice.function[f])
            json_array_append_new(functions, function_json(v, f));
    json_t *all =
        json_pack("{ss,sI,sI,sf,si,sI,so,so,so}", "criterion", v->asked, "in_slice", (json_int_t)v->of.slice.count,
                  "functions_count", (json_int_t)v->of.slice.of, "percent", percent(v), "levels", v->of.graph.levels,
                  "units_without_bitcode", (json_int_t)v->of.program.without, "functions", functions, "calls",
                  pairs_json(v, v->of.graph.call, v->of.graph.calls), "dependences",
                  pairs_json(v, v->of.graph.dependence, v->of.graph.dependences));
    int code = all && !json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) ? HC_EXIT_FINE : HC_EXIT_INPUT;
    putchar('\n');
    json_decref(all);
    return code;
}

/* ---- pages ---- */

static int write_page(const struct view *v, const char *path, bool svg)
{
    struct hc_output_file *file;
    char summary[256];
    int error = hc_output_open(&file, path);

    if (!error) {
        summarise(v, summary, sizeof summary);
        if (svg)
            hc_slice_svg(hc_output_file(file), &v->of.graph);
        else
            hc_slice_page(hc_output_file(file), &v->of.graph, v->asked, summary);
        error = hc_output_keep(file);
    }
    if (error)
        hc_complain("%s: %s", path, strerror(error));
    return error ? HC_EXIT_INPUT : HC_EXIT_FINE;
}

/* ---- the command ---- */

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'j':
        o->json = true;
        break;
    case 'H':
        o->html = value;
        break;
    case 's':
        o->svg = value;
        break;
    case 'q':
        if (!hc_slice_models_add(&o->models, value))
            argp_error(state, "--queue=%s: expected POST:WHAT:ARGUMENT:RUN, such as task_post:0:1:task_run", value);
        break;
    case 'n':
        o->no_models = true;
        break;
    case 'b':
        o->because = true;
        break;
    case 'N':
        o->next = value;
        break;
    case 'l':
        if (strlen(value) > 4 || value[strspn(value, "0123456789")])
            argp_error(state, "--level=%s: expected a number", value);
        o->level = atoi(value);
        break;
    case 'p':
        o->paths = value;
        break;
    case 'o':
        o->out = value;
        break;
    case ARGP_KEY_ARG:
        if (o->words == sizeof o->word / sizeof *o->word)
            argp_error(state, "too many files");
        else
            o->word[o->words++] = value;
        break;
    case ARGP_KEY_END:
        if (o->words < 2)
            argp_error(state, "expected a program, and an invariant, a function, a variable or FILE:LINE");
        if ((o->next && (o->words != 2 || o->level < 0)) || (!o->next && (o->level >= 0 || o->paths || o->out)))
            argp_error(state, "--next goes with --level=N, one program and an invariant; --level, --paths and --out go "
                              "with --next");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int analyse(struct view *v, const struct options *o)
{
    static const struct hc_slice_models none;
    struct hc_depend_message message = { "" };

    v->asked = o->word[o->words - 1];
    v->because = o->because;
    int code = hc_slice_view_open(&v->of, o->word, o->words - 1, v->asked, o->no_models ? &none : &o->models, &message);
    if (code != HC_EXIT_FINE)
        hc_complain("%s", message.text);
    return code;
}

static int check_outputs(const struct options *o)
{
    int code = HC_EXIT_FINE;

    for (size_t i = 0; i + 1 < o->words && code == HC_EXIT_FINE; i++) {
        const struct hc_named_file files[] = {
            { "an input", o->word[i], HC_FILE_READ }, { "--html", o->html, HC_FILE_WRITTEN },
            { "--svg", o->svg, HC_FILE_WRITTEN },     { "--next", o->next, HC_FILE_READ },
            { "--paths", o->paths, HC_FILE_READ },    { "--out", o->out, HC_FILE_WRITTEN }
        };
        code = hc_files_check(files, sizeof files / sizeof *files);
    }
    return code;
}

static int show(struct view *v, const struct options *o)
{
    int code = check_outputs(o);

    if (code == HC_EXIT_FINE)
        code = analyse(v, o);
    if (code == HC_EXIT_FINE && o->html)
        code = write_page(v, o->html, false);
    if (code == HC_EXIT_FINE && o->svg)
        code = write_page(v, o->svg, true);
    if (code == HC_EXIT_FINE && o->json)
        code = print_json(v);
    else if (code == HC_EXIT_FINE && !o->next)
        print_text(v);
    if (code == HC_EXIT_FINE && o->next) {
        const struct hc_slice_next request = { o->word[0], o->next, v->asked, o->level, o->paths, o->out };
        code = hc_slice_next(&v->of, &request);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "json", 'j', NULL, 0, "For programs", 0 },
        { "html", 'H', "FILE", 0, "Write a page: the graph, and the sources coloured by level", 0 },
        { "svg", 's', "FILE", 0, "Write the graph", 0 },
        { "because", 'b', NULL, 0, "Say of each function by which step it came into the slice", 0 },
        { "next", 'N', "LOG", 0,
          "After a replay of LOG, which the program wrote that was built with --record=slice --invariant=CRITERION: "
          "which level and functions to record next",
          0 },
        { "level", 'l', "N", 0, "With --next: the level that was recorded", 0 },
        { "paths", 'p', "FILE", 0, "With --next: the --paths that it was recorded with", 0 },
        { "out", 'o', "FILE", 0, "With --next: write the --paths for the next level", 0 },
        { "queue", 'q', "MODEL", 0,
          "POST:WHAT:ARGUMENT:RUN: function POST takes functions to be called later, as its argument number WHAT, each "
          "with argument number ARGUMENT (*: both are in the structure that WHAT points to); RUN calls them. Each then "
          "depends on its own posts only. The kit's is known",
          0 },
        { "no-queues", 'n', NULL, 0, "Look through no queue: what is called from one depends on all that is ever in it",
          0 },
        { 0 }
    };
    static const struct argp argp = {
        options,
        parse,
        "PROGRAM CRITERION",
        "Shows which functions can have an effect on an invariant (or on a function, a global variable, or FILE:LINE), "
        "and at which level: how many calls and dependences away. PROGRAM is an ELF file that hindcast cc built, or "
        "files of LLVM bitcode.\v"
        "Examples:\n  hindcast slice app.elf blinks_on_time\n  hindcast slice app.elf ctp.c:301 --html slice.html\n"
        "  hindcast slice --json app.elf send | jq .percent\n"
        "  hindcast slice --next node.flash --level=1 --out=paths.txt app.elf blinks_on_time\n\n"
        "Exit codes: 0 fine; 1 --next: nothing was violated; 2 wrong usage, or nothing of that name; 3 a file is bad "
        "or holds no bitcode; 4 a replay diverged.",
        NULL,
        NULL,
        NULL
    };
    struct options o = { .level = -1 };
    struct view v = { 0 };

    hc_slice_models_known(&o.models);
    int code = argp_parse(&argp, argc, argv, 0, NULL, &o) ? HC_EXIT_USAGE : show(&v, &o);
    hc_slice_view_free(&v.of);
    hc_slice_models_free(&o.models);
    return code;
}

const struct hc_command hc_slice_command = {
    .name = "slice",
    .summary = "Show which functions can have an effect on an invariant, level by level",
    .run = run,
};
