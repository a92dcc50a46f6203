#define _GNU_SOURCE /* asprintf */
#include "run_directory.h"

#include "command.h"
#include "open_timeline.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_in(const char *directory, const char *name)
{
    char *path;

    if (*name == '/')
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

bool hc_is_run_directory(const char *path)
{
    char *manifest = path_in(path, "manifest.json");
    bool is = manifest && access(manifest, R_OK) == 0;

    free(manifest);
    return is;
}

static int out_of_memory(void)
{
    hc_complain("out of memory");
    return HC_EXIT_INPUT;
}

/* ---- a run directory ---- */

/* Where the run found an image. A relative path is relative to where the run was started. */
static char *image_path(json_t *manifest, json_int_t index)
{
    const char *name =
        json_string_value(json_object_get(json_array_get(json_object_get(manifest, "images"), (size_t)index), "path"));
    const char *started = json_string_value(json_object_get(manifest, "directory"));

    return name && started ? path_in(started, name) : NULL;
}

static char *log_path(const char *run, json_t *node)
{
    const char *directory = json_string_value(json_object_get(node, "directory"));
    char *path;

    if (!directory)
        return NULL;
    return asprintf(&path, "%s/%s/flash.bin", run, directory) < 0 ? NULL : path;
}

static char *node_directory(const char *run, json_t *node)
{
    const char *directory = json_string_value(json_object_get(node, "directory"));
    char *path;

    return directory && asprintf(&path, "%s/%s", run, directory) >= 0 ? path : NULL;
}

static char **id_symbols(json_t *manifest, json_int_t index)
{
    json_t *symbols = json_object_get(json_array_get(json_object_get(manifest, "images"), (size_t)index), "id_symbols");
    char **list = calloc(json_array_size(symbols) + 1, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; list && i < json_array_size(symbols); i++)
        if (json_is_string(json_array_get(symbols, i)))
            list[n++] = strdup(json_string_value(json_array_get(symbols, i)));
    return list;
}

static void free_recording(struct hc_recording *r)
{
    for (size_t i = 0; r->id_symbol && r->id_symbol[i]; i++)
        free(r->id_symbol[i]);
    free(r->id_symbol);
    free(r->directory);
    free(r->image);
    free(r->log);
}

static int add_node(struct hc_recordings *out, const char *run, json_t *manifest, json_t *node)
{
    struct hc_recording r = {
        .id = (int)json_integer_value(json_object_get(node, "id")),
        .image = image_path(manifest, json_integer_value(json_object_get(node, "image"))),
        .log = log_path(run, node),
        .directory = node_directory(run, node),
        .id_symbol = id_symbols(manifest, json_integer_value(json_object_get(node, "image"))),
    };

    if (r.image && r.log && access(r.log, R_OK) == 0) {
        out->recordings[out->count++] = r;
        return 0;
    }
    bool silent = r.image && r.log;
    out->silent += silent;
    free_recording(&r);
    return silent ? 0 : -1;
}

static int add_nodes(struct hc_recordings *out, const char *run, json_t *manifest)
{
    json_t *nodes = json_object_get(manifest, "nodes"), *node;
    size_t i;

    out->recordings = calloc(json_array_size(nodes) + 1, sizeof *out->recordings);
    if (!out->recordings)
        return out_of_memory();
    json_array_foreach(nodes, i, node) if (add_node(out, run, manifest, node))
    {
        hc_complain(
            "%s/manifest.json: node %zu of the list lacks its directory or image; was it written by hindcast run?", run,
            i);
        return HC_EXIT_INPUT;
    }
    return 0;
}

int hc_recordings_of_run(struct hc_recordings *out, const char *path)
{
    char *name = path_in(path, "manifest.json");
    json_error_t error;
    json_t *manifest = name ? json_load_file(name, 0, &error) : NULL;
    int code = 0;

    *out = (struct hc_recordings){ .manifest = name };
    if (!name)
        code = out_of_memory();
    else if (!manifest)
        hc_complain("%s: line %d: %s", name, error.line, error.text), code = HC_EXIT_INPUT;
    else
        code = add_nodes(out, path, manifest);
    json_decref(manifest);
    return code;
}

/* ---- files ---- */

static int recordings_of_logs(struct hc_recordings *out, const char *image, const char *const *logs, size_t count)
{
    *out = (struct hc_recordings){ .recordings = calloc(count + 1, sizeof *out->recordings) };
    for (size_t i = 0; out->recordings && i < count; i++) {
        out->recordings[out->count++] =
            (struct hc_recording){ .id = -1, .image = strdup(image), .log = strdup(logs[i]) };
        if (!out->recordings[i].image || !out->recordings[i].log)
            return out_of_memory();
    }
    return out->recordings ? 0 : out_of_memory();
}

int hc_recordings_of_paths(struct hc_recordings *out, const char *const *paths, size_t count)
{
    *out = (struct hc_recordings){ 0 };
    if (count == 1 && hc_is_run_directory(paths[0]))
        return hc_recordings_of_run(out, paths[0]);
    if (count > 1)
        return recordings_of_logs(out, paths[0], paths + 1, count - 1);
    hc_complain("%s: not a directory that `hindcast run` left; or name an ELF file and the logs of its nodes",
                paths[0]);
    return HC_EXIT_USAGE;
}

/* ---- outputs ---- */

static int check_output(const struct hc_recordings *all, const struct hc_named_file *output)
{
    const struct hc_named_file manifest[] = { { "the run's manifest", all->manifest, HC_FILE_READ }, *output };
    int code = hc_files_check(manifest, 2);

    for (size_t i = 0; !code && i < all->count; i++) {
        const struct hc_named_file files[] = { { "IMAGE", all->recordings[i].image, HC_FILE_READ },
                                               { "LOG", all->recordings[i].log, HC_FILE_READ },
                                               *output };
        code = hc_files_check(files, sizeof files / sizeof *files);
    }
    return code;
}

int hc_recordings_check_outputs(const struct hc_recordings *recordings, const struct hc_named_file *outputs,
                                size_t count)
{
    int code = hc_files_check(outputs, count);

    for (size_t i = 0; !code && i < count; i++)
        code = check_output(recordings, &outputs[i]);
    return code;
}

/* ---- arguments ---- */

static error_t parse_paths(int key, char *argument, struct argp_state *state)
{
    struct hc_run_paths *paths = state->input;

    (void)argument;
    switch (key) {
    case ARGP_KEY_ARGS:
        paths->path = (const char *const *)state->argv + state->next;
        paths->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "nothing to read: give a RUN, or an IMAGE and LOGs");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp hc_run_paths_argp = { NULL, parse_paths, NULL, NULL, NULL, NULL, NULL };

void hc_recording_options(struct hc_timeline_options *options, const struct hc_recording *r)
{
    options->image = r->image;
    options->log = r->log;
    for (size_t i = 0; r->id_symbol && r->id_symbol[i] && options->settings < HC_SETTINGS_MAX; i++) {
        snprintf(options->set[options->settings].name, sizeof options->set->name, "%s", r->id_symbol[i]);
        options->set[options->settings++].value = (uint32_t)r->id;
    }
}

void hc_recordings_free(struct hc_recordings *recordings)
{
    for (size_t i = 0; i < recordings->count; i++)
        free_recording(&recordings->recordings[i]);
    free(recordings->recordings);
    free(recordings->manifest);
    *recordings = (struct hc_recordings){ 0 };
}
