/* The recordings of a network: the directory that `hindcast run --out` wrote, or files that are named one by one. */
#ifndef HC_CLI_RUN_DIRECTORY_H
#define HC_CLI_RUN_DIRECTORY_H

#include "files.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct hc_recording {
    int id;            /* of the node in its scenario; -1: not known */
    char *image, *log; /* files */
    char *directory;   /* of the node's files; NULL: it has none */
    char **id_symbol;  /* variables that were set to its id, ended by NULL; NULL: none */
};

struct hc_recordings {
    char *manifest; /* of a run directory: its file; NULL: files were named one by one */
    struct hc_recording *recordings;
    size_t count;
    size_t silent; /* nodes that left no log */
};

/* The arguments of a command that works on a network: a RUN, or an IMAGE and LOGs. As a child of its parser, with a
 * struct hc_run_paths as input. None given is a usage error. */
struct hc_run_paths {
    const char *const *path;
    size_t count;
};
extern const struct argp hc_run_paths_argp;

/* Whether PATH is a directory with a manifest. */
bool hc_is_run_directory(const char *path);

/* The recordings of a run directory. Returns 0, or the exit code after a message. */
int hc_recordings_of_run(struct hc_recordings *out, const char *path);
/* The recordings of a run directory, or those that are named one by one: PATHS are an image and its logs. Returns 0, or
 * the exit code after a message. */
int hc_recordings_of_paths(struct hc_recordings *out, const char *const *paths, size_t count);

/* Refuses, with a message, an output that is a file of the run, or another output. Returns 0 or the exit code. */
int hc_recordings_check_outputs(const struct hc_recordings *recordings, const struct hc_named_file *outputs,
                                size_t count);

struct hc_timeline_options;
/* Adds the files of R and its settings to OPTIONS, for opening it. */
void hc_recording_options(struct hc_timeline_options *options, const struct hc_recording *r);
void hc_recordings_free(struct hc_recordings *recordings);

#endif
