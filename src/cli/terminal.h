/* A debugging session at a terminal, or with a script as stdin. */
#ifndef HC_CLI_TERMINAL_H
#define HC_CLI_TERMINAL_H

#include "debug/session/session.h"

struct hc_terminal_options {
    const char *greeting; /* printed first, at a terminal */
    bool batch;           /* end after the commands */
    int commands;         /* to execute first */
    const char *const *command;
    struct hc_progress *progress; /* to tell how far a command is; the caller's */
};

/* The operations that a terminal needs from a session: see debug/session/session.h. */
struct hc_terminal_session {
    void *session;
    enum hc_debugger_end (*command)(void *session, const char *line);
    void (*interrupt)(void *session);
    void (*complete)(void *session, const char *line, hc_completion_fn *tell, void *owner);
    void (*show_place)(void *session);
    void (*set_terminal)(void *session, FILE *out, bool colours);
    void (*set_progress)(void *session, hc_debugger_progress_fn *tell, void *owner);
};

/* Runs until the user ends it; returns the exit code. */
int hc_terminal_run(const struct hc_terminal_session *session, const struct hc_terminal_options *options);
/* The same for the session of one node. */
int hc_terminal_debug(struct hc_debugger *s, const struct hc_terminal_options *options);

#endif
