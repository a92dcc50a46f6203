/* The recordings of a network: what `hindcast run --out` left, or files that are named one by one. */
#ifndef HC_CLI_RUN_DIRECTORY_H
#define HC_CLI_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct hc_recording {
    int id;            /* of the node in its scenario; -1: not known */
    char *image, *log; /* files */
    char *directory;   /* of the node's files; NULL: it has none */
    char **id_symbol;  /* variables that were set to its id; ends with NULL, or NULL: none */
};

struct hc_recordings {
    struct hc_recording *recordings;
    size_t count;
    size_t silent; /* nodes that left no log */
};

/* Whether PATH is a directory with a manifest. */
bool hc_is_run_directory(const char *path);

/* Those of a run directory, or LOGS of one IMAGE. 0, or an exit code after having said what is wrong. */
int hc_recordings_of_run(struct hc_recordings *out, const char *path);
int hc_recordings_of_logs(struct hc_recordings *out, const char *image, const char *const *logs, size_t count);
/* To open R: its files, and its settings besides those that are there. */
struct hc_timeline_options;
void hc_recording_options(struct hc_timeline_options *options, const struct hc_recording *r);
void hc_recordings_free(struct hc_recordings *recordings);

#endif
