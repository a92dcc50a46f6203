/* One run of the wrapper: the programs it starts and the files it must clean up.
 *
 * Terminating signals are blocked during an invocation, passed to the running program, and obeyed after cleaning up;
 * hc_invocation_end does not return then. */
#ifndef HC_INSTRUMENT_COMMAND_INVOCATION_H
#define HC_INSTRUMENT_COMMAND_INVOCATION_H

#include "argv.h"

#include <signal.h>
#include <stdio.h>

struct hc_invocation {
    char *directory;      /* for temporary files, created on first use; NULL before */
    struct hc_argv files; /* to be deleted if the invocation fails */
    sigset_t before;
    bool stays;        /* this process has more to do: no command may replace it */
    int signals;       /* a descriptor that reads them */
    int signal;        /* the signal that arrived, or 0 */
    FILE *commands;    /* where commands are printed before they run; NULL: nowhere */
    FILE *errors;      /* where errors in a source are printed, with file and line */
    char message[512]; /* of the last failure, one line without a newline */
};

/* Returns false if the system refuses, with a message. End it in any case. */
bool hc_invocation_begin(struct hc_invocation *session);
/* Deletes temporary files and, if FAILED, those marked for deletion. */
void hc_invocation_end(struct hc_invocation *session, bool failed);

/* Writes the message and returns false. */
bool hc_invocation_fail(struct hc_invocation *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a temporary file NAME, which is not created; free it. Its directory is created in $TMPDIR, /tmp, next to
 * the file BESIDE, or in the current directory: the first that is writable. NULL: none is. */
char *hc_invocation_file(struct hc_invocation *session, const char *beside, const char *name);

/* Writes a whole file. */
bool hc_invocation_write(struct hc_invocation *session, const char *path, const char *text, size_t size);

/* From now on FILE is deleted on failure. */
void hc_invocation_warn(struct hc_invocation *session, const char *file);
/* The marked files are complete; or, if FAILED, they are deleted. */
void hc_invocation_settle(struct hc_invocation *session, bool failed);

struct hc_process {
    const struct hc_argv *command;
    const char *input; /* the program's standard input; NULL: ours */
    size_t input_size;
    bool takes_output, takes_errors; /* else they are ours */
    /* the results; text is freed by hc_process_free, and ends with a zero that the size does not count */
    char *output, *errors;
    size_t output_size, errors_size;
    int code; /* exit code; 128 + signal, as in shells */
};

/* Runs a program to its end. Returns false, with a message, if it could not be started, on a signal, or on
 * out-of-memory. */
bool hc_process_run(struct hc_invocation *session, struct hc_process *process);
void hc_process_free(struct hc_process *process);

#endif
