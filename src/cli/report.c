/* hindcast report: a page about a recording, or about all recordings of a network. */
#include "command.h"
#include "damage.h"
#include "files.h"
#include "log_json.h"
#include "open_timeline.h"
#include "part_facts.h"
#include "progress.h"
#include "report/gather.h"
#include "report/page.h"
#include "run_directory.h"
#include "signals.h"
#include "support/grow.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { JSON = 256, TITLE };
enum { BINS_MOST = 4096, BINS_LEAST = 512, BINS_OF_ALL = 65536 };
enum { FUNCTIONS_MOST = 80, FUNCTIONS_LEAST = 25, FUNCTIONS_OF_ALL = 2500 };
enum { TEXT_MOST = 64 << 10, TEXT_LEAST = 2 << 10, TEXT_OF_ALL = 512 << 10 };

struct options {
    struct hc_run_paths paths;
    const char *output, *title;
    bool json;
};

/* What was loaded for one image, for all nodes that run it. */
struct program {
    const char *path;
    struct hc_image *image;
    struct hc_code_map *map;
};

struct report {
    struct options o;
    struct hc_recordings recordings;
    struct hc_output_file *file;
    struct program *programs;
    size_t program_count, program_room;
    json_t *nodes;
    size_t used, present; /* recordings that could be replayed; the one that is */
    bool diverged, damaged;
    struct hc_progress progress;
};

static const struct argp_option argp_options[] = {
    { "output", 'o', "FILE", 0, "Where the page goes: one HTML file that needs nothing else", 0 },
    { "title", TITLE, "TEXT", 0, "Of the page", 0 },
    { "json", JSON, NULL, 0, "What the page is made from, as JSON on stdout", 0 },
    { 0 },
};

