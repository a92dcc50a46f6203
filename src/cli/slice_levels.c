#include "slice_levels.h"

#include "command.h"
#include "debug/dwarf/program.h"
#include "depend/levels.h"
#include "instrument/command/argv.h"
#include "open_timeline.h"
#include "replay/region/region_map.h"
#include "replay/region/region_violations.h"
#include "support/output.h"
#include "support/plural.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of functions in files ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Of function F: "ctp.c:sent"; of one from a header, which belongs to many units: "timer_before". */
static void write_name(const struct hc_depend_program *p, uint32_t f, char *out, size_t size)
{
    const char *file = base_name(p->file[p->function[f].file]), *end = strrchr(file, '.');

    if (end && !strcmp(end, ".c"))
        snprintf(out, size, "%s:%s", file, p->function[f].name);
    else
        snprintf(out, size, "%s", p->function[f].name);
}

/* FILE may be NULL: any. */
static void mark_name(const struct hc_depend_program *p, const char *file, const char *name, bool *of)
{
    for (size_t i = 0; i < p->functions; i++)
        of[i] |= !strcmp(p->function[i].name, name) &&
                 (!file || !strcmp(base_name(p->file[p->function[i].file]), base_name(file)));
}

/* Marks the functions that the file at PATH names, one a line; "#" begins a comment. False: it cannot be read. */
static bool read_names(const struct hc_depend_program *p, const char *path, bool *of)
{
    size_t size;
    char *text = hc_argv_file(path, &size), *state = NULL;

    for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
        line[strcspn(line, "# \t\r")] = '\0';
        char *name = strchr(line, ':');
        if (name)
            *name++ = '\0';
        if (*line)
            mark_name(p, name ? line : NULL, name ? name : line, of);
    }
    free(text);
    return text != NULL;
}

/* ---- what a level records ---- */

static void choose_functions(const struct hc_slice_view *v, int level, const bool *paths, bool *chosen)
{
    hc_levels_choose(&v->graph, level, paths, chosen);
    for (uint32_t f = 0; f < v->program.functions; f++)
        chosen[f] &= !hc_levels_stays_outside(&v->program, f);
}

/* CHOSEN: of each function, whether it is recorded at LEVEL. PATHS: a file, or NULL. False: it cannot be read, or
 * memory is exhausted. */
static bool choose(const struct hc_slice_view *v, int level, const char *paths, bool *chosen)
{
    const struct hc_depend_program *p = &v->program;
    bool *on_paths = calloc(p->functions + 1, sizeof *on_paths);
    bool fine = on_paths && (!paths || read_names(p, paths, on_paths));

    if (fine)
        choose_functions(v, level, paths ? on_paths : NULL, chosen);
    free(on_paths);
    return fine;
}

bool hc_slice_choose(const struct hc_settings *settings, const char *program, struct hc_argv *patterns,
                     bool *interrupts, char *text, size_t size)
{
    struct hc_slice_models models;
    struct hc_slice_view v = { 0 };
    struct hc_depend_message message = { "" };
    const char *paths = settings->paths.count ? settings->paths.word[0] : NULL;

    hc_slice_models_known(&models);
    bool fine = hc_slice_view_open(&v, &program, 1, settings->invariant, &models, &message) == HC_EXIT_FINE;
    bool *chosen = fine ? calloc(v.program.functions + 1, sizeof *chosen) : NULL;
    if (fine && (!chosen || !choose(&v, atoi(settings->level), paths, chosen))) {
        snprintf(message.text, sizeof message.text, "%.400s: cannot be read", paths ? paths : "memory");
        fine = false;
    }
    for (uint32_t f = 0; fine && f < v.program.functions; f++) {
        char name[512];
        write_name(&v.program, f, name, sizeof name);
        if (chosen[f] || hc_levels_waits(&v.program, f))
            hc_argv_addf(patterns, "%s%s", chosen[f] ? "" : "!", name);
    }
    if (fine)
        *interrupts |= hc_levels_interrupted(&v.points_to, chosen);
    else
        snprintf(text, size, "%s", message.text);
    free(chosen);
    hc_slice_view_free(&v);
    hc_slice_models_free(&models);
    return fine;
}

/* ---- which functions ran ---- */

enum { ADDRESSES = 1 << 20 };

struct watch {
    const struct hc_slice_view *v;
    uint8_t *now, *before; /* of each address: an instruction ran; before a violation */
    size_t violations;
    struct hc_region_state end;
};

static void note(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct watch *w = owner;

    (void)m;
    if (pc < ADDRESSES)
        w->now[pc] = 1;
}

static void violated(void *owner)
{
    struct watch *w = owner;

    w->violations++;
    for (size_t i = 0; i < ADDRESSES; i++)
        w->before[i] |= w->now[i];
}

static void mark_at(const struct watch *w, const struct hc_program *source, uint32_t pc, bool *executed)
{
    struct hc_inlined inlined[HC_INLINED_MAX];
    const struct hc_function *function = hc_program_function_at(source, pc);
    int count = hc_program_inlined_at(source, pc, inlined);

    if (function && function->name)
        mark_name(&w->v->program, hc_program_declared_in(&function->die), function->name, executed);
    for (int i = 0; i < count; i++)
        if (inlined[i].name)
            mark_name(&w->v->program, hc_program_declared_in(&inlined[i].die), inlined[i].name, executed);
}

