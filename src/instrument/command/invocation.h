/* One run of the wrapper: the programs that it starts, the files that it must not leave behind.
 *
 * Signals that ask it to end are held back for as long as a session lasts, handed to the program that runs, and obeyed
 * when everything is cleaned up: hc_invocation_end does not return then. */
#ifndef HC_INSTRUMENT_COMMAND_INVOCATION_H
#define HC_INSTRUMENT_COMMAND_INVOCATION_H

#include "argv.h"

#include <signal.h>
#include <stdio.h>

struct hc_invocation {
    char *directory;      /* for temporary files, made when first asked for; NULL before */
    struct hc_argv files; /* to be deleted if the session fails */
    sigset_t before;
    bool stays;        /* this process has more to do: no command may replace it */
    int signals;       /* a descriptor that reads them */
    int signal;        /* the one that came, or 0 */
    FILE *commands;    /* where commands are shown before they run; NULL: nowhere */
    FILE *errors;      /* where what is wrong with a source is said, by file and line */
    char message[512]; /* of the last failure, one line without a newline */
};

/* False: the system refuses; message says why. To be ended in any case. */
bool hc_invocation_begin(struct hc_invocation *session);
/* Deletes temporary files, and those to be deleted if FAILED. */
void hc_invocation_end(struct hc_invocation *session, bool failed);

/* Writes the message; returns false, for the caller to return. */
bool hc_invocation_fail(struct hc_invocation *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a temporary file NAME, which is not made; to be freed. The directory is made in $TMPDIR, /tmp, beside the
 * file BESIDE, or in the current directory: the first that allows it. NULL: none does. */
char *hc_invocation_file(struct hc_invocation *session, const char *beside, const char *name);

/* Writes a whole file. */
bool hc_invocation_write(struct hc_invocation *session, const char *path, const char *text, size_t size);

/* From now on FILE is deleted on failure. */
void hc_invocation_warn(struct hc_invocation *session, const char *file);
/* What was in doubt is done, or FAILED and is deleted. */
void hc_invocation_settle(struct hc_invocation *session, bool failed);

struct hc_process {
    const struct hc_argv *command;
    const char *input; /* the program's standard input; NULL: ours */
    size_t input_size;
    bool takes_output, takes_errors; /* else they are ours */
    /* the results; text is freed by hc_process_free, and ends with a zero that the size does not count */
    char *output, *errors;
    size_t output_size, errors_size;
    int code; /* exit code; 128 + signal as shells have it */
};

/* Runs a program to its end. False: it could not be started, a signal came, or no memory; see message. */
bool hc_process_run(struct hc_invocation *session, struct hc_process *process);
void hc_process_free(struct hc_process *process);

#endif