static const char help[] =
    "Makes a page about recordings: what ran, how each boot ended, what is missing, interrupts, reads and stack over "
    "time, time by function, energy, UART output.\v"
    "RUN is a directory that `hindcast run` left; or name the program and the logs of its nodes. Each is replayed from "
    "its first segment to its last, so that all counts are exact.\n\n"
    "Examples:\n"
    "  hindcast report app.elf node.flash -o node.html\n"
    "  hindcast run --nodes 9 app.elf --seconds 60 --out run && hindcast report run -o run.html\n\n"
    "Exit codes: 0 fine; 1 some recordings could not be used, or a part of one is missing; 2 wrong usage; 3 none "
    "could be; 4 a replay diverged.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->paths;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case TITLE:
        o->title = argument;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_END:
        if (!o->output && !o->json)
            argp_error(state, "no page given: add -o FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- programs ---- */

static const struct program *load_program(struct report *r, const char *path, char *problem, size_t size)
{
    struct hc_image_message message;
    struct program p = { .path = path };

    for (size_t i = 0; i < r->program_count; i++)
        if (!strcmp(r->programs[i].path, path))
            return &r->programs[i];
    if (hc_image_load_file(&p.image, path, &message)) {
        snprintf(problem, size, "%s", message.text);
        return NULL;
    }
    if (!hc_grow(&r->programs, r->program_count, &r->program_room, sizeof *r->programs)) {
        snprintf(problem, size, "out of memory");
        hc_image_free(p.image);
        return NULL;
    }
    r->programs[r->program_count] = p;
    return &r->programs[r->program_count++];
}

/* Names of interrupts need the part, which only a replay knows. */
static struct hc_code_map *map_of(struct program *p, const char *part)
{
    if (!p->map) {
        struct hc_vector_names names = hc_vector_names(part);
        p->map = hc_code_map_new(p->image, names.name, names.count);
        hc_vector_names_free(&names);
    }
    return p->map;
}

/* ---- a node ---- */

static bool show_progress(void *owner, double part)
{
    struct report *r = owner;
    size_t all = r->recordings.count;

    hc_progress_tell(&r->progress, ((double)r->present + part) / (double)all, "recording %zu of %zu", r->present + 1,
                     all);
    return hc_signalled();
}

static size_t share(const struct report *r, size_t least, size_t most, size_t of_all)
{
    size_t mine = of_all / r->recordings.count;

    return mine < least ? least : mine > most ? most : mine & ~(size_t)1;
}

static struct hc_replay *open_replay(const struct hc_recording *from, struct hc_image *image,
                                     struct hc_replay_message *message)
{
    struct hc_replay *replay = NULL;

    if (hc_replay_open(&replay, image, from->log, -1, message))
        return NULL;
    for (size_t i = 0; from->id_symbol && from->id_symbol[i]; i++)
        hc_replay_set(replay, from->id_symbol[i], (uint32_t)from->id);
    return replay;
}

static json_t *gather(struct report *r, struct program *p, struct hc_replay *replay, struct hc_replay_message *message)
{
    const char *part = hc_machine_part(hc_replay_machine(replay))->name;
    struct hc_gathering g = {
        .replay = replay,
        .map = map_of(p, part),
        .bins = share(r, BINS_LEAST, BINS_MOST, BINS_OF_ALL),
        .functions = share(r, FUNCTIONS_LEAST, FUNCTIONS_MOST, FUNCTIONS_OF_ALL),
        .text = share(r, TEXT_LEAST, TEXT_MOST, TEXT_OF_ALL),
        .uart = hc_uart_register(part),
        .nanojoules = hc_cpu_nanojoules_a_cycle(part),
        .progress = show_progress,
        .owner = r,
    };
    const struct hc_log_segment *here;
    const struct hc_log *log = hc_replay_log(replay, &here);
    json_t *figures = log ? hc_log_json(log, -1) : NULL, *node;

    hc_progress_clear(&r->progress);
    r->damaged |= log && hc_tell_damage(log, -1, NULL);
    if (!g.map) {
        snprintf(message->text, sizeof message->text, "out of memory");
        json_decref(figures);
        return NULL;
    }
    enum hc_replay_stop worst = hc_gather(&g, &node, message);
    r->diverged |= worst == HC_REPLAY_DIVERGED;
    if (node && figures)
        json_object_set_new(node, "figures", figures);
    else
        json_decref(figures);
    return node;
}

/* An emulated node's statistics, if there are any. */
static json_t *statistics_of(const struct hc_recording *from)
{
    char path[4096];

    if (!from->directory)
        return NULL;
    snprintf(path, sizeof path, "%s/statistics.json", from->directory);
    return json_load_file(path, 0, NULL);
}

static json_t *describe(const struct hc_recording *from, json_t *node)
{
    char name[64];
    json_t *symbols = json_array();
    const char *slash = strrchr(from->log, '/');

    if (from->id >= 0)
        snprintf(name, sizeof name, "node %d", from->id);
    else
        snprintf(name, sizeof name, "%.60s", slash ? slash + 1 : from->log);
    for (size_t i = 0; from->id_symbol && from->id_symbol[i]; i++)
        json_array_append_new(symbols, json_string(from->id_symbol[i]));
    json_object_set_new(node, "id", json_integer(from->id));
    json_object_set_new(node, "name", json_string(name));
    json_object_set_new(node, "image", json_string(from->image));
    json_object_set_new(node, "log", json_string(from->log));
    json_object_set_new(node, "id_symbols", symbols);
    json_t *statistics = statistics_of(from);
    if (statistics)
        json_object_set_new(node, "statistics", statistics);
    return node;
}

static void add_node(struct report *r, const struct hc_recording *from)
{
    struct hc_replay_message message = { "" };
    const struct program *p = load_program(r, from->image, message.text, sizeof message.text);
    struct hc_replay *replay = p ? open_replay(from, p->image, &message) : NULL;
    json_t *node = replay ? gather(r, (struct program *)p, replay, &message) : NULL;

    r->used += node != NULL;
    if (!node) {
        node = json_object();
        json_object_set_new(node, "problem", json_string(message.text));
        hc_progress_clear(&r->progress);
        if (strstr(message.text, from->log))
            hc_complain("%s", message.text);
        else
            hc_complain("%s: %s", from->log, message.text);
    }
    json_array_append_new(r->nodes, describe(from, node));
    if (replay)
        hc_replay_free(replay);
}

/* ---- the whole ---- */

/* The manifest's data about all nodes. */
static void add_manifest(json_t *data, const char *directory)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/manifest.json", directory);
    json_t *manifest = json_load_file(path, 0, NULL);
    json_t *frames = json_object_get(json_object_get(manifest, "air"), "frames");

    if (json_object_get(manifest, "command"))
        json_object_set(data, "command", json_object_get(manifest, "command"));
    if (frames)
        json_object_set(data, "frames", frames);
    json_decref(manifest);
}

