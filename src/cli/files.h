/* The files of a command: no output is also an input, and outputs are opened before the work. */
#ifndef HC_CLI_FILES_H
#define HC_CLI_FILES_H

#include "support/output.h"

enum hc_file_use { HC_FILE_READ, HC_FILE_WRITTEN, HC_FILE_UPDATED };

struct hc_named_file {
    const char *name; /* for messages: "LOG", "--svg" */
    const char *path; /* NULL or "-": not given */
    enum hc_file_use use;
};

/* Refuses, with a message, an output that is the same file as another one. Returns 0 or the exit code. */
int hc_files_check(const struct hc_named_file *files, size_t count);

/* Like hc_output_open. Returns 0, or the exit code after a message. */
int hc_files_open(struct hc_output_file **out, const char *path);
/* hc_output_keep, or hc_output_drop unless WELL. O may be NULL. */
int hc_files_close(struct hc_output_file *o, const char *path, bool well);

/* Prints "PATH: cannot be written: CAUSE" to stderr; returns the exit code. */
int hc_files_fail(const char *path, int cause);

#endif
