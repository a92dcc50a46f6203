/* The files of a command: what it writes is none of what it reads, and is opened before the work. */
#ifndef HC_CLI_FILES_H
#define HC_CLI_FILES_H

#include "support/output.h"

enum hc_file_use { HC_FILE_READ, HC_FILE_WRITTEN, HC_FILE_UPDATED };

struct hc_named_file {
    const char *name; /* for messages: "LOG", "--svg" */
    const char *path; /* NULL or "-": not given */
    enum hc_file_use use;
};

/* Refuses, with a sentence on stderr, a file that is written and that another name stands for, too. Returns 0 or the
 * exit code. */
int hc_files_check(const struct hc_named_file *files, size_t count);

/* hc_output_open; 0 or the exit code, after having said on stderr what is wrong. */
int hc_files_open(struct hc_output_file **out, const char *path);
/* hc_output_keep, or hc_output_drop if not all was WELL. O may be NULL. */
int hc_files_close(struct hc_output_file *o, const char *path, bool well);

/* "PATH: cannot be written: CAUSE" on stderr; returns the exit code. */
int hc_files_fail(const char *path, int cause);

#endif
