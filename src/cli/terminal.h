/* A debugging session at a terminal, or with a script as stdin. */
#ifndef HC_CLI_TERMINAL_H
#define HC_CLI_TERMINAL_H

#include "debug/session/session.h"

struct hc_terminal_options {
    const char *greeting; /* printed first, at a terminal */
    bool batch;           /* end after the commands */
    int commands;         /* that are done first */
    const char *const *command;
};

/* Runs until the user ends it; returns the exit code. */
int hc_terminal_debug(struct hc_debugger *s, const struct hc_terminal_options *options);

#endif