static int replay(struct watch *w, struct hc_image *image, const char *log)
{
    struct hc_timeline_options options = { .log = log, .segment = -1 };
    struct hc_region_replay *region = NULL;
    struct hc_region_violations violations;
    int code = hc_open_region(&region, image, &options);

    if (code == HC_EXIT_FINE && !hc_region_violations_listen(&violations, region, image, violated, w)) {
        hc_complain("the region checks no invariant; build it with --record=slice --invariant=NAME");
        code = HC_EXIT_INPUT;
    }
    if (code == HC_EXIT_FINE) {
        hc_hook_retire(hc_region_replay_machine(region), note, w);
        hc_region_replay_run(region);
        hc_region_replay_state(region, &w->end);
        if (w->end.end != HC_REGION_ENDED) {
            hc_complain("%s: %s", log, w->end.text);
            code = HC_EXIT_DIVERGED;
        }
    }
    w->end.text = NULL; /* the replay's */
    hc_region_replay_free(region);
    return code;
}

/* EXECUTED: of each function of the program, whether it ran before a violation. */
static int find_executed(struct watch *w, const struct hc_slice_next *request, bool *executed)
{
    struct hc_image *image = NULL;
    struct hc_image_message message;

    if (hc_image_load_file(&image, request->program, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = HC_EXIT_INPUT;
    if (!hc_region_map_is(image))
        hc_complain("%s: was not built with --record=slice: its recordings know everything; ask `hindcast why`",
                    request->program);
    else
        code = replay(w, image, request->log);
    struct hc_program *source = code == HC_EXIT_FINE ? hc_program_new(image) : NULL;
    for (uint32_t pc = 0; source && pc < ADDRESSES; pc++)
        if (w->before[pc])
            mark_at(w, source, pc, executed);
    hc_program_free(source);
    hc_image_free(image);
    return code;
}

/* ---- what comes next ---- */

static void print_names(FILE *to, const struct hc_depend_program *p, const bool *of, const char *before)
{
    char name[512];

    for (uint32_t f = 0; f < p->functions; f++) {
        write_name(p, f, name, sizeof name);
        if (of[f])
            fprintf(to, "%s%s\n", before, name);
    }
}

static size_t count(const struct hc_depend_program *p, const bool *of)
{
    size_t n = 0;

    for (size_t f = 0; f < p->functions; f++)
        n += of[f];
    return n;
}

static int write_paths(const struct hc_slice_next *request, const struct hc_depend_program *p, const bool *paths)
{
    struct hc_output_file *file;
    int error = hc_output_open(&file, request->out);

    if (!error) {
        fprintf(hc_output_file(file), "# error-hiding paths of %s at level %d\n", request->asked, request->level);
        print_names(hc_output_file(file), p, paths, "");
        error = hc_output_keep(file);
    }
    if (error)
        hc_complain("%s: %s", request->out, strerror(error));
    return error ? HC_EXIT_INPUT : HC_EXIT_FINE;
}

static int propose(const struct hc_slice_view *v, const struct hc_slice_next *request, const bool *recorded,
                   const bool *executed, bool *paths, bool *chosen)
{
    const struct hc_depend_program *p = &v->program;
    bool failed;

    if (request->paths)
        read_names(p, request->paths, paths);
    int next = hc_levels_next(&v->graph, &v->criterion, request->level, recorded, executed, paths, &failed);

    if (failed) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    if (next == HC_LEVEL_NONE) {
        puts("no path leads out of what was recorded: the cause is in it, or in what came into it");
        return HC_EXIT_FINE;
    }
    printf("error-hiding paths go by %zu function%s:\n", count(p, paths), hc_plural(count(p, paths)));
    print_names(stdout, p, paths, "  ");
    choose_functions(v, next, paths, chosen);
    printf("next: --level=%d --paths=%s, which records %zu functions:\n", next, request->out ? request->out : "FILE",
           count(p, chosen));
    print_names(stdout, p, chosen, "  ");
    return request->out ? write_paths(request, p, paths) : HC_EXIT_FINE;
}

int hc_slice_next(const struct hc_slice_view *v, const struct hc_slice_next *request)
{
    size_t n = v->program.functions + 1;
    struct watch w = { .v = v, .now = calloc(ADDRESSES, 1), .before = calloc(ADDRESSES, 1) };
    bool *of = calloc(4 * n, sizeof *of); /* recorded, executed, and two for the proposal */
    int code = HC_EXIT_INPUT;

    if (!w.now || !w.before || !of)
        hc_complain("out of memory");
    else if (!choose(v, request->level, request->paths, of))
        hc_complain("%s: cannot be read", request->paths ? request->paths : "memory");
    else
        code = find_executed(&w, request, of + n);
    if (code == HC_EXIT_FINE) {
        printf("%s: violated %zu time%s in %" PRIu64 " visits of %zu functions up to level %d\n", request->asked,
               w.violations, hc_plural(w.violations), w.end.visits, count(&v->program, of), request->level);
        code = w.violations ? propose(v, request, of, of + n, of + 2 * n, of + 3 * n) : HC_EXIT_FOUND;
    }
    free(w.now);
    free(w.before);
    free(of);
    return code;
}