static json_t *make_data(struct report *r, const char *title)
{
    json_t *data = json_pack("{s:s, s:s, s:O, s:I}", "title", title, "version", HC_VERSION, "nodes", r->nodes, "silent",
                             (json_int_t)r->recordings.silent);

    if (data && hc_is_run_directory(r->o.paths.path[0]))
        add_manifest(data, r->o.paths.path[0]);
    return data;
}

static int write_report(struct report *r)
{
    char made[300];
    const char *title = r->o.title ? r->o.title : made;

    snprintf(made, sizeof made, "Recording%s: %.250s", r->recordings.count > 1 ? "s" : "", r->o.paths.path[0]);
    json_t *data = make_data(r, title);
    if (!data) {
        hc_complain("--title: '%s' is not UTF-8 text", title);
        return HC_EXIT_USAGE;
    }
    int code = HC_EXIT_FINE;
    if (r->o.json) {
        json_dumpf(data, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
        putchar('\n');
    }
    if (r->file) {
        bool well = hc_report_page(hc_output_file(r->file), title, data);
        code = hc_files_close(r->file, r->o.output, well);
        r->file = NULL;
    }
    json_decref(data);
    return code;
}

static int make_report(struct report *r)
{
    hc_progress_begin(&r->progress);
    hc_signals_catch(NULL, NULL);
    for (r->present = 0; r->present < r->recordings.count && !hc_signalled(); r->present++)
        add_node(r, &r->recordings.recordings[r->present]);
    hc_progress_clear(&r->progress);
    if (hc_signalled()) {
        hc_complain("ended by the user: no page was written");
        return HC_EXIT_FOUND;
    }
    if (!r->used) {
        hc_complain("no recording could be used");
        return HC_EXIT_INPUT;
    }
    int code = write_report(r);
    if (code)
        return code;
    if (r->diverged)
        return HC_EXIT_DIVERGED;
    return r->damaged || r->used < r->recordings.count ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

static int find_recordings(struct report *r)
{
    const struct hc_run_paths *paths = &r->o.paths;
    int code = hc_recordings_of_paths(&r->recordings, paths->path, paths->count);

    if (!code && !r->recordings.count) {
        hc_complain("%s: no node left a log; was the program built by hindcast cc?", paths->path[0]);
        return HC_EXIT_INPUT;
    }
    return code;
}

/* Checks that the page is not one of the inputs. */
static int open_output(struct report *r)
{
    const char *output = r->o.output;
    const struct hc_named_file file = { "--output", output, HC_FILE_WRITTEN };
    int code = hc_recordings_check_outputs(&r->recordings, &file, 1);

    if (code)
        return code;
    return output ? hc_files_open(&r->file, output) : HC_EXIT_FINE;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_run_paths_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "RUN\nIMAGE LOG...", help, children, NULL, NULL };
    struct report r = { .nodes = json_array() };

    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    int code = find_recordings(&r);
    if (!code)
        code = open_output(&r);
    if (!code)
        code = make_report(&r);
    hc_output_drop(r.file);
    for (size_t i = 0; i < r.program_count; i++) {
        hc_code_map_free(r.programs[i].map);
        hc_image_free(r.programs[i].image);
    }
    free(r.programs);
    json_decref(r.nodes);
    hc_recordings_free(&r.recordings);
    return code;
}

const struct hc_command hc_report_command = { "report", "A page about one recording or a network's", run };
